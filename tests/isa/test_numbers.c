/* Small floats against the compiler's own _Float16 and against definitions; scalar instructions against
 * straightforward arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/functions.h"
#include "isa/number.h"

static uint64_t next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint16_t bits_of(_Float16 h) {
    uint16_t b;
    memcpy(&b, &h, 2);
    return b;
}

static _Float16 half_of(uint16_t b) {
    _Float16 h;
    memcpy(&h, &b, 2);
    return h;
}

static void every_f16_reads_as_the_compiler_has_it(void **state) {
    (void)state;
    for (uint32_t b = 0; b < 65536; b++) {
        double want = (double)half_of((uint16_t)b), got = em_small_to_double(LS_TYPE_F16, b);
        assert_true(want != want ? got != got : want == got && signbit(want) == signbit(got));
    }
}

static void doubles_round_to_f16_as_the_compiler_does(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int k = 0; k < 200000; k++) {
        double d = (double)(int64_t)next(&seed) * pow(2, (double)(next(&seed) % 60) - 90);
        assert_int_equal(em_double_to_small(LS_TYPE_F16, d, LS_MOD_RN, false), bits_of((_Float16)d));
    }
    assert_int_equal(em_double_to_small(LS_TYPE_F16, 65520, LS_MOD_RN, false), 0x7c00);
    assert_int_equal(em_double_to_small(LS_TYPE_F16, 65520, LS_MOD_RZ, false), 0x7bff);
    assert_int_equal(em_double_to_small(LS_TYPE_F16, 1e9, LS_MOD_RN, true), 0x7bff);
    assert_int_equal(em_double_to_small(LS_TYPE_F16, -0x1p-25, LS_MOD_RN, false), 0x8000);
    assert_int_equal(em_double_to_small(LS_TYPE_F16, -0x1.8p-25, LS_MOD_RN, false), 0x8001);
    assert_int_equal(em_double_to_small(LS_TYPE_F16, -0x1p-25, LS_MOD_RM, false), 0x8001);
}

static void f16_sums_and_products_are_rounded_once(void **state) {
    (void)state;
    uint64_t seed = 2;
    ls_isa add = {.type = {LS_TYPE_F16}, .op = LS_OP_ADD, .src_count = 2}, mul = add, fused = add;
    mul.op = LS_OP_MUL;
    fused.op = LS_OP_FMA;
    fused.src_count = 3;
    for (int k = 0; k < 100000; k++) {
        uint64_t s[3] = {next(&seed) & 0xffff, next(&seed) & 0xffff, next(&seed) & 0xffff}, other;
        double a = (double)half_of((uint16_t)s[0]), b = (double)half_of((uint16_t)s[1]),
               c = (double)half_of((uint16_t)s[2]);
        double sum = a + b, product = a * b;
        long double exact = (long double)product + (long double)c; /* 64 bits: enough unless far apart */
        if (sum == sum) assert_int_equal(isa_half(&add, s, &other), bits_of((_Float16)sum));
        if (product == product) assert_int_equal(isa_half(&mul, s, &other), bits_of((_Float16)product));
        bool near_enough =
            fabs(product) < 0x1p20 && fabs(c) < 0x1p20 && fabs(product) > 0x1p-20 && fabs(c) > 0x1p-20;
        if (exact == exact && near_enough)
            assert_int_equal(isa_half(&fused, s, &other), bits_of((_Float16)(double)exact));
    }
}

static void bf16_rounds_to_nearest_even(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < 100000; k++) {
        uint32_t b = (uint32_t)next(&seed);
        float f = em_f32(b);
        if (f != f) continue;
        uint32_t want = (b + 0x7fff + (b >> 16 & 1)) >> 16;
        assert_int_equal(em_double_to_small(LS_TYPE_BF16, (double)f, LS_MOD_RN, false), want);
        assert_int_equal(em_double_to_small(LS_TYPE_BF16, (double)f, LS_MOD_RZ, false), b >> 16);
    }
}

static void e4m3_has_no_infinity(void **state) {
    (void)state;
    assert_int_equal(em_double_to_small(LS_TYPE_E4M3, 448, LS_MOD_RN, true), 0x7e);
    assert_int_equal(em_double_to_small(LS_TYPE_E4M3, 1e9, LS_MOD_RN, true), 0x7e);
    assert_int_equal(em_double_to_small(LS_TYPE_E5M2, 57344, LS_MOD_RN, true), 0x7b);
    assert_true(em_small_to_double(LS_TYPE_E4M3, 0x7e) == 448);
    assert_true(isnan(em_small_to_double(LS_TYPE_E4M3, 0x7f)));
    assert_true(em_small_to_double(LS_TYPE_E4M3, 1) == 0x1p-9);
    for (uint32_t b = 0; b < 256; b++) {
        double d = em_small_to_double(LS_TYPE_E4M3, b);
        if (d == d) assert_int_equal(em_double_to_small(LS_TYPE_E4M3, d, LS_MOD_RN, true), b);
    }
}

static uint64_t scalar(ls_isa_fn fn, ls_isa x, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t s[6] = {a, b, c}, second = 0;
    return fn(&x, s, &second);
}

static void carries_chain(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int k = 0; k < 10000; k++) {
        uint64_t a = next(&seed), b = next(&seed), carry = 0, ignored = 0;
        ls_isa low = {.type = {LS_TYPE_U32}, .src_count = 2}, high = {.type = {LS_TYPE_U32}, .src_count = 3};
        uint64_t s[3] = {(uint32_t)a, (uint32_t)b, 0};
        uint64_t r = isa_add(&low, s, &carry);
        uint64_t t[3] = {a >> 32, b >> 32, carry};
        r |= isa_add(&high, t, &ignored) << 32;
        assert_int_equal(r, a + b);
        r = isa_sub(&low, s, &carry);
        t[2] = carry;
        r |= isa_sub(&high, t, &ignored) << 32;
        assert_int_equal(r, a - b);
    }
}

static float divide(ls_isa x, float a, float b) {
    return em_f32(scalar(isa_float_div, x, em_bits_f32(a), em_bits_f32(b), 0));
}

/* Products with the reciprocal: 5 / 7 is not 5 * (1 / 7). */
static void approximate_divisions(void **state) {
    (void)state;
    const ls_isa full = {.op = LS_OP_DIV, .type = {LS_TYPE_F32}, .src_count = 2, .full = true};
    ls_isa approx = full;
    approx.full = false;
    approx.approx = true;
    uint64_t seed = 5;
    uint32_t others = 0;
    for (int k = 0; k < 10000; k++) {
        volatile float a = (float)(next(&seed) % 1000 + 1), b = (float)(next(&seed) % 1000 + 1), r = 1.0f / b;
        assert_true(divide(full, a, b) == a * r);
        assert_true(divide(approx, a, b) == a * r);
        others += a / b != a * r;
    }
    assert_true(others > 1000);
    assert_true(divide(full, 0x1p127f, 0x1p127f) == 1.0f); /* where the reciprocal is too small */
    assert_true(divide(approx, 0x1p127f, 0x1p127f) == 0.0f);
    assert_true(divide(full, 0x1p-140f, 0x1p-140f) == 1.0f);
    assert_true(divide(full, 1.0f, 0.0f) == (float)INFINITY);
    assert_true(divide(full, 1.0f, (float)INFINITY) == 0.0f);
    assert_true(isnan(divide(full, (float)INFINITY, (float)INFINITY)));
}

/* All values of each operand were asked of an H200: a factor that is the NaN of what lies outside of a tensor
 * makes the result 0, with either sign and for both types; the number that is added does not. */
static void factors_out_of_bounds(void **state) {
    (void)state;
    static const uint8_t types[] = {LS_TYPE_F16, LS_TYPE_BF16};
    for (int i = 0; i < 2; i++) {
        const uint64_t one = i ? 0x3f80 : 0x3c00, two = 0x4000;
        ls_isa plain = {.op = LS_OP_FMA, .type = {types[i]}, .src_count = 3}, oob = plain, relu;
        oob.oob = true;
        relu = oob;
        relu.relu = true;
        assert_int_equal(scalar(isa_half, plain, 0x7ff7, one, two), 0x7fff);
        assert_int_equal(scalar(isa_half, oob, 0x7ff7, one, two), 0);
        assert_int_equal(scalar(isa_half, oob, one, 0xfff7, two), 0);
        assert_int_equal(scalar(isa_half, relu, 0xfff7, one, two), 0);
        assert_int_equal(scalar(isa_half, oob, one, one, 0x7ff7), 0x7fff);
        assert_int_equal(scalar(isa_half, oob, 0x7ff6, one, two), 0x7fff);
    }
}

static void integer_corner_cases(void **state) {
    (void)state;
    ls_isa s32 = {.type = {LS_TYPE_S32}, .src_count = 2}, u32 = {.type = {LS_TYPE_U32}, .src_count = 2};
    assert_int_equal(scalar(isa_div, s32, 0x80000000, 0xffffffff, 0), 0x80000000);
    assert_int_equal(scalar(isa_div, u32, 7, 0, 0), 0xffffffff);
    assert_int_equal(scalar(isa_bfind, u32, 0, 0, 0), 0xffffffff);
    assert_int_equal(scalar(isa_bfind, s32, 0xffffffff, 0, 0), 0xffffffff);
    assert_int_equal(scalar(isa_bfind, u32, 0x00010000, 0, 0), 16);
    assert_int_equal(scalar(isa_bfe, s32, 0x000000f0, 4, 4), 0xffffffff);
    assert_int_equal(scalar(isa_bfe, u32, 0x000000f0, 4, 4), 0xf);
    assert_int_equal(scalar(isa_bfe, s32, 0x80000000, 16, 32), 0xffff8000);
    ls_isa sat = {.type = {LS_TYPE_S32}, .src_count = 2, .sat = true};
    assert_int_equal(scalar(isa_add, sat, 0x7fffffff, 1, 0), 0x7fffffff);
    assert_int_equal(scalar(isa_sub, sat, 0x80000000, 1, 0), 0x80000000);
    ls_isa dp = {.type = {LS_TYPE_S32, LS_TYPE_U32}, .src_count = 3};
    assert_int_equal(scalar(isa_dp4a, dp, 0xff020304, 0x01010101, 10), (uint32_t)(-1 + 2 + 3 + 4 + 10));
    ls_isa left = {.type = {LS_TYPE_B32}, .src_count = 3, .op = LS_OP_SHF, .left = true, .mode = LS_MOD_WRAP};
    assert_int_equal(scalar(isa_shf, left, 0x80000000, 0x1, 1), 3);
}

static void rounding_modes_bracket_the_exact_result(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int k = 0; k < 50000; k++) {
        float a = (float)(int32_t)next(&seed) * 0x1p-7f, b = (float)(int32_t)next(&seed) * 0x1p-9f;
        ls_isa x = {.type = {LS_TYPE_F32}, .src_count = 2, .op = LS_OP_MUL, .round = LS_MOD_RM};
        uint64_t s[3] = {em_bits_f32(a), em_bits_f32(b)}, other;
        double exact = (double)a * (double)b; /* 48 bits: exact */
        float down = em_f32(isa_float_binary(&x, s, &other));
        x.round = LS_MOD_RP;
        float up = em_f32(isa_float_binary(&x, s, &other));
        x.round = LS_MOD_RZ;
        float zero = em_f32(isa_float_binary(&x, s, &other));
        assert_true((double)down <= exact && exact <= (double)up && fabs((double)zero) <= fabs(exact));
        assert_true(nextafterf(down, INFINITY) == up || down == up);
    }
}

static void large_terms_that_cancel_are_not_flushed(void **state) {
    (void)state;
    ls_isa x = {.type = {LS_TYPE_F32}, .src_count = 3, .round = LS_MOD_RZ, .ftz = true};
    assert_int_equal(scalar(isa_float_fma, x, 0xf3ec0be0, 0x3f800000, 0x77f7453e),
                     0x77f65932); /* an H200's */
    assert_int_equal(scalar(isa_float_fma, x, em_bits_f32(0x1p-100f), em_bits_f32(0x1p-30f), 0), 0);
}

static void conversions_saturate(void **state) {
    (void)state;
    ls_isa x = {.type = {LS_TYPE_S32, LS_TYPE_F32}, .src_count = 1, .round = LS_MOD_RZI, .dst_bits = 32};
    assert_int_equal(scalar(isa_cvt, x, em_bits_f32(3e9f), 0, 0), 0x7fffffff);
    assert_int_equal(scalar(isa_cvt, x, em_bits_f32(-3e9f), 0, 0), 0x80000000);
    assert_int_equal(scalar(isa_cvt, x, em_bits_f32(-1.9f), 0, 0), 0xffffffff);
    assert_int_equal(scalar(isa_cvt, x, em_bits_f32((float)NAN), 0, 0), 0);
    x.round = LS_MOD_RNI;
    assert_int_equal(scalar(isa_cvt, x, em_bits_f32(2.5f), 0, 0), 2);
    x.round = LS_MOD_RPI;
    assert_int_equal(scalar(isa_cvt, x, em_bits_f32(2.1f), 0, 0), 3);
    ls_isa narrow = {.type = {LS_TYPE_S8, LS_TYPE_S32}, .src_count = 1, .sat = true, .dst_bits = 32};
    assert_int_equal(scalar(isa_cvt, narrow, 1000, 0, 0), 127);
    assert_int_equal(scalar(isa_cvt, narrow, (uint32_t)-1000, 0, 0), (uint32_t)-128);
}

/* Pairs of four, six and eight bits (OCP's formats for blocks with a scale), the first source in the upper
 * part.
 */
static void small_pairs(void **state) {
    (void)state;
    ls_isa x = {.type = {LS_TYPE_E2M1X2, LS_TYPE_F32}, .src_count = 2, .round = LS_MOD_RN, .satfinite = true};
    const uint64_t nan = 0xffc00000, one = em_bits_f32(1);
    assert_int_equal(scalar(isa_cvt_pair, x, em_bits_f32(6), em_bits_f32(-0.5f), 0), 0x79);
    assert_int_equal(scalar(isa_cvt_pair, x, em_bits_f32(5), em_bits_f32(2.5f), 0), 0x64); /* to even */
    assert_int_equal(scalar(isa_cvt_pair, x, nan, em_bits_f32(-1e9f), 0), 0x7f);
    x.type[0] = LS_TYPE_E3M2X2;
    assert_int_equal(scalar(isa_cvt_pair, x, em_bits_f32(28), em_bits_f32(-0.0625f), 0), 0x1f21);
    x.type[0] = LS_TYPE_E2M3X2;
    assert_int_equal(scalar(isa_cvt_pair, x, nan, one, 0), 0x1f08);
    ls_isa back = {.type = {LS_TYPE_F16X2, LS_TYPE_E3M2X2}, .src_count = 1, .round = LS_MOD_RN};
    assert_int_equal(scalar(isa_cvt_pair, back, 0x1f21, 0, 0), 0x4f00ac00); /* 28, -1/16 */
    back.type[1] = LS_TYPE_E2M1X2;
    assert_int_equal(scalar(isa_cvt_pair, back, 0x79, 0, 0), 0x4600b800); /* 6, -1/2 */
}

/* A power of two, of the magnitude. */
static void scales(void **state) {
    (void)state;
    const uint64_t three = em_bits_f32(-3), tiny = 1, infinity = 0x7f800000, nan = 0x7fc00000;
    ls_isa x = {.type = {LS_TYPE_UE8M0X2, LS_TYPE_F32}, .src_count = 2, .round = LS_MOD_RZ};
    assert_int_equal(scalar(isa_cvt_pair, x, three, tiny, 0), 0x8000);
    assert_int_equal(scalar(isa_cvt_pair, x, infinity, nan, 0), 0xffff);
    x.round = LS_MOD_RP;
    assert_int_equal(scalar(isa_cvt_pair, x, three, tiny, 0), 0x8100);
    assert_int_equal(scalar(isa_cvt_pair, x, 0x400000, 0x400001, 0), 0x0001); /* 2^-127, and above it */
    assert_int_equal(scalar(isa_cvt_pair, x, 0x7f7fffff, 0, 0), 0xff00);
    x.satfinite = true;
    assert_int_equal(scalar(isa_cvt_pair, x, 0x7f7fffff, infinity, 0), 0xfefe);
    assert_int_equal(scalar(isa_cvt_pair, x, nan, 0, 0), 0xff00);
    ls_isa back = {.type = {LS_TYPE_BF16X2, LS_TYPE_UE8M0X2}, .src_count = 1, .round = LS_MOD_RN};
    assert_int_equal(scalar(isa_cvt_pair, back, 0x7f00, 0, 0), 0x3f800040);
    assert_int_equal(scalar(isa_cvt_pair, back, 0xfffe, 0, 0), 0x7fff7f00);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_pairs),
        cmocka_unit_test(scales),
        cmocka_unit_test(every_f16_reads_as_the_compiler_has_it),
        cmocka_unit_test(doubles_round_to_f16_as_the_compiler_does),
        cmocka_unit_test(f16_sums_and_products_are_rounded_once),
        cmocka_unit_test(bf16_rounds_to_nearest_even),
        cmocka_unit_test(e4m3_has_no_infinity),
        cmocka_unit_test(carries_chain),
        cmocka_unit_test(integer_corner_cases),
        cmocka_unit_test(factors_out_of_bounds),
        cmocka_unit_test(approximate_divisions),
        cmocka_unit_test(rounding_modes_bracket_the_exact_result),
        cmocka_unit_test(large_terms_that_cancel_are_not_flushed),
        cmocka_unit_test(conversions_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
