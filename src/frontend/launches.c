/* Launches in the file's own host code. The host side is compiled to IR, simplified until what is constant is
 * a constant, and each launch is read off: `k<<<grid, block, shared>>>(…)` is a call of
 * __cudaPushCallConfiguration followed by a call of the kernel's host stub; cudaLaunchKernel names the stub
 * itself. Sizes and integer arguments that are no constants are described by what they are computed from
 * (host_values.c), so that it is known how they hang together. */
#ifdef LS_HAVE_LLVM
#include "frontend/host_again.h"
#include "frontend/host_entries.h"
#include "frontend/host_paths.h"
#include "frontend/host_pointers.h"
#include "frontend/host_runtime.h"
#include "frontend/host_stubs.h"
#include "frontend/host_words.h"
#include "ptx/origin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* No pass here may merge two launches into one, or copy one. */
static const char PASSES[] = "globalopt,always-inline,cgscc(inline,function(sroa,early-cse<memssa>,"
                             "instcombine<no-verify-fixpoint>)),globalopt,ipsccp,"
                             "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,sccp)";

/* Where a call stands: of one that the runtime's own headers make, in functions that were inlined, where the
 * user calls these. */
typedef struct {
    const char *file; /* NULL: not known */
    uint32_t line, column;
} place;

static place place_of(const ls_module *module, ls_arena *arena, LLVMValueRef call) {
    const ls_llvm *llvm = module->llvm;
    const char *own = ls_frontend_share_dir();
    place at = {0};
    LLVMMetadataRef location = llvm->InstructionGetDebugLoc(call);
    for (; location; location = llvm->DILocationGetInlinedAt(location)) {
        LLVMMetadataRef scope = llvm->DILocationGetScope(location);
        LLVMMetadataRef source = scope ? llvm->DIScopeGetFile(scope) : NULL;
        unsigned folder_size = 0, size = 0;
        const char *folder = source ? llvm->DIFileGetDirectory(source, &folder_size) : NULL;
        const char *name = source ? llvm->DIFileGetFilename(source, &size) : NULL;
        at = (place){name ? ls_module_path(arena, folder, folder_size, name, size) : NULL,
                     llvm->DILocationGetLine(location), llvm->DILocationGetColumn(location)};
        bool is_own =
            at.file && ((*own && !strncmp(at.file, own, strlen(own))) || strstr(at.file, "/cuda_runtime"));
        if (!is_own) break;
    }
    return at;
}

typedef struct {
    ls_arena *arena;
    ls_ir_launches *launches;
    bool elsewhere;            /* only launches of kernels that are defined in another file */
    const char *const *others; /* files that are linked to it */
    uint32_t other_count;
    bool is_linked; /* as one of a project's files */
    bool is_open;   /* what it defines may be called by others that are not seen */
    ls_host_layouts layouts;
} search;

static const char *function_name(const ls_module *module, LLVMValueRef function) {
    size_t length;
    return function && module->llvm->IsAFunction(function) ? module->llvm->GetValueName2(function, &length)
                                                           : NULL;
}

/* "ns::__device_stub__scan<int>(int*)" → "ns::scan<int>(int*)" */
static const char *kernel_name(ls_arena *arena, const char *stub) {
    char text[4096];
    ls_demangle(stub, text, sizeof text);
    char *prefix = strstr(text, LS_STUB_PREFIX);
    if (prefix) memmove(prefix, prefix + strlen(LS_STUB_PREFIX), strlen(prefix + strlen(LS_STUB_PREFIX)) + 1);
    return ls_arena_strdup(arena, text);
}

/* The value comes from those who call the host code, which is not seen: a parameter of a function that others
 * may call, what it points to, or what is computed from such values. */
enum { MOST_STEPS = 200 }; /* in all */

static bool is_from_caller(const ls_llvm *llvm, LLVMValueRef v, uint32_t *steps);

/* Of a function that only this file calls: all its calls are given such a value. */
static bool all_calls_give(const ls_llvm *llvm, LLVMValueRef function, LLVMValueRef parameter,
                           uint32_t *steps) {
    unsigned index = 0;
    while (llvm->GetParam(function, index) != parameter) index++;
    LLVMUseRef use = llvm->GetFirstUse(function);
    bool all = use && (*steps)++ < MOST_STEPS;
    for (; use && all; use = llvm->GetNextUse(use)) {
        LLVMValueRef call = llvm->GetUser(use);
        all = llvm->IsACallInst(call) && llvm->GetCalledValue(call) == function &&
              is_from_caller(llvm, llvm->GetOperand(call, index), steps);
    }
    return all;
}

static bool is_from_caller(const ls_llvm *llvm, LLVMValueRef v, uint32_t *steps) {
    if (llvm->IsAArgument(v)) {
        LLVMValueRef function = llvm->GetParamParent(v);
        size_t length;
        const char *name = llvm->GetValueName2(function, &length);
        if (!strcmp(name, "main")) return false;
        bool others = llvm->GetLinkage(function) != LLVMInternalLinkage;
        return others || all_calls_give(llvm, function, v, steps);
    }
    bool followed = llvm->IsAInstruction(v) && !llvm->IsAAllocaInst(v) && !llvm->IsACallInst(v) &&
                    (*steps)++ < MOST_STEPS;
    bool any = false;
    const int first =
        followed && llvm->GetInstructionOpcode(v) == LLVMSelect; /* whichever of the two it is */
    const bool element = llvm->IsAGetElementPtrInst(v);          /* whichever it is */
    const int end = element ? 1 : followed ? (int)llvm->GetNumOperands(v) : 0;
    for (int i = first; followed && i < end; i++) {
        LLVMValueRef part = llvm->GetOperand(v, (unsigned)i);
        if (llvm->IsAConstantInt(part)) continue;
        any = true;
        followed = is_from_caller(llvm, part, steps);
    }
    return followed && any;
}

static const char *argument_name(const ls_host_values *host, const ls_host_place *to, LLVMTypeRef type,
                                 uint32_t parameters) {
    char text[LS_ARGUMENT_NAME];
    uint32_t bits = host->module->llvm->GetIntTypeWidth(type);
    if (to->is_whole)
        ls_origin_argument(text, to->parameter, bits, parameters);
    else
        ls_origin_member(text, to->parameter, bits, parameters, to->at);
    return ls_arena_strdup(host->arena, text);
}

/* The integers: those that are just there lend their parameter's name to the value, the others are equal to
 * what they are computed from. */
static void describe_arguments(ls_host_values *host, const ls_host_arguments *all) {
    const ls_llvm *llvm = host->module->llvm;
    for (int computed = 0; computed < 2; computed++)
        for (unsigned i = 0; i < all->count; i++) {
            LLVMValueRef value = all->items[i].value;
            LLVMTypeRef type = value ? llvm->TypeOf(value) : NULL;
            if (!type || llvm->GetTypeKind(type) != LLVMIntegerTypeKind) continue;
            bool is_plain = !llvm->IsAConstantInt(value) && !ls_host_is_followed(host, value);
            if (is_plain == computed) continue;
            const char *name = argument_name(host, &all->items[i].place, type, all->parameters);
            const char *known = is_plain ? ls_host_named(host, value) : ls_host_signed(host, value);
            if (known)
                ls_host_fact(host, "%s == %s", name, known);
            else if (is_plain)
                ls_host_call(host, value, name);
            if (is_plain && !known) ls_host_arrival(host, value);
            uint32_t steps = 0;
            if (is_from_caller(llvm, value, &steps)) ls_host_fact(host, "%s == %s", name, name);
        }
}

/* A number that is written out, as one that the branches before the launch leave may be. */
static bool is_number(const char *text, uint32_t *number) {
    char *end;
    unsigned long long value = text ? strtoull(text, &end, 10) : 0;
    *number = (uint32_t)value;
    return text && isdigit((unsigned char)*text) && !*end && value <= UINT32_MAX;
}

/* The sizes, in six conditions; those that are numbers. */
static void describe_sizes(ls_host_values *host, ls_kernel_launch *launch, LLVMValueRef call,
                           unsigned first) {
    static const char *const names[2][3] = {{"gridDim.x", "gridDim.y", "gridDim.z"},
                                            {"blockDim.x", "blockDim.y", "blockDim.z"}};
    const ls_llvm *llvm = host->module->llvm;
    ls_launch_size *const sizes[2] = {&launch->grid, &launch->block};
    for (unsigned which = 0; which < 2; which++) {
        LLVMValueRef xy = llvm->GetOperand(call, first + 2 * which);
        const char *number[3] = {ls_host_half(host, xy, false), ls_host_half(host, xy, true),
                                 ls_host_signed(host, llvm->GetOperand(call, first + 2 * which + 1))};
        ls_launch_size size = {.known = true};
        if (is_number(number[0], &size.x) && is_number(number[1], &size.y) && is_number(number[2], &size.z))
            *sizes[which] = size;
        for (unsigned axis = 0; axis < 3; axis++)
            if (number[axis]) ls_host_fact(host, "%s == %s", names[which][axis], number[axis]);
    }
}

/* How much memory pointers have, and the dynamic shared memory, in the values that the facts mention. */
static void describe_memory(ls_host_values *host, ls_kernel_launch *launch, const ls_host_arguments *all,
                            LLVMValueRef sizes, LLVMValueRef shared) {
    ls_argument_memory *list = LS_NEW_N(host->arena, ls_argument_memory, all->count + 2);
    host->unbounded = true;
    const char *dynamic = ls_host_signed(host, shared);
    if (dynamic)
        list[launch->allocation_count++] =
            (ls_argument_memory){LS_DYNAMIC_SHARED, 0, dynamic, launch->line, false};
    for (unsigned i = 0; i < all->count; i++) {
        LLVMValueRef call = all->items[i].allocation;
        const char *bytes = call ? ls_host_signed(host, ls_host_allocated_bytes(host->module, call)) : NULL;
        if (!bytes) continue;
        const ls_host_place *to = &all->items[i].place;
        list[launch->allocation_count++] =
            (ls_argument_memory){to->parameter, to->at, bytes, place_of(host->module, host->arena, call).line,
                                 ls_host_is_zeroed(host->module, call, sizes, ls_host_is_stub)};
    }
    host->unbounded = false;
    launch->allocations = list;
}

static void describe(const ls_module *module, ls_arena *arena, ls_kernel_launch *launch, LLVMValueRef sizes,
                     unsigned first, LLVMValueRef shared, const ls_host_arguments *all) {
    ls_host_values host = {.module = module, .arena = arena};
    ls_host_find_known(&host, sizes);
    describe_arguments(&host, all);
    if (all->parameters) ls_host_describe_pointers(&host, launch, all);
    describe_sizes(&host, launch, sizes, first);
    describe_memory(&host, launch, all, sizes, shared);
    ls_host_path(&host);
    const char **facts = LS_NEW_N(arena, const char *, host.facts.length + 1);
    for (uint32_t i = 0; i < host.facts.length; i++) facts[i] = host.facts.items[i];
    launch->facts = facts;
    launch->fact_count = host.facts.length;
    ls_host_values_free(&host);
}

/* What the launch may have left when it is made again, with the names of kernels as people write them. */
static const ls_launch_again *again_of(const ls_module *module, const search *found, LLVMValueRef launch,
                                       const ls_host_arguments *all) {
    const ls_launch_again *again = ls_host_again(module, found->arena, launch, all);
    if (!again || !again->kernel_count) return again;
    ls_launch_again *named = LS_NEW(found->arena, ls_launch_again);
    const char **kernels = LS_NEW_N(found->arena, const char *, again->kernel_count);
    *named = *again;
    for (uint32_t i = 0; i < again->kernel_count; i++) {
        const ls_host_layout *layout = ls_host_layout_of(&found->layouts, again->kernels[i]);
        kernels[i] = kernel_name(found->arena, layout ? layout->stub : again->kernels[i]);
    }
    named->kernels = kernels;
    return named;
}

/* sizes: the call that has them from its operand `first` on. */
static void record(const ls_module *module, const search *found, LLVMValueRef sizes, LLVMValueRef launch,
                   const char *stub, unsigned first, unsigned shared, const ls_host_arguments *all) {
    const ls_llvm *llvm = module->llvm;
    const ls_host_layout *layout = ls_host_layout_of(&found->layouts, stub);
    if (layout) stub = layout->stub;
    LLVMValueRef function = llvm->GetNamedFunction(module->module, stub);
    if (found->elsewhere && function && !llvm->IsDeclaration(function)) return;
    ls_ir_launch item = {.kernel = kernel_name(found->arena, stub)};
    LLVMValueRef bytes = llvm->GetOperand(sizes, shared);
    item.launch.shared_known = llvm->IsAConstantInt(bytes) != NULL;
    if (item.launch.shared_known) { /* more than any GPU has stays more than that */
        uint64_t asked = llvm->ConstIntGetZExtValue(bytes);
        item.launch.shared_bytes = asked < UINT32_MAX ? (uint32_t)asked : UINT32_MAX - 1;
    }
    place at = place_of(module, found->arena, sizes);
    item.launch.file = at.file;
    item.launch.line = at.line;
    item.launch.column = at.column;
    describe(module, found->arena, &item.launch, sizes, first, bytes, all);
    item.launch.again = again_of(module, found, launch, all);
    LS_VEC_PUSH(found->launches, item);
}

/* The call of the stub that comes next on some way from `start`, before another launch is configured. */
enum { WAYS = 32 };

static LLVMValueRef next_stub(const ls_module *module, LLVMValueRef start) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef pending[WAYS] = {start};
    LLVMBasicBlockRef seen[WAYS];
    unsigned count = 1, blocks = 0;
    while (count) {
        LLVMValueRef i = pending[--count], last = NULL;
        bool ended = false;
        for (; i && !ended; last = i, i = llvm->GetNextInstruction(i)) {
            const char *callee = ls_module_callee(module, i);
            if (ls_host_is_stub(callee)) return i;
            ended = callee && !strcmp(callee, "__cudaPushCallConfiguration");
        }
        if (ended || !last) continue;
        for (unsigned s = 0; s < llvm->GetNumSuccessors(last); s++) {
            LLVMBasicBlockRef block = llvm->GetSuccessor(last, s);
            bool known = false;
            for (unsigned b = 0; b < blocks; b++) known |= seen[b] == block;
            if (known || blocks == WAYS || count == WAYS) continue;
            seen[blocks++] = block;
            pending[count++] = llvm->GetFirstInstruction(block);
        }
    }
    return NULL;
}

static void look(const ls_module *module, const search *found, LLVMValueRef call) {
    const ls_llvm *llvm = module->llvm;
    const char *callee = ls_module_callee(module, call);
    if (!callee) return;
    if (!strcmp(callee, "__cudaPushCallConfiguration") && llvm->GetNumArgOperands(call) == 6) {
        LLVMValueRef stub = next_stub(module, llvm->GetNextInstruction(call));
        ls_host_arguments all = {0};
        if (stub) all = ls_host_passed(module, found->arena, &found->layouts, stub);
        if (stub) record(module, found, call, stub, ls_module_callee(module, stub), 0, 4, &all);
    } else if (!strcmp(callee, "cudaLaunchKernel") || !strcmp(callee, "cudaLaunchCooperativeKernel")) {
        LLVMValueRef function = llvm->GetNumArgOperands(call) == 8 ? llvm->GetOperand(call, 0) : NULL;
        const char *stub = function_name(module, function);
        if (!ls_host_is_stub(stub)) return;
        LLVMValueRef list = llvm->GetOperand(call, 5);
        ls_host_arguments all = ls_host_in_list(module, found->arena, &found->layouts, list, function, call);
        record(module, found, call, call, stub, 1, 6, &all);
    }
}

static void set_noinline(const ls_module *module, LLVMValueRef function) {
    const ls_llvm *llvm = module->llvm;
    unsigned kind = llvm->GetEnumAttributeKindForName("noinline", 8);
    llvm->AddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                              llvm->CreateEnumAttribute(module->context, kind, 0));
}

/* Only the file itself uses it from now on. */
static void close(const ls_llvm *llvm, LLVMValueRef global) {
    if (!llvm->IsDeclaration(global) && llvm->GetLinkage(global) == LLVMExternalLinkage)
        llvm->SetLinkage(global, LLVMInternalLinkage);
}

/* A file with main in it that is looked at by itself is taken for the whole program: the global variables
 * that it defines are changed by it alone, so that what it never changes is a constant. Where other files are
 * known, or there is no main, another file may change them. */
static void close_variables(const ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMValueRef g = llvm->GetFirstGlobal(module->module); g; g = llvm->GetNextGlobal(g)) close(llvm, g);
}

/* Functions of a program are called by the program alone, so that they are given what its calls give. */
static void close_functions(const ls_module *module, LLVMValueRef start) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f))
        if (f != start && !ls_host_is_stub(function_name(module, f)) && llvm->GetFirstUse(f)) close(llvm, f);
}

/* Kernels that a file has for itself may have the name of another file's. */
static void hide_own_kernels(ls_module *other) {
    const ls_llvm *llvm = other->llvm;
    for (LLVMValueRef f = llvm->GetFirstFunction(other->module); f; f = llvm->GetNextFunction(f))
        if (ls_host_is_stub(function_name(other, f)) && llvm->GetLinkage(f) == LLVMInternalLinkage)
            llvm->SetValueName2(f, "hidden", strlen("hidden"));
}

static void find_launches(ls_module *module, void *context) {
    const ls_llvm *llvm = module->llvm;
    search *found = context;
    if (found->elsewhere) hide_own_kernels(module);
    for (uint32_t i = 0; i < found->other_count && !module->failed; i++)
        module->failed |= !ls_module_link(module, found->others[i], hide_own_kernels);
    if (module->failed) return;
    LLVMValueRef start = llvm->GetNamedFunction(module->module, "main");
    if (start && !llvm->IsDeclaration(start)) {
        if (!found->is_linked && !found->elsewhere) close_variables(module);
        if (!found->is_open) close_functions(module, start);
    }
    ls_host_name_values(module);
    ls_host_split_stubs(module, found->arena, &found->layouts);
    ls_host_runtime(module, ls_host_is_stub);
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        const char *name = function_name(module, f);
        bool whole = ls_host_is_stub(name) && !ls_host_layout_of(&found->layouts, name);
        if (whole && !llvm->IsDeclaration(f)) set_noinline(module, f);
    }
    if (!ls_module_run(module, PASSES)) return;
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        if (ls_host_is_stub(function_name(module, f))) continue;
        for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(f); b; b = llvm->GetNextBasicBlock(b))
            for (LLVMValueRef i = llvm->GetFirstInstruction(b); i; i = llvm->GetNextInstruction(i))
                look(module, found, i);
    }
}

static bool find_in(const char *bitcode_path, search *found) {
    ls_module module = {.llvm = ls_llvm_load(NULL), .source = bitcode_path};
    if (!module.llvm) return false;
    bool good = ls_module_open(&module, bitcode_path) && ls_module_guard(&module, find_launches, found);
    ls_module_close(&module);
    LS_VEC_FREE(&found->layouts);
    return good;
}

bool ls_host_launches(const char *bitcode_path, ls_arena *arena, bool elsewhere, ls_ir_launches *launches) {
    return find_in(bitcode_path, &(search){.arena = arena, .launches = launches, .elsewhere = elsewhere});
}

bool ls_host_launches_linked(const char *const *bitcode, uint32_t count, ls_host_link how, ls_arena *arena,
                             ls_ir_launches *launches) {
    return find_in(bitcode[0], &(search){.arena = arena,
                                         .launches = launches,
                                         .elsewhere = how.elsewhere,
                                         .others = bitcode + 1,
                                         .other_count = count - 1,
                                         .is_linked = true,
                                         .is_open = !how.whole});
}
#endif
