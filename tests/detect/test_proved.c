/* Which accesses the emulator need not check for races, and which it must: each kernel is run with proofs and
 * without, and finds the same. */
#include <stdarg.h>

#include "base/buf.h"
#include "emulate/proved.h"
#include "lockstep/detect.h"
#include "lockstep/emulate.h"

#include <setjmp.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 64, THREADS = 256 };

/* The kernel has `in` and `out`, four bytes for each thread, and %rd5, %rd6: the thread's own places in them.
 */
static const char HEAD[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
    ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .shared .align 4 .b8 s[1024]; %s\n"
    "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
    "mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd4, %r4, 4;\n"
    "add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; mov.u64 %rd7, s; mul.wide.u32 %rd8, %r1, 4;\n"
    "add.s64 %rd9, %rd7, %rd8;\n";

typedef struct {
    const char *more, *body; /* declarations, and the code behind HEAD */
    uint32_t accesses, spared;
    uint32_t dynamic; /* bytes of shared memory that come with the launch */
} sample;

typedef struct {
    ls_buf findings;
    uint32_t accesses, spared;
} outcome;

static outcome run(const ls_ptx_module *module, uint32_t dynamic, ls_diags *diags, uint32_t checks,
                   const ls_emu_prover *prover) {
    outcome o = {0};
    ls_emulator *e = ls_emulator_new(module, diags);
    const uint64_t bytes = (uint64_t)4 * BLOCKS * THREADS;
    uint64_t params[] = {ls_emulator_alloc(e, bytes, "in"), ls_emulator_alloc(e, bytes, "out")};
    for (uint32_t k = 0; k < BLOCKS * THREADS; k++) ((uint32_t *)(uintptr_t)params[0])[k] = k / 2;
    ls_emu_launch launch = {.kernel = "k",
                            .grid = {BLOCKS, 1, 1},
                            .block = {THREADS, 1, 1},
                            .shared_bytes = dynamic,
                            .params = params,
                            .params_size = sizeof params};
    ls_emu_result *r =
        ls_emulator_run(e, &launch, &(ls_emu_options){.checks = checks, .threads = 1, .prover = prover});
    o.accesses = r->accesses;
    o.spared = r->spared;
    for (uint32_t k = 0; k < r->finding_count; k++)
        ls_buf_printf(&o.findings, "%s %llu %s\n", ls_rule_get(r->findings[k].rule)->name,
                      (unsigned long long)r->findings[k].count, r->findings[k].message);
    ls_emu_result_free(r);
    ls_emulator_free(e);
    return o;
}

static void compare(const sample *x, uint32_t checks, uint32_t spared) {
    ls_buf text = {0};
    ls_diags *diags = ls_diags_new();
    for (const char *at = HEAD; *at; at++)
        if (at[0] == '%' && at[1] == 's' && at[2] == '\n')
            ls_buf_add(&text, x->more, strlen(x->more)), at++;
        else
            ls_buf_add(&text, at, 1);
    ls_buf_printf(&text, "%s\nret;\n}\n", x->body);
    ls_ptx_module *module = ls_ptx_parse(ls_buf_text(&text), text.length, "k.ptx", diags);
    assert_non_null(module);
    outcome with = run(module, x->dynamic, diags, checks, ls_detect_prover()),
            without = run(module, x->dynamic, diags, checks, NULL);
    assert_int_equal(with.accesses, x->accesses);
    assert_int_equal(with.spared, spared);
    assert_int_equal(without.spared, 0);
    assert_string_equal(ls_buf_text(&with.findings), ls_buf_text(&without.findings));
    ls_buf_free(&with.findings), ls_buf_free(&without.findings), ls_buf_free(&text);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
}

/* With races alone, and with everything. */
static void both(const sample *x) {
    compare(x, LS_CHECK_RACE, x->spared);
    compare(x, LS_CHECK_ALL, x->spared);
}

static void own_elements(void **state) {
    (void)state;
    both(&(sample){"", "ld.global.u32 %r5, [%rd5]; st.global.u32 [%rd6], %r5;", 2, 2});
}

static void between_barriers(void **state) {
    (void)state;
    both(&(sample){"",
                   "st.shared.u32 [%rd9], %r1; bar.sync 0; xor.b32 %r5, %r1, 1; mul.wide.u32 %rd10, %r5, 4;\n"
                   "add.s64 %rd10, %rd7, %rd10; ld.shared.u32 %r6, [%rd10]; st.global.u32 [%rd6], %r6;",
                   3, 3});
}

/* How often a loop is gone through is known from a counter that goes down; once the last turn is beyond the
 * end. */
static void turns(void **state) {
    (void)state;
    for (int beyond = 0; beyond < 2; beyond++) {
        ls_buf body = {0};
        ls_buf_printf(
            &body,
            "mov.u32 %%r7, 4; add.s32 %%r8, %%r1, %d; L: mul.wide.u32 %%rd10, %%r8, 4;\n"
            "add.s64 %%rd10, %%rd1, %%rd10; ld.global.u32 %%r9, [%%rd10]; add.s32 %%r8, %%r8, 256;\n"
            "add.s32 %%r7, %%r7, -1; setp.ne.s32 %%p1, %%r7, 0; @%%p1 bra L; st.global.u32 [%%rd6], %%r9;",
            (BLOCKS - 4 + beyond) * THREADS);
        both(&(sample){"", ls_buf_text(&body), 2, beyond ? 0 : 2});
        ls_buf_free(&body);
    }
}

/* An index that is extended by two shifts; once it is beyond the end for the last thread. */
static void extended_index(void **state) {
    (void)state;
    for (int beyond = 0; beyond < 2; beyond++) {
        ls_buf body = {0};
        ls_buf_printf(&body,
                      "add.s32 %%r7, %%r4, %d; cvt.u64.u32 %%rd10, %%r7; shl.b64 %%rd10, %%rd10, 32;\n"
                      "shr.s64 %%rd10, %%rd10, 30; add.s64 %%rd11, %%rd2, %%rd10;\n"
                      "ld.global.u32 %%r5, [%%rd5]; st.global.u32 [%%rd11], %%r5;",
                      beyond);
        both(&(sample){"", ls_buf_text(&body), 2, beyond ? 0 : 2});
        ls_buf_free(&body);
    }
}

/* An index that comes from two ways: the same on both, or one more on one of them, which is a race. */
static void joined_ways(void **state) {
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        ls_buf body = {0};
        ls_buf_printf(&body,
                      "setp.lt.u32 %%p1, %%r1, 20; @%%p1 bra A; mov.u32 %%r8, %%r4; bra B;\n"
                      "A: add.s32 %%r8, %%r4, %d; B: mul.wide.u32 %%rd10, %%r8, 4;\n"
                      "add.s64 %%rd10, %%rd2, %%rd10; st.global.u32 [%%rd10], %%r1;",
                      apart);
        both(&(sample){"", ls_buf_text(&body), 1, apart ? 0 : 1});
        ls_buf_free(&body);
    }
}

/* A pointer that goes on by a block's elements in each turn, as often as a counter says that starts with the
 * thread; once the last turn is beyond the end. */
static void strided_pointer(void **state) {
    (void)state;
    for (int beyond = 0; beyond < 2; beyond++) {
        ls_buf body = {0};
        ls_buf_printf(&body,
                      "mov.u32 %%r7, %%r1; add.s64 %%rd10, %%rd1, %%rd8; L: ld.global.u32 %%r9, [%%rd10];\n"
                      "add.s32 %%r7, %%r7, 256; add.s64 %%rd10, %%rd10, 1024; setp.lt.s32 %%p1, %%r7, %d;\n"
                      "@%%p1 bra L; st.global.u32 [%%rd6], %%r9;",
                      (BLOCKS + beyond) * THREADS);
        both(&(sample){"", ls_buf_text(&body), 2, beyond ? 0 : 2});
        ls_buf_free(&body);
    }
}

/* The same with writes: elements of their own, or of others, which is a race. */
static void strided_writes(void **state) {
    (void)state;
    for (int others = 0; others < 2; others++) {
        ls_buf body = {0};
        ls_buf_printf(&body,
                      "setp.ge.u32 %%p1, %%r1, 128; @%%p1 bra E; mov.u64 %%rd10, 0;\n"
                      "L: add.s64 %%rd11, %%rd9, %%rd10; st.shared.u32 [%%rd11], %%r1;\n"
                      "add.s64 %%rd10, %%rd10, %d; cvt.u32.u64 %%r7, %%rd10; setp.ne.s32 %%p2, %%r7, %d;\n"
                      "@%%p2 bra L; E:",
                      others ? 256 : 512, others ? 512 : 1024);
        compare(&(sample){"", ls_buf_text(&body), 1, 0}, LS_CHECK_RACE, !others);
        ls_buf_free(&body);
    }
}

/* What a mask of all bits leaves is the index itself. */
static void masked_index(void **state) {
    (void)state;
    both(&(sample){"",
                   "cvt.u64.u32 %rd10, %r4; and.b64 %rd10, %rd10, 4294967295; shl.b64 %rd10, %rd10, 2;\n"
                   "add.s64 %rd10, %rd2, %rd10; st.global.u32 [%rd10], %r1;",
                   1, 1});
}

/* A conversion that reads a part of a register is the index only where that is all of it. */
static void short_conversions(void **state) {
    (void)state;
    static const char *const kinds[] = {"cvt.u64.u8", "cvt.u64.u16", "cvt.u64.u32"};
    for (uint32_t i = 0; i < 3; i++) {
        ls_buf body = {0};
        ls_buf_printf(&body,
                      "%s %%rd10, %%r4; shl.b64 %%rd10, %%rd10, 2; add.s64 %%rd10, %%rd2, %%rd10;\n"
                      "st.global.u32 [%%rd10], %%r4;",
                      kinds[i]);
        both(&(sample){"", ls_buf_text(&body), 1, i > 0});
        ls_buf_free(&body);
    }
}

/* A comparison of short numbers takes the upper half of them for negative: threads from 128 on get there. */
static void short_comparisons(void **state) {
    (void)state;
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        ls_buf body = {0};
        ls_buf_printf(
            &body,
            "shl.b32 %%r5, %%r1, 8; cvt.u16.u32 %%h1, %%r5; setp.lt.%s %%p1, %%h1, 512;\n"
            "and.b32 %%r6, %%r1, 127; mul.wide.u32 %%rd10, %%r6, 4; add.s64 %%rd10, %%rd7, %%rd10;\n"
            "@!%%p1 bra E; st.shared.u32 [%%rd10], %%r1; E:",
            is_signed ? "s16" : "u16");
        both(&(sample){".reg .b16 %h<2>;", ls_buf_text(&body), 1, !is_signed});
        ls_buf_free(&body);
    }
}

/* A write that may go anywhere could meet any read. */
static void stray_writes(void **state) {
    (void)state;
    both(&(sample){"",
                   "ld.global.u32 %r5, [%rd5]; mul.wide.u32 %rd10, %r5, 4; add.s64 %rd10, %rd2, %rd10;\n"
                   "st.global.u32 [%rd10], %r1;",
                   2, 0});
}

/* One that leaves its shared variable could meet the other one's. */
static void other_variables(void **state) {
    (void)state;
    both(&(sample){
        ".shared .align 4 .b8 t[1024];",
        "st.shared.u32 [%rd9], %r1; ld.global.u32 %r5, [%rd5]; mul.wide.u32 %rd10, %r5, 4;\n"
        "mov.u64 %rd11, t; add.s64 %rd10, %rd11, %rd10; bar.sync 0; ld.shared.u32 %r6, [%rd10-1024];",
        3, 1});
}

/* What leaves the only one is not carried out, but with dynamic memory behind it it may be. */
static void only_variable(void **state) {
    (void)state;
    for (uint32_t dynamic = 0; dynamic <= 4096; dynamic += 4096)
        both(&(sample){"",
                       "st.shared.u32 [%rd9], %r1; ld.global.u32 %r5, [%rd5]; mul.wide.u32 %rd10, %r5, 4;\n"
                       "add.s64 %rd10, %rd7, %rd10; bar.sync 0; ld.shared.u32 %r6, [%rd10];",
                       3, dynamic ? 1 : 3, dynamic});
}

/* Some of the block's threads do not come to the barrier, and go on. */
static void lonely_barriers(void **state) {
    (void)state;
    both(&(sample){
        "",
        "setp.lt.u32 %p1, %r1, 128; @%p1 bra A; bar.sync 0; A: st.shared.u32 [%rd9], %r1; bar.sync 0;\n"
        "xor.b32 %r5, %r1, 128; mul.wide.u32 %rd10, %r5, 4; add.s64 %rd10, %rd7, %rd10;\n"
        "ld.shared.u32 %r6, [%rd10];",
        2, 0});
}

/* No barrier in between: a race, which is found. */
static void races(void **state) {
    (void)state;
    both(&(sample){"",
                   "st.shared.u32 [%rd9], %r1; xor.b32 %r5, %r1, 32; mul.wide.u32 %rd10, %r5, 4;\n"
                   "add.s64 %rd10, %rd7, %rd10; ld.shared.u32 %r6, [%rd10];",
                   2, 0});
}

/* Nothing races, but half of it is read without having been written. */
static void contents(void **state) {
    (void)state;
    const sample x = {"",
                      "setp.lt.u32 %p1, %r1, 128; @%p1 st.shared.u32 [%rd9], %r1; bar.sync 0;\n"
                      "ld.shared.u32 %r6, [%rd9];",
                      2, 2};
    compare(&x, LS_CHECK_RACE, 2);
    compare(&x, LS_CHECK_ALL, 0);
}

/* Who is checked all the same must see what was written. */
static void strong_reads(void **state) {
    (void)state;
    const sample x = {"", "st.shared.u32 [%rd9], %r1; bar.sync 0; ld.volatile.shared.u32 %r6, [%rd9];", 2, 1};
    compare(&x, LS_CHECK_RACE, 1);
    compare(&x, LS_CHECK_ALL, 0);
}

/* A barrier on whose way a value decides that others may change at any time. */
static void signals(void **state) {
    (void)state;
    both(
        &(sample){"",
                  "ld.volatile.global.u32 %r5, [%rd1]; setp.ne.u32 %p1, %r5, 0; @%p1 bra A; bar.sync 0;\n"
                  "st.shared.u32 [%rd9], %r1; bar.sync 0; xor.b32 %r6, %r1, 32; mul.wide.u32 %rd10, %r6, 4;\n"
                  "add.s64 %rd10, %rd7, %rd10; ld.shared.u32 %r7, [%rd10]; A: st.global.u32 [%rd6], %r1;",
                  4, 1});
}

/* A bitonic sort of 512 short numbers, two by each thread: where they are is worked out by going through a
 * block, and that all of them were written at first. Whether they are exchanged hangs on what they are. */
typedef struct {
    const char *other_half, *mask; /* the store to it; how much less one the distance is */
} sorting;

static void sort(const sorting *how, uint32_t accesses, uint32_t races, uint32_t all) {
    ls_buf body = {0};
    ls_buf_printf(
        &body,
        "cvt.u16.u32 %%h1, %%r1; mul.wide.u32 %%rd10, %%r1, 2; add.s64 %%rd10, %%rd7, %%rd10;\n"
        "st.shared.u16 [%%rd10], %%h1; %s mov.u32 %%r5, 256;\n"
        "L: bar.sync 0; sub.s32 %%r6, %%r5, %s; and.b32 %%r6, %%r1, %%r6; shl.b32 %%r7, %%r1, 1;\n"
        "sub.s32 %%r7, %%r7, %%r6; mul.wide.u32 %%rd10, %%r7, 2; add.s64 %%rd10, %%rd7, %%rd10;\n"
        "mul.wide.u32 %%rd11, %%r5, 2; add.s64 %%rd11, %%rd10, %%rd11; ld.shared.u16 %%h2, [%%rd10];\n"
        "ld.shared.u16 %%h3, [%%rd11]; setp.gt.u16 %%p1, %%h2, %%h3; @!%%p1 bra M;\n"
        "st.shared.u16 [%%rd10], %%h3; st.shared.u16 [%%rd11], %%h2; M: shr.u32 %%r5, %%r5, 1;\n"
        "setp.ne.u32 %%p2, %%r5, 0; @%%p2 bra L;",
        how->other_half, how->mask);
    const sample x = {".reg .b16 %h<4>;", ls_buf_text(&body), accesses, 0};
    compare(&x, LS_CHECK_RACE, races);
    compare(&x, LS_CHECK_ALL, all);
    ls_buf_free(&body);
}

static void rehearsed(void **state) {
    (void)state;
    sort(&(sorting){"st.shared.u16 [%rd10+512], %h1;", "1"}, 6, 6, 6);
    sort(&(sorting){"", "1"}, 5, 5, 0);                                /* half of it was never written */
    sort(&(sorting){"st.shared.u16 [%rd10+512], %h1;", "0"}, 6, 0, 0); /* threads meet */
}

/* --- Launches after each other --- */
static uint32_t asked;
static void count_question(const em_question *q, void (*spare)(void *context, const ls_ptx_instr *instr),
                           void *context, em_ground *ground) {
    asked++;
    ls_detect_prover()->prove(q, spare, context, ground);
}
static bool still_holds(const em_ground *ground, const em_question *q) {
    return ls_detect_prover()->holds(ground, q);
}

typedef struct {
    uint64_t in, out;
    uint32_t shift;
} shifted;

static uint32_t launch_shifted(ls_emulator *e, const shifted *params, const ls_emu_prover *prover,
                               ls_buf *findings) {
    const ls_emu_launch launch = {
        .kernel = "k", .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .params = params, .params_size = 20};
    ls_emu_result *r = ls_emulator_run(
        e, &launch,
        &(ls_emu_options){.checks = LS_CHECK_RACE | LS_CHECK_BOUNDS, .threads = 1, .prover = prover});
    const uint32_t spared = r->spared;
    for (uint32_t k = 0; k < r->finding_count; k++)
        ls_buf_printf(findings, "%s %llu %s\n", ls_rule_get(r->findings[k].rule)->name,
                      (unsigned long long)r->findings[k].count, r->findings[k].message);
    ls_emu_result_free(r);
    return spared;
}

/* What was proved of a launch is good for another one with memory elsewhere, and not where the memory
 * overlaps, is smaller, or a number is another one. */
static void launches_again(void **state) {
    (void)state;
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 shift) {\n"
        ".reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
        "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [shift]; mov.u32 %r2, %tid.x;\n"
        "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.s32 %r5, %r3, %r4, %r2; add.s32 %r6, %r5, %r1;\n"
        "mul.wide.s32 %rd3, %r5, 4; mul.wide.s32 %rd4, %r6, 4; add.s64 %rd5, %rd1, %rd4;\n"
        "add.s64 %rd6, %rd2, %rd3; ld.global.u32 %r7, [%rd5]; st.global.u32 [%rd6], %r7;\nret;\n}\n";
    const ls_emu_prover prover = {.prove = count_question, .holds = still_holds};
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, sizeof text - 1, "k.ptx", diags);
    ls_emulator *e = ls_emulator_new(module, diags);
    const uint64_t bytes = (uint64_t)4 * BLOCKS * THREADS;
    uint64_t at[5];
    for (int k = 0; k < 5; k++) at[k] = ls_emulator_alloc(e, k == 4 ? bytes / 2 : bytes, "memory");
    const struct {
        shifted params;
        uint32_t asked, spared;
        bool finds;
    } steps[] = {
        {{at[0], at[1], 0}, 1, 2, false}, {{at[0], at[1], 0}, 1, 2, false},
        {{at[2], at[3], 0}, 1, 2, false}, {{at[0], at[0], 0}, 2, 2, false},
        {{at[0], at[0], 1}, 3, 0, true},  {{at[0], at[0] + 4, 0}, 4, 0, true},
        {{at[2], at[4], 0}, 5, 0, true},  {{at[3], at[1], 0}, 5, 2, false},
        {{at[1], at[1], 1}, 5, 0, true},
    };
    asked = 0;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        ls_buf with = {0}, without = {0};
        const uint32_t spared = launch_shifted(e, &steps[k].params, &prover, &with);
        launch_shifted(e, &steps[k].params, NULL, &without);
        assert_int_equal(asked, steps[k].asked);
        if (!steps[k].finds) assert_int_equal(spared, steps[k].spared);
        assert_string_equal(ls_buf_text(&with), ls_buf_text(&without));
        assert_int_equal(with.length != 0, steps[k].finds);
        ls_buf_free(&with), ls_buf_free(&without);
    }
    ls_emulator_free(e);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(own_elements),
                                       cmocka_unit_test(between_barriers),
                                       cmocka_unit_test(turns),
                                       cmocka_unit_test(extended_index),
                                       cmocka_unit_test(joined_ways),
                                       cmocka_unit_test(strided_pointer),
                                       cmocka_unit_test(strided_writes),
                                       cmocka_unit_test(masked_index),
                                       cmocka_unit_test(short_conversions),
                                       cmocka_unit_test(short_comparisons),
                                       cmocka_unit_test(stray_writes),
                                       cmocka_unit_test(other_variables),
                                       cmocka_unit_test(only_variable),
                                       cmocka_unit_test(lonely_barriers),
                                       cmocka_unit_test(races),
                                       cmocka_unit_test(contents),
                                       cmocka_unit_test(strong_reads),
                                       cmocka_unit_test(signals),
                                       cmocka_unit_test(rehearsed),
                                       cmocka_unit_test(launches_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
