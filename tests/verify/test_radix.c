/* Mixed radix against brute force: kernels that write with random strides of the thread's and block's
 * indices, in launches small enough to try all pairs of threads. What is proved has no two threads that write
 * to the same byte; what is refuted has. Once more with multiples of a number that each thread reads from
 * memory: the sums wrap around, and only what they are modulo a power of two is known. */
#include "base/buf.h"
#include "lockstep/ptx.h"
#include "lockstep/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KERNELS = 400, WRAPPING = 40, STORES = 2 };

typedef struct {
    uint64_t seed;
    uint32_t block[3], grid[3];
    int32_t strides[STORES][3]; /* of threadIdx.x, threadIdx.y, blockIdx.x */
    int32_t constants[STORES];
    uint32_t bytes[STORES];
    uint32_t multiple; /* of what is read; 0: nothing is */
} sample;

static uint32_t draw(sample *s, uint32_t below) {
    s->seed = s->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(s->seed >> 33) % below;
}

/* Often the strides of a positional system, sometimes one off. */
static void make(sample *s) {
    s->block[0] = 1 + draw(s, 6), s->block[1] = 1 + draw(s, 4), s->block[2] = 1;
    s->grid[0] = 1 + draw(s, 4), s->grid[1] = s->grid[2] = 1;
    for (uint32_t i = 0; i < STORES; i++) {
        s->bytes[i] = 1u << draw(s, 3);
        int32_t unit = (int32_t)(s->bytes[i] << draw(s, 2)), *k = s->strides[i];
        k[0] = unit;
        k[1] = unit * (int32_t)s->block[0];
        k[2] = k[1] * (int32_t)s->block[1];
        s->constants[i] = (int32_t)draw(s, 9) * 2;
        for (int j = 0; j < 3; j++) {
            if (draw(s, 8) == 0) k[j] += (int32_t)draw(s, 5) - 2;
            if (draw(s, 8) == 0) k[j] = -k[j];
        }
    }
    if (draw(s, 2)) memcpy(s->strides[1], s->strides[0], sizeof s->strides[0]);
    if (draw(s, 4) == 0) s->constants[1] = s->constants[0] + (int32_t)draw(s, 400);
}

static void print(const sample *s, ls_buf *out) {
    ls_buf_puts(
        out,
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q) {\n"
        ".reg .b32 %r<20>; .reg .b64 %d<20>;\nld.param.u64 %d1, [p]; cvta.to.global.u64 %d1, %d1;\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x;\n"
        "mad.lo.s32 %r4, %r2, 64, %r1; mad.lo.s32 %r4, %r3, 4096, %r4;\n");
    if (s->multiple)
        ls_buf_printf(out,
                      "ld.param.u64 %%d3, [q]; cvta.to.global.u64 %%d3, %%d3; mul.wide.u32 %%d4, %%r4, 4;\n"
                      "add.s64 %%d3, %%d3, %%d4; ld.global.u32 %%r7, [%%d3]; mul.lo.s32 %%r7, %%r7, %u;\n",
                      s->multiple);
    for (uint32_t i = 0; i < STORES; i++) {
        const int32_t *k = s->strides[i];
        ls_buf_printf(out, "mul.lo.s32 %%r5, %%r1, %d; mad.lo.s32 %%r5, %%r2, %d, %%r5; ", k[0], k[1]);
        ls_buf_printf(out, "mad.lo.s32 %%r5, %%r3, %d, %%r5; add.s32 %%r5, %%r5, %d; ", k[2],
                      s->constants[i]);
        if (s->multiple) ls_buf_puts(out, "add.s32 %r5, %r5, %r7; ");
        ls_buf_printf(out, "cvt.s64.s32 %%d2, %%r5; add.s64 %%d2, %%d1, %%d2; xor.b32 %%r6, %%r4, %u;\n",
                      i << 20);
        ls_buf_printf(out, "st.global.u%u [%%d2], %%r6;\n", s->bytes[i] * 8);
    }
    ls_buf_puts(out, "ret;\n}\n");
}

typedef struct {
    int64_t from, to; /* bytes */
    uint32_t thread;
} write;

/* Modulo a power of two, where that is all that is known. */
static bool overlap(const write *a, const write *b, uint32_t multiple) {
    if (!multiple) return a->from < b->to && b->from < a->to;
    int64_t power = multiple & (0 - multiple), apart = ((b->from - a->from) % power + power) % power;
    return apart < a->to - a->from || power - apart < b->to - b->from;
}

static bool races(const sample *s) {
    write all[STORES * 6 * 4 * 4];
    uint32_t count = 0, thread = 0;
    for (uint32_t b = 0; b < s->grid[0]; b++)
        for (uint32_t y = 0; y < s->block[1]; y++)
            for (uint32_t x = 0; x < s->block[0]; x++, thread++)
                for (uint32_t i = 0; i < STORES; i++) {
                    const int32_t *k = s->strides[i];
                    int64_t at = k[0] * (int64_t)x + k[1] * (int64_t)y + k[2] * (int64_t)b + s->constants[i];
                    all[count++] = (write){at, at + s->bytes[i], thread};
                }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (all[i].thread != all[j].thread && overlap(&all[i], &all[j], s->multiple)) return true;
    return false;
}

/* Counts verdicts, none of which may be wrong. */
static void judge(uint32_t n, const sample *s, uint32_t *proved, uint32_t *refuted) {
    ls_buf text = {0};
    print(s, &text);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text.text, text.length, "k.ptx", diags);
    assert_non_null(module);
    ls_ir_function *ir =
        ls_ir_build(module, ls_ptx_find_function(module, "k"), &(ls_ir_options){.quiet = true}, diags);
    ls_verify_options options = {.benign_error = true, .exact_overflow = s->multiple != 0};
    memcpy(options.block, s->block, sizeof s->block);
    memcpy(options.grid, s->grid, sizeof s->grid);
    ls_verify_result *r = ls_verify(ir, &options);
    bool race = races(s);
    if (r->verdict == LS_PROVED && race) fail_msg("kernel %u is proved, but races:\n%s", n, text.text);
    if (r->verdict == LS_REFUTED && !race)
        fail_msg("kernel %u is refuted, without a race:\n%s", n, text.text);
    *proved += r->verdict == LS_PROVED;
    *refuted += r->verdict == LS_REFUTED;
    ls_verify_free(r);
    ls_ir_free(ir);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    ls_buf_free(&text);
}

static void test_random_strides(void **state) {
    (void)state;
    uint32_t proved = 0, refuted = 0;
    for (uint32_t n = 0; n < KERNELS; n++) {
        sample s = {.seed = n * UINT64_C(7919) + 1};
        for (int i = 0; i < 4; i++) draw(&s, 2);
        make(&s);
        judge(n, &s, &proved, &refuted);
    }
    assert_true(proved > KERNELS / 8 && refuted > KERNELS / 8); /* both sides were tried */
    assert_int_equal(proved + refuted, KERNELS);
}

/* Some of the strides are as long as the launch, some shorter; some are odd multiples of a power of two. */
static void test_wrapping_sums(void **state) {
    (void)state;
    uint32_t proved = 0, refuted = 0, races_found = 0;
    for (uint32_t n = 0; n < WRAPPING; n++) {
        sample s = {.seed = n * UINT64_C(104729) + 3};
        for (int i = 0; i < 4; i++) draw(&s, 2);
        make(&s);
        s.multiple = (1 + 2 * draw(&s, 2)) << (4 + draw(&s, 8));
        judge(n, &s, &proved, &refuted);
        races_found += races(&s);
    }
    assert_true(proved > WRAPPING / 16 && races_found > WRAPPING / 8); /* both sides were tried */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_strides),
                                       cmocka_unit_test(test_wrapping_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
