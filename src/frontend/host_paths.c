/* Values of host code by the way they were reached (host_paths.h). A fact mentions the values at the launch:
 * what a phi merges is there what the branch has left that was taken last, as long as the phi's block does
 * not stand at the head of a loop that the branch comes from. */
#ifdef LS_HAVE_LLVM
#include "frontend/host_paths.h"

#include "base/buf.h"
#include "base/map.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_ARMS = 4, MOST_STEPS = 16, MOST_BACK = 30, MOST_BLOCKS = 2000 };

/* --- Control flow ----------------------------------------------------------------------------------------
 */

typedef struct {
    LLVMBasicBlockRef items[MOST_BLOCKS];
    unsigned count;
} blocks;

static bool contains(const ls_intmap *set, LLVMBasicBlockRef block) {
    uint64_t ignored;
    return ls_intmap_get(set, (uint64_t)(uintptr_t)block, &ignored);
}

/* Whether `block` is reached from the blocks in `work` on ways that do not lead through `by`; `full` where
 * the function is too large to tell. */
static bool is_reached(const ls_llvm *llvm, blocks *work, LLVMBasicBlockRef by, LLVMBasicBlockRef block,
                       bool *full) {
    ls_intmap seen = {0};
    bool is_new;
    *full = false;
    for (unsigned at = 0; at < work->count && !*full; at++) {
        LLVMValueRef last = llvm->GetBasicBlockTerminator(work->items[at]);
        for (unsigned i = 0; last && i < llvm->GetNumSuccessors(last); i++) {
            LLVMBasicBlockRef next = llvm->GetSuccessor(last, i);
            if (next == by) continue;
            ls_intmap_at(&seen, (uint64_t)(uintptr_t)next, &is_new);
            if (!is_new) continue;
            *full = work->count == MOST_BLOCKS;
            if (!*full) work->items[work->count++] = next;
        }
    }
    bool reached = contains(&seen, block);
    ls_intmap_free(&seen);
    return reached;
}

/* Every way to `block` leads through `by`; `full` where the function is too large to tell. */
static bool dominates(const ls_llvm *llvm, LLVMBasicBlockRef by, LLVMBasicBlockRef block, bool *full) {
    *full = false;
    LLVMBasicBlockRef entry = llvm->GetEntryBasicBlock(llvm->GetBasicBlockParent(block));
    if (by == block || by == entry) return true;
    if (block == entry) return false;
    blocks *work = ls_xmalloc(sizeof *work);
    work->count = 1;
    work->items[0] = entry;
    bool reached = is_reached(llvm, work, by, block, full);
    free(work);
    return !reached;
}

bool ls_host_is_before(const ls_llvm *llvm, LLVMValueRef first, LLVMValueRef second) {
    LLVMBasicBlockRef one = llvm->GetInstructionParent(first), two = llvm->GetInstructionParent(second);
    bool full;
    if (llvm->GetBasicBlockParent(one) != llvm->GetBasicBlockParent(two)) return false;
    if (one != two) return dominates(llvm, one, two, &full) && !full;
    while (first && first != second) first = llvm->GetNextInstruction(first);
    return first == second;
}

bool ls_host_may_follow(const ls_llvm *llvm, LLVMValueRef first, LLVMValueRef second, LLVMValueRef by) {
    LLVMBasicBlockRef from = llvm->GetInstructionParent(first), to = llvm->GetInstructionParent(second);
    if (from == to && ls_host_is_before(llvm, first, second)) return true;
    if (to == llvm->GetInstructionParent(by)) return false; /* which comes before the second */
    blocks *work = ls_xmalloc(sizeof *work);
    bool full;
    work->count = 1;
    work->items[0] = from;
    bool reached = is_reached(llvm, work, llvm->GetInstructionParent(by), to, &full);
    free(work);
    return reached || full;
}

/* The one block that goes to this one; NULL where there are none or several. */
static LLVMBasicBlockRef only_predecessor(const ls_llvm *llvm, LLVMBasicBlockRef block) {
    LLVMBasicBlockRef found = NULL;
    LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(llvm->GetBasicBlockParent(block));
    for (; b; b = llvm->GetNextBasicBlock(b)) {
        LLVMValueRef last = llvm->GetBasicBlockTerminator(b);
        for (unsigned i = 0; last && i < llvm->GetNumSuccessors(last); i++) {
            if (llvm->GetSuccessor(last, i) != block) continue;
            if (found) return NULL;
            found = b;
        }
    }
    return found;
}

static bool is_branch(const ls_llvm *llvm, LLVMValueRef last) {
    return last && llvm->GetInstructionOpcode(last) == LLVMBr && llvm->IsConditional(last) &&
           llvm->GetSuccessor(last, 0) != llvm->GetSuccessor(last, 1);
}

/* One of the blocks that go to this one, of those that were not seen yet. */
static LLVMBasicBlockRef new_predecessor(const ls_llvm *llvm, LLVMBasicBlockRef block,
                                         const ls_intmap *seen) {
    LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(llvm->GetBasicBlockParent(block));
    for (; b; b = llvm->GetNextBasicBlock(b)) {
        LLVMValueRef last = llvm->GetBasicBlockTerminator(b);
        for (unsigned i = 0; last && i < llvm->GetNumSuccessors(last); i++)
            if (llvm->GetSuccessor(last, i) == block && !contains(seen, b)) return b;
    }
    return NULL;
}

/* The last block that every way to this one leads through: it is on any way back. NULL: none is found. */
static LLVMBasicBlockRef dominator_of(const ls_llvm *llvm, LLVMBasicBlockRef block) {
    LLVMBasicBlockRef at = only_predecessor(llvm, block);
    if (at) return at;
    ls_intmap seen = {0};
    bool is_new, found = false, full;
    at = block;
    for (unsigned step = 0; at && !found && step < MOST_BACK; step++) {
        ls_intmap_at(&seen, (uint64_t)(uintptr_t)at, &is_new);
        at = new_predecessor(llvm, at, &seen);
        found = at && dominates(llvm, at, block, &full) && !full;
    }
    ls_intmap_free(&seen);
    return found ? at : NULL;
}

typedef struct {
    LLVMValueRef branch;
    bool yes; /* it went where its condition leads */
} decision;

/* The branches that decide whether a block is reached, and how they turned out, the last one first. With
 * `to`, whether that one is reached from the block. */
static unsigned find_decisions(const ls_llvm *llvm, LLVMBasicBlockRef from, LLVMBasicBlockRef to,
                               decision *out) {
    unsigned count = 0;
    LLVMValueRef last = llvm->GetBasicBlockTerminator(from);
    if (to && is_branch(llvm, last)) out[count++] = (decision){last, llvm->GetSuccessor(last, 0) == to};
    LLVMBasicBlockRef before = dominator_of(llvm, from);
    for (unsigned step = 1; before && step < MOST_STEPS; step++, before = dominator_of(llvm, before)) {
        last = llvm->GetBasicBlockTerminator(before);
        for (unsigned i = 0; i < 2 && is_branch(llvm, last); i++) {
            LLVMBasicBlockRef way = llvm->GetSuccessor(last, i);
            bool full, only = only_predecessor(llvm, way) == before && dominates(llvm, way, from, &full);
            if (only && !full) out[count++] = (decision){last, i == 0};
        }
    }
    return count;
}

/* --- What a phi merges -----------------------------------------------------------------------------------
 */

/* for (i = first; …; i += step) counts: upwards i is never below the first, downwards never above. */
static const char *counter(ls_host_values *h, LLVMValueRef phi) {
    const ls_llvm *llvm = h->module->llvm;
    if (llvm->CountIncoming(phi) != 2 || llvm->GetIntTypeWidth(llvm->TypeOf(phi)) > 32) return NULL;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef first = llvm->GetIncomingValue(phi, k), next = llvm->GetIncomingValue(phi, 1 - k);
        bool adds = llvm->IsAInstruction(next) && llvm->GetInstructionOpcode(next) == LLVMAdd;
        if (!adds || llvm->GetOperand(next, 0) != phi) continue;
        LLVMValueRef step = llvm->GetOperand(next, 1);
        if (!llvm->IsAConstantInt(step)) continue;
        bool up = llvm->ConstIntGetSExtValue(step) > 0, exact = llvm->GetNSW(next);
        bool known = llvm->IsAConstantInt(first) && exact && up;
        const char *name = ls_host_described(h, phi);
        ls_host_fact(h, "%s >= (%lld)", name,
                     known ? llvm->ConstIntGetSExtValue(first) : (long long)INT32_MIN);
        const char *start = exact && !known ? ls_host_part(h, first) : NULL;
        if (start) ls_host_fact(h, up ? "%s >= %s" : "%s <= %s", name, start);
        return name;
    }
    return NULL;
}

static bool is_power_of_two(const ls_llvm *llvm, LLVMValueRef v, unsigned depth);
static int shift_of(const ls_llvm *llvm, LLVMValueRef next, LLVMValueRef of);

/* A loop starts with one, and halves or doubles it. */
static bool is_power_in_loop(const ls_llvm *llvm, LLVMValueRef phi, unsigned depth) {
    if (llvm->GetInstructionOpcode(phi) != LLVMPHI || llvm->CountIncoming(phi) != 2) return false;
    for (unsigned k = 0; k < 2; k++)
        if (shift_of(llvm, llvm->GetIncomingValue(phi, 1 - k), phi) &&
            is_power_of_two(llvm, llvm->GetIncomingValue(phi, k), depth))
            return true;
    return false;
}

/* It is one, or 0, or negative. */
static bool is_power_of_two(const ls_llvm *llvm, LLVMValueRef v, unsigned depth) {
    uint64_t number = llvm->IsAConstantInt(v) ? llvm->ConstIntGetZExtValue(v) : 0;
    if (number) return !(number & (number - 1));
    if (!llvm->IsAInstruction(v) || depth == MOST_ARMS) return false;
    if (is_power_in_loop(llvm, v, depth + 1)) return true;
    LLVMValueRef of = llvm->GetNumOperands(v) == 2 ? llvm->GetOperand(v, 0) : NULL;
    if (of && llvm->GetInstructionOpcode(v) == LLVMShl && is_power_of_two(llvm, of, depth + 1)) return true;
    return of && shift_of(llvm, v, of) && is_power_of_two(llvm, of, depth + 1);
}

/* By how many bits an operation of a loop shifts its value: by a constant, or a factor that is a power of
 * two. Negative to the right; 0: it does something else. */
static int shift_of(const ls_llvm *llvm, LLVMValueRef next, LLVMValueRef of) {
    if (!llvm->IsAInstruction(next) || llvm->GetNumOperands(next) != 2 || llvm->GetOperand(next, 0) != of)
        return 0;
    LLVMValueRef by = llvm->GetOperand(next, 1);
    uint64_t number = llvm->IsAConstantInt(by) ? llvm->ConstIntGetZExtValue(by) : 0;
    bool power = number > 1 && is_power_of_two(llvm, by, 0);
    switch (llvm->GetInstructionOpcode(next)) {
    case LLVMShl: return number && number < 32 ? (int)number : 0;
    case LLVMLShr:
    case LLVMAShr: return number && number < 32 ? -(int)number : 0;
    case LLVMMul: return power ? 1 : 0;
    case LLVMSDiv:
    case LLVMUDiv: return power ? -1 : 0;
    default: return 0;
    }
}

/* for (i = first; …; i *= 2) and i /= 2: powers of two stay such, and halving leaves no more than there was.
 */
static const char *halves_or_doubles(ls_host_values *h, LLVMValueRef phi) {
    const ls_llvm *llvm = h->module->llvm;
    if (llvm->CountIncoming(phi) != 2 || llvm->GetIntTypeWidth(llvm->TypeOf(phi)) > 32) return NULL;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef first = llvm->GetIncomingValue(phi, k), next = llvm->GetIncomingValue(phi, 1 - k);
        int shift = shift_of(llvm, next, phi);
        if (!shift) continue;
        const char *name = ls_host_described(h, phi), *start = ls_host_part(h, first);
        if (is_power_of_two(llvm, first, 0))
            ls_host_fact(h, "(%s & (%s - 1)) == 0 || %s < 0", name, name, name);
        else if (start)
            ls_host_fact(h, "%s < 0 || (%s & (%s - 1)) != 0 || %s < 0 || (%s & (%s - 1)) == 0", start, start,
                         start, name, name, name);
        if (shift < 0 && start) ls_host_fact(h, "%s < 0 || (%s >= 0 && %s <= %s)", start, name, name, start);
        return name;
    }
    return NULL;
}

typedef enum { WHOLE, LOWER, UPPER } portion; /* of a value */

/* What a branch of an if leaves, as text; NULL where it is not known. */
static const char *arm(ls_host_values *h, LLVMValueRef phi, unsigned i, portion of) {
    LLVMValueRef value = h->module->llvm->GetIncomingValue(phi, i);
    h->arms++;
    const char *text = of == WHOLE ? ls_host_part(h, value) : ls_host_half_part(h, value, of == UPPER);
    h->arms--;
    return text;
}

static bool is_after_branches(const ls_llvm *llvm, LLVMValueRef phi) {
    LLVMBasicBlockRef block = llvm->GetInstructionParent(phi);
    bool full;
    for (unsigned i = 0; i < llvm->CountIncoming(phi); i++)
        if (dominates(llvm, block, llvm->GetIncomingBlock(phi, i), &full) || full) return false;
    return true;
}

/* The condition of the if that leaves the first arm where it holds, and the second else; turned around with
 * `turned`. NULL where there is none. */
LLVMValueRef ls_host_merged_by(const ls_llvm *llvm, LLVMValueRef phi, bool *turned) {
    LLVMBasicBlockRef block = llvm->GetInstructionParent(phi);
    decision by[2][MOST_STEPS];
    unsigned count[2];
    if (llvm->CountIncoming(phi) != 2 || !is_after_branches(llvm, phi)) return NULL;
    for (unsigned i = 0; i < 2; i++)
        count[i] = find_decisions(llvm, llvm->GetIncomingBlock(phi, i), block, by[i]);
    for (unsigned i = 0; i < count[0]; i++)
        for (unsigned k = 0; k < count[1]; k++) {
            if (by[0][i].branch != by[1][k].branch || by[0][i].yes == by[1][k].yes) continue;
            *turned = !by[0][i].yes;
            return llvm->GetCondition(by[0][i].branch);
        }
    return NULL;
}

/* The arm that is known to be left, as the launch stands where the condition turned out so. */
static bool is_arm_known(const ls_host_values *h, LLVMValueRef phi, unsigned *which) {
    bool turned = false, holds;
    LLVMValueRef condition = ls_host_merged_by(h->module->llvm, phi, &turned);
    if (!condition || !ls_host_is_known(h, condition, &holds)) return false;
    *which = holds == turned;
    return true;
}

static void describe(ls_host_values *h, LLVMValueRef phi, portion of, const char *name) {
    const ls_llvm *llvm = h->module->llvm;
    unsigned count = llvm->CountIncoming(phi);
    const char *texts[MOST_ARMS] = {NULL};
    bool turned = false;
    for (unsigned i = 0; i < count; i++)
        if (!(texts[i] = arm(h, phi, i, of))) return;
    bool same = true;
    for (unsigned i = 1; i < count; i++) same &= !strcmp(texts[0], texts[i]);
    LLVMValueRef by = same ? NULL : ls_host_merged_by(llvm, phi, &turned);
    const char *condition = by ? ls_host_comparison(h, by) : NULL;
    if (same) {
        ls_host_fact(h, "%s == %s", name, texts[0]);
    } else if (condition) {
        const char *one = texts[turned], *two = texts[!turned];
        ls_host_fact(h, "(%s && %s == %s) || (!%s && %s == %s)", condition, name, one, condition, name, two);
    } else {
        ls_buf any = {0};
        for (unsigned i = 0; i < count; i++)
            ls_buf_printf(&any, "%s%s == %s", i ? " || " : "", name, texts[i]);
        ls_host_fact(h, "%s", ls_buf_text(&any));
        ls_buf_free(&any);
    }
}

/* A loop that gives the value one of a few constants. */
static const char *one_of(ls_host_values *h, LLVMValueRef phi) {
    const ls_llvm *llvm = h->module->llvm;
    const unsigned count = llvm->CountIncoming(phi);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value = llvm->GetIncomingValue(phi, i);
        if (value != phi && !llvm->IsAConstantInt(value)) return NULL;
    }
    const char *name = ls_host_described(h, phi), *cases = NULL;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value = llvm->GetIncomingValue(phi, i);
        if (value == phi) continue;
        const char *number = ls_host_part(h, value);
        if (!number) return NULL;
        cases = cases ? ls_arena_printf(h->arena, "%s || %s == %s", cases, name, number)
                      : ls_arena_printf(h->arena, "%s == %s", name, number);
    }
    if (cases) ls_host_fact(h, "%s", cases);
    return name;
}

const char *ls_host_merged(ls_host_values *h, LLVMValueRef phi) {
    const ls_llvm *llvm = h->module->llvm;
    unsigned count = llvm->CountIncoming(phi);
    if (!count || count > MOST_ARMS) return NULL;
    if (!is_after_branches(llvm, phi)) {
        const char *counts = counter(h, phi);
        if (!counts) counts = halves_or_doubles(h, phi);
        return counts ? counts : one_of(h, phi);
    }
    unsigned which;
    if (is_arm_known(h, phi, &which)) return ls_host_part(h, llvm->GetIncomingValue(phi, which));
    const char *name = ls_host_described(h, phi);
    describe(h, phi, WHOLE, name);
    return name;
}

const char *ls_host_merged_half(ls_host_values *h, LLVMValueRef phi, bool upper) {
    const ls_llvm *llvm = h->module->llvm;
    unsigned count = llvm->CountIncoming(phi);
    if (!count || count > MOST_ARMS || !is_after_branches(llvm, phi)) return NULL;
    unsigned which;
    if (is_arm_known(h, phi, &which)) return ls_host_half_part(h, llvm->GetIncomingValue(phi, which), upper);
    bool is_new;
    const char *name = ls_host_half_name(h, phi, upper, &is_new);
    if (is_new) describe(h, phi, upper ? UPPER : LOWER, name);
    return name;
}

void ls_host_arrival(ls_host_values *h, LLVMValueRef value) {
    const ls_llvm *llvm = h->module->llvm;
    h->nodes = 0;
    if (!llvm->IsAInstruction(value) || llvm->GetInstructionOpcode(value) != LLVMPHI) return;
    const char *text = ls_host_merged(h, value), *name = ls_host_named(h, value);
    if (text && name && strcmp(text, name) != 0) ls_host_fact(h, "%s == %s", name, text);
}

/* --- Rounding --------------------------------------------------------------------------------------------
 */

/* The constant that a number is divided by, where it is whole, and below 2^31; 0 where it is not. */
static uint32_t divisor_of(const ls_llvm *llvm, LLVMValueRef quotient) {
    LLVMOpcode op = llvm->IsAInstruction(quotient) ? llvm->GetInstructionOpcode(quotient) : LLVMRet;
    if (op != LLVMFDiv && op != LLVMFMul) return 0;
    LLVMValueRef by = llvm->GetOperand(quotient, 1);
    LLVMBool inexact = 0;
    double c = llvm->IsAConstantFP(by) ? llvm->ConstRealGetDouble(by, &inexact) : 0;
    int exponent;
    if (op == LLVMFMul) c = c > 0 && frexp(c, &exponent) == 0.5 ? 1 / c : 0; /* exact for powers of two */
    return !inexact && c >= 1 && c < INT32_MAX && c == floor(c) ? (uint32_t)c : 0;
}

/* In double precision a quotient of numbers of 32 bits never gets to the next whole number by rounding. */
const char *ls_host_rounded(ls_host_values *h, LLVMValueRef conversion) {
    const ls_llvm *llvm = h->module->llvm;
    LLVMValueRef call = llvm->GetOperand(conversion, 0);
    const char *callee = llvm->IsAInstruction(call) ? ls_module_callee(h->module, call) : NULL;
    if (!callee || (strcmp(callee, "ceil") != 0 && strcmp(callee, "llvm.ceil.f64") != 0)) return NULL;
    LLVMValueRef quotient = llvm->GetOperand(call, 0);
    uint32_t by = divisor_of(llvm, quotient);
    LLVMValueRef made = by ? llvm->GetOperand(quotient, 0) : NULL;
    LLVMOpcode op = made && llvm->IsAInstruction(made) ? llvm->GetInstructionOpcode(made) : LLVMRet;
    if (op != LLVMSIToFP && op != LLVMUIToFP) return NULL;
    LLVMValueRef number = llvm->GetOperand(made, 0);
    bool fits = llvm->GetTypeKind(llvm->TypeOf(number)) == LLVMIntegerTypeKind &&
                llvm->GetIntTypeWidth(llvm->TypeOf(number)) == 32;
    const char *n = fits ? ls_host_part(h, number) : NULL;
    if (n && op == LLVMUIToFP) n = ls_arena_printf(h->arena, "(%s & %" PRIu32 ")", n, UINT32_MAX);
    if (!n) return NULL;
    const char *name = ls_host_described(h, conversion);
    ls_host_fact(h,
                 "(%s > 0 && %s == (%s + %" PRIu32 ") / %" PRIu32 ") || (%s <= 0 && %s == %s / %" PRIu32 ")",
                 n, name, n, by - 1, by, n, name, n, by);
    return name;
}

/* --- Where a launch stands -------------------------------------------------------------------------------
 */

static void add_constant(ls_host_values *h, LLVMValueRef value, LLVMValueRef constant) {
    LS_VEC_PUSH(&h->known, ((ls_host_known){value, true, constant}));
}

static void add_known(ls_host_values *h, LLVMValueRef condition, bool holds, unsigned depth);

/* … and as branches that leave the opposite early (`assert(n > 0 && n < 9)`): the last way was not taken by
 * any of these, but by the one arm that may leave what is known. */
static void add_known_arm(ls_host_values *h, LLVMValueRef phi, bool holds, unsigned depth) {
    const ls_llvm *llvm = h->module->llvm;
    unsigned count = llvm->CountIncoming(phi), which = count;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef left = llvm->GetIncomingValue(phi, i);
        if (llvm->IsAConstantInt(left) && llvm->ConstIntGetZExtValue(left) == !holds) continue;
        if (which < count) return;
        which = i;
    }
    if (which == count || count > MOST_ARMS || !is_after_branches(llvm, phi)) return;
    LLVMBasicBlockRef from = llvm->GetIncomingBlock(phi, which);
    decision by[MOST_STEPS];
    unsigned decisions = find_decisions(llvm, from, llvm->GetInstructionParent(phi), by);
    for (unsigned i = 0; i < decisions; i++)
        add_known(h, llvm->GetCondition(by[i].branch), by[i].yes, depth + 1);
    add_known(h, llvm->GetIncomingValue(phi, which), holds, depth + 1);
}

/* a && b holds where both do, a || b does not where neither does. The compiler writes both as a choice, too.
 */
static void add_known(ls_host_values *h, LLVMValueRef condition, bool holds, unsigned depth) {
    const ls_llvm *llvm = h->module->llvm;
    LS_VEC_PUSH(&h->known, ((ls_host_known){condition, holds, NULL}));
    if (!llvm->IsAInstruction(condition) || depth == MOST_STEPS) return;
    LLVMOpcode op = llvm->GetInstructionOpcode(condition);
    if (op == LLVMICmp && llvm->GetICmpPredicate(condition) == (holds ? LLVMIntEQ : LLVMIntNE) &&
        llvm->IsAConstantInt(llvm->GetOperand(condition, 1)))
        add_constant(h, llvm->GetOperand(condition, 0), llvm->GetOperand(condition, 1));
    if (op == LLVMPHI) add_known_arm(h, condition, holds, depth);
    unsigned second = 1;
    if (op == LLVMSelect) {
        LLVMValueRef fixed = llvm->GetOperand(condition, holds ? 2 : 1);
        bool joins = llvm->IsAConstantInt(fixed) && llvm->ConstIntGetZExtValue(fixed) == !holds;
        if (!joins) return;
        second = holds ? 1 : 2;
    } else if (op != (holds ? LLVMAnd : LLVMOr)) {
        return;
    }
    add_known(h, llvm->GetOperand(condition, 0), holds, depth + 1);
    add_known(h, llvm->GetOperand(condition, second), holds, depth + 1);
}

/* What a switch found its value to be on every way to the block. */
static void find_cases(ls_host_values *h, LLVMBasicBlockRef block) {
    const ls_llvm *llvm = h->module->llvm;
    LLVMBasicBlockRef before = dominator_of(llvm, block);
    for (unsigned step = 1; before && step < MOST_STEPS; step++, before = dominator_of(llvm, before)) {
        LLVMValueRef last = llvm->GetBasicBlockTerminator(before);
        bool is_switch = last && llvm->GetInstructionOpcode(last) == LLVMSwitch;
        for (unsigned i = 1; is_switch && i < llvm->GetNumSuccessors(last); i++) { /* 0 is the default */
            LLVMBasicBlockRef way = llvm->GetSuccessor(last, i);
            bool full, only = only_predecessor(llvm, way) == before && dominates(llvm, way, block, &full);
            if (only && !full) add_constant(h, llvm->GetOperand(last, 0), llvm->GetOperand(last, 2 * i));
        }
    }
}

void ls_host_find_known(ls_host_values *h, LLVMValueRef instruction) {
    const ls_llvm *llvm = h->module->llvm;
    decision by[MOST_STEPS];
    unsigned count = find_decisions(llvm, llvm->GetInstructionParent(instruction), NULL, by);
    for (unsigned i = 0; i < count; i++) add_known(h, llvm->GetCondition(by[i].branch), by[i].yes, 0);
    find_cases(h, llvm->GetInstructionParent(instruction));
}

/* The condition as text. That a value equals a constant says what it is computed from, where it is: so it is
 * not the constant there. */
static const char *known_text(ls_host_values *h, LLVMValueRef condition) {
    const ls_llvm *llvm = h->module->llvm;
    bool compares = llvm->IsAInstruction(condition) && llvm->GetInstructionOpcode(condition) == LLVMICmp;
    LLVMValueRef value = compares ? llvm->GetOperand(condition, 0) : NULL;
    bool followed = value && ls_host_is_followed(h, value);
    for (uint32_t i = 0; i < h->known.length && followed; i++)
        if (h->known.items[i].condition == value && h->known.items[i].constant)
            h->known.items[i].condition = NULL;
    const char *text = ls_host_comparison(h, condition);
    for (uint32_t i = 0; i < h->known.length && followed; i++)
        if (!h->known.items[i].condition) h->known.items[i].condition = value;
    return text;
}

void ls_host_path(ls_host_values *h) {
    for (uint32_t i = 0; i < h->known.length; i++) {
        uint32_t names = h->names.length, facts = h->facts.length;
        h->nodes = 0;
        if (h->known.items[i].constant) continue; /* which stands for it wherever it is used */
        const char *holds = known_text(h, h->known.items[i].condition);
        bool known = holds && h->names.length == names;
        if (!known) h->names.length = names, h->facts.length = facts; /* it is of other things */
        if (known) ls_host_fact(h, h->known.items[i].holds ? "%s" : "!%s", holds);
    }
}
#endif
