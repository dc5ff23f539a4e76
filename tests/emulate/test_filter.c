/* The linear filter of textures: what an H200 gave for these coordinates, weights and texels. */
#include "emulate/texture/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

/* Where a coordinate lies between the texels, in steps of 1/256. A plain product differs in all but the two
 * of 512. */
static void coordinates(void **state) {
    (void)state;
    static const struct {
        float x;
        uint32_t size;
        double step;
    } seen[] = {
        {0x1.1faaacp-1f, 3, 303},         {0x1.54aaacp-2f, 3, 127},       {0x1.2775c8p-2f, 100, 7258},
        {0x1.47f336p-1f, 100, 16269},     {0x1.da9338p-1f, 1000, 237159}, {0x1.611b24p-2f, 1000, 88148},
        {0x1.44fb98p-3f, 512, 20671},     {0x1.0cb502p-2f, 512, 34267},   {0x1.112bb4p-1f, 16384, 2237686},
        {0x1.d91a44p-1f, 16384, 3875528},
    };
    for (size_t k = 0; k < sizeof seen / sizeof *seen; k++) {
        double c = em_filter_coordinate(seen[k].x, seen[k].size, 0);
        assert_true(floor((c - 0.5) * FILTER_ONE + 0.5) == seen[k].step);
    }
    assert_true(em_filter_coordinate(-0.25f, 8, 1) == 6);
    assert_true(em_filter_coordinate(1.25f, 8, 2) == 10);
    assert_true(em_filter_coordinate(INFINITY, 8, 1) == 0);
}

static void weights(void **state) {
    (void)state;
    static const struct {
        uint32_t upper[3], weights[FILTER_MOST];
    } seen[] = {
        {{227, 198, 103}, {4, 31, 13, 105, 3, 21, 9, 70}}, {{107, 86, 21}, {91, 65, 46, 33, 8, 6, 4, 3}},
        {{69, 227, 175}, {7, 2, 52, 20, 15, 5, 113, 42}},  {{64, 138, 234}, {7, 3, 9, 3, 81, 27, 94, 32}},
        {{176, 8, 103}, {47, 102, 1, 3, 31, 69, 1, 2}},
    };
    for (size_t k = 0; k < sizeof seen / sizeof *seen; k++) {
        uint32_t is[FILTER_MOST];
        em_filter_weights(seen[k].upper, 3, is);
        assert_memory_equal(is, seen[k].weights, sizeof is);
    }
}

static void sums(void **state) {
    (void)state;
    static const struct {
        uint32_t kind, bits;
        filter_term terms[4];
        float sum;
    } seen[] = {
        {LS_TEXEL_FLOAT,
         32,
         {{61, -0.31725966930389404f, 0},
          {19, -0.5473659038543701f, 0},
          {133, 0.6128308773040771f, 0},
          {43, 0.9428530931472778f, 0}},
         0x1.712f82p-2f},
        {LS_TEXEL_FLOAT,
         16,
         {{177, -35.625f, 0}, {21, -65.3125f, 0}, {52, 68.0625f, 0}, {6, 83.6875f, 0}},
         -0x1.c68p+3f},
        {LS_TEXEL_FLOAT, /* cut before they are added */
         16,
         {{94, -41.53125f, 0}, {0, 57.25f, 0}, {161, -0.446533203125f, 0}, {1, 58.75f, 0}},
         -0x1.e98p+3f},
        {LS_TEXEL_UNSIGNED, 8, {{28, 0, 5}, {35, 0, 53}, {87, 0, 44}, {106, 0, 172}}, 0x1.79557ap-2f},
        {LS_TEXEL_UNSIGNED,
         16,
         {{2, 0, 29858}, {11, 0, 14152}, {28, 0, 49776}, {215, 0, 51240}},
         0x1.814f82p-1f},
        {LS_TEXEL_SIGNED,
         16,
         {{208, 0, -30951}, {13, 0, -23347}, {33, 0, 7057}, {2, 0, 22434}},
         -0x1.8a8316p-1f},
    };
    for (size_t k = 0; k < sizeof seen / sizeof *seen; k++) {
        ls_texture t = {.kind = seen[k].kind, .bits = seen[k].bits};
        assert_true(em_filter_sum(&t, seen[k].terms, 4) == seen[k].sum);
    }
    const filter_term nothing[4] = {{0}}, infinite[4] = {{128, INFINITY, 0}, {128, 1, 0}};
    ls_texture t = {.kind = LS_TEXEL_FLOAT, .bits = 32};
    assert_true(em_filter_sum(&t, nothing, 4) == 0);
    assert_true(isinf(em_filter_sum(&t, infinite, 4)));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(coordinates), cmocka_unit_test(weights),
                                       cmocka_unit_test(sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
