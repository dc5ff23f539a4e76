/* Powers of two: where a condition says that a value is one (x & (x - 1) = 0, as preconditions of reductions
 * and scans do, or an invariant of a loop that doubles or halves), there are few cases, and in each of them
 * masks and shifts by it are constants. */
#include "solve/solve.h"

/* a & b = 0 with b = a - 1. */
static const ls_term *power_in(ls_terms *terms, const ls_term *c) {
    if (c->op != LS_T_EQ) return NULL;
    const ls_term *zero = ls_is_const(c->args[0]) ? c->args[0] : c->args[1];
    const ls_term *bits = zero == c->args[0] ? c->args[1] : c->args[0];
    if (!ls_is_const(zero) || zero->value || bits->op != LS_T_AND) return NULL;
    const ls_term *one = ls_const(terms, bits->width, 1);
    for (int i = 0; i < 2; i++)
        if (ls_sub(terms, bits->args[i], one) == bits->args[1 - i]) return bits->args[i];
    return NULL;
}

const ls_term *ls_find_power(ls_terms *terms, const ls_term *const *conjuncts, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const ls_term *x = power_in(terms, conjuncts[i]);
        if (x) return x;
    }
    return NULL;
}
