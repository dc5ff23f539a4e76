/* Registers of 128 bits, and atomics on vectors. */
#include "kernels.h"

static void wide_registers_are_packed_moved_and_stored(void **state) {
    (void)state;
    outcome o =
        run(KERNEL("", ".reg .b128 %q<3>;\ncvt.u64.u32 %d0, %t;\nadd.u64 %d1, %d0, 0x100000000;\n"
                       "mov.b128 %q0, {%d0, %d1};\nmov.b128 %q1, %q0;\nmul.wide.u32 %d2, %t, 16;\n"
                       "add.u64 %d2, %d2, %base;\nst.global.b128 [%d2], %q1;\nld.global.b128 %q2, [%d2];\n"
                       "mov.b128 {%d3, %d4}, %q2;\nadd.u64 %d3, %d3, %d4;\nst.global.u64 [%d2+1024], %d3;\n"),
            1, 32);
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 0; k < 32; k++) {
        const uint32_t want[4] = {k, 0, k, 1}, sum[2] = {2 * k, 1};
        assert_memory_equal(&o.out[4 * k], want, sizeof want);
        assert_memory_equal(&o.out[4 * k + 256], sum, sizeof sum);
    }
    assert_int_equal(o.races + o.bounds + o.misaligned, 0);
}

/* A conversion reads as much of a wider register as its type says. */
static void short_numbers_in_wide_registers(void **state) {
    (void)state;
    outcome o = run(KERNEL("", "add.u32 %r0, %t, 0x38180;\ncvt.u64.u16 %d0, %r0;\ncvt.s64.s16 %d1, %r0;\n"
                               "cvt.u64.u8 %d2, %r0;\nmul.wide.u32 %d3, %t, 32;\nadd.u64 %d3, %d3, %base;\n"
                               "st.global.u64 [%d3], %d0;\nst.global.u64 [%d3+8], %d1;\n"
                               "st.global.u64 [%d3+16], %d2;\n"),
                    1, 32);
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 0; k < 32; k++) {
        const uint32_t want[6] = {0x8180 + k, 0, 0xffff8180 + k, 0xffffffff, 0x80 + k, 0};
        assert_memory_equal(&o.out[8 * k], want, sizeof want);
    }
}

/* The exchange returns what the lane before it left; cas stores where all 128 bits agree. */
static void wide_atomics(void **state) {
    (void)state;
    outcome o =
        run(KERNEL(".shared .align 16 .b8 s[16];\n",
                   ".reg .b128 %q<4>;\nmov.u32 %r0, s;\nmov.u64 %d0, 5;\nmov.u64 %d1, 6;\n"
                   "mov.b128 %q0, {%d0, %d1};\nst.shared.b128 [%r0], %q0;\n"
                   "mov.u64 %d2, 7;\nmov.b128 %q1, {%d2, %d0};\n"
                   "atom.shared.cas.b128 %q2, [%r0], %q1, %q1;\nmov.b128 {%d3, %d4}, %q2;\n"
                   "st.global.v2.u64 [%base], {%d3, %d4};\natom.shared.cas.b128 %q2, [%r0], %q0, %q1;\n"
                   "atom.shared.exch.b128 %q3, [%r0], %q0;\nmov.b128 {%d3, %d4}, %q3;\n"
                   "st.global.v2.u64 [%base+16], {%d3, %d4};\n"),
            1, 1);
    const uint32_t want[8] = {5, 0, 6, 0, 7, 0, 5, 0};
    assert_int_equal(o.status, LS_EMU_DONE);
    assert_memory_equal(o.out, want, sizeof want);
}

/* The registers of operands and results may be the same. */
static void vector_atomics(void **state) {
    (void)state;
    outcome o = run(KERNEL("", ".reg .f32 %f<4>;\nmov.f32 %f0, 0f3F800000;\nmov.f32 %f1, 0f40000000;\n"
                               "atom.global.add.v2.f32 {%f1, %f0}, [%base], {%f0, %f1};\n"
                               "red.global.add.v2.f32 [%base+8], {%f0, %f1};\n"
                               "mov.u32 %r0, 0x3c003c00;\nmov.u32 %r1, 0x40004000;\n"
                               "red.global.add.noftz.v2.f16x2 [%base+16], {%r0, %r1};\n"
                               "red.global.max.noftz.v2.f16x2 [%base+24], {%r0, %r1};\n"),
                    1, 32);
    assert_int_equal(o.status, LS_EMU_DONE);
    const float *f = (const float *)(const void *)o.out;
    assert_true(f[0] == 32 && f[1] == 64);
    assert_true(f[2] == 31 * 32 / 2 * 2.0f && f[3] == 31 * 32 / 2); /* what was there before each lane */
    assert_int_equal(o.out[4], 0x50005000);                         /* 32 */
    assert_int_equal(o.out[5], 0x54005400);                         /* 64 */
    assert_int_equal(o.out[6], 0x3c003c00);
    assert_int_equal(o.out[7], 0x40004000);
    assert_int_equal(o.races, 0);
}

/* Sums of f32 in global memory flush subnormal numbers; those in shared memory keep them. */
static void float_atomics_flush_in_global_memory(void **state) {
    (void)state;
    outcome o = run(
        KERNEL(".shared .b32 s;\n",
               "mov.u32 %r0, s;\nmov.u32 %r1, 3;\nst.shared.u32 [%r0], %r1;\nst.global.u32 [%base], %r1;\n"
               ".reg .f32 %f0;\nmov.b32 %f0, 4;\nred.shared.add.f32 [%r0], %f0;\n"
               "red.global.add.f32 [%base], %f0;\nld.shared.u32 %r2, [%r0];\n"
               "st.global.u32 [%base+4], %r2;\n"),
        1, 1);
    assert_int_equal(o.out[0], 0);
    assert_int_equal(o.out[1], 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_registers_are_packed_moved_and_stored),
        cmocka_unit_test(short_numbers_in_wide_registers),
        cmocka_unit_test(wide_atomics),
        cmocka_unit_test(vector_atomics),
        cmocka_unit_test(float_atomics_flush_in_global_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
