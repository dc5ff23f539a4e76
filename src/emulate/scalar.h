/* The scalar instructions: what one lane computes. Declared here, chosen in scalar_table.c. */
#ifndef LS_EMULATE_SCALAR_H
#define LS_EMULATE_SCALAR_H

#include "emulate/machine.h"

#define SCALARS(X)                                                                                           \
    X(em_add)                                                                                                \
    X(em_sub)                                                                                                \
    X(em_mul)                                                                                                \
    X(em_mad)                                                                                                \
    X(em_mul24)                                                                                              \
    X(em_mad24)                                                                                              \
    X(em_sad)                                                                                                \
    X(em_div)                                                                                                \
    X(em_rem)                                                                                                \
    X(em_abs)                                                                                                \
    X(em_neg)                                                                                                \
    X(em_minmax)                                                                                             \
    X(em_add_packed)                                                                                         \
    X(em_popc)                                                                                               \
    X(em_clz)                                                                                                \
    X(em_bfind)                                                                                              \
    X(em_fns)                                                                                                \
    X(em_brev)                                                                                               \
    X(em_bfe)                                                                                                \
    X(em_bfi)                                                                                                \
    X(em_szext)                                                                                              \
    X(em_bmsk)                                                                                               \
    X(em_dp4a)                                                                                               \
    X(em_dp2a)                                                                                               \
    X(em_cnot)                                                                                               \
    X(em_lop3)                                                                                               \
    X(em_shf)                                                                                                \
    X(em_prmt)                                                                                               \
    X(em_setp)                                                                                               \
    X(em_setp_packed)                                                                                        \
    X(em_set)                                                                                                \
    X(em_slct)                                                                                               \
    X(em_select)                                                                                             \
    X(em_move)                                                                                               \
    X(em_isspacep)                                                                                           \
    X(em_video)                                                                                              \
    X(em_float_binary)                                                                                       \
    X(em_float_fma)                                                                                          \
    X(em_float_unary)                                                                                        \
    X(em_float_minmax)                                                                                       \
    X(em_half)                                                                                               \
    X(em_testp)                                                                                              \
    X(em_copysign)                                                                                           \
    X(em_cvt)                                                                                                \
    X(em_cvt_pack)                                                                                           \
    X(em_cvt_pair)                                                                                           \
    X(em_float_div)                                                                                          \
    X(em_f32x2)                                                                                              \
    X(em_float_sign)
#define X(name) uint64_t name(const alu *x, const uint64_t *s, uint64_t *second);
SCALARS(X)
#undef X

bool em_is_plain_integer(ls_ptx_type t);
bool em_compare(const alu *x, ls_ptx_type type, uint64_t a, uint64_t b);

#endif
