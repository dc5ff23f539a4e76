/* libgpuocelot as a program that loads it sees it: arguments by value, buffers in place, errors told. */
#include "ocelot/ocelot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* out[i] = in[i] * factor + (int)small, over a two-dimensional grid, through shared memory. */
static const char scale[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry scale(.param .u64 out, .param .u64 in, .param .s32 factor, .param .s16 small)\n"
    ".maxntid 32\n{\n"
    ".shared .align 16 .b8 tile[128];\n"
    ".reg .b32 %r<12>; .reg .b64 %d<10>; .reg .b16 %h<2>; .reg .pred %p<2>;\n"
    "ld.param.u64 %d0, [out+0];\nld.param.u64 %d1, [in+0];\n"
    "ld.param.s32 %r0, [factor+0];\nld.param.s16 %h0, [small+0];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r1, %r2, 2, %r1;\nmad.lo.u32 %r1, %r1, 32, %r3;\n"
    "mul.wide.s32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\nadd.u64 %d0, %d0, %d2;\n"
    "ld.global.s32 %r4, [%d1+0];\nmov.u64 %d3, tile[0];\n"
    "mul.wide.s32 %d4, %r3, 4;\nadd.u64 %d4, %d3, %d4;\nst.shared.u32 [%d4+0], %r4;\n"
    "bar.sync 0;\nld.shared.u32 %r5, [%d4];\ncvt.s32.s16 %r6, %h0;\n"
    "mad.lo.s32 %r7, %r5, %r0, %r6;\nst.global.s32 [%d0+0], %r7;\nret;\n}\n";

static void buffers_are_used_in_place(void **state) {
    (void)state;
    enum { N = 128 };
    int32_t in[N], out[N];
    for (int k = 0; k < N; k++) in[k] = k - 50, out[k] = 12345;
    void *args[] = {out, in, (void *)(intptr_t)-3, (void *)(intptr_t)-7};
    assert_int_equal(ptx_run(scale, 4, args, 32, 1, 1, 2, 2, 1, 0), 0);
    for (int k = 0; k < N; k++) assert_int_equal(out[k], in[k] * -3 - 7);
}

static void wrong_calls_are_refused(void **state) {
    (void)state;
    int32_t in[32] = {0}, out[32] = {0};
    void *args[] = {out, in, NULL, NULL};
    assert_int_not_equal(ptx_run(scale, 3, args, 32, 1, 1, 1, 1, 1, 0), 0);
    assert_int_not_equal(ptx_run(scale, 4, args, 0, 1, 1, 1, 1, 1, 0), 0);
    assert_int_not_equal(ptx_run(scale, 4, args, 32, 1, 1, 1, 1, 1, -1), 0);
    assert_int_not_equal(ptx_run(scale, 4, args, 100000, 1, 1, 1, 1, 1, 0), 0);
    assert_int_not_equal(ptx_run("not PTX", 0, args, 1, 1, 1, 1, 1, 1, 0), 0);
    assert_int_not_equal(
        ptx_run(".version 7.5\n.target sm_75\n.address_size 64\n", 0, args, 1, 1, 1, 1, 1, 1, 0), 0);
    assert_int_not_equal(ptx_run(NULL, 0, args, 1, 1, 1, 1, 1, 1, 0), 0);
}

static void a_trap_is_told(void **state) {
    (void)state;
    const char *trap = ".version 7.5\n.target sm_75\n.address_size 64\n.entry k()\n{\ntrap;\nret;\n}\n";
    assert_int_not_equal(ptx_run(trap, 0, NULL, 1, 1, 1, 1, 1, 1, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(buffers_are_used_in_place),
                                       cmocka_unit_test(wrong_calls_are_refused),
                                       cmocka_unit_test(a_trap_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
