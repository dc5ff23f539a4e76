/* What both encodings do alike: terms that were encoded before, and the call with what its model says. */
#ifndef LS_SOLVE_ENCODE_H
#define LS_SOLVE_ENCODE_H

#include "solve/solve.h"

/* What a term was encoded as before; NULL: it was not. */
static inline Z3_ast ls_encoded(const ls_intmap *memo, const ls_term *term) {
    uint64_t found;
    return ls_intmap_get(memo, term->id, &found) ? (Z3_ast)(uintptr_t)found : NULL;
}
static inline Z3_ast ls_keep_encoded(ls_intmap *memo, const ls_term *term, Z3_ast made) {
    bool is_new;
    *ls_intmap_at(memo, term->id, &is_new) = (uint64_t)(uintptr_t)made;
    return made;
}

/* Z3's answer to what the query's solver was told; where there is a model, the values of the leaves are put
 * into the query's. `of` gives what a leaf was encoded as. */
Z3_lbool ls_encoding_answer(const ls_encoding *query, const ls_term_list *leaves,
                            Z3_ast (*of)(void *encoder, const ls_term *leaf), void *encoder);

#endif
