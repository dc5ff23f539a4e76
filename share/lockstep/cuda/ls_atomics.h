/* Atomic functions, at the scopes of the device, a block and the system. Those for which PTX has no
 * instruction are compare-and-swap loops. */
#ifndef LS_ATOMICS_H
#define LS_ATOMICS_H
#pragma GCC system_header

#define LS_ATOMICS(SUFFIX, SCOPE)                                                                            \
    LS_DEVICE int atomicAdd##SUFFIX(int *p, int v) { return __nvvm_atom##SCOPE##_add_gen_i(p, v); }          \
    LS_DEVICE unsigned atomicAdd##SUFFIX(unsigned *p, unsigned v) {                                          \
        return (unsigned)__nvvm_atom##SCOPE##_add_gen_i((int *)p, (int)v);                                   \
    }                                                                                                        \
    LS_DEVICE unsigned long long atomicAdd##SUFFIX(unsigned long long *p, unsigned long long v) {            \
        return (unsigned long long)__nvvm_atom##SCOPE##_add_gen_ll((long long *)p, (long long)v);            \
    }                                                                                                        \
    LS_DEVICE float atomicAdd##SUFFIX(float *p, float v) { return __nvvm_atom##SCOPE##_add_gen_f(p, v); }    \
    LS_DEVICE double atomicAdd##SUFFIX(double *p, double v) { return __nvvm_atom##SCOPE##_add_gen_d(p, v); } \
    LS_DEVICE int atomicSub##SUFFIX(int *p, int v) { return __nvvm_atom##SCOPE##_add_gen_i(p, -v); }         \
    LS_DEVICE unsigned atomicSub##SUFFIX(unsigned *p, unsigned v) {                                          \
        return (unsigned)__nvvm_atom##SCOPE##_add_gen_i((int *)p, -(int)v);                                  \
    }                                                                                                        \
    LS_DEVICE int atomicExch##SUFFIX(int *p, int v) { return __nvvm_atom##SCOPE##_xchg_gen_i(p, v); }        \
    LS_DEVICE unsigned atomicExch##SUFFIX(unsigned *p, unsigned v) {                                         \
        return (unsigned)__nvvm_atom##SCOPE##_xchg_gen_i((int *)p, (int)v);                                  \
    }                                                                                                        \
    LS_DEVICE unsigned long long atomicExch##SUFFIX(unsigned long long *p, unsigned long long v) {           \
        return (unsigned long long)__nvvm_atom##SCOPE##_xchg_gen_ll((long long *)p, (long long)v);           \
    }                                                                                                        \
    LS_DEVICE float atomicExch##SUFFIX(float *p, float v) {                                                  \
        return __builtin_bit_cast(float, __nvvm_atom##SCOPE##_xchg_gen_i((int *)p, __builtin_bit_cast(int, v))); \
    }                                                                                                        \
    LS_DEVICE int atomicMin##SUFFIX(int *p, int v) { return __nvvm_atom##SCOPE##_min_gen_i(p, v); }          \
    LS_DEVICE unsigned atomicMin##SUFFIX(unsigned *p, unsigned v) { return __nvvm_atom##SCOPE##_min_gen_ui(p, v); } \
    LS_DEVICE long long atomicMin##SUFFIX(long long *p, long long v) { return __nvvm_atom##SCOPE##_min_gen_ll(p, v); } \
    LS_DEVICE unsigned long long atomicMin##SUFFIX(unsigned long long *p, unsigned long long v) {            \
        return __nvvm_atom##SCOPE##_min_gen_ull(p, v);                                                       \
    }                                                                                                        \
    LS_DEVICE int atomicMax##SUFFIX(int *p, int v) { return __nvvm_atom##SCOPE##_max_gen_i(p, v); }          \
    LS_DEVICE unsigned atomicMax##SUFFIX(unsigned *p, unsigned v) { return __nvvm_atom##SCOPE##_max_gen_ui(p, v); } \
    LS_DEVICE long long atomicMax##SUFFIX(long long *p, long long v) { return __nvvm_atom##SCOPE##_max_gen_ll(p, v); } \
    LS_DEVICE unsigned long long atomicMax##SUFFIX(unsigned long long *p, unsigned long long v) {            \
        return __nvvm_atom##SCOPE##_max_gen_ull(p, v);                                                       \
    }                                                                                                        \
    LS_DEVICE unsigned atomicInc##SUFFIX(unsigned *p, unsigned v) { return __nvvm_atom##SCOPE##_inc_gen_ui(p, v); } \
    LS_DEVICE unsigned atomicDec##SUFFIX(unsigned *p, unsigned v) { return __nvvm_atom##SCOPE##_dec_gen_ui(p, v); } \
    LS_ATOMIC_BITS(And, and, SUFFIX, SCOPE)                                                                  \
    LS_ATOMIC_BITS(Or, or, SUFFIX, SCOPE)                                                                    \
    LS_ATOMIC_BITS(Xor, xor, SUFFIX, SCOPE)                                                                  \
    LS_DEVICE int atomicCAS##SUFFIX(int *p, int c, int v) { return __nvvm_atom##SCOPE##_cas_gen_i(p, c, v); } \
    LS_DEVICE unsigned atomicCAS##SUFFIX(unsigned *p, unsigned c, unsigned v) {                              \
        return (unsigned)__nvvm_atom##SCOPE##_cas_gen_i((int *)p, (int)c, (int)v);                           \
    }                                                                                                        \
    LS_DEVICE unsigned long long atomicCAS##SUFFIX(unsigned long long *p, unsigned long long c, unsigned long long v) { \
        return (unsigned long long)__nvvm_atom##SCOPE##_cas_gen_ll((long long *)p, (long long)c, (long long)v); \
    }

#define LS_ATOMIC_BITS(NAME, OP, SUFFIX, SCOPE)                                                              \
    LS_DEVICE int atomic##NAME##SUFFIX(int *p, int v) { return __nvvm_atom##SCOPE##_##OP##_gen_i(p, v); }    \
    LS_DEVICE unsigned atomic##NAME##SUFFIX(unsigned *p, unsigned v) {                                       \
        return (unsigned)__nvvm_atom##SCOPE##_##OP##_gen_i((int *)p, (int)v);                                \
    }                                                                                                        \
    LS_DEVICE unsigned long long atomic##NAME##SUFFIX(unsigned long long *p, unsigned long long v) {         \
        return (unsigned long long)__nvvm_atom##SCOPE##_##OP##_gen_ll((long long *)p, (long long)v);         \
    }

LS_ATOMICS(, )
LS_ATOMICS(_block, _cta)
LS_ATOMICS(_system, _sys)
#undef LS_ATOMICS
#undef LS_ATOMIC_BITS

/* size_t is unsigned long, which CUDA's own overloads leave to conversions of pointers that C++ has not. */
LS_DEVICE unsigned short atomicCAS(unsigned short *p, unsigned short c, unsigned short v) {
    unsigned short r;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(c), "h"(v) : "memory");
    return r;
}

#endif
