/* Evaluation of expressions (000, §3.2): a walk over the expression. */
#include "model/eval.h"

#include <assert.h>

static void fault(ls_kenv *env, ls_kfault what) {
    if (!env->fault) env->fault = (uint8_t)what;
}

uint32_t ls_kcell(ls_kenv *env, const ls_kvar *var, const ls_kexpr *index) {
    assert(env->offset);
    uint32_t cell = env->offset[var->id];
    if (!var->array) return cell;
    int64_t at = ls_keval(env, index);
    if (env->fault) return UINT32_MAX;
    bool wide = index->type.kind == LS_KT_BV && index->type.width == 64;
    if ((!wide && at < 0) || (uint64_t)at >= var->length) {
        fault(env, LS_KFAULT_BOUNDS);
        return UINT32_MAX;
    }
    return cell + (uint32_t)at;
}

static int64_t read_var(ls_kenv *env, const ls_kexpr *expr) {
    const ls_kvar *var = expr->var;
    if (var->role == LS_KR_TID) return env->tid;
    uint32_t cell = ls_kcell(env, var, expr->count ? expr->args[0] : NULL);
    if (cell == UINT32_MAX) return 0;
    if (var->class == LS_KC_PRIVATE) return env->private_[cell];
    if (var->class == LS_KC_SHARED && env->reads) LS_VEC_PUSH(env->reads, cell);
    return env->shared[cell];
}

static int64_t floor_div(int64_t a, int64_t b) {
    int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

/* Integers: exact, or the fault is set. */
static int64_t eval_int(ls_kenv *env, ls_kop op, int64_t a, int64_t b) {
    int64_t result = 0;
    bool over = false;
    switch (op) {
    case LS_KX_ADD: over = __builtin_add_overflow(a, b, &result); break;
    case LS_KX_SUB: over = __builtin_sub_overflow(a, b, &result); break;
    case LS_KX_MUL: over = __builtin_mul_overflow(a, b, &result); break;
    case LS_KX_NEG: over = __builtin_sub_overflow(0, a, &result); break;
    case LS_KX_DIV:
        if (a == INT64_MIN && b == -1)
            over = true;
        else
            result = b == 0 ? 0 : floor_div(a, b);
        break;
    case LS_KX_MOD: result = b == 0 || b == -1 ? (b ? 0 : a) : a - b * floor_div(a, b); break;
    case LS_KX_MIN: result = a < b ? a : b; break;
    case LS_KX_MAX: result = a > b ? a : b; break;
    default: assert(!"an integer operator");
    }
    if (over) fault(env, LS_KFAULT_OVERFLOW);
    return result;
}

static int64_t sign_extend(uint64_t value, uint32_t width) {
    uint32_t shift = 64 - width;
    return (int64_t)(value << shift) >> shift;
}

static uint64_t signed_div(ls_kop op, uint64_t x, uint64_t y, uint32_t width) {
    int64_t a = sign_extend(x, width), b = sign_extend(y, width);
    if (b == 0) return op == LS_KX_SREM ? x : a < 0 ? 1 : UINT64_MAX;
    if (b == -1) return op == LS_KX_SREM ? 0 : 0 - x;
    return (uint64_t)(op == LS_KX_SREM ? a % b : a / b);
}

/* Bit-vectors, as SMT-LIB defines them; the caller cuts the result to the width. */
static uint64_t eval_bits(ls_kop op, uint64_t a, uint64_t b, uint32_t width) {
    switch (op) {
    case LS_KX_ADD: return a + b;
    case LS_KX_SUB: return a - b;
    case LS_KX_MUL: return a * b;
    case LS_KX_NEG: return 0 - a;
    case LS_KX_DIV: return b ? a / b : UINT64_MAX;
    case LS_KX_MOD: return b ? a % b : a;
    case LS_KX_MIN: return a < b ? a : b;
    case LS_KX_MAX: return a > b ? a : b;
    case LS_KX_BAND: return a & b;
    case LS_KX_BOR: return a | b;
    case LS_KX_BXOR: return a ^ b;
    case LS_KX_BNOT: return ~a;
    case LS_KX_SHL: return b < width ? a << b : 0;
    case LS_KX_SHR: return b < width ? a >> b : 0;
    case LS_KX_ASHR: return (uint64_t)(sign_extend(a, width) >> (b < width ? b : width - 1));
    case LS_KX_SDIV:
    case LS_KX_SREM: return signed_div(op, a, b, width);
    default: assert(!"a bit-vector operator"); return 0;
    }
}

static bool compare(ls_kop op, ls_ktype type, int64_t a, int64_t b) {
    if (type.kind == LS_KT_BV) { /* unsigned order as signed order, shifted */
        a = (int64_t)((uint64_t)a ^ UINT64_C(1) << 63);
        b = (int64_t)((uint64_t)b ^ UINT64_C(1) << 63);
    }
    switch (op) {
    case LS_KX_EQ: return a == b;
    case LS_KX_NE: return a != b;
    case LS_KX_LT: return a < b;
    case LS_KX_LE: return a <= b;
    case LS_KX_GT: return a > b;
    default: return a >= b;
    }
}

static int64_t eval_logic(ls_kenv *env, const ls_kexpr *expr) {
    switch ((ls_kop)expr->op) {
    case LS_KX_NOT: return !ls_keval(env, expr->args[0]);
    case LS_KX_IMPLIES: return !ls_keval(env, expr->args[0]) || ls_keval(env, expr->args[1]);
    default: break;
    }
    bool stop = expr->op == LS_KX_OR; /* the value that decides */
    for (uint32_t i = 0; i < expr->count; i++)
        if ((ls_keval(env, expr->args[i]) != 0) == stop) return stop;
    return !stop;
}

static int64_t eval_resize(ls_kenv *env, const ls_kexpr *expr) {
    uint64_t a = (uint64_t)ls_keval(env, expr->args[0]);
    uint32_t width = expr->args[0]->type.width;
    switch ((ls_kop)expr->op) {
    case LS_KX_EXTRACT: return ls_kbits(a >> (expr->value & 0xff), expr->type.width);
    case LS_KX_SEXT: return ls_kbits((uint64_t)sign_extend(a, width), expr->type.width);
    case LS_KX_TO_INT:
        if (width == 64 && a >> 63) fault(env, LS_KFAULT_OVERFLOW);
        return (int64_t)a;
    default: return ls_kbits(a, expr->type.width); /* ZEXT, TO_BV */
    }
}

static int64_t eval_operator(ls_kenv *env, const ls_kexpr *expr) {
    int64_t a = ls_keval(env, expr->args[0]);
    int64_t b = expr->count > 1 ? ls_keval(env, expr->args[1]) : 0;
    ls_ktype type = expr->args[0]->type;
    switch ((ls_ksig)ls_kops[expr->op].signature) {
    case LS_KSIG_EQUAL:
    case LS_KSIG_ORDER: return compare(expr->op, type, a, b);
    case LS_KSIG_BVORD:
        a = sign_extend((uint64_t)a, type.width), b = sign_extend((uint64_t)b, type.width);
        return expr->op == LS_KX_SLT ? a < b : a <= b;
    case LS_KSIG_CONCAT: return (int64_t)((uint64_t)a << expr->args[1]->type.width | (uint64_t)b);
    default: break;
    }
    if (type.kind == LS_KT_INT) return eval_int(env, expr->op, a, b);
    return ls_kbits(eval_bits(expr->op, (uint64_t)a, (uint64_t)b, type.width), type.width);
}

int64_t ls_keval(ls_kenv *env, const ls_kexpr *expr) {
    switch ((ls_ksig)ls_kops[expr->op].signature) {
    case LS_KSIG_LEAF:
        if (expr->op == LS_KX_CONST) return expr->value;
        return expr->op == LS_KX_TS ? (int64_t)env->threads : read_var(env, expr);
    case LS_KSIG_BOOLS: return eval_logic(env, expr);
    case LS_KSIG_ITE: return ls_keval(env, expr->args[ls_keval(env, expr->args[0]) ? 1 : 2]);
    case LS_KSIG_RESIZE:
    case LS_KSIG_TO_INT:
    case LS_KSIG_TO_BV: return eval_resize(env, expr);
    default: return eval_operator(env, expr);
    }
}

bool ls_keval_true(ls_kenv *env, const ls_kexpr *expr) {
    return !expr || (ls_keval(env, expr) && !env->fault);
}

int64_t ls_kvar_wrap(const ls_kvar *var, int64_t value) {
    if (var->type.kind != LS_KT_INT || (value >= var->low && value <= var->high)) return value;
    uint64_t size = ls_kvar_domain(var), past = (uint64_t)value - (uint64_t)var->low;
    if (value >= var->low) return (int64_t)((uint64_t)var->low + past % size);
    uint64_t below = ((uint64_t)var->low - (uint64_t)value) % size;
    return (int64_t)((uint64_t)var->low + (below ? size - below : 0));
}
