/* Compiled execution, with checks that proofs spare, against the interpreter that checks everything, on the
 * kernels of the repository that can be run: each is run in both with several launch sizes, without checkers
 * and with all of them, and everything that can be seen must be the same: how the run ended, what was found
 * and where, and every byte of its buffers.
 *
 * A part of the kernels only, as each is compiled: LOCKSTEP_COMPILED=all takes all of them, which takes
 * long, 3/16 the third of sixteen parts of them, another text those whose path has it. */
#include <stdarg.h>

#include "base/buf.h"
#include "launch/args.h"
#include "lockstep/detect.h"
#include "lockstep/frontend.h"
#include "lockstep/jit.h"

#include <glob.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiled_kernels.h"

enum { EVERY = 30 };              /* of so many files one is taken */
static const double ENOUGH = 0.5; /* seconds of a run: it is small, or waits for what never comes */

typedef struct {
    const ls_ptx_module *module;
    const ls_ptx_function *function;
    uint32_t block[3], grid[3];
    uint32_t checks;
    ls_diags *diags;
} launch;

typedef struct {
    uint32_t kernels, runs, compiled, cut, failures, spared, accesses;
} totals;

/* --- What a run shows --- */
typedef struct {
    ls_emu_status status;
    ls_buf text, memory;
    uint64_t compiled;
    uint32_t spared, accesses;
    const char *not_compiled;
} outcome;

static void tell_place(ls_buf *out, const ls_place *p) {
    ls_buf_printf(out, " %s:%u:%u", p->file ? p->file : "?", p->line, p->column);
}

static void tell(outcome *o, const ls_emu_result *r) {
    ls_buf_printf(&o->text, "status %d %s", r->status, r->message ? r->message : "");
    tell_place(&o->text, &r->pos);
    ls_buf_printf(&o->text, "\nblocks %llu, divergent %llu, sectors %llu of %llu\n",
                  (unsigned long long)r->blocks_run, (unsigned long long)r->divergent_branches,
                  (unsigned long long)r->global_sectors, (unsigned long long)r->global_accesses);
    for (uint32_t k = 0; k < r->finding_count; k++) {
        const ls_finding *f = &r->findings[k];
        ls_buf_printf(&o->text, "%s %llu %s", ls_rule_get(f->rule)->name, (unsigned long long)f->count,
                      f->message ? f->message : "");
        tell_place(&o->text, &f->place);
        for (const ls_actor *a = f->story ? f->story->actors : NULL; a; a = a->next)
            ls_buf_printf(&o->text, " [%u %u %u: %u %u %u]", a->block[0], a->block[1], a->block[2],
                          a->thread[0], a->thread[1], a->thread[2]);
        ls_buf_printf(&o->text, "\n");
    }
    for (uint32_t k = 0; k < r->note_count; k++) ls_buf_printf(&o->text, "note %s\n", r->notes[k]);
}

/* Contents that are the same in both: small numbers, fractions, a few odd values. */
static void fill(void *at, uint64_t bytes, ls_ptx_type type) {
    static const uint32_t odd[] = {0, 0x80000000, 0x7f800000, 0x7fc00001,
                                   1, 0x00800000, 0xff7fffff, 0x33000000};
    uint32_t state = 7, *words = at;
    const bool real = ls_ptx_type_kind_of(type) == LS_KIND_FLOAT && ls_ptx_type_bits(type) == 32;
    for (uint64_t k = 0; k < bytes / 4; k++) {
        state = state * 1664525 + 1013904223;
        float f = (float)(int32_t)(state >> 12) * 0x1p-10f - 300;
        words[k] = (state >> 8) % 97;
        if (real) memcpy(&words[k], &f, 4);
        if (real && state % 31 == 0) words[k] = odd[state >> 16 & 7];
    }
}

static uint32_t workers = 1;

static outcome run(const launch *how, ls_emu_jit jit) {
    outcome o = {.status = LS_EMU_INVALID};
    ls_arena arena;
    ls_arena_init(&arena);
    ls_emulator *emulator = ls_emulator_new(how->module, how->diags);
    ls_emu_args args;
    if (emulator && ls_emu_args_make(emulator, how->function, how->grid, how->block, 4096, NULL, 0, NULL,
                                     &arena, &args, how->diags)) {
        for (uint32_t k = 0; k < args.count; k++)
            if (args.args[k].is_buffer)
                fill((void *)(uintptr_t)args.args[k].address, args.args[k].bytes, args.args[k].type);
        ls_emu_launch start = {.kernel = how->function->symbol->name,
                               .shared_bytes = args.shared_bytes,
                               .params = args.params,
                               .params_size = args.params_size};
        memcpy(start.grid, how->grid, sizeof start.grid);
        memcpy(start.block, how->block, sizeof start.block);
        ls_emu_options options = {.threads = workers,
                                  .checks = how->checks,
                                  .timeout = ENOUGH,
                                  .timeout_in_cpu_time = true,
                                  .jit = jit,
                                  .jit_after = jit == LS_JIT_AUTO ? 2 : 0,
                                  .compiler = ls_jit_compiler(),
                                  .prover = jit ? ls_detect_prover() : NULL,
                                  .prove_from = 1};
        ls_emu_result *r = ls_emulator_run(emulator, &start, &options);
        o.status = r->status;
        o.compiled = r->compiled_runs;
        o.not_compiled = r->not_compiled;
        o.spared = r->spared;
        o.accesses = r->accesses;
        if (o.not_compiled) print_message("%s: %s\n", how->function->symbol->name, o.not_compiled);
        tell(&o, r);
        for (uint32_t k = 0; k < args.count; k++)
            if (args.args[k].is_buffer)
                ls_buf_add(&o.memory, (const char *)(uintptr_t)args.args[k].address, args.args[k].bytes);
        ls_emu_result_free(r);
    }
    ls_emulator_free(emulator);
    ls_arena_free(&arena);
    return o;
}

static bool same(const ls_buf *a, const ls_buf *b) {
    return a->length == b->length && (!a->length || !memcmp(a->text, b->text, a->length));
}

/* The lines in which two texts differ. */
static void show_difference(const char *a, const char *b) {
    while (*a || *b) {
        const size_t m = strcspn(a, "\n"), n = strcspn(b, "\n");
        if (m != n || memcmp(a, b, m))
            print_error("- %.*s\n+ %.*s\n", (int)(m < 400 ? m : 400), a, (int)(n < 400 ? n : 400), b);
        a += m + (a[m] != 0);
        b += n + (b[n] != 0);
    }
}

/* Interpreted, and compiled from the start, well or quickly, or from the third block on and in the midst of
 * it. */
static const char *const HOW[] = {[LS_JIT_OFF] = "interpreted",
                                  [LS_JIT_AUTO] = "compiled later",
                                  [LS_JIT_ON] = "compiled at once",
                                  [LS_JIT_QUICK] = "compiled quickly"};
static bool compare_with(const char *path, const launch *how, const outcome *a, ls_emu_jit jit, totals *t) {
    outcome b = run(how, jit);
    bool cut = a->status == LS_EMU_CANCELLED || b.status == LS_EMU_CANCELLED;
    bool good = cut || (same(&a->text, &b.text) && same(&a->memory, &b.memory));
    t->runs++;
    t->cut += cut;
    t->compiled += b.compiled > 0;
    t->spared += b.spared;
    t->accesses += how->checks ? b.accesses : 0;
    t->failures += !good;
    if (!good) {
        print_error("%s, %s, block %u,%u,%u, checks %x, %s: %s\n", path, how->function->symbol->name,
                    how->block[0], how->block[1], how->block[2], how->checks, HOW[jit],
                    same(&a->text, &b.text) ? "other contents of memory" : "other findings");
        if (!same(&a->text, &b.text)) show_difference(ls_buf_text(&a->text), ls_buf_text(&b.text));
    }
    ls_buf_free(&b.text), ls_buf_free(&b.memory);
    return !cut;
}

static bool compare(const char *path, const launch *how, totals *t) {
    outcome a = run(how, LS_JIT_OFF);
    const bool whole = compare_with(path, how, &a, LS_JIT_ON, t) &&
                       compare_with(path, how, &a, LS_JIT_AUTO, t) &&
                       compare_with(path, how, &a, LS_JIT_QUICK, t);
    ls_buf_free(&a.text), ls_buf_free(&a.memory);
    return whole;
}

/* --- Kernels --- */
static void compare_kernel(const char *path, const ls_ptx_module *module, const ls_compiled_kernel *kernel,
                           ls_diags *diags, totals *t) {
    static const uint32_t blocks[][3] = {{64, 1, 1}, {16, 8, 1}, {12, 5, 1}};
    const ls_ptx_function *function = ls_ptx_find_function(module, kernel->name);
    if (!function || !function->body) return;
    t->kernels++;
    launch how = {.module = module, .function = function, .grid = {2, 2, 1}, .diags = diags};
    for (uint32_t b = 0; b < 3; b++) {
        memcpy(how.block, blocks[b], sizeof how.block);
        if (kernel->block.known)
            memcpy(how.block, (uint32_t[]){kernel->block.x, kernel->block.y, kernel->block.z},
                   sizeof how.block);
        if (kernel->max_threads && how.block[0] * how.block[1] * how.block[2] > kernel->max_threads) continue;
        how.checks = 0;
        bool whole = compare(path, &how, t);
        how.checks = LS_CHECK_ALL;
        if (!whole || !compare(path, &how, t) || kernel->block.known || !getenv("LOCKSTEP_COMPILED")) break;
    }
}

static void compare_file(const char *path, totals *t) {
    ls_diags *diags = ls_diags_new();
    ls_compiled compiled;
    if (ls_compile(path, &(ls_frontend_options){.form = LS_FORM_AS_RUN}, &compiled, diags)) {
        ls_ptx_module *module = ls_ptx_parse(compiled.ptx, compiled.length, path, diags);
        const uint32_t most = getenv("LOCKSTEP_COMPILED") ? compiled.kernel_count : 1;
        for (uint32_t k = 0; module && k < compiled.kernel_count && k < most; k++)
            if (compiled.kernels[k].status == LS_KERNEL_DEFINED)
                compare_kernel(path, module, &compiled.kernels[k], diags, t);
        ls_ptx_module_free(module);
        ls_compiled_free(&compiled);
    }
    ls_diags_free(diags);
}

/* --- One kernel --- */
/* The kernel, called `name`, alone in its module: interpreted, compiled at once and later. */
static totals compare_grid(const char *name, const char *text, const uint32_t *block, const uint32_t *grid,
                           uint32_t checks) {
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, strlen(text), name, diags);
    assert_non_null(module);
    launch how = {.module = module,
                  .function = ls_ptx_find_function(module, name),
                  .block = {block[0], block[1], 1},
                  .grid = {grid[0], grid[1], 1},
                  .checks = checks,
                  .diags = diags};
    totals t = {0};
    compare(name, &how, &t);
    assert_int_equal(t.failures, 0);
    assert_in_range(t.compiled, 1, 3);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    return t;
}

static totals compare_text(const char *name, const char *text, uint32_t x, uint32_t y, uint32_t checks) {
    return compare_grid(name, text, (uint32_t[]){x, y}, (uint32_t[]){4, 1}, checks);
}

static void test_loaded_once(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    assert_true(compare_text("loaded_once", loaded_once, 12, 5, LS_CHECK_ALL).spared > 0);
}

static void test_extended(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    compare_text("extended", extended, 64, 1, 0);
    compare_text("extended", extended, 64, 1, LS_CHECK_ALL);
}

static void test_meeting(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    compare_text("meeting", meeting, 64, 1, 0);
    compare_text("meeting", meeting, 64, 1, LS_CHECK_ALL);
    compare_text("meeting", meeting, 24, 2, LS_CHECK_ALL);
}

static void test_following(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    for (uint32_t wide = 64; wide <= 128; wide += 32)
        compare_grid("following", following, (uint32_t[]){wide, 1}, (uint32_t[]){70, 2}, 0);
    compare_grid("following", following, (uint32_t[]){64, 1}, (uint32_t[]){70, 2}, LS_CHECK_ALIGN);
    compare_grid("following", following, (uint32_t[]){64, 1}, (uint32_t[]){70, 2}, LS_CHECK_ALL);
    for (uint32_t wide = 32; wide <= 128; wide += 32) {
        compare_grid("sinking", sinking, (uint32_t[]){wide, 1}, (uint32_t[]){70, 2}, 0);
        compare_grid("sinking", sinking, (uint32_t[]){wide, 2}, (uint32_t[]){70, 1}, LS_CHECK_BOUNDS);
    }
    compare_grid("parting", parting, (uint32_t[]){96, 1}, (uint32_t[]){150, 1}, 0);
    compare_grid("parting", parting, (uint32_t[]){96, 1}, (uint32_t[]){150, 1}, LS_CHECK_DIVERGE);
}

static void test_below(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    compare_text("below", below, 64, 1, LS_CHECK_BOUNDS | LS_CHECK_ALIGN);
    compare_text("below", below, 64, 1, LS_CHECK_ALL);
}

static int take_several_workers(void **unused) {
    (void)unused;
    workers = 3;
    return 0;
}

static int take_one_worker(void **unused) {
    (void)unused;
    workers = 1;
    return 0;
}

/* Each worker goes from block to block by itself; no two blocks of these write the same bytes. */
static void test_several_workers(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    for (int i = 0; i < 5; i++) {
        compare_grid("following", following, (uint32_t[]){64, 1}, (uint32_t[]){30, 40}, 0);
        compare_grid("parting", parting, (uint32_t[]){96, 1}, (uint32_t[]){1500, 1}, 0);
    }
}

static void test_adding(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    compare_text("adding", adding, 64, 1, 0);
    compare_text("adding", adding, 64, 1, LS_CHECK_ALL);
}

static void test_turning_out(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    static const uint32_t checks[] = {0, LS_CHECK_BANK | LS_CHECK_COALESCE, LS_CHECK_ALL};
    for (uint32_t k = 0; k < sizeof checks / sizeof *checks; k++) {
        compare_text("turning_out", turning_out, 128, 1, checks[k]);
        compare_text("turning_out", turning_out, 96, 1, checks[k]);
    }
}

static void test_chained(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    compare_grid("chained", chained, (uint32_t[]){64, 1}, (uint32_t[]){1, 1}, 0);
}

static void test_leaving(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    static const uint32_t checks[] = {0, LS_CHECK_DIVERGE, LS_CHECK_ALL};
    for (uint32_t k = 0; k < sizeof checks / sizeof *checks; k++) {
        compare_text("leaving", leaving, 64, 1, checks[k]);
        compare_text("leaving", leaving_constant, 64, 1, checks[k]);
        compare_text("leaving", leaving, 40, 1, checks[k]);
    }
}

static void test_absent(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    compare_text("absent", absent, 64, 1, 0);
    compare_text("absent", absent, 40, 1, 0);
    compare_text("absent", absent, 64, 1, LS_CHECK_ALL);
}

static void test_parts_of_words(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    compare_text("parts_of_words", parts_of_words, 64, 1, 0);
    compare_text("parts_of_words", parts_of_words, 64, 1, LS_CHECK_ALL);
}

/* With several launches' worth of blocks, so that compiled code runs whole blocks; `later` begins in one. */
static void test_in_rounds(void **unused) {
    (void)unused;
    if (!ls_jit_compiler()) skip();
    static const uint32_t checks[] = {0, LS_CHECK_BARRIER, LS_CHECK_ALL};
    for (uint32_t k = 0; k < sizeof checks / sizeof *checks; k++)
        for (uint32_t wide = 64; wide <= 224; wide += 80)
            compare_grid("in_rounds", in_rounds, (uint32_t[]){wide, 1}, (uint32_t[]){12, 1}, checks[k]);
}

static bool is_wanted(const char *path, size_t number) {
    const char *wanted = getenv("LOCKSTEP_COMPILED");
    unsigned part, parts;
    if (!wanted) return number % EVERY == 0;
    if (sscanf(wanted, "%u/%u", &part, &parts) == 2 && parts) return number % parts == part % parts;
    return !strcmp(wanted, "all") || strstr(path, wanted);
}

static uint32_t compare_files(const char *pattern) {
    totals t = {0};
    glob_t found;
    if (!glob(pattern, 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (is_wanted(found.gl_pathv[i], i)) compare_file(found.gl_pathv[i], &t);
    globfree(&found);
    print_message("%s: %u kernels, %u runs (%u in compiled code, %u cut short), %u of %u accesses spared by "
                  "proofs, %u differ\n",
                  pattern + strlen(SOURCE_DIR) + 1, t.kernels, t.runs, t.compiled, t.cut, t.spared,
                  t.accesses, t.failures);
    return t.failures;
}

static void test_ptx(void **unused) {
    (void)unused;
    static const char *const patterns[] = {SOURCE_DIR "/tests/*/*.ptx", SOURCE_DIR "/tests/*/kernels/*.ptx",
                                           SOURCE_DIR "/tests/*/data/*.ptx", SOURCE_DIR "/examples/*.ptx"};
    if (!ls_jit_compiler()) skip();
    uint32_t failures = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) failures += compare_files(patterns[i]);
    assert_int_equal(failures, 0);
}

static void test_source(void **unused) {
    (void)unused;
    static const char *const patterns[] = {SOURCE_DIR "/tests/*/kernels/*.c[lu]",
                                           SOURCE_DIR "/tests/*/kernels/*/*.c[lu]",
                                           SOURCE_DIR "/examples/*.c[lu]", SOURCE_DIR "/bench/emulate/*.cl"};
    char reason[256];
    if (!ls_jit_compiler() || !ls_frontend_available(LS_FRONTEND_CLANG, reason, sizeof reason)) skip();
    uint32_t failures = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) failures += compare_files(patterns[i]);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loaded_once),
        cmocka_unit_test(test_extended),
        cmocka_unit_test(test_meeting),
        cmocka_unit_test(test_following),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_adding),
        cmocka_unit_test(test_turning_out),
        cmocka_unit_test(test_chained),
        cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_parts_of_words),
        cmocka_unit_test(test_in_rounds),
        cmocka_unit_test_setup_teardown(test_several_workers, take_several_workers, take_one_worker),
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_source)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
