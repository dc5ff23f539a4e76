/* Blocks that wait for each other: grid-wide barriers, flags, look-back at earlier blocks. */
#include "kernels.h"

/* Every block waits until all have come: the last one to arrive opens the gate. Then block b reads what block
 * b + 1 wrote before. */
static const char gate[] =
    KERNEL("", "st.global.u32 [%o], %i;\nmembar.gl;\nbar.sync 0;\n"
               "mov.u32 %r0, %nctaid.x;\nsetp.ne.u32 %p0, %t, 0;\n@%p0 bra W;\n"
               "atom.global.add.u32 %r1, [%base+3072], 1;\n"
               "S: ld.volatile.global.u32 %r1, [%base+3072];\nsetp.lt.u32 %p1, %r1, %r0;\n"
               "@%p1 bra S;\nmembar.gl;\n"
               "W: bar.sync 0;\nadd.u32 %r2, %i, %n;\nmul.lo.u32 %r3, %r0, %n;\n"
               "rem.u32 %r2, %r2, %r3;\nmul.wide.u32 %d0, %r2, 4;\nadd.u64 %d0, %d0, %base;\n"
               "ld.global.u32 %r4, [%d0];\nst.global.u32 [%o+1024], %r4;\n");

static void every_block_waits_for_all(void **state) {
    (void)state;
    for (int schedule = 0; schedule < 3; schedule++)
        for (uint32_t threads = 1; threads < 3; threads++) {
            outcome o = run_with(gate, 16, 16,
                                 (ls_emu_options){.checks = LS_CHECK_ALL,
                                                  .schedule = (ls_emu_schedule)schedule,
                                                  .seed = 3,
                                                  .threads = threads});
            assert_int_equal(o.status, LS_EMU_DONE);
            for (uint32_t k = 0; k < 256; k++) assert_int_equal(o.out[256 + k], (k + 16) % 256);
            assert_int_equal(o.races + o.bounds + o.barriers, 0);
        }
}

/* The workspace of cooperative launches, used as cooperative groups do. */
static const char cooperative[] = KERNEL(
    "", "mov.b32 %r0, %envreg1;\nmov.b32 %r1, %envreg2;\nmov.b64 %d0, {%r1, %r0};\n"
        "mov.u32 %r5, 0;\nL: st.global.u32 [%o], %r5;\nbar.sync 0;\nsetp.ne.u32 %p0, %t, 0;\n@%p0 bra W;\n"
        "mov.u32 %r3, %nctaid.x;\nmov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r2, 0;\n"
        "sub.u32 %r3, 0x80000001, %r3;\nselp.u32 %r2, %r3, 1, %p1;\nmembar.gl;\n"
        "atom.global.add.u32 %r3, [%d0+4], %r2;\n"
        "S: ld.acquire.gpu.global.u32 %r4, [%d0+4];\nxor.b32 %r4, %r4, %r3;\nsetp.ge.s32 %p1, %r4, 0;\n"
        "@%p1 bra S;\nmembar.gl;\nW: bar.sync 0;\n"
        "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 5;\n@%p2 bra L;\n");

static void a_cooperative_grid_has_a_workspace(void **state) {
    (void)state;
    outcome o = run(cooperative, 12, 64);
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 0; k < 768; k++) assert_int_equal(o.out[k], 4);
    assert_int_equal(o.races + o.bounds + o.barriers, 0);
}

/* The front end's call for a barrier of the grid, twice; block b reads what block b + 1 wrote. */
static const char grid_barrier[] = HEADER
    ".extern .func __lockstep_grid_sync;\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %t, %i, %n, "
    "%r<8>;\n"
    ".reg .b64 %o, %base, %d<4>;\nld.param.u64 %base, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %n, %ntid.x;\n"
    "mov.u32 %i, %ctaid.x;\nmad.lo.u32 %i, %i, %n, %t;\nmul.wide.u32 %o, %i, 4;\nadd.u64 %o, %o, %base;\n"
    "st.global.u32 [%o], %i;\ncall.uni __lockstep_grid_sync;\nmov.u32 %r0, %nctaid.x;\nmul.lo.u32 %r0, %r0, "
    "%n;\n"
    "add.u32 %r1, %i, %n;\nrem.u32 %r1, %r1, %r0;\nmul.wide.u32 %d0, %r1, 4;\nadd.u64 %d0, %d0, %base;\n"
    "ld.global.u32 %r2, [%d0];\ncall.uni __lockstep_grid_sync;\nst.global.u32 [%o], %r2;\nret;\n}\n";

static void a_barrier_of_the_grid(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads < 3; threads++) {
        outcome o =
            run_with(grid_barrier, 10, 80, (ls_emu_options){.checks = LS_CHECK_ALL, .threads = threads});
        assert_int_equal(o.status, LS_EMU_DONE);
        for (uint32_t k = 0; k < 800; k++) assert_int_equal(o.out[k], (k + 80) % 800);
        assert_int_equal(o.races + o.bounds + o.barriers, 0);
    }
}

/* Block b adds 1 to what block b - 1 left: started last to first, each waits for a block that is not there.
 */
static const char chain[] =
    KERNEL("", "setp.ne.u32 %p0, %t, 0;\n@%p0 ret;\nmov.u32 %r0, %ctaid.x;\nmul.wide.u32 %d0, %r0, 4;\n"
               "add.u64 %d0, %d0, %base;\nmov.u32 %r1, 0;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 bra G;\n"
               "S: ld.acquire.gpu.global.u32 %r1, [%d0+-4];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra S;\n"
               "G: add.u32 %r1, %r1, 1;\nst.release.gpu.global.u32 [%d0], %r1;\n");

static void a_chain_of_blocks_in_any_order(void **state) {
    (void)state;
    for (int schedule = 0; schedule < 3; schedule++) {
        outcome o = run_with(
            chain, 100, 32,
            (ls_emu_options){
                .checks = LS_CHECK_ALL, .schedule = (ls_emu_schedule)schedule, .seed = 9, .threads = 1});
        assert_int_equal(o.status, LS_EMU_DONE);
        for (uint32_t k = 0; k < 100; k++) assert_int_equal(o.out[k], k + 1);
        assert_int_equal(o.races + o.bounds, 0);
    }
}

/* Nobody sets the flag: the time limit ends it. */
static void waiting_for_nothing_ends(void **state) {
    (void)state;
    outcome o = run_with(KERNEL("", "S: ld.volatile.global.u32 %r1, [%base];\nsetp.eq.u32 %p2, %r1, 0;\n"
                                    "@%p2 bra S;\n"),
                         8, 32, (ls_emu_options){.checks = LS_CHECK_ALL, .timeout = 0.2, .threads = 1});
    assert_int_equal(o.status, LS_EMU_CANCELLED);
}

/* A kernel without an instruction has a place to say where its run was ended, and where its end is counted.
 */
/* Every block writes outside; the first one counts to 200,000 before, so that other workers are sooner. */
static const char outside[] =
    KERNEL("", "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, 0;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra W;\n"
               "S: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 200000;\n@%p1 bra S;\n"
               "W: st.global.u32 [%base+16777216], %r1;\n");

static void the_example_is_of_the_first_block(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads < 5; threads++) {
        outcome o = run_with(outside, 64, 32, (ls_emu_options){.checks = LS_CHECK_ALL, .threads = threads});
        assert_int_equal(o.bounds, 1);
        assert_int_equal(o.block, 0);
    }
}

/* What is passed while the launch runs; the launch, which takes minutes, is ended by it. */
static struct {
    int cancel;
    uint32_t count;
    ls_rule rule;
} so_far;

static void end_at_error(void *context, const ls_finding *error) {
    (void)context;
    so_far.count++;
    so_far.rule = error->rule;
    so_far.cancel = 1;
}

static void errors_are_passed_while_it_runs(void **state) {
    (void)state;
    so_far.cancel = 0, so_far.count = 0;
    outcome o = run_with(outside, 2147483647, 32,
                         (ls_emu_options){.checks = LS_CHECK_ALL,
                                          .threads = 2,
                                          .timeout = 600,
                                          .cancel = &so_far.cancel,
                                          .so_far = end_at_error});
    assert_int_equal(o.status, LS_EMU_CANCELLED);
    assert_int_equal(so_far.count, 1);
    assert_int_equal(so_far.rule, LS_RULE_MEMORY_BOUNDS);
    assert_int_equal(o.bounds, 1); /* and in the result again */
}

static void an_empty_kernel_is_ended(void **state) {
    (void)state;
    const int cancelled = 1;
    static const char empty[] = HEADER ".visible .entry k(.param .u64 out)\n{\n}\n";
    outcome o = run_with(empty, 3, 16, (ls_emu_options){.threads = 1, .cancel = &cancelled});
    assert_int_equal(o.status, LS_EMU_CANCELLED);
    assert_non_null(strstr(o.message, "was still running here"));
    o = run_with(empty, 3, 16, (ls_emu_options){.threads = 1, .checks = LS_CHECK_ALL, .profile = true});
    assert_int_equal(o.status, LS_EMU_DONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_waits_for_all),
        cmocka_unit_test(a_cooperative_grid_has_a_workspace),
        cmocka_unit_test(a_barrier_of_the_grid),
        cmocka_unit_test(a_chain_of_blocks_in_any_order),
        cmocka_unit_test(waiting_for_nothing_ends),
        cmocka_unit_test(an_empty_kernel_is_ended),
        cmocka_unit_test(errors_are_passed_while_it_runs),
        cmocka_unit_test(the_example_is_of_the_first_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
