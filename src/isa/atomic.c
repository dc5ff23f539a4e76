/* Read-modify-write operations of atom and red, for one lane. */
#include "isa/atomic.h"
#include "isa/number.h"

#include <math.h>

static uint64_t add_float(ls_ptx_type type, uint64_t old, uint64_t a) {
    switch (type) {
    case LS_TYPE_F32: {
        float r = em_f32(old) + em_f32(a);
        return r == r ? em_bits_f32(r) : em_nan(type);
    }
    case LS_TYPE_F64: {
        double r = em_f64(old) + em_f64(a);
        return r == r ? em_bits_f64(r) : em_nan(type);
    }
    default: {
        double r = em_add_odd(em_small_to_double(type, old), em_small_to_double(type, a));
        return em_double_to_small(type, r, LS_MOD_RN, false);
    }
    }
}

static uint64_t flush(uint64_t bits) {
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static uint64_t order_float(bool max, ls_ptx_type type, uint64_t old, uint64_t a) {
    double x = em_small_to_double(type, old), y = em_small_to_double(type, a);
    if (x != x) return y != y ? em_nan(type) : a;
    if (y != y) return old;
    if (x == y) return max ? old & a : old | a;
    return (x < y) != max ? old : a;
}

static uint64_t order_int(bool max, ls_ptx_type type, uint64_t old, uint64_t a) {
    uint32_t bits = ls_ptx_type_bits(type);
    bool less = em_is_signed(type) ? em_sign_extend(old, bits) < em_sign_extend(a, bits)
                                   : em_low_bits(old, bits) < em_low_bits(a, bits);
    return less != max ? old : a;
}

static uint64_t one(atomic_op op, ls_ptx_type type, uint64_t old, uint64_t a, uint64_t b) {
    switch (op) {
    case ATOMIC_ADD: return em_is_float(type) ? add_float(type, old, a) : old + a;
    case ATOMIC_ADD_FTZ: return flush(add_float(type, flush(old), flush(a)));
    case ATOMIC_INC: return old >= a ? 0 : old + 1;
    case ATOMIC_DEC: return old == 0 || old > a ? a : old - 1;
    case ATOMIC_MIN:
    case ATOMIC_MAX: return (em_is_float(type) ? order_float : order_int)(op == ATOMIC_MAX, type, old, a);
    case ATOMIC_AND: return old & a;
    case ATOMIC_OR: return old | a;
    case ATOMIC_XOR: return old ^ a;
    case ATOMIC_EXCH: return a;
    case ATOMIC_CAS: return old == a ? b : old;
    default: return old;
    }
}

uint64_t em_atomic_result(atomic_op op, ls_ptx_type type, uint64_t old, uint64_t a, uint64_t b) {
    uint32_t bits = ls_ptx_type_bits(type);
    old = em_low_bits(old, bits), a = em_low_bits(a, bits), b = em_low_bits(b, bits);
    if (type == LS_TYPE_F16X2 || type == LS_TYPE_BF16X2) {
        ls_ptx_type half = type == LS_TYPE_F16X2 ? LS_TYPE_F16 : LS_TYPE_BF16;
        uint64_t low = one(op, half, old & 0xffff, a & 0xffff, b & 0xffff);
        uint64_t high = one(op, half, old >> 16, a >> 16, b >> 16);
        return (low & 0xffff) | (high & 0xffff) << 16;
    }
    return em_low_bits(one(op, type, old, a, b), bits);
}
