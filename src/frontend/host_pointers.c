/* Pointers of a launch among each other (host_pointers.h). A pointer is the call that allocated it, or where
 * it was computed, and what was added to it. Pointers that a loop around the launch changes, or a condition
 * chooses, are followed in pairs: two that a loop swaps are never the same, and one that takes the other's
 * place is. */
#ifdef LS_HAVE_LLVM
#include "frontend/host_pointers.h"
#include "frontend/host_paths.h"
#include "frontend/host_slots.h"

#include <string.h>

static LLVMOpcode opcode(const ls_llvm *llvm, LLVMValueRef v) {
    return llvm->IsAInstruction(v) ? llvm->GetInstructionOpcode(v) : LLVMRet;
}

/* --- Distances -------------------------------------------------------------------------------------------
 */

/* What the pointer was computed from by adding to it. */
static LLVMValueRef root_of(const ls_module *module, LLVMValueRef pointer) {
    const ls_llvm *llvm = module->llvm;
    pointer = ls_host_loaded(module, pointer);
    while (llvm->IsAGetElementPtrInst(pointer))
        pointer = ls_host_loaded(module, llvm->GetOperand(pointer, 0));
    return pointer;
}

static bool is_pointer(const ls_llvm *llvm, LLVMValueRef value) {
    return value && llvm->GetTypeKind(llvm->TypeOf(value)) == LLVMPointerTypeKind;
}

/* What tells a pointer from others. */
static LLVMValueRef identity(const ls_module *module, const ls_host_argument *a) {
    if (a->allocation) return a->allocation;
    return is_pointer(module->llvm, a->value) ? a->value : NULL;
}

/* The same of the memory that it points into. */
static LLVMValueRef memory_of(const ls_module *module, const ls_host_argument *a) {
    LLVMValueRef pointer = identity(module, a);
    if (!pointer || a->allocation) return pointer;
    LLVMValueRef root = root_of(module, pointer);
    LLVMValueRef allocation = ls_host_allocation(module, root);
    return allocation ? allocation : root;
}

/* How many bytes the pointer is behind its memory's start; NULL: not known. */
static const char *distance(ls_host_values *h, LLVMValueRef pointer) {
    const ls_llvm *llvm = h->module->llvm;
    LLVMTargetDataRef layout = llvm->GetModuleDataLayout(h->module->module);
    const char *sum = "0";
    pointer = ls_host_loaded(h->module, pointer);
    while (llvm->IsAGetElementPtrInst(pointer)) {
        if (llvm->GetNumOperands(pointer) != 2) return NULL;
        const char *index = ls_host_signed(h, llvm->GetOperand(pointer, 1));
        if (!index) return NULL;
        unsigned long long bytes = llvm->ABISizeOfType(layout, llvm->GetGEPSourceElementType(pointer));
        sum = ls_arena_printf(h->arena, "%s + (%s) * %llu", sum, index, bytes);
        pointer = ls_host_loaded(h->module, llvm->GetOperand(pointer, 0));
    }
    return sum;
}

/* --- Pointers that are chosen or change ------------------------------------------------------------------
 */

enum { MOST_PAIRS = 200 };

/* Two values that the code has at one time: where the launch stands, or earlier in a loop around it. */
typedef struct {
    LLVMValueRef of[2];
    bool is_apart; /* not so: one of them may be of an earlier round of a loop than the other */
} pair;

typedef struct {
    const ls_module *module;
    pair seen[MOST_PAIRS];
    uint32_t count;
    bool met; /* two were the same, or there were too many to look at */
} pairs;

/* --- Elements of arrays of pointers ----------------------------------------------------------------------
 */

enum { MOST_INDICES = 4 };

/* The place of a pointer in memory: a start, a number of bytes, and indices times their sizes. */
typedef struct {
    LLVMValueRef start, index[MOST_INDICES];
    uint64_t size[MOST_INDICES], bytes;
    uint32_t count;
    bool open; /* something else is added */
} element;

/* The value without conversions, and without a constant that is added to it. */
static LLVMValueRef without_constant(const ls_llvm *llvm, LLVMValueRef v, uint64_t *constant) {
    for (;;) {
        LLVMOpcode op = opcode(llvm, v);
        LLVMValueRef by = op == LLVMAdd ? llvm->GetOperand(v, 1) : NULL;
        if (op != LLVMSExt && op != LLVMZExt && op != LLVMTrunc && (!by || !llvm->IsAConstantInt(by)))
            return v;
        if (by) *constant += (uint64_t)llvm->ConstIntGetSExtValue(by);
        v = llvm->GetOperand(v, 0);
    }
}

static void add_index(const ls_llvm *llvm, element *e, LLVMValueRef index, uint64_t size) {
    uint64_t constant = 0;
    bool is_constant = llvm->IsAConstantInt(index);
    LLVMValueRef rest = is_constant ? NULL : without_constant(llvm, index, &constant);
    e->bytes += size * (is_constant ? (uint64_t)llvm->ConstIntGetSExtValue(index) : constant);
    if (!rest) return;
    e->open |= e->count == MOST_INDICES;
    if (e->open) return;
    e->index[e->count] = rest;
    e->size[e->count++] = size;
}

static element element_of(const ls_module *module, LLVMValueRef address) {
    const ls_llvm *llvm = module->llvm;
    LLVMTargetDataRef layout = llvm->GetModuleDataLayout(module->module);
    element e = {.start = address};
    while (llvm->IsAGetElementPtrInst(e.start)) {
        LLVMTypeRef type = llvm->GetGEPSourceElementType(e.start);
        unsigned count = (unsigned)llvm->GetNumOperands(e.start);
        for (unsigned i = 1; i < count; i++) {
            LLVMValueRef index = llvm->GetOperand(e.start, i);
            bool member = i > 1 && llvm->GetTypeKind(type) == LLVMStructTypeKind;
            if (i > 1 && !member) type = llvm->GetElementType(type);
            unsigned field = member ? (unsigned)llvm->ConstIntGetZExtValue(index) : 0;
            if (member) e.bytes += llvm->OffsetOfElement(layout, type, field);
            if (member) type = llvm->StructGetTypeAtIndex(type, field);
            if (!member) add_index(llvm, &e, index, llvm->ABISizeOfType(layout, type));
        }
        e.start = llvm->GetOperand(e.start, 0);
    }
    return e;
}

/* x and x ^ 1, or 1 - x: different, whatever x is. */
static bool are_opposite(const ls_llvm *llvm, LLVMValueRef one, LLVMValueRef two) {
    for (int i = 0; i < 2; i++) {
        LLVMValueRef v = i ? one : two, other = i ? two : one;
        LLVMOpcode op = opcode(llvm, v);
        if (op != LLVMXor && op != LLVMSub) continue;
        LLVMValueRef by = llvm->GetOperand(v, op == LLVMSub ? 0 : 1), of = llvm->GetOperand(v, op == LLVMSub);
        uint64_t ignored = 0;
        bool odd = llvm->IsAConstantInt(by) && llvm->ConstIntGetZExtValue(by) & 1;
        if (odd && without_constant(llvm, of, &ignored) == other && !ignored) return true;
    }
    return false;
}

/* Both are loaded from one array, and it is not known that from different elements of it. */
static bool may_be_one_element(const ls_module *module, LLVMValueRef one, LLVMValueRef two) {
    const ls_llvm *llvm = module->llvm;
    if (opcode(llvm, one) != LLVMLoad || opcode(llvm, two) != LLVMLoad) return false;
    element a = element_of(module, llvm->GetOperand(one, 0)),
            b = element_of(module, llvm->GetOperand(two, 0));
    if (a.start != b.start) return false;
    bool alike = a.count == b.count && !a.open && !b.open;
    for (uint32_t i = 0; i < a.count && alike; i++) {
        alike = a.size[i] == b.size[i];
        if (alike && a.count == 1 && a.bytes == b.bytes && are_opposite(llvm, a.index[i], b.index[i]))
            return false;
        alike &= a.index[i] == b.index[i];
    }
    return !alike || a.bytes == b.bytes;
}

static void add_pair(pairs *p, pair of) {
    const ls_llvm *llvm = p->module->llvm;
    for (int i = 0; i < 2; i++) of.of[i] = root_of(p->module, of.of[i]);
    if (llvm->IsNull(of.of[0]) || llvm->IsNull(of.of[1])) return;
    p->met |= of.of[0] == of.of[1] || may_be_one_element(p->module, of.of[0], of.of[1]);
    for (uint32_t i = 0; i < p->count && !p->met; i++) {
        const pair *s = &p->seen[i];
        if (s->of[0] == of.of[0] && s->of[1] == of.of[1] && s->is_apart == of.is_apart) return;
    }
    p->met |= p->count == MOST_PAIRS;
    if (!p->met) p->seen[p->count++] = of;
}

/* A value that is one of two, by a condition: what it is where that holds, and where it does not. NULL: it is
 * something else. */
static LLVMValueRef condition_of(const ls_llvm *llvm, LLVMValueRef v, LLVMValueRef arms[2]) {
    bool turned = false, selects = opcode(llvm, v) == LLVMSelect;
    LLVMValueRef by = selects                      ? llvm->GetOperand(v, 0)
                      : opcode(llvm, v) == LLVMPHI ? ls_host_merged_by(llvm, v, &turned)
                                                   : NULL;
    for (unsigned i = 0; i < 2 && by; i++)
        arms[turned ? 1 - i : i] = selects ? llvm->GetOperand(v, i + 1) : llvm->GetIncomingValue(v, i);
    return by;
}

/* Both are chosen by the same condition where both are of one time. */
static bool follow_choice(pairs *p, const pair *of, int which) {
    const ls_llvm *llvm = p->module->llvm;
    LLVMValueRef arms[2], others[2], by = condition_of(llvm, of->of[which], arms);
    if (!by) return false;
    LLVMValueRef other = condition_of(llvm, of->of[1 - which], others);
    bool alike = other == by && !of->is_apart;
    for (int i = 0; i < 2; i++) {
        pair next = *of;
        next.of[which] = arms[i];
        if (alike) next.of[1 - which] = others[i];
        add_pair(p, next);
    }
    return true;
}

/* What a phi of the block gives on the way from the other block; NULL for anything else. */
static LLVMValueRef from_block(const ls_llvm *llvm, LLVMValueRef v, LLVMBasicBlockRef at,
                               LLVMBasicBlockRef from) {
    if (opcode(llvm, v) != LLVMPHI || llvm->GetInstructionParent(v) != at) return NULL;
    for (unsigned i = 0; i < llvm->CountIncoming(v); i++)
        if (llvm->GetIncomingBlock(v, i) == from) return llvm->GetIncomingValue(v, i);
    return NULL;
}

static bool follow_phi(pairs *p, const pair *of, int which) {
    const ls_llvm *llvm = p->module->llvm;
    LLVMValueRef phi = of->of[which];
    if (opcode(llvm, phi) != LLVMPHI) return false;
    LLVMBasicBlockRef at = llvm->GetInstructionParent(phi);
    for (unsigned i = 0; i < llvm->CountIncoming(phi); i++) {
        pair next = *of;
        LLVMBasicBlockRef from = llvm->GetIncomingBlock(phi, i);
        LLVMValueRef other = from_block(llvm, of->of[1 - which], at, from);
        next.of[which] = llvm->GetIncomingValue(phi, i);
        if (other) next.of[1 - which] = other;
        next.is_apart |= !other;
        add_pair(p, next);
    }
    return true;
}

/* Whether two pointers may be into the same memory at some time, though they are not always. */
static bool may_meet(const ls_module *module, LLVMValueRef one, LLVMValueRef two) {
    pairs p = {.module = module};
    add_pair(&p, (pair){{one, two}, false});
    for (uint32_t i = 0; i < p.count && !p.met; i++) {
        pair of = p.seen[i];
        if (!follow_choice(&p, &of, 0) && !follow_choice(&p, &of, 1) && !follow_phi(&p, &of, 0))
            follow_phi(&p, &of, 1);
    }
    return p.met;
}

/* --- The launch ------------------------------------------------------------------------------------------
 */

/* The memory of each argument, and which of them come in question. */
typedef struct {
    ls_host_values *host;
    const ls_host_arguments *all;
    LLVMValueRef *memory;
    ls_argument_inside *inside;
} relations;

/* Of all pointers into the memory, the one that the others are compared with: one that is all of it, or the
 * first. */
static unsigned first_of(const relations *r, LLVMValueRef memory) {
    unsigned first = r->all->count;
    for (unsigned i = 0; i < r->all->count; i++) {
        bool inside = r->memory[i] == memory;
        if (inside && r->all->items[i].allocation) return i;
        if (inside && first == r->all->count) first = i;
    }
    return first;
}

static ls_argument_inside relation(const ls_host_argument *a, const ls_host_argument *b, const char *bytes) {
    return (ls_argument_inside){a->place.parameter, a->place.at, b->place.parameter, b->place.at, bytes};
}

/* An earlier parameter that is the same pointer, as a whole; or its own number. */
static uint32_t same_as(const ls_module *module, const ls_host_arguments *all, unsigned i) {
    LLVMValueRef pointer = identity(module, &all->items[i]);
    for (unsigned k = 0; k < i && pointer && all->items[i].place.is_whole; k++)
        if (all->items[k].place.is_whole && identity(module, &all->items[k]) == pointer)
            return all->items[k].place.parameter;
    return all->items[i].place.parameter;
}

/* How far the one is behind the other, in the same memory; NULL: not known. */
static const char *apart(ls_host_values *host, const ls_host_argument *a, const ls_host_argument *b) {
    if (identity(host->module, a) == identity(host->module, b)) return "0";
    const char *one = a->allocation ? "0" : distance(host, a->value),
               *two = b->allocation ? "0" : distance(host, b->value);
    return one && two ? ls_arena_printf(host->arena, "%s - (%s)", one, two) : NULL;
}

static void relate(const relations *r, ls_kernel_launch *launch, unsigned i) {
    const ls_host_argument *a = &r->all->items[i];
    if (!r->memory[i]) return;
    unsigned first = first_of(r, r->memory[i]);
    const ls_host_argument *b = &r->all->items[first];
    if (first != i) r->inside[launch->inside_count++] = relation(a, b, apart(r->host, a, b));
    for (unsigned k = 0; k < i && first == i; k++) {
        bool other = r->memory[k] && r->memory[k] != r->memory[i];
        if (!other || !may_meet(r->host->module, r->memory[k], r->memory[i])) continue;
        r->inside[launch->inside_count++] = relation(a, &r->all->items[k], NULL);
        return;
    }
}

void ls_host_describe_pointers(ls_host_values *host, ls_kernel_launch *launch, const ls_host_arguments *all) {
    uint32_t *same = LS_NEW_N(host->arena, uint32_t, all->parameters + 1);
    relations r = {host, all, LS_NEW_N(host->arena, LLVMValueRef, all->count + 1),
                   LS_NEW_N(host->arena, ls_argument_inside, all->count + 1)};
    for (uint32_t i = 0; i < all->parameters; i++) same[i] = i;
    for (unsigned i = 0; i < all->count; i++) r.memory[i] = memory_of(host->module, &all->items[i]);
    host->unbounded = true;
    for (unsigned i = 0; i < all->count; i++) {
        uint32_t parameter = all->items[i].place.parameter;
        same[parameter] = same_as(host->module, all, i);
        if (same[parameter] == parameter) relate(&r, launch, i);
    }
    host->unbounded = false;
    launch->same = same;
    launch->inside = r.inside;
    launch->argument_count = all->parameters;
}
#endif
