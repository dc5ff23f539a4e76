/* Launches that are made again (host_again.h). The ways are those of the host code after its functions were
 * inlined; of one that was not, the ways between its calls count as well. Where it is not known whether
 * something on a way sets the memory anew, it is taken to do so: a proof then says what it assumes of it. */
#include "frontend/host_again.h"

#ifdef LS_HAVE_LLVM
#include "frontend/host_entries.h"
#include "frontend/host_runtime.h"

#include <string.h>

enum {
    DEEPEST = 4,          /* calls of functions that were not inlined */
    MOST_STEPS = 2000000, /* instructions that are looked at for one launch */
};

typedef struct {
    const ls_module *module;
    LLVMValueRef memory;   /* a pointer, or a variable of the device as the host code has it … */
    bool is_variable;      /* … which this is */
    const char *by_kernel; /* instead: what a launch of this function may set */
    uint32_t *steps;       /* so far */
} query;

static bool is_call(const ls_module *module, LLVMValueRef i) {
    return module->llvm->IsACallInst(i) || module->llvm->IsAInvokeInst(i);
}

static bool begins(const char *text, const char *with) {
    return text && !strncmp(text, with, strlen(with));
}

/* --- Memory ----------------------------------------------------------------------------------------------
 */

static LLVMValueRef object_of(const ls_llvm *llvm, LLVMValueRef pointer) {
    while (llvm->IsAGetElementPtrInst(pointer)) pointer = llvm->GetOperand(pointer, 0);
    return pointer;
}

/* A pointer that is kept in a variable, which has it each time; else NULL. */
static LLVMValueRef variable_of(const ls_llvm *llvm, LLVMValueRef pointer) {
    if (!llvm->IsALoadInst(pointer)) return NULL;
    LLVMValueRef from = llvm->GetOperand(pointer, 0);
    return llvm->IsAGlobalVariable(from) || llvm->IsAAllocaInst(from) ? from : NULL;
}

typedef enum { SAME, APART, OPEN } relation;

static relation compare(const ls_module *module, LLVMValueRef a, LLVMValueRef b) {
    const ls_llvm *llvm = module->llvm;
    a = object_of(llvm, a);
    b = object_of(llvm, b);
    LLVMValueRef in_a = variable_of(llvm, a), in_b = variable_of(llvm, b);
    if (a == b || (in_a && in_a == in_b)) return SAME;
    bool a_own = in_a || ls_host_allocated_bytes(module, a),
         b_own = in_b || ls_host_allocated_bytes(module, b);
    return a_own && b_own ? APART : OPEN;
}

/* --- What sets memory anew -------------------------------------------------------------------------------
 */

static bool may_set(const query *q, LLVMValueRef i, uint32_t depth);

/* A function of the program: something in it may. */
static bool body_may_set(const query *q, LLVMValueRef function, uint32_t depth) {
    const ls_llvm *llvm = q->module->llvm;
    if (depth == DEEPEST) return true;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b))
        for (LLVMValueRef i = llvm->GetFirstInstruction(b); i; i = llvm->GetNextInstruction(i))
            if (may_set(q, i, depth + 1)) return true;
    return false;
}

static bool is_given(const query *q, LLVMValueRef call) {
    for (unsigned k = 0; k < q->module->llvm->GetNumArgOperands(call); k++)
        if (compare(q->module, q->module->llvm->GetOperand(call, k), q->memory) == SAME) return true;
    return false;
}

/* Calls that write memory of the device, and where they say that it is another one that is written. */
static const struct {
    const char *name; /* as it begins */
    int kind;         /* the argument that says between which memories; -1: none does */
} fills[] = {{"cudaMemset", -1},     {"cudaMemcpyToSymbol", -1},   {"cudaMemcpy2DToArray", -1},
             {"cudaMemcpy2D", 6},    {"cudaMemcpyFromSymbol", -2}, {"cudaMemcpyToArray", -2},
             {"cudaMemcpyPeer", -1}, {"cudaMemcpy3D", -1},         {"cudaMemcpy", 3},
             {"cuMemset", -1},       {"cuMemcpyHtoD", -1},         {"cuMemcpyDtoD", -1}};
enum { NEVER = -2, TO_HOST = 2 /* cudaMemcpyDeviceToHost; 0: from host to host */ };

static bool fills_device(const ls_module *module, LLVMValueRef call, const char *callee) {
    const ls_llvm *llvm = module->llvm;
    for (size_t k = 0; k < sizeof fills / sizeof *fills; k++) {
        if (!begins(callee, fills[k].name)) continue;
        if (fills[k].kind < 0 || llvm->GetNumArgOperands(call) <= (unsigned)fills[k].kind)
            return fills[k].kind != NEVER;
        LLVMValueRef kind = llvm->GetOperand(call, (unsigned)fills[k].kind);
        uint64_t which = llvm->IsAConstantInt(kind) ? llvm->ConstIntGetZExtValue(kind) : 1;
        return which != TO_HOST && which != 0;
    }
    return false;
}

/* Where it goes may be the memory. In other functions that has other names. */
static bool may_fill(const query *q, LLVMValueRef call, const char *callee, uint32_t depth) {
    const ls_llvm *llvm = q->module->llvm;
    LLVMValueRef to = object_of(llvm, llvm->GetOperand(call, 0));
    bool by_symbol = begins(callee, "cudaMemcpyToSymbol");
    if (q->is_variable && by_symbol) return to == q->memory;
    if (q->is_variable) /* whose address the program may have asked for */
        return llvm->GetNamedFunction(q->module->module, "cudaGetSymbolAddress") &&
               !ls_host_allocated_bytes(q->module, to);
    return !by_symbol && (depth || compare(q->module, to, q->memory) != APART);
}

static bool may_set(const query *q, LLVMValueRef i, uint32_t depth) {
    const ls_llvm *llvm = q->module->llvm;
    if (++*q->steps > MOST_STEPS) return true; /* nobody knows */
    if (!is_call(q->module, i)) return false;
    const char *callee = ls_module_callee(q->module, i);
    if (!callee) return !q->by_kernel; /* through a pointer */
    if (ls_host_is_stub(callee))
        return q->by_kernel ? !strcmp(callee, q->by_kernel) : !q->is_variable && (depth || is_given(q, i));
    if (begins(callee, "cudaLaunch")) return false;
    LLVMValueRef function = llvm->GetCalledValue(i);
    if (!llvm->IsDeclaration(function)) return body_may_set(q, function, depth);
    if (q->by_kernel) return false;
    if (fills_device(q->module, i, callee)) return may_fill(q, i, callee, depth);
    return !q->is_variable && !begins(callee, "cuda") && !begins(callee, "__cuda") && is_given(q, i);
}

/* Passed on the way, it makes the memory another one, or sets it anew. */
static bool renews(const query *q, LLVMValueRef i) {
    bool again = !q->is_variable && i == object_of(q->module->llvm, q->memory) &&
                 !variable_of(q->module->llvm, i); /* computed once more: another pointer */
    return again || may_set(q, i, 0);
}

/* --- Ways ------------------------------------------------------------------------------------------------
 */

typedef LS_VEC(LLVMBasicBlockRef) block_list;

static void add_block(block_list *list, LLVMBasicBlockRef block) {
    for (uint32_t k = 0; k < list->length; k++)
        if (list->items[k] == block) return;
    LS_VEC_PUSH(list, block);
}

/* The way that goes around a launch whose sizes were not accepted, which is not one of a program that works.
 */
static bool is_failure(const ls_module *module, LLVMValueRef last, unsigned successor) {
    const ls_llvm *llvm = module->llvm;
    bool branches = llvm->GetInstructionOpcode(last) == LLVMBr && llvm->IsConditional(last);
    LLVMValueRef asked = branches ? llvm->GetCondition(last) : NULL;
    if (!asked || !llvm->IsAInstruction(asked) || llvm->GetInstructionOpcode(asked) != LLVMICmp) return false;
    LLVMValueRef call = llvm->GetOperand(asked, 0);
    bool sizes =
        llvm->IsAInstruction(call) && begins(ls_module_callee(module, call), "__cudaPushCallConfiguration");
    return sizes && successor == (llvm->GetICmpPredicate(asked) == LLVMIntEQ ? 1 : 0);
}

/* From behind `from` (NULL: the entry of the function) to `to` (NULL: an end of it), past nothing that
 * renews. */
static bool leads(const query *q, LLVMValueRef function, LLVMValueRef from, LLVMValueRef to) {
    const ls_llvm *llvm = q->module->llvm;
    block_list seen = {0};
    bool found = false;
    LLVMValueRef i =
        from ? llvm->GetNextInstruction(from) : llvm->GetFirstInstruction(llvm->GetEntryBasicBlock(function));
    for (uint32_t next = 0; !found;) {
        LLVMValueRef last = NULL;
        bool ended = false;
        for (; i && !ended && !found; last = i, i = llvm->GetNextInstruction(i)) {
            found = i == to;
            ended = !found && renews(q, i);
        }
        if (!found && !ended && last) {
            for (unsigned s = 0; s < llvm->GetNumSuccessors(last); s++)
                if (!is_failure(q->module, last, s)) add_block(&seen, llvm->GetSuccessor(last, s));
            found = !to && !llvm->GetNumSuccessors(last);
        }
        if (next == seen.length) break;
        i = llvm->GetFirstInstruction(seen.items[next++]);
    }
    LS_VEC_FREE(&seen);
    return found;
}

static LLVMValueRef function_of(const ls_llvm *llvm, LLVMValueRef i) {
    return llvm->GetBasicBlockParent(llvm->GetInstructionParent(i));
}

/* The pointer as it is where the function is called; NULL: it is not the same there. */
static LLVMValueRef in_caller(const query *q, LLVMValueRef function, LLVMValueRef call) {
    const ls_llvm *llvm = q->module->llvm;
    LLVMValueRef object = q->memory ? object_of(llvm, q->memory) : NULL;
    if (!object || q->is_variable ||
        (variable_of(llvm, object) && llvm->IsAGlobalVariable(variable_of(llvm, object))))
        return object;
    for (unsigned k = 0; k < llvm->CountParams(function); k++)
        if (llvm->GetParam(function, k) == object) return llvm->GetOperand(call, k);
    return NULL;
}

enum { NO_ARGUMENT = UINT32_MAX };

/* Both launch one kernel, or call one function, and give it the same memory. */
static bool are_alike(const query *q, LLVMValueRef other, LLVMValueRef call, unsigned argument) {
    const ls_llvm *llvm = q->module->llvm;
    if (!is_call(q->module, other) || llvm->GetCalledValue(other) != llvm->GetCalledValue(call) ||
        function_of(llvm, other) != function_of(llvm, call))
        return false;
    if (begins(ls_module_callee(q->module, call), "cudaLaunch"))
        return llvm->GetOperand(other, 0) == llvm->GetOperand(call, 0);
    return argument == NO_ARGUMENT ||
           compare(q->module, llvm->GetOperand(other, argument), llvm->GetOperand(call, argument)) == SAME;
}

/* A way leads to the call from one like it, perhaps itself. */
static bool comes_again(const query *q, LLVMValueRef call, unsigned argument, uint32_t depth) {
    const ls_llvm *llvm = q->module->llvm;
    LLVMValueRef called = llvm->GetCalledValue(call), function = function_of(llvm, call);
    for (LLVMUseRef u = llvm->GetFirstUse(called); u; u = llvm->GetNextUse(u)) {
        LLVMValueRef other = llvm->GetUser(u);
        if (are_alike(q, other, call, argument) && leads(q, function, other, call)) return true;
    }
    if (depth == DEEPEST || !leads(q, function, NULL, call) || !leads(q, function, call, NULL)) return false;
    for (LLVMUseRef u = llvm->GetFirstUse(function); u; u = llvm->GetNextUse(u)) {
        LLVMValueRef site = llvm->GetUser(u);
        if (!is_call(q->module, site) || llvm->GetCalledValue(site) != function) continue;
        query above = *q;
        above.memory = q->memory ? in_caller(q, function, site) : NULL;
        if (q->memory && !above.memory) continue;
        unsigned position = NO_ARGUMENT;
        for (unsigned k = 0; k < llvm->CountParams(function) && q->memory; k++)
            if (llvm->GetParam(function, k) == object_of(llvm, q->memory)) position = k;
        if (comes_again(&above, site, position, depth + 1)) return true;
    }
    return false;
}

/* --- All of it -------------------------------------------------------------------------------------------
 */

static bool is_left(const query *q, LLVMValueRef launch, unsigned argument) {
    return comes_again(q, launch, argument, 0);
}

/* Pointers, by their parameters. */
static void find_parameters(const query *any, ls_arena *arena, LLVMValueRef launch,
                            const ls_host_arguments *all, ls_launch_again *out) {
    const ls_module *module = any->module;
    const ls_llvm *llvm = module->llvm;
    uint32_t *list = LS_NEW_N(arena, uint32_t, all->count + 1);
    bool listed = begins(ls_module_callee(module, launch), "cudaLaunch");
    for (unsigned k = 0; k < all->count; k++) {
        LLVMValueRef value = all->items[k].value;
        if (!value || llvm->GetTypeKind(llvm->TypeOf(value)) != LLVMPointerTypeKind) continue;
        bool passed = !listed && k < llvm->GetNumArgOperands(launch) && llvm->GetOperand(launch, k) == value;
        query q = {.module = module, .memory = value, .steps = any->steps};
        if (is_left(&q, launch, passed ? k : NO_ARGUMENT))
            list[out->parameter_count++] = all->items[k].place.parameter;
    }
    out->parameters = list;
}

typedef struct {
    const char **items;
    uint32_t count, size;
} name_list;

static void add_name(ls_arena *arena, name_list *list, const char *name) {
    for (uint32_t k = 0; k < list->count; k++)
        if (!strcmp(list->items[k], name)) return;
    if (list->count == list->size) {
        const char **more = LS_NEW_N(arena, const char *, 2 * list->size + 8);
        if (list->count) memcpy(more, list->items, sizeof *more * list->count);
        list->items = more;
        list->size = 2 * list->size + 8;
    }
    list->items[list->count++] = ls_arena_strdup(arena, name);
}

/* Variables that copies set on every way, and kernels that are launched on every way. */
static void find_renewed(const query *any, ls_arena *arena, LLVMValueRef launch, ls_launch_again *out) {
    const ls_module *module = any->module;
    const ls_llvm *llvm = module->llvm;
    name_list renewed = {0}, kernels = {0};
    size_t length;
    for (LLVMValueRef g = llvm->GetFirstGlobal(module->module); g; g = llvm->GetNextGlobal(g)) {
        query q = {.module = module, .memory = g, .is_variable = true, .steps = any->steps};
        bool asked = false;
        for (LLVMUseRef u = llvm->GetFirstUse(g); u && !asked; u = llvm->GetNextUse(u))
            asked = begins(ls_module_callee(module, llvm->GetUser(u)), "cudaMemcpyToSymbol");
        if (asked && !is_left(&q, launch, NO_ARGUMENT))
            add_name(arena, &renewed, llvm->GetValueName2(g, &length));
    }
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        const char *name = llvm->GetValueName2(f, &length);
        query q = {.module = module, .is_variable = true, .by_kernel = name, .steps = any->steps};
        if (!ls_host_is_stub(name) || !llvm->GetFirstUse(f) || f == llvm->GetCalledValue(launch)) continue;
        if (!is_left(&q, launch, NO_ARGUMENT)) add_name(arena, &kernels, name);
    }
    out->renewed = renewed.items;
    out->renewed_count = renewed.count;
    out->kernels = kernels.items;
    out->kernel_count = kernels.count;
}

const ls_launch_again *ls_host_again(const ls_module *module, ls_arena *arena, LLVMValueRef launch,
                                     const ls_host_arguments *all) {
    ls_launch_again *out = LS_NEW(arena, ls_launch_again);
    uint32_t steps = 0;
    const query any = {.module = module, .is_variable = true, .steps = &steps};
    find_parameters(&any, arena, launch, all, out);
    out->variables = is_left(&any, launch, NO_ARGUMENT);
    if (out->variables) find_renewed(&any, arena, launch, out);
    return out->variables || out->parameter_count ? out : NULL;
}
#endif
