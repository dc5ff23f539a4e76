/* Arithmetic of lane vectors: what +, −, ×, /, %, &, |, ^, min and max do to offsets, groups and moduli. The
 * comments say why each is sound; tests/analyze/test_lanes.c holds each against brute force. Index arithmetic
 * is assumed not to wrap where values are not exact (docs/analyze.md); exact vectors are computed by fold.c
 * as the machine does. */
#include "analyze/lanes.h"

#include "analyze/groups.h"

#include <string.h>

ls_lanes ls_lanes_uniform(ls_residue number) {
    ls_lanes result = {.seen = true, .group_count = 1, .modulus = number.modulus};
    for (uint32_t l = 0; l < LANES; l++) result.offset[l] = number.rest;
    result.nonnegative = !number.modulus && number.rest >= 0;
    return result;
}

ls_lanes ls_lanes_vector(const int64_t values[LANES]) {
    ls_lanes result = {.seen = true, .group_count = 1, .nonnegative = true};
    for (uint32_t l = 0; l < LANES; l++) {
        result.offset[l] = values[l];
        result.nonnegative &= values[l] >= 0;
    }
    return result;
}

ls_lanes ls_lanes_any(uint8_t cause) {
    ls_lanes result = {.seen = true, .group_count = LANES, .modulus = 1, .cause = cause};
    for (uint32_t l = 0; l < LANES; l++) result.group[l] = (uint8_t)l;
    return result;
}

bool ls_lanes_is_uniform(const ls_lanes *a, uint32_t active) {
    if (!a->seen || !active) return true;
    uint32_t first = (uint32_t)__builtin_ctz(active);
    for (uint32_t l = first + 1; l < LANES; l++) {
        if (!(active >> l & 1)) continue;
        if (a->group[l] != a->group[first]) return false;
        if (a->predicate) continue;
        if (a->offset[l] != a->offset[first] || a->slack[l] || a->slack[first]) return false;
    }
    return true;
}

bool ls_lanes_equal(const ls_lanes *a, const ls_lanes *b) {
    if (a->seen != b->seen || a->group_count != b->group_count || a->modulus != b->modulus ||
        a->nonnegative != b->nonnegative || a->cause != b->cause || a->predicate != b->predicate ||
        a->may != b->may || a->must != b->must || a->most_true != b->most_true ||
        a->most_false != b->most_false || memcmp(a->group, b->group, sizeof a->group))
        return false;
    return a->predicate ||
           (!memcmp(a->offset, b->offset, sizeof a->offset) && !memcmp(a->slack, b->slack, sizeof a->slack));
}

/* Lanes whose value has slack become groups of their own, so that the others' rules can be used. */
static ls_lanes definite(const ls_lanes *a) {
    ls_lanes result = *a;
    if (!a->has_slack) return result;
    ls_keys keys = {0};
    for (uint32_t l = 0; l < LANES; l++) {
        keys.of[l] = a->slack[l] ? 1000 + l : a->group[l];
        result.offset[l] = a->slack[l] ? 0 : a->offset[l];
        result.slack[l] = 0;
    }
    result.has_slack = false;
    result.modulus = 1;
    result.cause |= LS_CAUSE_OTHER;
    ls_groups_by(&result, &keys);
    return result;
}

/* The same number in all lanes, known exactly. */
static bool is_constant(const ls_lanes *a, int64_t *number) {
    if (a->modulus || a->has_slack || a->predicate) return false;
    for (uint32_t l = 1; l < LANES; l++)
        if (a->offset[l] != a->offset[0]) return false;
    *number = a->offset[0];
    return true;
}

ls_lanes ls_lanes_add(const ls_lanes *a, const ls_lanes *b) {
    if (!a->seen || !b->seen) return (ls_lanes){0};
    ls_lanes sum = {.seen = true,
                    .cause = a->cause | b->cause,
                    .nonnegative = a->nonnegative & b->nonnegative,
                    .has_slack = a->has_slack | b->has_slack,
                    .modulus = ls_gcd(a->modulus, b->modulus)};
    for (uint32_t l = 0; l < LANES; l++)
        sum.offset[l] = (int64_t)((uint64_t)a->offset[l] + (uint64_t)b->offset[l]);
    if (sum.has_slack)
        for (uint32_t l = 0; l < LANES; l++) {
            uint64_t room = (uint64_t)a->slack[l] + b->slack[l];
            if (room > UINT32_MAX) return ls_lanes_any(sum.cause | LS_CAUSE_OTHER);
            sum.slack[l] = (uint32_t)room;
        }
    ls_groups_both(&sum, a, b);
    return sum;
}

ls_lanes ls_lanes_negate(const ls_lanes *a) {
    ls_lanes result = *a;
    result.nonnegative = false;
    for (uint32_t l = 0; l < LANES; l++)
        result.offset[l] = (int64_t)(0 - ((uint64_t)a->offset[l] + a->slack[l]));
    return result;
}

ls_lanes ls_lanes_scale(const ls_lanes *a, int64_t factor) {
    if (!factor) return ls_lanes_uniform(ls_residue_constant(0));
    if (factor < 0) {
        ls_lanes negative = ls_lanes_negate(a);
        return factor == INT64_MIN ? ls_lanes_any(LS_CAUSE_OTHER) : ls_lanes_scale(&negative, -factor);
    }
    ls_lanes result = *a;
    for (uint32_t l = 0; l < LANES; l++) {
        result.offset[l] = (int64_t)((uint64_t)a->offset[l] * (uint64_t)factor);
        uint64_t room;
        if (__builtin_mul_overflow((uint64_t)a->slack[l], (uint64_t)factor, &room) || room > UINT32_MAX)
            return ls_lanes_any(a->cause | LS_CAUSE_OTHER);
        result.slack[l] = (uint32_t)room;
    }
    unsigned __int128 modulus = (unsigned __int128)a->modulus * (uint64_t)factor;
    result.modulus = modulus >> 63 ? (a->modulus & -a->modulus) : ls_modulus_limit((uint64_t)modulus);
    return result;
}

/* An exact vector times a uniform number rest + k·modulus: lanes with equal factors stay together, and each
 * product is a multiple of modulus · factor away from rest · factor. */
static ls_lanes multiply_unknown(const ls_lanes *vector, ls_residue number, uint8_t cause) {
    ls_lanes result = {.seen = true, .cause = cause};
    ls_keys keys = {0};
    for (uint32_t l = 0; l < LANES; l++) {
        keys.of[l] = (uint64_t)vector->offset[l];
        result.offset[l] = (int64_t)((uint64_t)vector->offset[l] * (uint64_t)number.rest);
        unsigned __int128 modulus = (unsigned __int128)number.modulus * ls_magnitude(vector->offset[l]);
        if (modulus >> 63) modulus = 1;
        result.modulus = ls_gcd(result.modulus, (uint64_t)modulus);
    }
    result.modulus = ls_modulus_limit(result.modulus);
    ls_groups_by(&result, &keys);
    if (result.group_count > 1) result.cause |= LS_CAUSE_STRIDE;
    return result;
}

ls_lanes ls_lanes_multiply(const ls_lanes *a, const ls_lanes *b) {
    if (!a->seen || !b->seen) return (ls_lanes){0};
    int64_t number;
    bool nonnegative = a->nonnegative & b->nonnegative;
    ls_lanes result;
    if (is_constant(b, &number))
        result = ls_lanes_scale(a, number);
    else if (is_constant(a, &number))
        result = ls_lanes_scale(b, number);
    else if (ls_lanes_exact(a) && ls_lanes_is_uniform(b, UINT32_MAX))
        result = multiply_unknown(a, (ls_residue){b->offset[0], b->modulus}, a->cause | b->cause);
    else if (ls_lanes_exact(b) && ls_lanes_is_uniform(a, UINT32_MAX))
        result = multiply_unknown(b, (ls_residue){a->offset[0], a->modulus}, a->cause | b->cause);
    else
        result = ls_lanes_function((const ls_lanes *const[]){a, b}, 2, LS_CAUSE_STRIDE);
    result.nonnegative = nonnegative;
    return result;
}

/* --- Division
 * ----------------------------------------------------------------------------------------------- */

/* Splits offsets at multiples of m: offset = quotient · m + rest. B + quotient · m is a multiple of m, so
 * what is decided by ⌊value / m⌋ is the same for lanes of equal group and quotient. True where the quotients
 * are equal within each group. */
static bool split(const ls_lanes *a, int64_t m, ls_keys *keys, int64_t rest[LANES]) {
    int64_t quotient_of[LANES];
    bool seen[LANES] = {0}, equal = true;
    for (uint32_t l = 0; l < LANES; l++) {
        int64_t quotient = ls_floor_div(a->offset[l], m);
        rest[l] = a->offset[l] - quotient * m;
        keys->of[l] = (uint64_t)quotient;
        keys->second[l] = a->group[l];
        uint8_t g = a->group[l];
        if (seen[g] && quotient_of[g] != quotient) equal = false;
        seen[g] = true;
        quotient_of[g] = quotient;
    }
    return equal;
}

/* ⌊(B + offset) / d⌋ is ⌊B / d⌋ + ⌊offset / d⌋ or one more. */
static ls_lanes divide_loosely(const ls_lanes *a, int64_t divisor, bool truncate) {
    ls_lanes result = *a;
    result.modulus = 1;
    result.has_slack = true;
    for (uint32_t l = 0; l < LANES; l++) {
        result.offset[l] = ls_floor_div(a->offset[l], divisor);
        int64_t high = ls_floor_div(a->offset[l] + (int64_t)a->slack[l], divisor);
        result.slack[l] = (uint32_t)(high - result.offset[l]) + 1 + (truncate && !a->nonnegative);
    }
    return result;
}

ls_lanes ls_lanes_divide(const ls_lanes *a, int64_t divisor, bool truncate) {
    if (!a->seen || divisor == 1) return *a;
    if (a->has_slack) return divide_loosely(a, divisor, truncate);
    int64_t m = (int64_t)ls_gcd(a->modulus, (uint64_t)divisor);
    bool exact_sign = !truncate || a->nonnegative;
    ls_keys keys = {0};
    int64_t rest[LANES];
    bool together = split(a, m, &keys, rest);
    ls_lanes result = *a;
    if (m == divisor && exact_sign) {
        for (uint32_t l = 0; l < LANES; l++) result.offset[l] = (int64_t)keys.of[l];
        result.modulus = a->modulus / (uint64_t)divisor;
        return result;
    }
    if (!exact_sign) {
        /* Truncation looks at the sign as well: only equal inputs are sure to give equal results. */
        ls_lanes same = ls_lanes_function((const ls_lanes *const[]){a}, 1, LS_CAUSE_OTHER);
        return same.group_count == a->group_count ? same : divide_loosely(a, divisor, truncate);
    }
    memset(result.offset, 0, sizeof result.offset);
    result.modulus = 1;
    if (together) return result;
    ls_groups_by(&result, &keys);
    if (result.group_count > 4) return divide_loosely(a, divisor, truncate);
    result.cause |= LS_CAUSE_OTHER;
    return result;
}

ls_lanes ls_lanes_rest(const ls_lanes *a, int64_t divisor, bool truncate) {
    if (!a->seen) return *a;
    if (divisor == 1) return ls_lanes_uniform(ls_residue_constant(0));
    if (truncate && !a->nonnegative)
        return ls_lanes_function((const ls_lanes *const[]){a}, 1, LS_CAUSE_OTHER);
    ls_lanes result = definite(a);
    int64_t m = (int64_t)ls_gcd(result.modulus, (uint64_t)divisor);
    ls_keys keys = {0};
    split(&result, m, &keys, result.offset);
    result.nonnegative = true;
    /* (B + q·m + r) mod d, with m | d and r < m, is ((B + q·m) mod d) + r. */
    if (m == divisor) {
        result.modulus = 0;
        result.cause = 0;
        memset(result.group, 0, sizeof result.group);
        result.group_count = 1;
        return result;
    }
    result.modulus = (uint64_t)m;
    uint32_t before = result.group_count;
    ls_groups_by(&result, &keys);
    if (result.group_count > before) result.cause |= LS_CAUSE_OTHER;
    return result;
}

ls_lanes ls_lanes_narrow(const ls_lanes *a, uint32_t bits, bool is_signed) {
    if (!a->seen || bits >= 63) return *a;
    ls_lanes low = ls_lanes_rest(a, (int64_t)1 << bits, false);
    if (!is_signed) return low;
    if (ls_lanes_exact(&low)) {
        for (uint32_t l = 0; l < LANES; l++)
            if (low.offset[l] >> (bits - 1)) low.offset[l] -= (int64_t)1 << bits;
        low.nonnegative = false;
        return low;
    }
    /* Sign extension takes away 2^bits or nothing, which the group decides as long as the offsets, which lie
     * below the modulus, cannot carry into the sign. */
    low.nonnegative = false;
    if (low.modulus && ((uint64_t)1 << (bits - 1)) % low.modulus == 0) return low;
    return ls_lanes_function((const ls_lanes *const[]){&low}, 1, LS_CAUSE_OTHER);
}

/* --- Bits -------------------------------------------------------------------------------------------------
 */

static int64_t bit_op(int64_t a, int64_t b, ls_bit_op op) {
    return op == LS_BIT_AND ? (a & b) : op == LS_BIT_OR ? (a | b) : (a ^ b);
}

/* Low bits below `power`, which divides both moduli, are known; what stands above them is one unknown number
 * for lanes whose upper parts are equal. */
static ls_lanes bits_low(const ls_lanes *a, const ls_lanes *b, ls_bit_op op, int64_t power) {
    ls_lanes result = {.seen = true, .cause = a->cause | b->cause, .modulus = (uint64_t)power};
    ls_keys keys = {0};
    for (uint32_t l = 0; l < LANES; l++) {
        result.offset[l] = bit_op(a->offset[l] & (power - 1), b->offset[l] & (power - 1), op);
        keys.of[l] = (uint64_t)(a->offset[l] & ~(power - 1));
        keys.second[l] = (uint64_t)(b->offset[l] & ~(power - 1));
        keys.third[l] = (uint64_t)a->group[l] * LANES + b->group[l];
    }
    ls_groups_by(&result, &keys);
    if (result.group_count > a->group_count && result.group_count > b->group_count)
        result.cause |= LS_CAUSE_OTHER;
    result.nonnegative = op == LS_BIT_AND ? a->nonnegative | b->nonnegative : a->nonnegative & b->nonnegative;
    return result;
}

/* b is exact and lies below `power`, a multiple of which a's bases are. */
static ls_lanes bits_small(const ls_lanes *a, const ls_lanes *b, ls_bit_op op, int64_t power) {
    ls_lanes result = *a;
    for (uint32_t l = 0; l < LANES; l++) {
        int64_t low = bit_op(a->offset[l] & (power - 1), b->offset[l], op);
        result.offset[l] = op == LS_BIT_AND ? low : (a->offset[l] & ~(power - 1)) + low;
    }
    if (op != LS_BIT_AND) return result;
    return ls_lanes_vector(result.offset);
}

static bool below(const ls_lanes *a, int64_t power) {
    if (!ls_lanes_exact(a)) return false;
    for (uint32_t l = 0; l < LANES; l++)
        if (a->offset[l] < 0 || a->offset[l] >= power) return false;
    return true;
}

static int64_t power_of(const ls_lanes *a) {
    return a->modulus ? (int64_t)(a->modulus & -a->modulus) : (int64_t)1 << 62;
}

/* a & ~(2^k − 1): a less its rest. */
static ls_lanes clear_low(const ls_lanes *a, int64_t power) {
    ls_lanes rest = ls_lanes_rest(a, power, false);
    if (ls_lanes_exact(&rest)) {
        ls_lanes negative = ls_lanes_negate(&rest);
        ls_lanes result = ls_lanes_add(a, &negative);
        result.nonnegative = a->nonnegative;
        return result;
    }
    ls_keys keys = {0};
    int64_t unused[LANES];
    split(a, (int64_t)ls_gcd(a->modulus, (uint64_t)power), &keys, unused);
    ls_lanes result = {.seen = true,
                       .cause = a->cause | LS_CAUSE_OTHER,
                       .modulus = ls_modulus_limit((uint64_t)power),
                       .nonnegative = a->nonnegative};
    ls_groups_by(&result, &keys);
    return result;
}

ls_lanes ls_lanes_bits(const ls_lanes *x, const ls_lanes *y, ls_bit_op op) {
    if (!x->seen || !y->seen) return (ls_lanes){0};
    ls_lanes a = definite(x), b = definite(y);
    int64_t number;
    if (is_constant(&a, &number)) { /* the constant second */
        ls_lanes first = a;
        a = b;
        b = first;
    }
    if (op == LS_BIT_AND && is_constant(&b, &number)) {
        if (number > 0 && (number & (number + 1)) == 0 && number < INT64_MAX)
            return ls_lanes_rest(&a, number + 1, false);
        if (number < 0 && (-number & (-number - 1)) == 0 && number > INT64_MIN) return clear_low(&a, -number);
    }
    int64_t of_a = power_of(&a), of_b = power_of(&b);
    if (below(&b, of_a)) return bits_small(&a, &b, op, of_a);
    if (below(&a, of_b)) return bits_small(&b, &a, op, of_b);
    return bits_low(&a, &b, op, of_a < of_b ? of_a : of_b);
}

/* --- Limits
 * --------------------------------------------------------------------------------------------------- */

ls_lanes ls_lanes_near(const ls_lanes *a, int64_t low, int64_t high) {
    ls_lanes result = *a;
    if (high - low > UINT32_MAX / 2) return ls_lanes_any(a->cause | LS_CAUSE_OTHER);
    result.nonnegative = false;
    result.has_slack |= high > low;
    for (uint32_t l = 0; l < LANES; l++) {
        result.offset[l] += low;
        result.slack[l] += (uint32_t)(high - low);
    }
    return result;
}

/* max(x, u) for a uniform u is monotone and never steeper than x: lane for lane it lies between the group's
 * lowest lane's value and that plus the distance of x. min likewise, from the highest lane downwards. */
static ls_lanes limit_uniform(const ls_lanes *a, bool minimum) {
    int64_t edge[LANES];
    bool seen[LANES] = {0};
    for (uint32_t l = 0; l < LANES; l++) {
        uint8_t g = a->group[l];
        int64_t value = minimum ? a->offset[l] + (int64_t)a->slack[l] : a->offset[l];
        if (!seen[g] || (minimum ? value > edge[g] : value < edge[g])) edge[g] = value;
        seen[g] = true;
    }
    ls_lanes result = *a;
    result.modulus = 1;
    result.has_slack = false;
    for (uint32_t l = 0; l < LANES; l++) {
        int64_t distance = minimum ? edge[a->group[l]] - a->offset[l]
                                   : a->offset[l] + (int64_t)a->slack[l] - edge[a->group[l]];
        if (distance > UINT32_MAX / 2) return ls_lanes_any(a->cause | LS_CAUSE_OTHER);
        result.offset[l] = minimum ? -distance : 0;
        result.slack[l] = (uint32_t)distance;
        result.has_slack |= distance > 0;
    }
    return result;
}

ls_lanes ls_lanes_limit(const ls_lanes *a, const ls_lanes *b, bool minimum) {
    if (!a->seen || !b->seen) return (ls_lanes){0};
    bool nonnegative = minimum ? a->nonnegative & b->nonnegative : a->nonnegative | b->nonnegative;
    ls_lanes result;
    if (ls_lanes_is_uniform(b, UINT32_MAX))
        result = limit_uniform(a, minimum);
    else if (ls_lanes_is_uniform(a, UINT32_MAX))
        result = limit_uniform(b, minimum);
    else
        result = ls_lanes_function((const ls_lanes *const[]){a, b}, 2, LS_CAUSE_OTHER);
    result.nonnegative = nonnegative;
    return result;
}
