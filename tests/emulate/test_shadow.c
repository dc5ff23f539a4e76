/* The race checker's memory: at most eight bytes for each word that is touched, whatever the size of the
 * accesses; and descriptors that are used again when many intervals have used them up. */
#include "kernels.h"

static void eight_bytes_a_word(void **state) {
    (void)state;
    static const char *const accesses[] = {
        "st.global.u32 [%o], %t;\n",
        "cvt.u64.u32 %d0, %i;\nadd.u64 %d0, %d0, %base;\nst.global.u8 [%d0], %t;\n",
        "mul.wide.u32 %d0, %i, 2;\nadd.u64 %d0, %d0, %base;\nst.global.u16 [%d0], %t;\n"};
    for (int k = 0; k < 3; k++) {
        char ptx[4096];
        snprintf(ptx, sizeof ptx, "%s", KERNEL("", "BODY"));
        char *body = strstr(ptx, "BODY"), rest[64];
        snprintf(rest, sizeof rest, "%s", body + 4);
        snprintf(body, sizeof ptx - (size_t)(body - ptx), "%s%s", accesses[k], rest);
        outcome o = run(ptx, 16, 64);
        assert_int_equal(o.status, LS_EMU_DONE);
        assert_int_equal(o.races, 0);
        assert_true(o.shadow_bytes > 0);
        /* the buffer, and the few cells that shared memory of no size has */
        assert_true(o.shadow_bytes <= 8 * MOST + 256);
    }
}

/* A loop with barriers, 300,000 times; behind it threads of two warps write s[0] where RACE does. */
#define INTERVALS(RACE)                                                                                      \
    KERNEL(".shared .align 4 .b8 s[256];\n",                                                                 \
           "mov.u32 %r0, 0;\nmov.u64 %d0, s;\ncvt.u64.u32 %d1, %t;\nadd.u64 %d1, %d1, %d0;\n"                \
           "xor.b32 %r3, %t, 1;\ncvt.u64.u32 %d2, %r3;\nadd.u64 %d2, %d2, %d0;\n"                            \
           "st.shared.u8 [%d1], %r0;\nbar.sync 0;\n"                                                         \
           "L: ld.shared.u8 %r1, [%d2];\nbar.sync 0;\nst.shared.u8 [%d1], %r1;\nbar.sync 0;\n"               \
           "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 300000;\n@%p0 bra L;\n" RACE                         \
           "st.global.u32 [%o], %r1;\n")

static void descriptors_are_used_again(void **state) {
    (void)state;
    outcome o = run(INTERVALS(""), 1, 64);
    assert_int_equal(o.status, LS_EMU_DONE);
    assert_int_equal(o.races + o.uninitialized, 0);
    assert_int_equal(run(INTERVALS("st.shared.u8 [s], %t;\n"), 1, 64).races, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_bytes_a_word),
        cmocka_unit_test(descriptors_are_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
