/* Small PTX kernels on the machine: divergence, calls, barriers, exchanges between lanes, atomics, warp
 * sizes, schedules; and what the checkers say about them. */
#include "kernels.h"

/* --- Divergence --- */
static const char collatz[] = KERNEL("", "add.u32 %r0, %i, 1;\nmov.u32 %r1, 0;\n"
                                         "L: setp.eq.u32 %p0, %r0, 1;\n@%p0 bra E;\n"
                                         "and.b32 %r2, %r0, 1;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 bra O;\n"
                                         "shr.u32 %r0, %r0, 1;\nbra N;\nO: mad.lo.u32 %r0, %r0, 3, 1;\n"
                                         "N: add.u32 %r1, %r1, 1;\nbra L;\nE: st.global.u32 [%o], %r1;\n");

static uint32_t steps(uint32_t n) {
    uint32_t k = 0;
    for (; n != 1; k++) n = n & 1 ? 3 * n + 1 : n / 2;
    return k;
}

static void divergent_loops_end_right_for_every_warp_size(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 5, 16, 31, 32, 33, 64};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int schedule = 0; schedule < 3; schedule++) {
            outcome o = run_with(collatz, 3, 150,
                                 (ls_emu_options){.checks = LS_CHECK_ALL,
                                                  .warp_size = sizes[s],
                                                  .schedule = (ls_emu_schedule)schedule,
                                                  .seed = 7,
                                                  .threads = 1 + (uint32_t)schedule % 2});
            assert_int_equal(o.status, LS_EMU_DONE);
            for (uint32_t k = 0; k < 450; k++) assert_int_equal(o.out[k], steps(k + 1));
            assert_int_equal(o.races + o.bounds, 0);
        }
}

static void exits_inside_of_divergence(void **state) {
    (void)state;
    outcome o = run(KERNEL("", "and.b32 %r0, %t, 3;\nsetp.eq.u32 %p0, %r0, 1;\nmov.u32 %r1, 1;\n"
                               "st.global.u32 [%o], %r1;\n@%p0 exit;\nsetp.eq.u32 %p1, %r0, 2;\n@%p1 ret;\n"
                               "mov.u32 %r1, 2;\nst.global.u32 [%o], %r1;\nbar.sync 0;\nmov.u32 %r1, 3;\n"
                               "st.global.u32 [%o], %r1;\n"),
                    1, 64);
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 0; k < 64; k++) assert_int_equal(o.out[k], k % 4 == 1 || k % 4 == 2 ? 1 : 3);
}

static void brx_goes_everywhere(void **state) {
    (void)state;
    outcome o =
        run(KERNEL("", "and.b32 %r0, %t, 3;\nT: .branchtargets A, B, C, A;\nbrx.idx %r0, T;\n"
                       "A: mov.u32 %r1, 10;\nbra E;\nB: mov.u32 %r1, 20;\nbra E;\nC: mov.u32 %r1, 30;\n"
                       "E: st.global.u32 [%o], %r1;\n"),
            1, 40);
    assert_int_equal(o.status, LS_EMU_DONE);
    static const uint32_t want[] = {10, 20, 30, 10};
    for (uint32_t k = 0; k < 40; k++) assert_int_equal(o.out[k], want[k % 4]);
}

static void lanes_that_spin_let_the_others_go_on(void **state) {
    (void)state;
    outcome o =
        run(HEADER ".global .u32 lock;\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>;\n"
                   ".reg .b64 %d<4>;\n.reg .pred %p;\nld.param.u64 %d0, [out];\nmov.u64 %d1, lock;\n"
                   "L: atom.global.cas.b32 %r0, [%d1], 0, 1;\nsetp.ne.u32 %p, %r0, 0;\n@%p bra L;\n"
                   "membar.gl;\nld.global.u32 %r1, [%d0];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%d0], %r1;\n"
                   "membar.gl;\natom.global.exch.b32 %r0, [%d1], 0;\nret;\n}\n",
            3, 64);
    assert_int_equal(o.status, LS_EMU_DONE);
    assert_int_equal(o.out[0], 192);
    assert_int_equal(o.races, 0);
}

/* --- Limits --- */

/* A product of matrices counts as what it takes: ten of 16 × 8 × 16 are as 640 instructions. */
static void products_count_as_many_instructions(void **state) {
    (void)state;
    static const char ptx[] =
        KERNEL("", "mov.u32 %r0, 0;\n"
                   "L: mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1,%r2}, {%r3,%r4,%r5,%r6}, "
                   "{%r7,%r8}, {%r9,%r10};\n"
                   "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 10;\n@%p0 bra L;\n"
                   "st.global.u32 [%o], %r0;\n");
    outcome all = run_with(ptx, 1, 32, (ls_emu_options){.most_instructions = 2000});
    assert_int_equal(all.status, LS_EMU_DONE);
    outcome some = run_with(ptx, 1, 32, (ls_emu_options){.most_instructions = 400});
    assert_int_not_equal(some.status, LS_EMU_DONE);
}

/* --- Calls --- */
static void recursion_and_indirect_calls(void **state) {
    (void)state;
    static const char ptx[] = HEADER
        ".func (.param .b32 r) fib(.param .b32 n)\n{\n.reg .b32 %r<6>;\n.reg .pred %p;\n"
        "ld.param.b32 %r0, [n];\nsetp.lt.u32 %p, %r0, 2;\n@%p bra B;\nsub.u32 %r1, %r0, 1;\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), fib, (a); ld.param.b32 %r2, [b]; "
        "}\n"
        "sub.u32 %r1, %r0, 2;\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), fib, (a); ld.param.b32 %r3, [b]; "
        "}\n"
        "add.u32 %r0, %r2, %r3;\nB: st.param.b32 [r], %r0;\nret;\n}\n"
        ".func (.param .b32 r) twice(.param .b32 n)\n{\n.reg .b32 %r<2>;\nld.param.b32 %r0, [n];\n"
        "shl.b32 %r0, %r0, 1;\nst.param.b32 [r], %r0;\nret;\n}\n"
        ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %t, %r<4>;\n.reg .b64 %o, %f, %g;\n.reg .pred %p;\n"
        "ld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %f, %t, 4;\nadd.u64 %o, %o, %f;\n"
        "and.b32 %r0, %t, 7;\nmov.u64 %f, fib;\nmov.u64 %g, twice;\nand.b32 %r1, %t, 1;\n"
        "setp.eq.u32 %p, %r1, 0;\nselp.b64 %f, %f, %g, %p;\n"
        "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call (b), %f, (a), P; ld.param.b32 %r2, [b]; "
        "}\n"
        "st.global.u32 [%o], %r2;\nret;\n}\n";
    static const uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8, 13};
    outcome o = run(ptx, 1, 48);
    assert_string_equal(o.message, "");
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 0; k < 48; k++) assert_int_equal(o.out[k], k & 1 ? 2 * (k & 7) : fib[k & 7]);
}

/* A table of functions, as those of virtual functions are: nothing else names them. */
static void functions_in_initialisers(void **state) {
    (void)state;
    static const char ptx[] = HEADER
        ".func (.param .b32 r) more(.param .b32 n);\n"
        ".func (.param .b32 r) less(.param .b32 n)\n{\n.reg .b32 %r<2>;\nld.param.b32 %r0, [n];\n"
        "sub.u32 %r0, %r0, 1;\nst.param.b32 [r], %r0;\nret;\n}\n"
        ".global .align 8 .u64 table[4] = {0, more, less, 0};\n"
        ".func (.param .b32 r) more(.param .b32 n)\n{\n.reg .b32 %r<2>;\nld.param.b32 %r0, [n];\n"
        "add.u32 %r0, %r0, 1;\nst.param.b32 [r], %r0;\nret;\n}\n"
        ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %t, %r<4>;\n.reg .b64 %o, %f, %g;\n"
        "ld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %f, %t, 4;\nadd.u64 %o, %o, %f;\n"
        "and.b32 %r1, %t, 1;\nmul.wide.u32 %g, %r1, 8;\nmov.u64 %f, table;\nadd.u64 %f, %f, %g;\n"
        "ld.global.u64 %f, [%f+8];\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %t; call (b), %f, (a), P; ld.param.b32 %r2, [b]; "
        "}\nst.global.u32 [%o], %r2;\nret;\n}\n";
    outcome o = run(ptx, 1, 48);
    assert_string_equal(o.message, "");
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 0; k < 48; k++) assert_int_equal(o.out[k], k & 1 ? k - 1 : k + 1);
}

/* --- Barriers --- */
#define SHARED ".shared .align 4 .b32 s[256];\n"
#define MINE   "mov.u32 %r0, s;\nmad.lo.u32 %r1, %t, 4, %r0;\n" /* %r1: &s[tid] */

static void barriers_exchange_between_warps(void **state) {
    (void)state;
    outcome o =
        run(KERNEL(SHARED,
                   MINE "st.shared.u32 [%r1], %t;\nbar.sync 0;\nsub.u32 %r2, %n, %t;\nsub.u32 %r2, %r2, 1;\n"
                        "mad.lo.u32 %r2, %r2, 4, %r0;\nld.shared.u32 %r3, [%r2];\n"
                        "st.global.u32 [%o], %r3;\n"),
            2, 96);
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 0; k < 192; k++) assert_int_equal(o.out[k], 95 - k % 96);
    assert_int_equal(o.races, 0);
}

static void a_missing_barrier_is_a_race_at_both_lines(void **state) {
    (void)state;
    outcome o = run(KERNEL(SHARED, MINE "st.shared.u32 [%r1], %t;\nxor.b32 %r2, %t, 32;\n"
                                        "mad.lo.u32 %r2, %r2, 4, %r0;\nld.shared.u32 %r3, [%r2];\n"
                                        "st.global.u32 [%o], %r3;\n"),
                    1, 64);
    assert_true(o.races >= 1);
    assert_true(o.line != 0 && o.other_line != 0 && o.line != o.other_line);
}

static void races_within_a_warp(void **state) {
    (void)state;
    static const char neighbours[] =
        KERNEL(SHARED, MINE "st.shared.u32 [%r1], %t;\nxor.b32 %r2, %t, 1;\n"
                            "mad.lo.u32 %r2, %r2, 4, %r0;\nld.shared.u32 %r3, [%r2];\n"
                            "st.global.u32 [%o], %r3;\n");
    static const char synced[] = KERNEL(SHARED, MINE "st.shared.u32 [%r1], %t;\nbar.warp.sync 0xffffffff;\n"
                                                     "xor.b32 %r2, %t, 1;\nmad.lo.u32 %r2, %r2, 4, %r0;\n"
                                                     "ld.shared.u32 %r3, [%r2];\nst.global.u32 [%o], %r3;\n");
    assert_true(run(neighbours, 1, 32).races > 0);
    assert_int_equal(run(synced, 1, 32).races, 0);
    ls_emu_options lock_step = {.checks = LS_CHECK_ALL, .threads = 1, .warp_synchronous = true};
    assert_int_equal(run_with(neighbours, 1, 32, lock_step).races, 0);
}

static void writes_to_one_word(void **state) {
    (void)state;
    outcome different = run(KERNEL("", "st.global.u32 [%base], %t;\n"), 1, 32);
    assert_true(different.races > 0);
    outcome same = run(KERNEL("", "mov.u32 %r0, 7;\nst.global.u32 [%base], %r0;\n"), 2, 64);
    assert_int_equal(same.races, 0);
    assert_true(same.notes > 0);
    outcome atomics = run(KERNEL("", "red.global.add.u32 [%base], 1;\n"), 2, 64);
    assert_int_equal(atomics.races, 0);
    assert_int_equal(atomics.out[0], 128);
    outcome mixed = run(KERNEL("", "setp.eq.u32 %p0, %i, 0;\n@%p0 st.global.u32 [%base], %t;\n"
                                   "@!%p0 red.global.add.u32 [%base], 1;\n"),
                        2, 32);
    assert_true(mixed.races > 0);
}

static void bytes_beside_each_other_do_not_race(void **state) {
    (void)state;
    outcome o =
        run(KERNEL("", "cvt.u64.u32 %d0, %i;\nadd.u64 %d0, %d0, %base;\nst.global.u8 [%d0], %t;\n"), 2, 64);
    assert_int_equal(o.races, 0);
    assert_int_equal(o.bounds, 0);
}

static void different_barriers_are_reported(void **state) {
    (void)state;
    outcome o =
        run(KERNEL("", "setp.lt.u32 %p0, %t, 32;\n@%p0 bra A;\nbar.sync 0;\nbra E;\nA: bar.sync 0;\nE:\n"), 1,
            64);
    assert_int_equal(o.status, LS_EMU_DONE);
    assert_true(o.barriers > 0);
}

/* 000, Figure 1b: the threads meet at the same barrier, in different iterations. */
static void different_iterations_are_reported(void **state) {
    (void)state;
    static const char ptx[] = KERNEL(
        "",
        "setp.eq.u32 %p0, %t, 0;\nselp.u32 %r0, 4, 1, %p0;\nselp.u32 %r1, 1, 4, %p0;\nmov.u32 %r2, 0;\n"
        "I: mov.u32 %r3, 0;\nJ: bar.sync 0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra J;\n"
        "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r0;\n@%p1 bra I;\n");
    outcome o = run(ptx, 1, 2);
    assert_true(o.barriers > 0);
    assert_int_equal(
        run(KERNEL("", "mov.u32 %r2, 0;\nI: bar.sync 0;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 5;\n"
                       "@%p1 bra I;\n"),
            1, 70)
            .barriers,
        0);
}

static void a_stuck_launch_ends(void **state) {
    (void)state;
    outcome o = run(KERNEL("", "setp.lt.u32 %p0, %t, 32;\n@%p0 bar.sync 1;\n@!%p0 bar.sync 2;\n"), 1, 64);
    assert_int_equal(o.status, LS_EMU_STUCK);
    assert_true(o.barriers > 0);
    o = run_with(KERNEL("", "L: bra L;\n"), 1, 32, (ls_emu_options){.timeout = 0.2, .threads = 1});
    assert_int_equal(o.status, LS_EMU_CANCELLED);
}

static void named_barriers_with_counts(void **state) {
    (void)state; /* warp 0 produces, warp 1 consumes */
    outcome o =
        run(KERNEL(SHARED, MINE "setp.lt.u32 %p0, %t, 32;\n@!%p0 bra C;\nst.shared.u32 [%r1], %t;\n"
                                "bar.arrive 3, 64;\nbra E;\nC: bar.sync 3, 64;\nsub.u32 %r2, %r1, 128;\n"
                                "ld.shared.u32 %r3, [%r2];\nst.global.u32 [%o], %r3;\nE:\n"),
            1, 64);
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 32; k < 64; k++) assert_int_equal(o.out[k], k - 32);
    assert_int_equal(o.races, 0);
}

static void reductions_at_barriers(void **state) {
    (void)state;
    outcome o = run(
        KERNEL("", "and.b32 %r0, %t, 3;\nsetp.eq.u32 %p0, %r0, 0;\nbar.red.popc.u32 %r1, 0, %p0;\n"
                   "bar.red.or.pred %p1, 0, %p0;\nbar.red.and.pred %p2, 0, %p0;\nselp.u32 %r2, 100, 0, %p1;\n"
                   "selp.u32 %r3, 1000, 0, %p2;\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\n"
                   "st.global.u32 [%o], %r1;\n"),
        1, 96);
    for (uint32_t k = 0; k < 96; k++) assert_int_equal(o.out[k], 24 + 100);
}

/* --- Across lanes --- */
static void shuffles(void **state) {
    (void)state;
    outcome o =
        run(KERNEL("", "shfl.sync.bfly.b32 %r0, %t, 5, 31, 0xffffffff;\n"
                       "shfl.sync.up.b32 %r1|%p0, %t, 2, 0, 0xffffffff;\n"
                       "shfl.sync.idx.b32 %r2, %t, 3, 0x181f, 0xffffffff;\nmul.lo.u32 %r1, %r1, 100;\n"
                       "mul.lo.u32 %r2, %r2, 10000;\nadd.u32 %r0, %r0, %r1;\nadd.u32 %r0, %r0, %r2;\n"
                       "st.global.u32 [%o], %r0;\n"),
            1, 32);
    for (uint32_t k = 0; k < 32; k++)
        assert_int_equal(o.out[k], (k ^ 5) + 100 * (k < 2 ? k : k - 2) + 10000 * ((k & ~7u) + 3));
}

static void a_shuffle_waits_for_its_lanes(void **state) {
    (void)state; /* both sides of a branch come to the same shuffle at different times */
    outcome o = run(
        KERNEL("", "setp.lt.u32 %p0, %t, 16;\n@%p0 bra A;\nmov.u32 %r0, 100;\nbra S;\nA: mov.u32 %r0, 7;\n"
                   "S: shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffffffff;\nst.global.u32 [%o], %r1;\n"),
        1, 32);
    for (uint32_t k = 0; k < 32; k++) assert_int_equal(o.out[k], k < 16 ? 100 : 7);
}

static void votes_and_matches(void **state) {
    (void)state;
    outcome o = run(
        KERNEL("", "setp.lt.u32 %p0, %t, 5;\nvote.sync.ballot.b32 %r0, %p0, 0xffffffff;\n"
                   "and.b32 %r1, %t, 1;\nmatch.any.sync.b32 %r2, %r1, 0xffffffff;\n"
                   "redux.sync.add.u32 %r3, %t, 0xffffffff;\nxor.b32 %r0, %r0, %r2;\nadd.u32 %r0, %r0, %r3;\n"
                   "st.global.u32 [%o], %r0;\n"),
        1, 32);
    for (uint32_t k = 0; k < 32; k++)
        assert_int_equal(o.out[k], (0x1fu ^ (k & 1 ? 0xaaaaaaaau : 0x55555555u)) + 496);
}

/* Lanes of one instruction name different sets, as the groups of cooperative groups' labeled_partition do. */
static void groups_of_one_instruction(void **state) {
    (void)state;
    outcome o = run(
        KERNEL("",
               "rem.u32 %r0, %t, 3;\nmatch.any.sync.b32 %r1, %r0, 0xffffffff;\n"
               "redux.sync.add.u32 %r2, %t, %r1;\nsetp.lt.u32 %p0, %t, 10;\n"
               "vote.sync.ballot.b32 %r3, %p0, %r1;\nand.b32 %r4, %t, 1;\n"
               "match.any.sync.b32 %r4, %r4, %r1;\nvote.sync.any.pred %p1, %p0, %r1;\npopc.b32 %r3, %r3;\n"
               "popc.b32 %r4, %r4;\nmad.lo.u32 %r2, %r3, 1000, %r2;\nmad.lo.u32 %r2, %r4, 100000, %r2;\n"
               "selp.u32 %r2, %r2, 0, %p1;\nst.global.u32 [%o], %r2;\n"),
        1, 32);
    for (uint32_t k = 0; k < 32; k++) {
        uint32_t sum = 0, votes = 0, alike = 0;
        for (uint32_t l = k % 3; l < 32; l += 3) sum += l, votes += l < 10, alike += l % 2 == k % 2;
        assert_int_equal(o.out[k], sum + 1000 * votes + 100000 * alike);
    }
}

/* --- Memory --- */
static void addresses_are_checked(void **state) {
    (void)state;
    assert_int_equal(run(KERNEL("", "st.global.u32 [%o+4096], %t;\n"), 1, 32).bounds, 1);
    assert_int_equal(run(KERNEL("", "mov.u64 %d0, 0;\nld.global.u32 %r0, [%d0];\n"), 1, 32).bounds, 1);
    assert_int_equal(
        run(KERNEL("", "ld.global.u32 %r0, [%o+2];\nst.global.u32 [%o], %r0;\n"), 1, 8).misaligned, 1);
    assert_int_equal(run(KERNEL(SHARED, MINE "ld.shared.u32 %r3, [%r1];\nst.global.u32 [%o], %r3;\n"), 1, 32)
                         .uninitialized,
                     1);
    assert_int_equal(run(KERNEL(SHARED, MINE "st.shared.u32 [%r1+1024], %t;\n"), 1, 32).bounds, 1);
    assert_int_equal(
        run(KERNEL(".local .b32 a[4];\n", "mov.u64 %d0, a;\nst.local.u32 [%d0+12], %t;\n"), 1, 32).bounds, 0);
    assert_int_equal(
        run(KERNEL(".local .b32 a[4];\n", "mov.u64 %d0, a;\nst.local.u32 [%d0+64], %t;\n"), 1, 32).bounds, 1);
}

/* Vectors whose lanes lie in groups of rows: a group's elements are not beside each other. */
static void vectors_of_two_dimensional_blocks(void **state) {
    (void)state;
    outcome o = run(KERNEL(".shared .align 16 .b8 s[512];\n",
                           "mul.wide.u32 %d0, %t, 4;\nmov.u64 %d1, s;\nadd.u64 %d0, %d0, %d1;\n"
                           "st.shared.u32 [%d0], %t;\nbar.sync 0;\nand.b32 %r0, %t, 15;\n"
                           "mul.wide.u32 %d0, %r0, 16;\nadd.u64 %d0, %d0, %d1;\n"
                           "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%d0];\nmad.lo.u32 %r1, %r1, 100, %r0;\n"
                           "st.global.u32 [%o], %r1;\n"),
                    1, 64);
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 0; k < 64; k++) assert_int_equal(o.out[k], 4 * (k % 16) + 100 * (4 * (k % 16) + 1));
}

static void generic_addresses_and_initialisers(void **state) {
    (void)state;
    static const char ptx[] = HEADER
        ".global .align 4 .u32 g[4] = {5, 6, 7};\n.const .align 2 .u16 c[2] = {8, 9};\n.global .u64 at = g;\n"
        ".visible .entry k(.param .u64 out)\n{\n.shared .b32 s[32];\n.local .b32 l[2];\n.reg .b32 %t, "
        "%r<8>;\n"
        ".reg .b64 %o, %d<8>;\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %d0, %t, 4;\n"
        "add.u64 %o, %o, %d0;\nmov.u64 %d1, s;\ncvta.shared.u64 %d1, %d1;\nadd.u64 %d1, %d1, %d0;\n"
        "st.u32 [%d1], %t;\nld.u32 %r0, [%d1];\nmov.u64 %d2, l;\ncvta.local.u64 %d2, %d2;\nst.u32 [%d2+4], "
        "%r0;\n"
        "ld.u32 %r1, [%d2+4];\nld.global.u64 %d3, [at];\nld.u32 %r2, [%d3+8];\nld.const.u16 %r3, [c+2];\n"
        "add.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\nst.u32 [%o], %r1;\nret;\n}\n";
    outcome o = run(ptx, 1, 32);
    assert_int_equal(o.status, LS_EMU_DONE);
    for (uint32_t k = 0; k < 32; k++) assert_int_equal(o.out[k], k + 7 + 9);
    assert_int_equal(o.bounds + o.races, 0);
}

static void costs_of_accesses(void **state) {
    (void)state;
    outcome o = run(KERNEL(".shared .align 128 .b32 s[1024];\n",
                           "mov.u32 %r0, s;\nmad.lo.u32 %r1, %t, 128, %r0;\nst.shared.u32 [%r1], %t;\n"),
                    1, 32);
    assert_int_equal(o.banks, 1);
    assert_int_equal(o.worst, 32);
    o = run_with(KERNEL(".shared .align 128 .b32 s[1024];\n",
                        "mov.u32 %r0, s;\nmad.lo.u32 %r1, %t, 64, %r0;\nst.shared.u32 [%r1], %t;\n"),
                 1, 16, (ls_emu_options){.checks = LS_CHECK_ALL, .warp_size = 16, .banks = 16, .threads = 1});
    assert_int_equal(o.worst, 16);
    assert_int_equal(
        run(KERNEL("", "mul.wide.u32 %d0, %i, 32;\nadd.u64 %d0, %d0, %base;\nst.global.u32 [%d0], %t;\n"), 1,
            32)
            .uncoalesced,
        1);
    assert_int_equal(run(KERNEL("", "st.global.u32 [%o], %t;\n"), 1, 64).uncoalesced, 0);
}

/* Addresses of 32 bits, which is what a module without .address_size has, too. */
static void modules_with_short_addresses(void **state) {
    (void)state;
    static const char *const headers[] = {".version 3.0\n.target sm_20\n.address_size 32\n",
                                          ".version 2.0\n.target sm_20\n"};
    static const char body[] =
        ".global .align 4 .u32 g[2] = {1, 20};\n.entry k(.param .u32 out, .param .u32 unused)\n{\n"
        ".shared .align 4 .b8 s[128];\n.reg .u32 %r<9>;\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\n"
        "mov.u32 %r3, s;\nadd.u32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;\nbar.sync 0;\nxor.b32 %r5, %r2, "
        "64;\n"
        "add.u32 %r4, %r3, %r5;\nld.shared.u32 %r6, [%r4];\nmov.u32 %r7, g;\nld.global.u32 %r8, [%r7+4];\n"
        "add.u32 %r6, %r6, %r8;\nld.param.u32 %r3, [out];\nadd.u32 %r3, %r3, %r2;\nst.global.u32 [%r3], "
        "%r6;\n"
        "exit;\n}\n";
    for (size_t h = 0; h < sizeof headers / sizeof *headers; h++) {
        char ptx[2048];
        snprintf(ptx, sizeof ptx, "%s%s", headers[h], body);
        outcome o = run(ptx, 1, 32);
        assert_int_equal(o.status, LS_EMU_DONE);
        for (uint32_t k = 0; k < 32; k++) assert_int_equal(o.out[k], (k ^ 16) + 20);
        assert_int_equal(o.races + o.bounds, 0);
    }
}

static void what_is_not_there_stops_the_run(void **state) {
    (void)state;
    outcome o = run(KERNEL("", "tex.1d.v4.f32.s32 {%r0, %r1, %r2, %r3}, [%base, {%t}];\n"), 1, 32);
    assert_int_equal(o.status, LS_EMU_UNSUPPORTED);
    assert_non_null(strstr(o.message, "tex"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divergent_loops_end_right_for_every_warp_size),
        cmocka_unit_test(exits_inside_of_divergence),
        cmocka_unit_test(brx_goes_everywhere),
        cmocka_unit_test(lanes_that_spin_let_the_others_go_on),
        cmocka_unit_test(products_count_as_many_instructions),
        cmocka_unit_test(recursion_and_indirect_calls),
        cmocka_unit_test(functions_in_initialisers),
        cmocka_unit_test(barriers_exchange_between_warps),
        cmocka_unit_test(a_missing_barrier_is_a_race_at_both_lines),
        cmocka_unit_test(races_within_a_warp),
        cmocka_unit_test(writes_to_one_word),
        cmocka_unit_test(bytes_beside_each_other_do_not_race),
        cmocka_unit_test(different_barriers_are_reported),
        cmocka_unit_test(different_iterations_are_reported),
        cmocka_unit_test(a_stuck_launch_ends),
        cmocka_unit_test(named_barriers_with_counts),
        cmocka_unit_test(reductions_at_barriers),
        cmocka_unit_test(shuffles),
        cmocka_unit_test(a_shuffle_waits_for_its_lanes),
        cmocka_unit_test(votes_and_matches),
        cmocka_unit_test(groups_of_one_instruction),
        cmocka_unit_test(addresses_are_checked),
        cmocka_unit_test(vectors_of_two_dimensional_blocks),
        cmocka_unit_test(generic_addresses_and_initialisers),
        cmocka_unit_test(costs_of_accesses),
        cmocka_unit_test(modules_with_short_addresses),
        cmocka_unit_test(what_is_not_there_stops_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
