/* Predicates and choices on lane vectors: comparisons, their combination, selects, and the join of two ways
 * that all lanes take together. These make conditions on threadIdx exact (001 §4.1 has T, T⁻, F, F⁻ instead:
 * most_true = 1 is its FF⁻, most_false = 1 its TT⁻). */
#include "analyze/groups.h"

#include <string.h>

static uint8_t count(uint32_t mask) {
    return (uint8_t)__builtin_popcount(mask);
}

ls_lanes ls_lanes_mask(uint32_t mask) {
    ls_lanes result = {.seen = true, .predicate = true, .may = mask, .must = mask, .group_count = 1};
    uint8_t first = (uint8_t)(mask & 1);
    for (uint32_t l = 0; l < LANES; l++)
        if ((mask >> l & 1) != first) {
            result.group[l] = 1;
            result.group_count = 2;
        }
    result.most_true = count(mask);
    result.most_false = (uint8_t)(LANES - result.most_true);
    return result;
}

/* Groups of a predicate: lanes that are decided go by their truth, the others by the keys. */
static void finish_predicate(ls_lanes *p, ls_keys *keys) {
    for (uint32_t l = 0; l < LANES; l++) {
        bool decided = !((p->may ^ p->must) >> l & 1);
        if (!decided) continue;
        keys->of[l] = p->must >> l & 1;
        keys->second[l] = keys->third[l] = UINT64_MAX;
    }
    ls_groups_by(p, keys);
    uint8_t most_true = count(p->may), most_false = (uint8_t)(LANES - count(p->must));
    if (p->most_true > most_true) p->most_true = most_true;
    if (p->most_false > most_false) p->most_false = most_false;
    if (p->may == p->must) p->cause = 0;
}

/* --- Comparisons ------------------------------------------------------------------------------------------
 */

static bool holds(int64_t a, int64_t b, ls_comparison op, bool is_unsigned) {
    bool less = is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
    switch (op) {
    case LS_CMP_EQ: return a == b;
    case LS_CMP_NE: return a != b;
    case LS_CMP_LT: return less;
    case LS_CMP_LE: return less || a == b;
    case LS_CMP_GT: return !less && a != b;
    case LS_CMP_GE: return !less;
    }
    return false;
}

static ls_lanes compare_exact(const ls_lanes *a, const ls_lanes *b, ls_comparison op, bool is_unsigned) {
    uint32_t mask = 0;
    for (uint32_t l = 0; l < LANES; l++)
        mask |= (uint32_t)holds(a->offset[l], b->offset[l], op, is_unsigned) << l;
    return ls_lanes_mask(mask);
}

/* Lanes whose difference can be 0: there ⌊difference / m⌋ and the group decide, elsewhere they differ for
 * sure. Of one group only the lanes of one quotient can be equal: a class of one lane is 001's FF⁻. */
static ls_lanes compare_equal(const ls_lanes *d, int64_t m) {
    ls_lanes p = {
        .seen = true, .predicate = true, .cause = d->cause, .most_true = LANES, .most_false = LANES};
    ls_keys keys = {0};
    for (uint32_t l = 0; l < LANES; l++) {
        keys.of[l] = (uint64_t)ls_floor_div(d->offset[l], m);
        keys.second[l] = d->group[l];
        if (ls_modulo(d->offset[l], (uint64_t)m) == 0) p.may |= UINT32_C(1) << l;
    }
    uint32_t total = 0;
    for (uint32_t g = 0; g < d->group_count; g++) {
        uint32_t largest = 0;
        for (uint32_t l = 0; l < LANES; l++) {
            if (d->group[l] != g || !(p.may >> l & 1)) continue;
            uint32_t size = 0;
            for (uint32_t k = 0; k < LANES; k++)
                size += d->group[k] == g && (p.may >> k & 1) && keys.of[k] == keys.of[l];
            if (size > largest) largest = size;
        }
        total += largest;
    }
    p.most_true = (uint8_t)(total < LANES ? total : LANES);
    finish_predicate(&p, &keys);
    if (p.group_count > 1) p.cause |= LS_CAUSE_OTHER;
    return p;
}

/* a < b is ⌊(a − b) / m⌋ < 0, and a ≤ b is ⌊(b − a) / m⌋ ≥ 0, where m divides the bases. Unsigned comparisons
 * also look at the sign of both. */
static ls_lanes compare_order(const ls_lanes *d, int64_t m, const ls_lanes *a, const ls_lanes *b,
                              bool is_unsigned) {
    ls_lanes p = {.seen = true,
                  .predicate = true,
                  .cause = d->cause,
                  .may = UINT32_MAX,
                  .most_true = LANES,
                  .most_false = LANES};
    ls_keys keys = {0};
    for (uint32_t l = 0; l < LANES; l++) {
        keys.of[l] = (uint64_t)ls_floor_div(d->offset[l], m);
        keys.second[l] = d->group[l];
        if (is_unsigned && !a->nonnegative)
            keys.third[l] = (uint64_t)ls_floor_div(a->offset[l], a->modulus ? (int64_t)a->modulus : 1);
        if (is_unsigned && !b->nonnegative)
            keys.third[l] += (uint64_t)ls_floor_div(b->offset[l], b->modulus ? (int64_t)b->modulus : 1) << 32;
    }
    finish_predicate(&p, &keys);
    if (p.group_count > 1) p.cause |= LS_CAUSE_OTHER;
    return p;
}

/* So far from 0 that a difference wraps. */
static bool is_far(const ls_lanes *a) {
    for (uint32_t l = 0; l < LANES; l++)
        if (ls_magnitude(a->offset[l]) >> 62) return true;
    return false;
}

ls_lanes ls_lanes_compare(const ls_lanes *a, const ls_lanes *b, ls_comparison op, bool is_unsigned) {
    if (!a->seen || !b->seen) return (ls_lanes){0};
    if (ls_lanes_exact(a) && ls_lanes_exact(b)) return compare_exact(a, b, op, is_unsigned);
    if (a->has_slack || b->has_slack || is_far(a) || is_far(b))
        return ls_lanes_predicate_function((const ls_lanes *const[]){a, b}, 2, LS_CAUSE_OTHER);
    if (op == LS_CMP_NE || op == LS_CMP_GE) {
        ls_lanes opposite = ls_lanes_compare(a, b, op == LS_CMP_NE ? LS_CMP_EQ : LS_CMP_LT, is_unsigned);
        return ls_lanes_not(&opposite);
    }
    if (op == LS_CMP_LE || op == LS_CMP_GT) {
        ls_lanes swapped = ls_lanes_compare(b, a, LS_CMP_LT, is_unsigned);
        return op == LS_CMP_GT ? swapped : ls_lanes_not(&swapped);
    }
    ls_lanes negative = ls_lanes_negate(b);
    ls_lanes difference = ls_lanes_add(a, &negative);
    int64_t m = difference.modulus ? (int64_t)difference.modulus : 1;
    return op == LS_CMP_EQ ? compare_equal(&difference, m) : compare_order(&difference, m, a, b, is_unsigned);
}

/* --- Logic ------------------------------------------------------------------------------------------------
 */

ls_lanes ls_lanes_not(const ls_lanes *a) {
    ls_lanes result = *a;
    if (!a->seen) return result;
    result.may = ~a->must;
    result.must = ~a->may;
    result.most_true = a->most_false;
    result.most_false = a->most_true;
    return result;
}

static uint8_t sum_to_lanes(uint32_t a, uint32_t b) {
    return (uint8_t)(a + b < LANES ? a + b : LANES);
}

ls_lanes ls_lanes_combine(const ls_lanes *a, const ls_lanes *b, ls_bit_op op) {
    if (!a->seen || !b->seen) return (ls_lanes){0};
    ls_lanes p = {.seen = true, .predicate = true, .cause = a->cause | b->cause};
    if (op == LS_BIT_OR) { /* ¬(¬a ∧ ¬b) */
        ls_lanes not_a = ls_lanes_not(a), not_b = ls_lanes_not(b);
        ls_lanes neither = ls_lanes_combine(&not_a, &not_b, LS_BIT_AND);
        return ls_lanes_not(&neither);
    }
    if (op == LS_BIT_AND) {
        p.may = a->may & b->may;
        p.must = a->must & b->must;
        p.most_true = a->most_true < b->most_true ? a->most_true : b->most_true;
        p.most_false = sum_to_lanes(a->most_false, b->most_false);
    } else {
        uint32_t decided = ~(a->may ^ a->must) & ~(b->may ^ b->must);
        p.must = (a->must ^ b->must) & decided;
        p.may = p.must | ~decided;
        p.most_true = p.most_false = LANES;
    }
    ls_keys keys;
    memset(&keys, 0, sizeof keys);
    for (uint32_t l = 0; l < LANES; l++) keys.of[l] = 2 + (uint64_t)a->group[l] * LANES + b->group[l];
    finish_predicate(&p, &keys);
    return p;
}

/* --- Choices ----------------------------------------------------------------------------------------------
 */

static ls_lanes select_predicate(const ls_lanes *c, const ls_lanes *a, const ls_lanes *b) {
    ls_lanes not_c = ls_lanes_not(c);
    ls_lanes first = ls_lanes_combine(c, a, LS_BIT_AND), second = ls_lanes_combine(&not_c, b, LS_BIT_AND);
    return ls_lanes_combine(&first, &second, LS_BIT_OR);
}

/* Both are known and close together: each lane has one of the two. */
static bool select_near(const ls_lanes *c, const ls_lanes *a, const ls_lanes *b, ls_lanes *result) {
    if (!ls_lanes_exact(a) || !ls_lanes_exact(b) || c->group_count < 3) return false;
    *result = *a;
    result->nonnegative = a->nonnegative & b->nonnegative;
    result->has_slack = false;
    for (uint32_t l = 0; l < LANES; l++) {
        bool may = c->may >> l & 1, must = c->must >> l & 1;
        int64_t first = may ? a->offset[l] : b->offset[l], second = must ? a->offset[l] : b->offset[l];
        int64_t low = first < second ? first : second, high = first < second ? second : first;
        if (high - low > 64) return false;
        result->offset[l] = low;
        result->slack[l] = (uint32_t)(high - low);
        result->has_slack |= high > low;
    }
    return true;
}

/* Lanes of one group of the condition take the same side. Where both sides keep two lanes together and at the
 * same distance, so does the result, whichever side it is. */
ls_lanes ls_lanes_select(const ls_lanes *c, const ls_lanes *a, const ls_lanes *b) {
    if (!c->seen) return *c;
    if (!a->seen || !b->seen) return a->seen ? *a : *b;
    if (a->predicate && b->predicate) return select_predicate(c, a, b);
    ls_lanes result = {.seen = true,
                       .cause = a->cause | b->cause,
                       .nonnegative = a->nonnegative & b->nonnegative,
                       .has_slack = false,
                       .modulus = ls_gcd(a->modulus, b->modulus)};
    if (select_near(c, a, b, &result)) return result;
    ls_keys keys;
    memset(&keys, 0, sizeof keys);
    for (uint32_t l = 0; l < LANES; l++) {
        bool may = c->may >> l & 1, must = c->must >> l & 1;
        const ls_lanes *side = must ? a : b;
        if (may == must) {
            result.offset[l] = side->offset[l];
            result.slack[l] = side->slack[l];
            keys.of[l] = side->modulus ? (uint64_t)side->group[l] * 2 + must : UINT64_MAX;
        } else {
            int64_t distance = b->offset[l] - a->offset[l];
            result.offset[l] = a->offset[l];
            result.slack[l] = a->slack[l] > b->slack[l] ? a->slack[l] : b->slack[l];
            result.modulus = ls_gcd(result.modulus, ls_magnitude(distance));
            keys.of[l] = 1000 + ((uint64_t)c->group[l] * LANES + a->group[l]) * LANES + b->group[l];
            keys.second[l] = (uint64_t)distance;
        }
        result.has_slack |= result.slack[l] != 0;
    }
    if (!result.modulus) return result.group_count = 1, memset(result.group, 0, LANES), result;
    ls_groups_by(&result, &keys);
    if (result.group_count > a->group_count && result.group_count > b->group_count)
        result.cause |= LS_CAUSE_CONTROL | c->cause;
    return result;
}

ls_lanes ls_lanes_join(const ls_lanes *a, const ls_lanes *b) {
    if (!a->seen) return *b;
    if (!b->seen) return *a;
    ls_lanes together = {.seen = true,
                         .predicate = true,
                         .group_count = 1,
                         .may = UINT32_MAX,
                         .most_true = LANES,
                         .most_false = LANES};
    return ls_lanes_select(&together, a, b);
}
