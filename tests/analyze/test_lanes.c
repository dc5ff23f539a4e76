/* Every operation on lane vectors against brute force: random vectors are made concrete with random bases and
 * slack, the operation is done lane by lane on the numbers, and the result must be one that the abstract
 * result allows. The checker itself is tested with results that are wrong. */
#include "analyze/groups.h"
#include "analyze/lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint32_t number(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

/* --- Random vectors and their concrete values
 * --------------------------------------------------------------- */

static ls_lanes random_lanes(bool with_slack, bool nonnegative) {
    static const uint64_t moduli[] = {0, 0, 1, 1, 2, 4, 8, 32, 32, 128, 3, 12, 48, 100};
    ls_lanes v = {.seen = true, .modulus = moduli[number(14)], .nonnegative = nonnegative};
    uint32_t kind = number(6), groups = v.modulus ? (uint32_t[]){1, 1, 1, 2, 4, 32}[number(6)] : 1;
    int64_t start = (int64_t)number(100), stride = (int64_t)number(9) - (nonnegative ? 0 : 4);
    ls_keys keys;
    memset(&keys, 0, sizeof keys);
    for (uint32_t l = 0; l < LANES; l++) {
        v.offset[l] = kind < 3    ? start + stride * l
                      : kind == 3 ? start
                      : kind == 4 ? (int64_t)number(64)
                                  : (int64_t)(l % 8) + 100 * (l / 8);
        if (!nonnegative && number(20) == 0) v.offset[l] -= 50;
        keys.of[l] = number(groups);
        if (with_slack && number(4) == 0) v.slack[l] = number(5);
        v.has_slack |= v.slack[l] != 0;
    }
    ls_groups_by(&v, &keys);
    if (!v.modulus) v.group_count = 1, memset(v.group, 0, sizeof v.group);
    return v;
}

static void make_concrete(const ls_lanes *v, int64_t values[LANES]) {
    int64_t bases[LANES];
    for (uint32_t g = 0; g < LANES; g++) {
        int64_t times = (int64_t)number(40) - (v->nonnegative ? 0 : 10);
        bases[g] = times * (int64_t)v->modulus;
    }
    for (uint32_t l = 0; l < LANES; l++)
        values[l] = bases[v->group[l]] + v->offset[l] + (int64_t)(v->slack[l] ? number(v->slack[l] + 1) : 0);
}

/* Whether the numbers are among those that the vector stands for. */
static bool allows(const ls_lanes *v, const int64_t values[LANES]) {
    for (uint32_t g = 0; g < v->group_count; g++) {
        int64_t low = INT64_MIN, high = INT64_MAX;
        for (uint32_t l = 0; l < LANES; l++) {
            if (v->group[l] != g) continue;
            int64_t top = values[l] - v->offset[l], bottom = top - (int64_t)v->slack[l];
            if (bottom > low) low = bottom;
            if (top < high) high = top;
        }
        if (low == INT64_MIN) continue;
        if (low > high) return false;
        if (!v->modulus && (low > 0 || high < 0)) return false;
        if (v->modulus && ls_floor_div(high, (int64_t)v->modulus) * (int64_t)v->modulus < low) return false;
    }
    if (v->nonnegative)
        for (uint32_t l = 0; l < LANES; l++)
            if (values[l] < 0) return false;
    return true;
}

static bool allows_predicate(const ls_lanes *p, uint32_t mask) {
    if ((mask & ~p->may) || (p->must & ~mask)) return false;
    uint32_t count = (uint32_t)__builtin_popcount(mask);
    if (count > p->most_true || LANES - count > p->most_false) return false;
    for (uint32_t l = 0; l < LANES; l++)
        for (uint32_t k = 0; k < l; k++)
            if (p->group[l] == p->group[k] && (mask >> l & 1) != (mask >> k & 1)) return false;
    return true;
}

/* --- Operations
 * ------------------------------------------------------------------------------------------------ */

typedef struct {
    const char *name;
    ls_lanes (*abstract)(const ls_lanes *a, const ls_lanes *b);
    int64_t (*concrete)(int64_t a, int64_t b);
    bool constant_second; /* of two: a constant in [1, 64] */
    bool nonnegative;     /* only defined there */
} operation;

static int64_t chosen; /* the constant second operand */

static ls_lanes abstract_sub(const ls_lanes *a, const ls_lanes *b) {
    ls_lanes n = ls_lanes_negate(b);
    return ls_lanes_add(a, &n);
}
static ls_lanes abstract_scale(const ls_lanes *a, const ls_lanes *b) {
    (void)b;
    return ls_lanes_scale(a, chosen);
}
static ls_lanes abstract_floor(const ls_lanes *a, const ls_lanes *b) {
    (void)b;
    return ls_lanes_divide(a, chosen, false);
}
static ls_lanes abstract_truncate(const ls_lanes *a, const ls_lanes *b) {
    (void)b;
    return ls_lanes_divide(a, chosen, true);
}
static ls_lanes abstract_modulo(const ls_lanes *a, const ls_lanes *b) {
    (void)b;
    return ls_lanes_rest(a, chosen, false);
}
static ls_lanes abstract_rem(const ls_lanes *a, const ls_lanes *b) {
    (void)b;
    return ls_lanes_rest(a, chosen, true);
}
static ls_lanes abstract_and(const ls_lanes *a, const ls_lanes *b) {
    return ls_lanes_bits(a, b, LS_BIT_AND);
}
static ls_lanes abstract_or(const ls_lanes *a, const ls_lanes *b) {
    return ls_lanes_bits(a, b, LS_BIT_OR);
}
static ls_lanes abstract_xor(const ls_lanes *a, const ls_lanes *b) {
    return ls_lanes_bits(a, b, LS_BIT_XOR);
}
static ls_lanes abstract_and_mask(const ls_lanes *a, const ls_lanes *b) {
    (void)b;
    ls_lanes mask = ls_lanes_uniform(
        ls_residue_constant(chosen & 1 ? (INT64_C(1) << (chosen % 7)) - 1 : -(INT64_C(1) << (chosen % 7))));
    return ls_lanes_bits(a, &mask, LS_BIT_AND);
}
static ls_lanes abstract_xor_constant(const ls_lanes *a, const ls_lanes *b) {
    (void)b;
    ls_lanes constant = ls_lanes_uniform(ls_residue_constant(chosen));
    return ls_lanes_bits(a, &constant, LS_BIT_XOR);
}
static ls_lanes abstract_u8(const ls_lanes *a, const ls_lanes *b) {
    (void)b;
    return ls_lanes_narrow(a, 8, false);
}
static ls_lanes abstract_s8(const ls_lanes *a, const ls_lanes *b) {
    (void)b;
    return ls_lanes_narrow(a, 8, true);
}
static ls_lanes abstract_min(const ls_lanes *a, const ls_lanes *b) {
    return ls_lanes_limit(a, b, true);
}
static ls_lanes abstract_max(const ls_lanes *a, const ls_lanes *b) {
    return ls_lanes_limit(a, b, false);
}
static ls_lanes abstract_hash(const ls_lanes *a, const ls_lanes *b) {
    return ls_lanes_function((const ls_lanes *const[]){a, b}, 2, 0);
}

static int64_t concrete_add(int64_t a, int64_t b) {
    return a + b;
}
static int64_t concrete_sub(int64_t a, int64_t b) {
    return a - b;
}
static int64_t concrete_mul(int64_t a, int64_t b) {
    return a * b;
}
static int64_t concrete_floor(int64_t a, int64_t b) {
    return ls_floor_div(a, b);
}
static int64_t concrete_truncate(int64_t a, int64_t b) {
    return a / b;
}
static int64_t concrete_modulo(int64_t a, int64_t b) {
    return ls_modulo(a, (uint64_t)b);
}
static int64_t concrete_rem(int64_t a, int64_t b) {
    return a % b;
}
static int64_t concrete_and(int64_t a, int64_t b) {
    return a & b;
}
static int64_t concrete_or(int64_t a, int64_t b) {
    return a | b;
}
static int64_t concrete_xor(int64_t a, int64_t b) {
    return a ^ b;
}
static int64_t concrete_and_mask(int64_t a, int64_t b) {
    return a & (b & 1 ? (INT64_C(1) << (b % 7)) - 1 : -(INT64_C(1) << (b % 7)));
}
static int64_t concrete_u8(int64_t a, int64_t b) {
    (void)b;
    return (uint8_t)a;
}
static int64_t concrete_s8(int64_t a, int64_t b) {
    (void)b;
    return (int8_t)(uint8_t)a;
}
static int64_t concrete_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static int64_t concrete_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}
static int64_t concrete_hash(int64_t a, int64_t b) {
    return (a * 31 + b * 17) % 101;
}

static const operation operations[] = {
    {"add", ls_lanes_add, concrete_add, false, false},
    {"sub", abstract_sub, concrete_sub, false, false},
    {"scale", abstract_scale, concrete_mul, true, false},
    {"multiply", ls_lanes_multiply, concrete_mul, false, false},
    {"floor division", abstract_floor, concrete_floor, true, false},
    {"truncating division", abstract_truncate, concrete_truncate, true, false},
    {"modulo", abstract_modulo, concrete_modulo, true, false},
    {"remainder", abstract_rem, concrete_rem, true, false},
    {"and", abstract_and, concrete_and, false, false},
    {"or", abstract_or, concrete_or, false, false},
    {"xor", abstract_xor, concrete_xor, false, false},
    {"and with a mask", abstract_and_mask, concrete_and_mask, true, false},
    {"xor with a constant", abstract_xor_constant, concrete_xor, true, false},
    {"to 8 bits unsigned", abstract_u8, concrete_u8, true, false},
    {"to 8 bits signed", abstract_s8, concrete_s8, true, false},
    {"min", abstract_min, concrete_min, false, false},
    {"max", abstract_max, concrete_max, false, false},
    {"any function", abstract_hash, concrete_hash, false, false},
};

enum { ROUNDS = 4000, CONCRETE = 6 };

static void test_operations(void **unused) {
    (void)unused;
    for (uint32_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (uint32_t round = 0; round < ROUNDS; round++) {
            const operation *op = &operations[o];
            bool nonnegative = number(2), slack = number(3) == 0;
            chosen = 1 + number(64);
            ls_lanes a = random_lanes(slack, nonnegative), b = random_lanes(slack, nonnegative);
            if (number(3) == 0) b = ls_lanes_uniform(ls_residue_make(number(50), b.modulus));
            ls_lanes result = op->abstract(&a, &b);
            for (uint32_t c = 0; c < CONCRETE; c++) {
                int64_t x[LANES], y[LANES], z[LANES];
                make_concrete(&a, x);
                make_concrete(&b, y);
                for (uint32_t l = 0; l < LANES; l++)
                    z[l] = op->concrete(x[l], op->constant_second ? chosen : y[l]);
                if (!allows(&result, z)) fail_msg("%s is unsound in round %u", op->name, round);
            }
        }
}

static bool holds(int64_t a, int64_t b, uint32_t op, bool is_unsigned) {
    bool less = is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
    return (bool[]){a == b, a != b, less, less || a == b, !less && a != b, !less}[op];
}

static void test_comparisons(void **unused) {
    (void)unused;
    for (uint32_t round = 0; round < 6 * ROUNDS; round++) {
        bool is_unsigned = number(2);
        uint32_t op = number(6);
        ls_lanes a = random_lanes(number(5) == 0, is_unsigned), b = random_lanes(false, is_unsigned);
        if (number(2)) b = ls_lanes_uniform(ls_residue_make(number(100), b.modulus));
        b.nonnegative = is_unsigned;
        ls_lanes p = ls_lanes_compare(&a, &b, (ls_comparison)op, is_unsigned);
        for (uint32_t c = 0; c < CONCRETE; c++) {
            int64_t x[LANES], y[LANES];
            uint32_t mask = 0;
            make_concrete(&a, x);
            make_concrete(&b, y);
            for (uint32_t l = 0; l < LANES; l++) mask |= (uint32_t)holds(x[l], y[l], op, is_unsigned) << l;
            if (!allows_predicate(&p, mask)) fail_msg("comparison %u is unsound in round %u", op, round);
        }
    }
}

/* A random predicate and truth values that it allows. */
static ls_lanes random_predicate(uint32_t *mask) {
    ls_lanes a = random_lanes(false, true), b = ls_lanes_uniform(ls_residue_constant(number(100)));
    uint32_t op = number(6);
    int64_t x[LANES];
    make_concrete(&a, x);
    *mask = 0;
    for (uint32_t l = 0; l < LANES; l++) *mask |= (uint32_t)holds(x[l], b.offset[0], op, false) << l;
    return ls_lanes_compare(&a, &b, (ls_comparison)op, false);
}

static void test_logic(void **unused) {
    (void)unused;
    for (uint32_t round = 0; round < 2 * ROUNDS; round++) {
        uint32_t x, y, op = number(4);
        ls_lanes a = random_predicate(&x), b = random_predicate(&y);
        ls_lanes result = op == 3 ? ls_lanes_not(&a) : ls_lanes_combine(&a, &b, (ls_bit_op)op);
        uint32_t mask = (uint32_t[]){x & y, x | y, x ^ y, ~x}[op];
        if (!allows_predicate(&result, mask)) fail_msg("operation %u is unsound in round %u", op, round);
    }
}

static void test_choices(void **unused) {
    (void)unused;
    for (uint32_t round = 0; round < 2 * ROUNDS; round++) {
        uint32_t mask;
        ls_lanes c = random_predicate(&mask), a = random_lanes(number(4) == 0, false);
        ls_lanes b = number(2) ? random_lanes(number(4) == 0, false) : a;
        if (number(2)) b = ls_lanes_near(&a, 5, 5);
        b.nonnegative = false;
        ls_lanes chosen_lanes = ls_lanes_select(&c, &a, &b), joined = ls_lanes_join(&a, &b);
        int64_t x[LANES], y[LANES], z[LANES];
        make_concrete(&a, x);
        make_concrete(&b, y);
        for (uint32_t l = 0; l < LANES; l++) z[l] = mask >> l & 1 ? x[l] : y[l];
        if (!allows(&chosen_lanes, z)) fail_msg("select is unsound in round %u", round);
        if (!allows(&joined, x) || !allows(&joined, y)) fail_msg("join is unsound in round %u", round);
    }
}

/* The oracle must be able to say no. */
static void test_oracle(void **unused) {
    (void)unused;
    int64_t lane[LANES], doubled[LANES];
    for (uint32_t l = 0; l < LANES; l++) lane[l] = l, doubled[l] = 2 * l;
    ls_lanes exact = ls_lanes_vector(lane), aligned = exact;
    assert_true(allows(&exact, lane));
    assert_false(allows(&exact, doubled));
    aligned.modulus = 32;
    for (uint32_t l = 0; l < LANES; l++) lane[l] += 64;
    assert_true(allows(&aligned, lane));
    lane[0]++;
    assert_false(allows(&aligned, lane));
    for (uint32_t l = 0; l < LANES; l++) lane[l] = l + 65;
    assert_false(allows(&aligned, lane));
    ls_lanes mask = ls_lanes_mask(0xff);
    assert_true(allows_predicate(&mask, 0xff));
    assert_false(allows_predicate(&mask, 0x7f));
}

/* What the domain is there for is exact. */
static void test_precision(void **unused) {
    (void)unused;
    int64_t lane[LANES];
    for (uint32_t l = 0; l < LANES; l++) lane[l] = l;
    ls_lanes lanes = ls_lanes_vector(lane), many = ls_lanes_uniform(ls_residue_make(0, 256));
    many.nonnegative = true;
    ls_lanes index = ls_lanes_add(&many, &lanes); /* blockIdx.x · 256 + lane */
    index.nonnegative = true;
    ls_lanes row = ls_lanes_divide(&index, 8, true), column = ls_lanes_rest(&index, 8, true);
    assert_true(ls_lanes_exact(&column));
    for (uint32_t l = 0; l < LANES; l++) {
        assert_int_equal(row.offset[l], l / 8);
        assert_int_equal(column.offset[l], l % 8);
    }
    assert_int_equal(row.modulus, 32);
    assert_int_equal(row.group_count, 1);
    ls_lanes again = ls_lanes_scale(&row, 8); /* tid / c · c */
    again = ls_lanes_add(&again, &column);
    assert_true(again.group_count == 1 && again.modulus == 256);
    assert_memory_equal(again.offset, lane, sizeof lane);
    ls_lanes one = ls_lanes_uniform(ls_residue_any());
    ls_lanes equal = ls_lanes_compare(&index, &one, LS_CMP_EQ, false);
    assert_int_equal(equal.most_true, 1); /* tid == c: 001's FF⁻ */
    ls_lanes limit = ls_lanes_uniform(ls_residue_constant(64));
    ls_lanes below = ls_lanes_compare(&index, &limit, LS_CMP_LT, false);
    assert_true(ls_lanes_is_uniform(&below, UINT32_MAX)); /* whole warps */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle), cmocka_unit_test(test_operations), cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_logic),  cmocka_unit_test(test_choices),    cmocka_unit_test(test_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
