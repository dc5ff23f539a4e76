/* Random kernels, checked by the detector and by the emulator's race checker on the same launch. Whatever the
 * detector calls a race must be one for the checker (no false alarms), and where there is none memory must be
 * as after a plain launch. Races that values do not show are missed, so the other direction is only counted.
 * What is found when everything is checked must be found also where race-free memory and intervals are left
 * out.
 */
#include "base/buf.h"
#include "detect/device.h"
#include "lockstep/detect.h"
#include "lockstep/emulate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK = 96, BLOCKS = 2, WORDS = 128, DATA = 256, KERNELS = 300 };

static uint64_t random_state;

static uint32_t next_random(uint32_t below) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

/* --- Kernels: loads, stores, barriers, conditions and loops over a shared and a global array ---------------
 */

typedef struct {
    ls_buf text;
    uint32_t labels;
    bool uniform; /* not inside of a condition on tid: a barrier may stand here */
    bool copies;  /* by cp.async, too */
} writer;

/* Bits of something, times a factor, and the thread's number or its lane or warp. */
static void put_bounded_index(writer *w, uint32_t words) {
    static const char *const unknown[] = {"%v", "%y", "%i0", "%b", "%t"};
    static const uint32_t factors[] = {96, 64, 32, 1, 70, 128};
    static const char *const threads[] = {"\tmov.u32 %z, %t;\n", "\tand.b32 %z, %t, 31;\n",
                                          "\tshr.u32 %z, %t, 5;\n", "\tshl.b32 %z, %t, 1;\n"};
    ls_buf_puts(&w->text, threads[next_random(4)]);
    uint32_t most = next_random(2), factor = factors[next_random(6)];
    while ((most * factor + 2 * BLOCK) * 4 > words * 4 && most) most--;
    ls_buf_printf(&w->text, "\tand.b32 %%x, %s, %u;\n\tmad.lo.u32 %%x, %%x, %u, %%z;\n",
                  unknown[next_random(5)], most, factor);
    ls_buf_printf(&w->text, "\tmin.u32 %%x, %%x, %u;\n\tshl.b32 %%x, %%x, 2;\n", words - 1);
}

/* A loop's counter as the index: x = tid, tid + step, … below a limit; one of them is used. */
static void put_counter_index(writer *w, uint32_t words) {
    static const uint32_t steps[] = {96, 70, 64, 32, 1};
    uint32_t label = w->labels++, step = steps[next_random(5)];
    uint32_t limit = next_random(words) + 1;
    ls_buf_printf(&w->text,
                  "\tmov.u32 %%z, %%t;\nCOUNT%u:\n\tmov.u32 %%x, %%z;\n\tadd.u32 %%z, %%z, %u;\n"
                  "\tsetp.lt.u32 %%q, %%z, %u;\n\tshl.b32 %%x, %%x, 2;\n",
                  label, step, limit);
    ls_buf_printf(&w->text, "\t@%%q bra COUNT%u;\n", label);
}

/* %idx = (a·tid + b + i·c) mod words, in bytes; mostly the thread's own place. */
static void put_index(writer *w, uint32_t words) {
    static const uint32_t factors[] = {1, 1, 1, 1, 3, 5, 0, 2};
    uint32_t form = next_random(6);
    if (form == 0) put_bounded_index(w, words);
    if (form == 1) put_counter_index(w, words);
    if (form < 2) return;
    uint32_t factor = factors[next_random(8)], add = next_random(3) ? 0 : next_random(words);
    ls_buf_printf(&w->text,
                  "\tmad.lo.u32 %%x, %%t, %u, %u;\n\tand.b32 %%x, %%x, %u;\n\tshl.b32 %%x, %%x, 2;\n", factor,
                  add, words - 1);
}

/* A copy of the thread's own word of `out`, the end of a group, or a wait. */
static void put_copy(writer *w) {
    static const char *const groups[] = {"commit_group", "commit_group", "wait_group 0",
                                         "wait_group 1", "wait_group 2", "wait_all"};
    if (next_random(2)) {
        ls_buf_printf(&w->text, "\tcp.async.%s;\n", groups[next_random(6)]);
        return;
    }
    put_index(w, WORDS);
    ls_buf_puts(&w->text, "\tadd.u32 %x, %x, %s;\n\tcp.async.ca.shared.global [%x], [%own], 4;\n");
}

static void put_access(writer *w) {
    if (w->copies && next_random(3) == 0) {
        put_copy(w);
        return;
    }
    bool shared = next_random(3) > 0, store = next_random(2);
    put_index(w, shared ? WORDS : DATA);
    if (shared)
        ls_buf_puts(&w->text, "\tadd.u32 %x, %x, %s;\n");
    else
        ls_buf_puts(&w->text, "\tcvt.u64.u32 %l, %x;\n\tadd.u64 %l, %l, %data;\n");
    const char *space = shared ? "shared" : "global", *at = shared ? "%x" : "%l";
    if (store)
        ls_buf_printf(&w->text, "\tadd.u32 %%v, %%v, %u;\n\tst.%s.u32 [%s], %%v;\n", 1 + next_random(1000),
                      space, at);
    else
        ls_buf_printf(&w->text, "\tld.%s.u32 %%y, [%s];\n\tmad.lo.u32 %%v, %%v, 3, %%y;\n", space, at);
}

static void put_statements(writer *w, uint32_t depth);

static void put_condition(writer *w, uint32_t depth) {
    uint32_t label = w->labels++;
    bool uniform = w->uniform, by_block = next_random(3) == 0;
    static const char *const comparisons[] = {"lt", "lt", "ge", "eq", "ne", "le"};
    ls_buf_printf(&w->text, "\tsetp.%s.u32 %%p%u, %s, %u;\n\t@!%%p%u bra SKIP%u;\n",
                  by_block ? "lt" : comparisons[next_random(6)], depth, by_block ? "%b" : "%t",
                  by_block ? 1 : next_random(BLOCK), depth, label);
    w->uniform = uniform && by_block;
    put_statements(w, depth + 1);
    w->uniform = uniform;
    ls_buf_printf(&w->text, "SKIP%u:\n", label);
}

static void put_loop(writer *w, uint32_t depth) {
    uint32_t label = w->labels++;
    ls_buf_printf(&w->text, "\tmov.u32 %%i%u, 0;\nLOOP%u:\n", depth, label);
    put_statements(w, depth + 1);
    ls_buf_printf(&w->text,
                  "\tadd.u32 %%i%u, %%i%u, 1;\n\tsetp.lt.u32 %%p%u, %%i%u, %u;\n\t@%%p%u bra LOOP%u;\n",
                  depth, depth, depth, depth, 2 + next_random(2), depth, label);
}

static void put_statements(writer *w, uint32_t depth) {
    uint32_t count = 1 + next_random(depth ? 3 : 7);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t what = next_random(12);
        if (what < 6 || (depth >= 3 && what >= 9))
            put_access(w);
        else if (what < 9)
            ls_buf_puts(&w->text, w->uniform ? "\tbar.sync 0;\n" : "\txor.b32 %v, %v, 5;\n");
        else if (what < 11)
            put_condition(w, depth);
        else
            put_loop(w, depth);
    }
}

/* The first interval fills the shared array, with a block of that many threads. */
static ls_buf make_kernel(uint64_t seed, uint32_t block, bool copies) {
    writer w = {.uniform = true, .copies = copies};
    random_state = seed * 2654435761u + 17;
    ls_buf_printf(
        &w.text,
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 data, .param .u64 "
        "out)\n{\n"
        "\t.reg .u32 %%t, %%b, %%x, %%y, %%z, %%v, %%s, %%i<4>;\n\t.reg .u64 %%l, %%data, %%out, %%own;\n"
        "\t.reg .pred %%q, %%p<4>;\n\t.shared .align 4 .b8 array[%d];\n"
        "\tld.param.u64 %%data, [data];\n\tld.param.u64 %%out, [out];\n"
        "\tcvta.to.global.u64 %%data, %%data;\n\tcvta.to.global.u64 %%out, %%out;\n"
        "\tmov.u32 %%y, 0;\n\tmov.u32 %%i0, 0;\n\tmov.u32 %%t, %%tid.x;\n\tmov.u32 %%b, "
        "%%ctaid.x;\n\tmov.u32 %%s, array;\n"
        "\tshl.b32 %%x, %%t, 2;\n\tadd.u32 %%x, %%x, %%s;\n\tmov.u32 %%v, 0;\n\tst.shared.u32 [%%x], %%v;\n"
        "\tsetp.lt.u32 %%p0, %%t, %d;\n\t@%%p0 st.shared.u32 [%%x+%d], %%v;\n"
        "\tmad.lo.u32 %%x, %%b, %d, %%t;\n\tmul.wide.u32 %%l, %%x, 4;\n\tadd.u64 %%own, %%l, %%out;\n"
        "\tmad.lo.u32 %%v, %%t, 7, %%b;\n\tbar.sync 0;\n",
        WORDS * 4, WORDS - block, block * 4, BLOCK);
    put_statements(&w, 0);
    ls_buf_printf(&w.text, "%s\tst.global.u32 [%%own], %%v;\n\tret;\n}\n",
                  copies ? "\tcp.async.wait_all;\n" : "");
    return w.text;
}

/* --- The two of them ---------------------------------------------------------------------------------------
 */

typedef struct {
    uint32_t data[DATA], out[BLOCK * BLOCKS];
} memory;

static void fill(memory *m) {
    for (uint32_t i = 0; i < DATA; i++) m->data[i] = i * 2654435761u;
    memset(m->out, 0, sizeof m->out);
}

/* What the emulator has found and, with proofs, how many accesses it did not check. */
typedef struct {
    ls_buf text;
    bool racy;
    uint32_t spared;
} outcome;

static outcome emulate_as(const ls_buf *ptx, memory *m, uint32_t block, const ls_emu_options *how) {
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(ptx->text, ptx->length, "k.ptx", diags);
    assert_non_null(module);
    ls_emulator *emulator = ls_emulator_new(module, diags);
    uint64_t params[2] = {(uint64_t)(uintptr_t)m->data, (uint64_t)(uintptr_t)m->out};
    ls_emulator_map(emulator, m->data, sizeof m->data, "data");
    ls_emulator_map(emulator, m->out, sizeof m->out, "out");
    ls_emu_launch launch = {.kernel = "k",
                            .grid = {BLOCKS, 1, 1},
                            .block = {block, 1, 1},
                            .params = params,
                            .params_size = sizeof params};
    ls_emu_result *r = ls_emulator_run(emulator, &launch, how);
    assert_int_equal(r->status, LS_EMU_DONE);
    outcome out = {.spared = r->spared};
    for (uint32_t i = 0; i < r->finding_count; i++) {
        const ls_finding *f = &r->findings[i];
        out.racy |= f->rule == LS_RULE_RACE_SHARED || f->rule == LS_RULE_RACE_GLOBAL;
        ls_buf_printf(&out.text, "%u: %s, %llu times\n", f->place.line, f->message,
                      (unsigned long long)f->count);
    }
    ls_emu_result_free(r);
    ls_emulator_free(emulator);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    return out;
}

/* Whether the emulator's checker finds a race. */
static bool emulate(const ls_buf *ptx, memory *m, uint32_t block) {
    outcome all = emulate_as(
        ptx, m, block, &(ls_emu_options){.checks = LS_CHECK_RACE, .warp_synchronous = true, .threads = 1});
    ls_buf_free(&all.text);
    return all.racy;
}

static ls_detect_result *detect(const ls_buf *ptx, memory *m, uint32_t block, bool redux, uint64_t schedule,
                                const ls_detect_options *options) {
    ls_diags *diags = ls_diags_new();
    ls_detect_device *device = ls_detect_emulator(diags);
    device->has_redux = redux; /* old GPUs have none */
    ls_detect_emulator_schedule(device, schedule);
    uint64_t params[2] = {(uint64_t)(uintptr_t)m->data, (uint64_t)(uintptr_t)m->out};
    ls_detect_buffer buffers[] = {{params[0], sizeof m->data, NULL}, {params[1], sizeof m->out, NULL}};
    ls_detect_launch launch = {.kernel = "k",
                               .grid = {BLOCKS, 1, 1},
                               .block = {block, 1, 1},
                               .params = params,
                               .params_size = sizeof params,
                               .buffers = buffers,
                               .buffer_count = 2};
    ls_detect_result *r = ls_detect_check(device, ptx->text, ptx->length, "k.ptx", &launch, options, diags);
    ls_detect_device_free(device);
    ls_diags_free(diags);
    return r;
}

static void fail_with(const char *what, uint64_t seed, const ls_buf *ptx, const ls_detect_result *r) {
    fprintf(stderr, "seed %llu: %s\n%s", (unsigned long long)seed, what, ptx->text);
    for (const ls_finding *f = r->findings; f; f = f->next)
        fprintf(stderr, "%s, lines %u and %u\n", f->message, f->place.line, ls_finding_other(f)->line);
    fail();
}

/* Passes that differ without a race are no alarm, but the detector's own fault. */
static bool passes_differ(const ls_detect_result *r) {
    for (uint32_t i = 0; i < r->unchecked_count; i++)
        if (strstr(r->unchecked[i].reason, "differ")) return true;
    return false;
}

static void no_false_alarms(void **state) {
    (void)state;
    uint32_t racy = 0, found = 0, clean = 0;
    uint64_t first = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : 1;
    uint64_t count = getenv("COUNT") ? strtoull(getenv("COUNT"), NULL, 10) : KERNELS;
    for (uint64_t seed = first; seed < first + count; seed++) {
        uint32_t block = seed % 4 ? BLOCK : BLOCK - 26; /* the last warp not full */
        ls_buf ptx = make_kernel(seed, block, false);
        memory plain, checked, fully;
        fill(&plain), fill(&checked), fill(&fully);
        bool is_racy = emulate(&ptx, &plain, block);
        ls_detect_options options = {.copies_in_global = seed % 3 == 0, .copies = seed % 5 == 0 ? 2 : 0};
        ls_detect_result *r = detect(&ptx, &checked, block, seed % 7 != 0, seed, &options);
        options.all = true;
        ls_detect_result *a = detect(&ptx, &fully, block, true, seed + 1, &options);
        if (r->status == LS_DETECT_FAILED || r->status == LS_DETECT_UNSUPPORTED)
            fail_with("failed", seed, &ptx, r);
        if (r->finding_count && !is_racy) fail_with("a false alarm", seed, &ptx, r);
        if (a->finding_count && !is_racy) fail_with("a false alarm with --all", seed, &ptx, a);
        if (!is_racy && (passes_differ(r) || passes_differ(a))) fail_with("passes differ", seed, &ptx, r);
        if (a->finding_count && !r->finding_count) fail_with("left out, but racy", seed, &ptx, a);
        if (!is_racy &&
            (memcmp(&plain, &checked, sizeof plain) != 0 || memcmp(&plain, &fully, sizeof plain) != 0))
            fail_with("memory differs", seed, &ptx, r);
        racy += is_racy, clean += !is_racy, found += r->finding_count > 0;
        ls_detect_result_free(r), ls_detect_result_free(a);
        ls_buf_free(&ptx);
    }
    print_message("%u kernels with races, of which %u were found; %u without\n", racy, found, clean);
    assert_true(clean > count / 20 && found > racy / 2);
}

/* With copies beside the threads, watched. The checker also tells lanes of a warp apart there, so that what
 * it alone finds is only counted. */
static void copies(void **state) {
    (void)state;
    uint32_t racy = 0, found = 0, clean = 0, watched = 0;
    uint64_t first = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : 1;
    uint64_t count = getenv("COUNT") ? strtoull(getenv("COUNT"), NULL, 10) : KERNELS / 4;
    for (uint64_t seed = first; seed < first + count; seed++) {
        ls_buf ptx = make_kernel(seed, BLOCK, true);
        memory plain, checked, fully;
        fill(&plain), fill(&checked), fill(&fully);
        bool is_racy = emulate(&ptx, &plain, BLOCK);
        ls_detect_result *r = detect(&ptx, &checked, BLOCK, true, seed, &(ls_detect_options){0});
        ls_detect_result *a = detect(&ptx, &fully, BLOCK, true, seed, &(ls_detect_options){.all = true});
        if (r->status == LS_DETECT_FAILED || r->status == LS_DETECT_UNSUPPORTED)
            fail_with("failed", seed, &ptx, r);
        if (r->finding_count && !is_racy) fail_with("a false alarm", seed, &ptx, r);
        if (a->finding_count && !is_racy) fail_with("a false alarm with --all", seed, &ptx, a);
        if (a->finding_count && !r->finding_count) fail_with("left out, but racy", seed, &ptx, a);
        if (!is_racy && memcmp(&plain, &checked, sizeof plain) != 0)
            fail_with("memory differs", seed, &ptx, r);
        racy += is_racy, clean += !is_racy, found += r->finding_count > 0;
        watched += a->watched && a->status == LS_DETECT_CLEAN;
        ls_detect_result_free(r), ls_detect_result_free(a);
        ls_buf_free(&ptx);
    }
    print_message("%u kernels with races, of which %u were found; %u without, %u watched\n", racy, found,
                  clean, watched);
    assert_true(found > racy / 3 && watched > count / 20);
}

/* What the emulator need not check, as proofs and a rehearsal say, changes nothing of what it finds. */
static void proofs(void **state) {
    (void)state;
    static const uint32_t checks[] = {LS_CHECK_RACE, LS_CHECK_ALL};
    uint32_t racy = 0, clean = 0, spared = 0;
    uint64_t first = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : 1;
    uint64_t count = getenv("COUNT") ? strtoull(getenv("COUNT"), NULL, 10) : KERNELS;
    for (uint64_t seed = first; seed < first + count; seed++) {
        const uint32_t block = seed % 4 ? BLOCK : BLOCK - 26;
        ls_buf ptx = make_kernel(seed, block, false);
        for (uint32_t c = 0; c < 2; c++) {
            memory plain, other;
            fill(&plain), fill(&other);
            ls_emu_options how = {.checks = checks[c], .threads = 1};
            outcome all = emulate_as(&ptx, &plain, block, &how);
            how.prover = ls_detect_prover(), how.prove_from = 1;
            outcome some = emulate_as(&ptx, &other, block, &how);
            if (strcmp(ls_buf_text(&all.text), ls_buf_text(&some.text)) != 0) {
                fprintf(stderr, "seed %llu:\n%s\nall:\n%swith proofs:\n%s", (unsigned long long)seed,
                        ptx.text, ls_buf_text(&all.text), ls_buf_text(&some.text));
                fail();
            }
            assert_memory_equal(&plain, &other, sizeof plain);
            racy += all.racy, clean += !all.racy, spared += some.spared > 0;
            ls_buf_free(&all.text), ls_buf_free(&some.text);
        }
        ls_buf_free(&ptx);
    }
    print_message("%u runs with races, %u without; of %u some accesses were not checked\n", racy, clean,
                  spared);
    assert_true(clean > count / 20 && spared > count / 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_false_alarms), cmocka_unit_test(copies),
                                       cmocka_unit_test(proofs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
