/* Host values as conditions (host_values.h). Each LLVM value becomes the text of an expression over 64-bit
 * signed numbers that has its value as a signed number; `S` below. Where arithmetic may wrap around (unsigned
 * counters) the text wraps as well. */
#ifdef LS_HAVE_LLVM
#include "frontend/host_paths.h"
#include "frontend/host_runtime.h"
#include "frontend/host_slots.h"
#include "frontend/host_words.h"
#include "ptx/origin.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NODES = 60, MOST_PARTS = 32 };

void ls_host_values_free(ls_host_values *h) {
    LS_VEC_FREE(&h->names);
    LS_VEC_FREE(&h->facts);
    LS_VEC_FREE(&h->known);
}

bool ls_host_is_known(const ls_host_values *h, LLVMValueRef condition, bool *holds) {
    for (uint32_t i = 0; i < h->known.length; i++)
        if (h->known.items[i].condition == condition && !h->known.items[i].constant) {
            *holds = h->known.items[i].holds;
            return true;
        }
    return false;
}

/* The constant that the value is where the launch stands; or the value itself. */
static LLVMValueRef settled(const ls_host_values *h, LLVMValueRef value) {
    for (uint32_t i = 0; i < h->known.length; i++)
        if (h->known.items[i].condition == value && h->known.items[i].constant)
            return h->known.items[i].constant;
    return value;
}

static const char *text(ls_host_values *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *text(ls_host_values *h, const char *format, ...) {
    char out[4096];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(out, sizeof out, format, list);
    va_end(list);
    return length > 0 && (size_t)length < sizeof out ? ls_arena_strdup(h->arena, out) : NULL;
}

void ls_host_fact(ls_host_values *h, const char *format, ...) {
    char out[4096];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(out, sizeof out, format, list);
    va_end(list);
    if (length <= 0 || (size_t)length >= sizeof out) return;
    for (uint32_t i = 0; i < h->facts.length; i++)
        if (!strcmp(h->facts.items[i], out)) return;
    LS_VEC_PUSH(&h->facts, ls_arena_strdup(h->arena, out));
}

/* --- Names -----------------------------------------------------------------------------------------------
 */

const char *ls_host_named(const ls_host_values *h, LLVMValueRef value) {
    for (uint32_t i = 0; i < h->names.length; i++)
        if (h->names.items[i].value == value) return h->names.items[i].name;
    return NULL;
}

static uint32_t width_of(const ls_host_values *h, LLVMValueRef value) {
    const ls_llvm *llvm = h->module->llvm;
    LLVMTypeRef type = llvm->TypeOf(value);
    return llvm->GetTypeKind(type) == LLVMIntegerTypeKind ? llvm->GetIntTypeWidth(type) : 0;
}

static bool is_operation(const ls_llvm *llvm, LLVMValueRef v, LLVMOpcode op) {
    return llvm->IsAInstruction(v) && llvm->GetInstructionOpcode(v) == op;
}

/* Beside the value: of its half. */
static LLVMValueRef key_of_half(LLVMValueRef value, bool upper) {
    return (LLVMValueRef)(void *)((char *)value + 1 + upper);
}

/* What a number of 32 bits is the lower half of, as x is of a dim3; NULL: nothing. */
static LLVMValueRef lower_half(const ls_host_values *h, LLVMValueRef value) {
    const ls_llvm *llvm = h->module->llvm;
    if (!is_operation(llvm, value, LLVMTrunc) || width_of(h, value) != 32) return NULL;
    LLVMValueRef whole = llvm->GetOperand(value, 0);
    return width_of(h, whole) == 64 ? key_of_half(whole, false) : NULL;
}

void ls_host_call(ls_host_values *h, LLVMValueRef value, const char *name) {
    if (h->module->llvm->IsAConstantInt(value) || ls_host_named(h, value)) return;
    LLVMValueRef half = lower_half(h, value);
    LS_VEC_PUSH(&h->names, ((ls_host_name){value, name}));
    if (half && !ls_host_named(h, half)) LS_VEC_PUSH(&h->names, ((ls_host_name){half, name}));
}

/* The bytes between two pointers: a value of its own, whatever the pointers are. */
static bool is_distance(const ls_llvm *llvm, LLVMValueRef v) {
    return is_operation(llvm, v, LLVMSub) && is_operation(llvm, llvm->GetOperand(v, 0), LLVMPtrToInt) &&
           is_operation(llvm, llvm->GetOperand(v, 1), LLVMPtrToInt);
}

/* The object that a pointer was loaded from. */
static LLVMValueRef holder(const ls_llvm *llvm, LLVMValueRef number) {
    LLVMValueRef pointer = llvm->GetOperand(number, 0);
    if (!is_operation(llvm, pointer, LLVMLoad)) return NULL;
    LLVMValueRef object = llvm->GetOperand(pointer, 0);
    while (llvm->IsAGetElementPtrInst(object)) object = llvm->GetOperand(object, 0);
    return object;
}

/* Of a container, which has both pointers: its end is not before its start. */
static bool is_extent(const ls_llvm *llvm, LLVMValueRef v) {
    LLVMValueRef object = is_distance(llvm, v) ? holder(llvm, llvm->GetOperand(v, 0)) : NULL;
    return object && object == holder(llvm, llvm->GetOperand(v, 1));
}

/* What the source calls the value, with '_' before it; of several values of one name, with their number. */
static const char *word_of(ls_host_values *h, LLVMValueRef value) {
    const ls_llvm *llvm = h->module->llvm;
    bool extent = is_extent(llvm, value);
    LLVMValueRef named = extent ? holder(llvm, llvm->GetOperand(value, 0)) : value;
    const char *word = ls_host_word(h->module, named, h->arena);
    if (word && extent) word = text(h, "%s_bytes", word);
    uint32_t before = 0;
    for (uint32_t i = 0; word && i < h->names.length; i++) {
        const char *name = h->names.items[i].name, *other = ls_origin_of(name).word;
        const bool again = i && h->names.items[i - 1].name == name; /* a value, and what it is a half of */
        before += other && !again && !strcmp(other, word);
    }
    return !word ? "" : before ? text(h, "_%s_%u", word, before + 1) : text(h, "_%s", word);
}

/* wide: its range is not told by its name. */
static const char *new_name(ls_host_values *h, LLVMValueRef value, bool wide) {
    uint32_t width = width_of(h, value);
    const char *name =
        text(h, "%s%u%s", ls_origin_mark(width > 32 || wide), h->names.length + 1, word_of(h, value));
    ls_host_call(h, value, name);
    if (width < 32 && !wide)
        ls_host_fact(h, "%s >= -%" PRIu64 " && %s < %" PRIu64, name, UINT64_C(1) << (width - 1), name,
                     UINT64_C(1) << (width - 1));
    return name;
}

static const char *signed_text(ls_host_values *h, LLVMValueRef v);

static const char *leaf(ls_host_values *h, LLVMValueRef value) {
    const char *name = new_name(h, value, false);
    LLVMValueRef pitch = ls_host_least_pitch(h->module, value);
    const char *least = pitch ? signed_text(h, pitch) : NULL;
    if (least) /* devices have no longer rows (memPitch) */
        ls_host_fact(h, "%s > 0 && %s <= %d && %s >= %s", name, name, INT32_MAX, name, least);
    if (is_extent(h->module->llvm, value)) ls_host_fact(h, "%s >= 0", name);
    return name;
}

/* Where a branch is perhaps not taken, its arithmetic may overflow, so that what describes the value holds of
 * no number that fits: the name then takes any. */
const char *ls_host_described(ls_host_values *h, LLVMValueRef value) {
    const char *known = ls_host_named(h, value);
    return known ? known : new_name(h, value, h->arms > 0);
}

/* --- Expressions -----------------------------------------------------------------------------------------
 */

/* The low bits of a number, as a signed number of that width. */
static const char *wrap(ls_host_values *h, const char *number, uint32_t width) {
    if (!number || width >= 64 || h->unbounded) return number;
    return text(h, "((%s << %u) >> %u)", number, 64 - width, 64 - width);
}

static bool is_never_negative(const ls_host_values *h, LLVMValueRef v);

/* Two such numbers of 64 bits have a sum that fits: a part of one that is not negative, or 32 bits of one. */
static bool is_far_from_overflow(const ls_host_values *h, LLVMValueRef v) {
    const ls_llvm *llvm = h->module->llvm;
    if (width_of(h, v) != 64) return false;
    if (llvm->IsAConstantInt(v)) return llvm->ConstIntGetZExtValue(v) <= UINT32_MAX;
    if (is_operation(llvm, v, LLVMZExt)) return true;
    bool part = is_operation(llvm, v, LLVMAShr) || is_operation(llvm, v, LLVMLShr);
    LLVMValueRef by = part ? llvm->GetOperand(v, 1) : NULL;
    return by && llvm->IsAConstantInt(by) && llvm->ConstIntGetZExtValue(by) && is_never_negative(h, v);
}

static bool is_never_negative(const ls_host_values *h, LLVMValueRef v) {
    const ls_llvm *llvm = h->module->llvm;
    uint32_t width = width_of(h, v);
    if (llvm->IsAConstantInt(v)) return !(llvm->ConstIntGetZExtValue(v) >> (width - 1) & 1);
    if (!llvm->IsAInstruction(v)) return false;
    LLVMValueRef second = llvm->GetNumOperands(v) > 1 ? llvm->GetOperand(v, 1) : NULL;
    uint64_t number = second && llvm->IsAConstantInt(second) ? llvm->ConstIntGetZExtValue(second) : 0;
    switch (llvm->GetInstructionOpcode(v)) {
    case LLVMCall: return ls_host_least_pitch(h->module, v) != NULL;
    case LLVMZExt: return true;
    case LLVMAdd: return is_far_from_overflow(h, llvm->GetOperand(v, 0)) && is_far_from_overflow(h, second);
    case LLVMSub: return is_extent(llvm, v);
    case LLVMAShr: return is_never_negative(h, llvm->GetOperand(v, 0));
    case LLVMLShr: return number > 0;
    case LLVMUDiv: return number > 1;
    case LLVMAnd: return number && second && is_never_negative(h, second);
    default: return false;
    }
}

static const char *comparison(ls_host_values *h, LLVMValueRef v);

/* As an unsigned number; NULL where it may not fit the 64 bits with a sign. */
static const char *unsigned_text(ls_host_values *h, LLVMValueRef v) {
    uint32_t width = width_of(h, v);
    const char *truth = comparison(h, v); /* 0 or 1 */
    const char *number = truth ? truth : signed_text(h, v);
    if (!number || truth || is_never_negative(h, v)) return number;
    if (width >= 64) return NULL;
    return text(h, "(%s & %" PRIu64 ")", number, (UINT64_C(1) << width) - 1);
}

static const char *join(ls_host_values *h, const char *a, const char *operator, const char * b) {
    return a && b ? text(h, "(%s %s %s)", a, operator, b) : NULL;
}

static const char *signed_operation(ls_host_values *h, LLVMValueRef v, const char *operator) {
    const ls_llvm *llvm = h->module->llvm;
    const char *a = signed_text(h, llvm->GetOperand(v, 0)), *b = signed_text(h, llvm->GetOperand(v, 1));
    return join(h, a, operator, b);
}

/* Sums and products: exact where the compiler knows that they do not wrap around. */
static const char *arithmetic(ls_host_values *h, LLVMValueRef v, const char *operator) {
    const char *number = signed_operation(h, v, operator);
    return h->module->llvm->GetNSW(v) ? number : wrap(h, number, width_of(h, v));
}

/* x / by or x >> by of an unsigned x of 64 bits, as sizes of containers are: of one that would be negative as
 * a signed number nothing more is said. */
static const char *of_long(ls_host_values *h, LLVMValueRef v, const char *operator) {
    const ls_llvm *llvm = h->module->llvm;
    LLVMValueRef by = llvm->GetOperand(v, 1);
    if (width_of(h, v) != 64 || !llvm->IsAConstantInt(by) || !is_never_negative(h, v)) return NULL;
    const char *x = signed_text(h, llvm->GetOperand(v, 0)), *number = signed_text(h, by);
    if (!x || !number) return NULL;
    const char *name = ls_host_described(h, v);
    ls_host_fact(h, "%s >= 0 && (%s < 0 || %s == (%s %s %s))", name, x, name, x, operator, number);
    return name;
}

static const char *unsigned_division(ls_host_values *h, LLVMValueRef v, const char *operator) {
    const ls_llvm *llvm = h->module->llvm;
    if (*operator== '/' && width_of(h, v) == 64 && !is_never_negative(h, llvm->GetOperand(v, 0)))
        return of_long(h, v, "/");
    const char *number =
        join(h, unsigned_text(h, llvm->GetOperand(v, 0)), operator, unsigned_text(h, llvm->GetOperand(v, 1)));
    return is_never_negative(h, v) ? number : wrap(h, number, width_of(h, v));
}

/* Of x << c >> c - d, where the low bits of x, which are used elsewhere, are just unknown, as those of
 * strtol's result are in atoi, or of a struct that is passed in one value: their name, times 2^d. */
static const char *named_low_bits(ls_host_values *h, LLVMValueRef v) {
    const ls_llvm *llvm = h->module->llvm;
    LLVMValueRef up = llvm->GetOperand(v, 0);
    if (!llvm->IsAInstruction(up) || llvm->GetInstructionOpcode(up) != LLVMShl) return NULL;
    LLVMValueRef whole = llvm->GetOperand(up, 0), by = llvm->GetOperand(up, 1);
    if (!llvm->IsAConstantInt(by) || llvm->ConstIntGetZExtValue(by) >= width_of(h, v)) return NULL;
    uint64_t left = llvm->ConstIntGetZExtValue(by),
             right = llvm->ConstIntGetZExtValue(llvm->GetOperand(v, 1));
    for (LLVMUseRef u = llvm->GetFirstUse(whole); u && right <= left; u = llvm->GetNextUse(u)) {
        LLVMValueRef low = llvm->GetUser(u);
        bool cuts = llvm->IsAInstruction(low) && llvm->GetInstructionOpcode(low) == LLVMTrunc;
        if (!cuts || width_of(h, low) != width_of(h, v) - left || ls_host_is_followed(h, low)) continue;
        const char *name = ls_host_named(h, low);
        if (!name) name = leaf(h, low);
        if (name) return text(h, "(%s * %" PRIu64 ")", name, UINT64_C(1) << (left - right));
    }
    return NULL;
}

/* 1 << n is a power of two, whatever n is. */
static const char *power(ls_host_values *h, LLVMValueRef v) {
    const char *name = ls_host_described(h, v);
    ls_host_fact(h, "(%s & (%s - 1)) == 0 || %s < 0", name, name, name);
    return name;
}

static const char *shift(ls_host_values *h, LLVMValueRef v, LLVMOpcode op) {
    const ls_llvm *llvm = h->module->llvm;
    LLVMValueRef value = llvm->GetOperand(v, 0), by = llvm->GetOperand(v, 1);
    bool is_one = llvm->IsAConstantInt(value) && llvm->ConstIntGetZExtValue(value) == 1;
    if (op == LLVMShl && is_one && !llvm->IsAConstantInt(by)) return power(h, v);
    if (!llvm->IsAConstantInt(by) || llvm->ConstIntGetZExtValue(by) >= width_of(h, v)) return NULL;
    const char *low = op == LLVMAShr ? named_low_bits(h, v) : NULL;
    if (low) return low;
    if (op == LLVMLShr && width_of(h, v) == 64 && !is_never_negative(h, value)) return of_long(h, v, ">>");
    const char *number = op == LLVMLShr ? unsigned_text(h, value) : signed_text(h, value);
    if (!number) return NULL;
    uint64_t bits = llvm->ConstIntGetZExtValue(by);
    if (op != LLVMShl) return text(h, "(%s >> %" PRIu64 ")", number, bits);
    number = text(h, "(%s * %" PRIu64 ")", number, UINT64_C(1) << bits);
    if (bits == 63) return NULL;
    return llvm->GetNSW(v) ? number : wrap(h, number, width_of(h, v));
}

static const struct {
    LLVMIntPredicate predicate;
    bool is_signed;
    const char *operator;
} comparisons[] = {
    {LLVMIntEQ, true, "=="},  {LLVMIntNE, true, "!="},   {LLVMIntSLT, true, "<"},  {LLVMIntSLE, true, "<="},
    {LLVMIntSGT, true, ">"},  {LLVMIntSGE, true, ">="},  {LLVMIntULT, false, "<"}, {LLVMIntULE, false, "<="},
    {LLVMIntUGT, false, ">"}, {LLVMIntUGE, false, ">="},
};

/* How compilers ask for a power of two: by the number of bits that are 1. NULL: they do not. */
static const char *is_power(ls_host_values *h, LLVMIntPredicate predicate, LLVMValueRef left,
                            LLVMValueRef right) {
    const ls_llvm *llvm = h->module->llvm;
    const char *callee = llvm->IsAInstruction(left) ? ls_module_callee(h->module, left) : NULL;
    if (!callee || strncmp(callee, "llvm.ctpop.", 11) != 0 || !llvm->IsAConstantInt(right)) return NULL;
    uint64_t bits = llvm->ConstIntGetZExtValue(right);
    bool at_most = (predicate == LLVMIntULT && bits == 2) || (predicate == LLVMIntEQ && bits == 1);
    bool more = (predicate == LLVMIntUGT && bits == 1) || (predicate == LLVMIntNE && bits == 1);
    const char *x = at_most || more ? unsigned_text(h, llvm->GetOperand(left, 0)) : NULL;
    const char *one = x ? text(h, "((%s & (%s - 1)) == 0)", x, x) : NULL;
    if (one && (predicate == LLVMIntEQ || predicate == LLVMIntNE))
        one = text(h, "(%s && %s != 0)", one, x); /* no bits are none, too */
    return one && more ? text(h, "(!%s)", one) : one;
}

static const char *comparison(ls_host_values *h, LLVMValueRef v) {
    const ls_llvm *llvm = h->module->llvm;
    if (!llvm->IsAInstruction(v) || llvm->GetInstructionOpcode(v) != LLVMICmp) return NULL;
    LLVMValueRef left = llvm->GetOperand(v, 0), right = llvm->GetOperand(v, 1);
    if (!width_of(h, left)) return NULL;
    const char *power_of_two = is_power(h, llvm->GetICmpPredicate(v), left, right);
    if (power_of_two) return power_of_two;
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        if (comparisons[i].predicate != llvm->GetICmpPredicate(v)) continue;
        bool is_signed = comparisons[i].is_signed;
        return join(h, is_signed ? signed_text(h, left) : unsigned_text(h, left), comparisons[i].operator,
                    is_signed ? signed_text(h, right) : unsigned_text(h, right));
    }
    return NULL;
}

/* c ? a : b is a value of its own, of which this is known. */
static const char *choice(ls_host_values *h, LLVMValueRef v) {
    const ls_llvm *llvm = h->module->llvm;
    bool first;
    if (ls_host_is_known(h, llvm->GetOperand(v, 0), &first))
        return signed_text(h, llvm->GetOperand(v, first ? 1 : 2));
    const char *condition = comparison(h, llvm->GetOperand(v, 0));
    const char *yes = condition ? signed_text(h, llvm->GetOperand(v, 1)) : NULL;
    const char *no = yes ? signed_text(h, llvm->GetOperand(v, 2)) : NULL;
    if (!no) return NULL;
    const char *name = ls_host_described(h, v);
    ls_host_fact(h, "(%s && %s == %s) || (!%s && %s == %s)", condition, name, yes, condition, name, no);
    return name;
}

/* What min(a, b) and the like are known by. */
static const struct {
    const char *prefix, *operator;
    bool is_signed;
} extremes[] = {{"llvm.smin.", "<=", true},
                {"llvm.smax.", ">=", true},
                {"llvm.umin.", "<=", false},
                {"llvm.umax.", ">=", false}};

static const char *extreme(ls_host_values *h, LLVMValueRef v) {
    const ls_llvm *llvm = h->module->llvm;
    const char *callee = ls_module_callee(h->module, v);
    for (size_t i = 0; callee && i < sizeof extremes / sizeof *extremes; i++) {
        if (strncmp(callee, extremes[i].prefix, strlen(extremes[i].prefix)) != 0) continue;
        LLVMValueRef left = llvm->GetOperand(v, 0), right = llvm->GetOperand(v, 1);
        const char *a = extremes[i].is_signed ? signed_text(h, left) : unsigned_text(h, left);
        const char *b = extremes[i].is_signed ? signed_text(h, right) : unsigned_text(h, right);
        if (!a || !b) return NULL;
        const char *name = ls_host_described(h, v), *x = extremes[i].is_signed ? name : unsigned_text(h, v);
        if (x)
            ls_host_fact(h, "%s %s %s && %s %s %s && (%s == %s || %s == %s)", x, extremes[i].operator, a, x,
                         extremes[i].operator, b, x, a, x, b);
        return name;
    }
    return NULL;
}

bool ls_host_is_followed(const ls_host_values *h, LLVMValueRef value) {
    const ls_llvm *llvm = h->module->llvm;
    value = ls_host_loaded(h->module, value);
    if (!llvm->IsAInstruction(value)) return false;
    switch (llvm->GetInstructionOpcode(value)) {
    case LLVMLoad:
    case LLVMPHI:
    case LLVMCall:
    case LLVMInvoke:
    case LLVMExtractValue: return false;
    case LLVMSub: return !is_distance(llvm, value);
    case LLVMTrunc: return ls_host_is_followed(h, llvm->GetOperand(value, 0));
    default: return true;
    }
}

/* A comparison as a signed number of one bit. */
static const char *negated(ls_host_values *h, const char *truth) {
    return truth ? text(h, "(-%s)", truth) : NULL;
}

static const char *operation(ls_host_values *h, LLVMValueRef v) {
    const ls_llvm *llvm = h->module->llvm;
    LLVMOpcode op = llvm->GetInstructionOpcode(v);
    switch (op) {
    case LLVMAdd: return arithmetic(h, v, "+");
    case LLVMSub: return is_distance(llvm, v) ? NULL : arithmetic(h, v, "-");
    case LLVMMul: return arithmetic(h, v, "*");
    case LLVMSDiv: return signed_operation(h, v, "/");
    case LLVMSRem: return signed_operation(h, v, "%");
    case LLVMUDiv: return unsigned_division(h, v, "/");
    case LLVMURem: return unsigned_division(h, v, "%");
    case LLVMAnd: return signed_operation(h, v, "&");
    case LLVMOr: return signed_operation(h, v, "|");
    case LLVMXor: return signed_operation(h, v, "^");
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: return shift(h, v, op);
    case LLVMZExt: return unsigned_text(h, llvm->GetOperand(v, 0));
    case LLVMSExt:
    case LLVMFreeze: return signed_text(h, llvm->GetOperand(v, 0));
    case LLVMTrunc: /* the low bits of something unknown, as of strtol's result in atoi, are just unknown */
        return ls_host_is_followed(h, v) ? wrap(h, signed_text(h, llvm->GetOperand(v, 0)), width_of(h, v))
               : lower_half(h, v)        ? ls_host_named(h, lower_half(h, v))
                                         : NULL;
    case LLVMSelect: return choice(h, v);
    case LLVMPHI: return ls_host_merged(h, v);
    case LLVMFPToSI: return ls_host_rounded(h, v);
    case LLVMICmp: return negated(h, comparison(h, v));
    case LLVMCall: return extreme(h, v);
    default: return NULL;
    }
}

/* What an expression that grows too long has of this value: a name, and a fact that says how it is computed.
 * So every expression that it is a part of mentions the same value. */
static const char *part_of_long(ls_host_values *h, LLVMValueRef v) {
    if (++h->parts > MOST_PARTS) return NULL;
    const uint32_t nodes = h->nodes;
    const bool unbounded = h->unbounded;
    h->nodes = 0, h->unbounded = false;
    const char *number = operation(h, v);
    h->nodes = nodes, h->unbounded = unbounded;
    if (!number) return NULL;
    const char *name = ls_host_described(h, v);
    if (name != number) ls_host_fact(h, "%s == %s", name, number);
    return name;
}

static const char *signed_text(ls_host_values *h, LLVMValueRef v) {
    const ls_llvm *llvm = h->module->llvm;
    v = ls_host_loaded(h->module, v);
    uint32_t width = width_of(h, v);
    if (!width || width > 64) return NULL;
    const char *name = ls_host_named(h, v);
    if (name) return name;
    v = settled(h, v);
    if (llvm->IsAConstantInt(v)) {
        long long number = llvm->ConstIntGetSExtValue(v);
        if (number == INT64_MIN) return NULL; /* not a number of the language */
        return text(h, number < 0 ? "(%lld)" : "%lld", number);
    }
    const char *followed = NULL;
    if (llvm->IsAInstruction(v)) followed = ++h->nodes <= MOST_NODES ? operation(h, v) : part_of_long(h, v);
    return followed ? followed : leaf(h, v);
}

const char *ls_host_part(ls_host_values *h, LLVMValueRef value) {
    return signed_text(h, value);
}

const char *ls_host_comparison(ls_host_values *h, LLVMValueRef value) {
    return comparison(h, value);
}

const char *ls_host_signed(ls_host_values *h, LLVMValueRef value) {
    h->nodes = 0;
    return signed_text(h, value);
}

/* --- Sizes of launches -----------------------------------------------------------------------------------
 */

/* What or puts together has its halves from different values. */
static const char *half(ls_host_values *h, LLVMValueRef v, bool upper, uint32_t depth) {
    const ls_llvm *llvm = h->module->llvm;
    if (llvm->IsAConstantInt(v))
        return text(h, "%" PRIu32, (uint32_t)(llvm->ConstIntGetZExtValue(v) >> (upper ? 32 : 0)));
    LLVMOpcode op = llvm->IsAInstruction(v) ? llvm->GetInstructionOpcode(v) : LLVMRet;
    if (op == LLVMZExt && width_of(h, llvm->GetOperand(v, 0)) == 32)
        return upper ? "0" : signed_text(h, llvm->GetOperand(v, 0));
    LLVMValueRef by = op == LLVMShl ? llvm->GetOperand(v, 1) : NULL;
    if (by && llvm->IsAConstantInt(by) && llvm->ConstIntGetZExtValue(by) == 32)
        return upper ? half(h, llvm->GetOperand(v, 0), false, depth) : "0";
    if (op == LLVMOr && depth < 8) {
        const char *a = half(h, llvm->GetOperand(v, 0), upper, depth + 1);
        const char *b = half(h, llvm->GetOperand(v, 1), upper, depth + 1);
        if (a && b && !strcmp(a, "0")) return b;
        if (a && b && !strcmp(b, "0")) return a;
    }
    if (op == LLVMAnd && llvm->IsAConstantInt(llvm->GetOperand(v, 1)) && depth < 8) {
        uint32_t mask = (uint32_t)(llvm->ConstIntGetZExtValue(llvm->GetOperand(v, 1)) >> (upper ? 32 : 0));
        if (!mask) return "0";
        if (mask == UINT32_MAX) return half(h, llvm->GetOperand(v, 0), upper, depth + 1);
    }
    if (op == LLVMPHI) {
        const char *merged = ls_host_merged_half(h, v, upper);
        if (merged) return merged;
    }
    bool
        is_new; /* of a value that is just there, as a dim3 that is a global variable, each half is a value */
    if (!ls_host_named(h, v) && !ls_host_is_followed(h, v)) return ls_host_half_name(h, v, upper, &is_new);
    const char *number = signed_text(h, v);
    return number ? text(h, upper ? "(%s >> 32)" : "((%s << 32) >> 32)", number) : NULL;
}

const char *ls_host_half_part(ls_host_values *h, LLVMValueRef value, bool upper) {
    return half(h, value, upper, 0);
}

const char *ls_host_half_name(ls_host_values *h, LLVMValueRef value, bool upper, bool *is_new) {
    LLVMValueRef key = key_of_half(value, upper);
    const char *known = ls_host_named(h, key);
    *is_new = !known;
    if (known) return known;
    const char *word = word_of(h, value), *axis = !*word ? "" : upper ? "_y" : "_x";
    const char *name = text(h, "%s%u%s%s", ls_origin_mark(h->arms > 0), h->names.length + 1, word, axis);
    LS_VEC_PUSH(&h->names, ((ls_host_name){key, name}));
    return name;
}

const char *ls_host_half(ls_host_values *h, LLVMValueRef value, bool upper) {
    h->nodes = 0;
    return half(h, value, upper, 0);
}
#endif
