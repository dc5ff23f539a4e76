/* The functions behind isa/meaning.h, one for a family of instructions; meaning.c chooses. */
#ifndef LS_ISA_FUNCTIONS_H
#define LS_ISA_FUNCTIONS_H

#include "isa/meaning.h"

#define ISA_FUNCTIONS(X)                                                                                     \
    X(isa_add)                                                                                               \
    X(isa_sub)                                                                                               \
    X(isa_mul)                                                                                               \
    X(isa_mad)                                                                                               \
    X(isa_mul24)                                                                                             \
    X(isa_mad24)                                                                                             \
    X(isa_sad)                                                                                               \
    X(isa_div)                                                                                               \
    X(isa_rem)                                                                                               \
    X(isa_abs)                                                                                               \
    X(isa_neg)                                                                                               \
    X(isa_minmax)                                                                                            \
    X(isa_add_packed)                                                                                        \
    X(isa_popc)                                                                                              \
    X(isa_clz)                                                                                               \
    X(isa_bfind)                                                                                             \
    X(isa_fns)                                                                                               \
    X(isa_brev)                                                                                              \
    X(isa_bfe)                                                                                               \
    X(isa_bfi)                                                                                               \
    X(isa_szext)                                                                                             \
    X(isa_bmsk)                                                                                              \
    X(isa_dp4a)                                                                                              \
    X(isa_dp2a)                                                                                              \
    X(isa_bits)                                                                                              \
    X(isa_shl)                                                                                               \
    X(isa_shr)                                                                                               \
    X(isa_cnot)                                                                                              \
    X(isa_lop3)                                                                                              \
    X(isa_shf)                                                                                               \
    X(isa_prmt)                                                                                              \
    X(isa_setp)                                                                                              \
    X(isa_setp_packed)                                                                                       \
    X(isa_set)                                                                                               \
    X(isa_slct)                                                                                              \
    X(isa_select)                                                                                            \
    X(isa_move)                                                                                              \
    X(isa_pack)                                                                                              \
    X(isa_unpack)                                                                                            \
    X(isa_video)                                                                                             \
    X(isa_float_binary)                                                                                      \
    X(isa_float_div)                                                                                         \
    X(isa_float_fma)                                                                                         \
    X(isa_float_unary)                                                                                       \
    X(isa_float_minmax)                                                                                      \
    X(isa_float_sign)                                                                                        \
    X(isa_f32x2)                                                                                             \
    X(isa_mixed) X(isa_half) X(isa_testp) X(isa_copysign) X(isa_cvt) X(isa_cvt_pack) X(isa_cvt_pair)
#define X(name) uint64_t name(const ls_isa *x, const uint64_t *s, uint64_t *more);
ISA_FUNCTIONS(X)
#undef X

/* video.c: the rest of x for a video instruction; false where the form is not modelled. */
bool isa_find_video(const ls_isa_ask *ask, ls_isa *x);

#endif
