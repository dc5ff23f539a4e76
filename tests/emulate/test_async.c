/* mbarriers, bulk copies and asynchronous stores, and clusters of one block. */
#include "kernels.h"

#define SHARED_BARRIER ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b64 b;\n"
/* Thread 0 initialises the mbarrier for `count` arrivals; %r1 is its address, %r0 that of s. */
#define WITH_BARRIER(count)                                                                                  \
    "mov.u32 %r0, s;\nmov.u32 %r1, b;\nsetp.ne.u32 %p0, %t, 0;\n@%p0 bra I;\n"                               \
    "mbarrier.init.shared::cta.b64 [%r1], " count                                                            \
    ";\nfence.mbarrier_init.release.cluster;\nI: bar.sync 0;\n"

/* Every thread writes, arrives, waits, and reads what the next warp wrote; three times. */
static const char exchange[] =
    KERNEL(SHARED_BARRIER,
           WITH_BARRIER("96") "mov.u32 %r2, 0;\nmul.lo.u32 %r3, %t, 4;\nadd.u32 %r3, %r3, %r0;\n"
                              "add.u32 %r4, %t, 32;\nrem.u32 %r4, %r4, %n;\nmul.lo.u32 %r4, %r4, 4;\n"
                              "add.u32 %r4, %r4, %r0;\nmov.u32 %r5, %t;\n"
                              "L: st.shared.u32 [%r3], %r5;\nmbarrier.arrive.shared::cta.b64 %d0, [%r1];\n"
                              "W: mbarrier.try_wait.shared::cta.b64 %p1, [%r1], %d0;\n@!%p1 bra W;\n"
                              "ld.shared.u32 %r5, [%r4];\nmbarrier.arrive.shared::cta.b64 %d0, [%r1], 1;\n"
                              "V: mbarrier.test_wait.shared::cta.b64 %p1, [%r1], %d0;\n@!%p1 bra V;\n"
                              "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 3;\n@%p2 bra L;\n"
                              "st.global.u32 [%o], %r5;\n");

static void arrivals_and_waits_order_a_block(void **state) {
    (void)state;
    for (int schedule = 0; schedule < 3; schedule++) {
        outcome o = run_with(
            exchange, 2, 96,
            (ls_emu_options){
                .checks = LS_CHECK_ALL, .schedule = (ls_emu_schedule)schedule, .seed = 5, .threads = 1});
        assert_int_equal(o.status, LS_EMU_DONE);
        for (uint32_t k = 0; k < 192; k++) assert_int_equal(o.out[k], k % 96);
        assert_int_equal(o.races + o.bounds + o.barriers + o.uninitialized, 0);
    }
}

static void without_the_wait_it_is_a_race(void **state) {
    (void)state;
    outcome o = run(KERNEL(SHARED_BARRIER,
                           WITH_BARRIER("64") "mul.lo.u32 %r3, %t, 4;\nadd.u32 %r3, %r3, %r0;\n"
                                              "xor.b32 %r4, %r3, 128;\nst.shared.u32 [%r3], %t;\n"
                                              "mbarrier.arrive.shared::cta.b64 %d0, [%r1];\n"
                                              "ld.shared.u32 %r5, [%r4];\nst.global.u32 [%o], %r5;\n"),
                    1, 64);
    assert_true(o.races > 0);
}

/* One thread starts a copy of 256 bytes; all wait for its bytes by parity. The way back is a bulk group, and
 * a reduction adds to it. */
static const char bulk[] = KERNEL(
    SHARED_BARRIER,
    "st.global.u32 [%o], %i;\n" WITH_BARRIER(
        "1") "@%p0 bra W;\n"
             "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 256;\n"
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%base], 256, [%r1];\n"
             "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;\n@!%p1 bra W;\n"
             "mul.lo.u32 %r3, %t, 4;\nadd.u32 %r3, %r3, %r0;\nld.shared.u32 %r5, [%r3];\nadd.u32 %r5, %r5, "
             "1000;\n"
             "bar.sync 0;\nst.shared.u32 [%r3], %r5;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n@%p0 bra "
             "E;\n"
             "add.u64 %d1, %base, 512;\ncp.async.bulk.global.shared::cta.bulk_group [%d1], [%r0], 256;\n"
             "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n" /* the sum is of what was copied */
             "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r0], 128;\n"
             "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nE:\n");

static void bulk_copies_and_reductions(void **state) {
    (void)state;
    outcome o = run(bulk, 1, 64);
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 0; k < 64; k++) assert_int_equal(o.out[128 + k], k < 32 ? 2 * (k + 1000) : k + 1000);
    assert_int_equal(o.races + o.bounds + o.barriers + o.uninitialized, 0);
}

static void a_bulk_copy_is_checked_for_bounds(void **state) {
    (void)state;
    outcome o = run(KERNEL(SHARED_BARRIER,
                           WITH_BARRIER("1") "add.u32 %r0, %r0, 1008;\n@%p0 bra "
                                             "E;\ncp.async.bulk.global.shared::cta.bulk_group [%base], "
                                             "[%r0], 32;\nE:\n"),
                    1, 32);
    assert_true(o.bounds > 0);
}

/* The bytes of both count for the phase. */
static void asynchronous_stores(void **state) {
    (void)state;
    outcome o = run(
        KERNEL(SHARED_BARRIER,
               WITH_BARRIER("1") "mul.lo.u32 %r3, %t, 4;\nadd.u32 %r3, %r3, %r0;\n@%p0 bra S;\n"
                                 "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 256;\nS:\n"
                                 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3], %t, "
                                 "[%r1];\nred.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::"
                                 "bytes.add.u32 [%r3], 5, [%r1];\n"
                                 "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;\n@!%p1 bra W;\n"
                                 "ld.shared.u32 %r5, [%r3];\nst.global.u32 [%o], %r5;\n"),
        1, 32);
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 0; k < 32; k++) assert_int_equal(o.out[k], k + 5);
}

/* arrive_drop takes the thread out of the next phase; states and counts can be looked at. */
static void threads_leave_an_mbarrier(void **state) {
    (void)state;
    outcome o =
        run(KERNEL(SHARED_BARRIER,
                   WITH_BARRIER("64") "setp.ge.u32 %p1, %t, 32;\n@%p1 bra D;\n"
                                      "mbarrier.arrive.shared::cta.b64 %d0, [%r1];\n"
                                      "W: mbarrier.test_wait.shared::cta.b64 %p1, [%r1], %d0;\n@!%p1 bra W;\n"
                                      "mbarrier.arrive.shared::cta.b64 %d0, [%r1];\n"
                                      "V: mbarrier.try_wait.shared::cta.b64 %p1, [%r1], %d0;\n@!%p1 bra V;\n"
                                      "bra E;\nD: mbarrier.arrive_drop.shared::cta.b64 %d0, [%r1];\n"
                                      "E: mbarrier.pending_count.b64 %r2, %d0;\nst.global.u32 [%o], %r2;\n"),
            1, 64);
    assert_int_equal(o.status, LS_EMU_DONE);
    uint32_t last = 0;
    for (uint32_t k = 0; k < 32; k++) last += o.out[k]; /* 32, 31, … 1 in some order */
    assert_int_equal(last, 32 * 33 / 2);
}

static void misuse_stops_the_run(void **state) {
    (void)state;
    outcome o = run(KERNEL(SHARED_BARRIER,
                           WITH_BARRIER("1") "mbarrier.arrive.noComplete.shared::cta.b64 %d0, [%r1], 2;\n"),
                    1, 32);
    assert_int_equal(o.status, LS_EMU_TRAPPED);
    assert_non_null(strstr(o.message, "more arrivals"));
    o = run(KERNEL(SHARED_BARRIER, "mov.u32 %r1, b;\nmbarrier.arrive.shared::cta.b64 %d0, [%r1];\n"), 1, 1);
    assert_non_null(strstr(o.message, "not initialised"));
    o = run_with(KERNEL(SHARED_BARRIER,
                        WITH_BARRIER("1") "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;\n"
                                          "@!%p1 bra W;\n"),
                 1, 32, (ls_emu_options){.checks = LS_CHECK_ALL, .threads = 1, .timeout = 0.2});
    assert_int_equal(o.status, LS_EMU_STUCK);
}

static void a_cluster_is_one_block(void **state) {
    (void)state;
    static const char ptx[] =
        KERNEL(SHARED_BARRIER,
               "mov.u32 %r0, s;\nmul.lo.u32 %r3, %t, 4;\nadd.u32 %r3, %r3, %r0;\nst.shared.u32 [%r3], %t;\n"
               "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
               "mapa.shared::cluster.u32 %r1, %r3, 0;\ngetctarank.shared::cluster.u32 %r2, %r1;\n"
               "xor.b32 %r1, %r1, 128;\nld.shared::cluster.u32 %r4, [%r1];\nadd.u32 %r4, %r4, %r2;\n"
               "mov.u32 %r5, %cluster_nctarank;\nmad.lo.u32 %r4, %r5, 100, %r4;\nst.global.u32 [%o], %r4;\n");
    outcome o = run(ptx, 1, 64);
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 0; k < 64; k++) assert_int_equal(o.out[k], 100 + (k ^ 32));
    assert_int_equal(o.races + o.bounds, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrivals_and_waits_order_a_block),
        cmocka_unit_test(without_the_wait_it_is_a_race),
        cmocka_unit_test(bulk_copies_and_reductions),
        cmocka_unit_test(a_bulk_copy_is_checked_for_bounds),
        cmocka_unit_test(asynchronous_stores),
        cmocka_unit_test(threads_leave_an_mbarrier),
        cmocka_unit_test(misuse_stops_the_run),
        cmocka_unit_test(a_cluster_is_one_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
