/* Values that a loop doubles or halves from anything on (`for (d = n >> 1; d > 0; d >>= 1) offset *= 2`):
 * after k iterations they are the initial value shifted by k. There are few iterations where the loop goes on
 * only as long as a halved value is not zero; then the cases of k, in each of which the shifts are constants,
 * can be gone through one by one. Without such a bound nothing is gained, and the values stay open. */
#include "verify/execute/loops.h"

static bool is_power(uint64_t v) {
    return v && !(v & (v - 1));
}

/* What one way round makes of the value: bits to the left, or to the right (negative); 0: something else. */
static int8_t shift_of(const ls_term *now, const ls_term *before, bool *arithmetic) {
    *arithmetic = now->op == LS_T_ASHR;
    bool scaled = now->op == LS_T_LIN && now->count == 1 && !now->value && now->args[0] == before;
    if (scaled && is_power(now->coefs[0])) return (int8_t)__builtin_ctzll(now->coefs[0]);
    bool divided = (now->op == LS_T_UDIV || now->op == LS_T_ASHR) && now->args[0] == before &&
                   ls_is_const(now->args[1]) && now->args[1]->value;
    if (!divided) return 0;
    uint64_t by = now->args[1]->value;
    if (now->op == LS_T_ASHR) return by < 32 ? (int8_t)-(int8_t)by : 0;
    return is_power(by) ? (int8_t)-__builtin_ctzll(by) : 0;
}

static void find_shift(ls_loop_entry *e, uint32_t i) {
    ls_loop_phi *phi = &e->phis[i];
    if (phi->step || phi->traced || phi->period || phi->before->width < 8 || !e->latches.length) return;
    for (uint32_t w = 0; w < e->latches.length; w++) {
        bool arithmetic;
        int8_t shift = shift_of(e->latches.items[w].args[i], phi->before, &arithmetic);
        if (w && (shift != phi->shift || arithmetic != phi->arithmetic)) shift = 0;
        phi->shift = shift;
        phi->arithmetic = arithmetic;
        if (!shift) return;
    }
}

/* The comparison says that the value is more than zero. */
static bool says_positive(ls_terms *t, const ls_term *c, const ls_term *value) {
    const ls_term *zero = ls_const(t, value->width, 0), *one = ls_const(t, value->width, 1);
    return c == ls_slt(t, zero, value) || c == ls_not(t, ls_slt(t, value, one));
}

/* … or that it is not zero. */
static bool says_not_zero(ls_terms *t, const ls_term *c, const ls_term *value) {
    const ls_term *zero = ls_const(t, value->width, 0);
    return c == ls_ult(t, zero, value) || c == ls_not(t, ls_eq(t, value, zero));
}

/* The condition is a conjunction in which that stands, of the value before the iteration or after it. */
static bool goes_on_while(const ls_loop_entry *e, const ls_loop_phi *phi, const ls_term *c,
                          const ls_term *after, uint32_t *budget) {
    ls_terms *t = &e->s->proof->terms;
    if (!*budget) return false;
    --*budget;
    if (c->op == LS_T_AND && c->width == 1)
        return goes_on_while(e, phi, c->args[0], after, budget) ||
               goes_on_while(e, phi, c->args[1], after, budget);
    bool zero = !phi->arithmetic || phi->init->slo >= 0;
    return says_positive(t, c, phi->before) || says_positive(t, c, after) ||
           (zero && (says_not_zero(t, c, phi->before) || says_not_zero(t, c, after)));
}

/* The most iterations that a halved value lets through; -1: there is none. */
static int64_t find_most(const ls_loop_entry *e) {
    int64_t best = -1;
    for (uint32_t i = 0; i < e->count; i++) {
        const ls_loop_phi *phi = &e->phis[i];
        bool bounded = phi->shift < 0;
        for (uint32_t w = 0; w < e->latches.length && bounded; w++) {
            uint32_t budget = 200;
            bounded =
                goes_on_while(e, phi, e->latches.items[w].condition, e->latches.items[w].args[i], &budget);
        }
        int64_t by = -phi->shift, most = bounded ? (phi->before->width + by - 1) / by : -1;
        if (most >= 0 && (best < 0 || most < best)) best = most;
    }
    return best;
}

void ls_find_geometric(ls_loop_entry *e) {
    for (uint32_t i = 0; i < e->count; i++) find_shift(e, i);
    int64_t most = find_most(e);
    if (most >= 0 && (e->most < 0 || most < e->most)) e->most = most;
    for (uint32_t i = 0; i < e->count && most < 0; i++) e->phis[i].shift = 0;
}

const ls_term *ls_geometric_value(const ls_loop_entry *e, const ls_loop_phi *phi, const ls_term *k) {
    ls_terms *t = &e->s->proof->terms;
    uint32_t width = phi->init->width;
    uint64_t by = (uint64_t)(phi->shift < 0 ? -phi->shift : phi->shift);
    const ls_term *bits = ls_scale(t, ls_resize(t, k, width, false), by);
    ls_term_op op = phi->shift > 0 ? LS_T_SHL : phi->arithmetic ? LS_T_ASHR : LS_T_LSHR;
    return ls_binary(t, op, phi->init, bits);
}
