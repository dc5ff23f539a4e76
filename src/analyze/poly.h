/* Arithmetic of shapes: polynomials in the thread identifiers (003 §3.4, Figures 12 and 13). */
#ifndef LS_ANALYZE_POLY_H
#define LS_ANALYZE_POLY_H

#include "analyze/residue.h"

ls_shape ls_poly_divergent(void);
ls_shape ls_poly_constant(int64_t n);
ls_shape ls_poly_uniform(ls_residue constant);
ls_shape ls_poly_identifier(ls_identifier identifier);

bool ls_poly_equal(const ls_shape *a, const ls_shape *b);
/* Whether two values of this shape are the same number: no coefficient is unknown. */
bool ls_poly_exact(const ls_shape *a);
static inline bool ls_poly_is_constant(const ls_shape *a) {
    return a->kind == LS_SHAPE_POLY && !a->term_count && !a->constant.modulus;
}

/* Meet of 003's lattice: all threads have the one value, or all have the other. */
ls_shape ls_poly_join(const ls_shape *a, const ls_shape *b);

ls_shape ls_poly_add(const ls_shape *a, const ls_shape *b);
ls_shape ls_poly_negate(const ls_shape *a);
/* Degrees above `degree` make it divergent. */
ls_shape ls_poly_multiply(const ls_shape *a, const ls_shape *b, uint32_t degree);
/* The largest power of two that divides every value of that shape. */
uint64_t ls_poly_power(const ls_shape *a);

#endif
