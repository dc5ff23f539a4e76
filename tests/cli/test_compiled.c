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
/* A value that is the same for all threads, loaded where some lanes run (the last warp of a block of 60
 * threads), is read in the next block of code: an access that a proof spares, and that is counted. */
static const char loaded_once[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                                  ".visible .entry loaded_once(.param .u64 keys, .param .u64 out) {\n"
                                  ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;\n"
                                  "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
                                  "cvta.to.global.u64 %rd2, %rd0; cvta.to.global.u64 %rd3, %rd1;\n"
                                  "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r5, %ctaid.x;\n"
                                  "mad.lo.s32 %r3, %r2, 12, %r1; mad.lo.s32 %r3, %r5, 60, %r3;\n"
                                  "mov.u32 %r4, %r1; mov.u32 %r6, 3;\n"
                                  "ld.global.u32 %r0, [%rd2+64];\n"
                                  "$again:\n"
                                  "add.s32 %r4, %r0, %r4; add.s32 %r6, %r6, -1;\n"
                                  "setp.ne.s32 %p0, %r6, 0;\n"
                                  "@%p0 bra $again;\n"
                                  "mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %rd3, %rd4;\n"
                                  "st.global.u32 [%rd5], %r4;\n"
                                  "ret;\n}\n";

/* A sum of 32 bits overflows between two lanes of a warp and is extended to 64, in front of a loop and of a
 * barrier behind which compiled code begins again. */
static const char extended[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                               ".visible .entry extended(.param .u64 keys, .param .u64 out) {\n"
                               ".reg .b32 %r<8>; .reg .b64 %rd<9>; .reg .pred %p<2>;\n"
                               "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
                               "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
                               "ld.global.u32 %r0, [%rd0+64]; and.b32 %r0, %r0, 7;\n"
                               "add.s32 %r3, %r0, %r1; add.s32 %r3, %r3, 0x7fffffe8;\n"
                               "cvt.s64.s32 %rd2, %r3; mov.u64 %rd3, 0; mov.u32 %r6, 3;\n"
                               "$again:\n"
                               "add.s64 %rd3, %rd3, %rd2; add.s32 %r6, %r6, -1;\n"
                               "setp.ne.s32 %p0, %r6, 0;\n"
                               "@%p0 bra $again;\n"
                               "bar.sync 0;\n"
                               "add.s64 %rd3, %rd3, %rd2; mad.lo.s32 %r4, %r2, 64, %r1;\n"
                               "mul.wide.u32 %rd4, %r4, 8; add.s64 %rd5, %rd1, %rd4;\n"
                               "st.global.u64 [%rd5], %rd3;\n"
                               "ret;\n}\n";

/* Lanes go two ways, with a loop on each, and meet: %rd4 is the same sum of the thread on both, in another
 * order, %rd5 is not, %r4 is on one way what it was before the other changed it, and %rd6 overflows on both
 * where it is extended. */
static const char meeting[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                              ".visible .entry meeting(.param .u64 keys, .param .u64 out) {\n"
                              ".reg .b32 %r<12>; .reg .b64 %rd<12>; .reg .pred %p<3>;\n"
                              "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
                              "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r8, %r1;\n"
                              "mad.lo.s32 %r9, %r2, 64, %r1;\n"
                              "mul.wide.u32 %rd2, %r9, 4; add.s64 %rd2, %rd0, %rd2;\n"
                              "ld.global.u32 %r3, [%rd2]; and.b32 %r5, %r3, 1; and.b32 %r6, %r3, 3;\n"
                              "add.s32 %r6, %r6, 1; setp.eq.s32 %p0, %r5, 0;\n"
                              "@%p0 bra $even;\n"
                              "cvt.u64.u32 %rd4, %r8; mul.wide.u32 %rd5, %r1, 4; mov.u32 %r4, %r8;\n"
                              "add.s32 %r7, %r1, 0x7ffffff0; cvt.s64.s32 %rd6, %r7; add.s32 %r8, %r8, 5;\n"
                              "$odd:\n"
                              "add.s32 %r6, %r6, -1; add.s32 %r3, %r3, 7;\n"
                              "setp.ne.s32 %p1, %r6, 0;\n"
                              "@%p1 bra $odd;\n"
                              "bra $met;\n"
                              "$even:\n"
                              "cvt.u64.u32 %rd4, %r1; mul.wide.u32 %rd5, %r1, 8; add.s32 %r8, %r8, 3;\n"
                              "mov.u32 %r4, %r8; add.s32 %r7, %r1, 0x7ffffff0; cvt.s64.s32 %rd6, %r7;\n"
                              "$twice:\n"
                              "add.s32 %r6, %r6, -1; add.s32 %r3, %r3, 9;\n"
                              "setp.ne.s32 %p1, %r6, 0;\n"
                              "@%p1 bra $twice;\n"
                              "$met:\n"
                              "bar.sync 0;\n"
                              "add.s64 %rd7, %rd4, %rd5; add.s64 %rd7, %rd7, %rd6; cvt.u64.u32 %rd8, %r4;\n"
                              "shl.b64 %rd8, %rd8, 40; xor.b64 %rd7, %rd7, %rd8; cvt.u64.u32 %rd8, %r3;\n"
                              "add.s64 %rd7, %rd7, %rd8; mul.wide.u32 %rd9, %r9, 8;\n"
                              "add.s64 %rd9, %rd1, %rd9; st.global.u64 [%rd9], %rd7;\n"
                              "ret;\n}\n";

/* Blocks that compiled code runs one behind the other: each has its own part of memory; in some, accesses are
 * not aligned, lanes part, or a sum of 32 bits that is extended overflows. */
static const char following[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry following(.param .u64 keys, .param .u64 out) {\n"
    ".reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; mov.u32 %r4, %nctaid.x;\n"
    "mad.lo.s32 %r5, %r3, %r4, %r2; mad.lo.s32 %r6, %r5, 64, %r1;\n"
    "mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r7, [%rd3];\n"
    "shl.b32 %r8, %r2, 4; add.s32 %r9, %r8, %r1; add.s32 %r10, %r9, 0x7ffffd00;\n"
    "cvt.s64.s32 %rd4, %r10; and.b32 %r11, %r7, 31; setp.lt.u32 %p0, %r11, %r1;\n"
    "@%p0 bra $rest;\n"
    "add.s32 %r7, %r7, 1000;\n"
    "$rest:\n"
    "cvt.u64.u32 %rd5, %r7; add.s64 %rd6, %rd4, %rd5;\n"
    "mul.wide.u32 %rd7, %r6, 8; shr.u32 %r12, %r2, 5; mul.wide.u32 %rd9, %r12, 4;\n"
    "add.s64 %rd8, %rd1, %rd7; add.s64 %rd10, %rd8, %rd9; st.global.u64 [%rd10], %rd6;\n"
    "ret;\n}\n";

/* Blocks that begin lower and lower, in words and in bytes: of the last ones some warps, or some of their
 * lanes, are below the buffer. */
static const char sinking[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry sinking(.param .u64 in, .param .u64 out) {\n"
    ".reg .b32 %r<16>; .reg .b64 %rd<16>;\n"
    "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mul.lo.s32 %r3, %r2, -44; add.s32 %r4, %r3, 2400;\n"
    "add.s32 %r5, %r4, %r1; mul.wide.s32 %rd2, %r5, 4; add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r6, [%rd3];\n"
    "cvt.s64.s32 %rd4, %r5; add.s64 %rd5, %rd0, %rd4; ld.global.u8 %r7, [%rd5];\n"
    "add.s32 %r6, %r6, %r7; mov.u32 %r8, %ntid.x; mad.lo.s32 %r9, %r2, %r8, %r1;\n"
    "mul.wide.u32 %rd6, %r9, 4; add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], %r6;\n"
    "ret;\n}\n";

/* The same, but lanes part for longer than compiled code takes at once: a warp is left to the interpreter,
 * which comes to the kernel's end with it, in some of the blocks. */
#define TEN                                                                                                  \
    "add.s32 %r7, %r7, 1; xor.b32 %r7, %r7, 3; add.s32 %r7, %r7, 5; xor.b32 %r7, %r7, 9; "                   \
    "add.s32 %r7, %r7, 2; xor.b32 %r7, %r7, 6; add.s32 %r7, %r7, 7; xor.b32 %r7, %r7, 4; "                   \
    "add.s32 %r7, %r7, 8; xor.b32 %r7, %r7, 1;\n"
static const char parting[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry parting(.param .u64 keys, .param .u64 out) {\n"
    ".reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r6, %r2, 96, %r1;\n"
    "mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r7, [%rd3];\n"
    "setp.eq.u32 %p0, %r7, 11;\n"
    "@%p0 bra $rest;\n" TEN TEN TEN TEN "$rest:\n"
    "add.s64 %rd4, %rd1, %rd2; st.global.u32 [%rd4], %r7;\n"
    "ret;\n}\n";

/* A loop whose rows begin at the buffer's start, and in every fourth turn some bytes below it: not aligned,
 * and so close to it that the last lanes' places are within the buffer. */
static const char below[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry below(.param .u64 in, .param .u64 out) {\n"
    ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
    "$again:\n"
    "and.b32 %r4, %r2, 3; setp.eq.u32 %p0, %r4, 3; selp.b64 %rd3, -5, 0, %p0;\n"
    "add.s64 %rd4, %rd0, %rd3; add.s64 %rd5, %rd4, %rd2;\n"
    "ld.global.u32 %r5, [%rd5]; add.s32 %r3, %r3, %r5;\n"
    "add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 8;\n"
    "@%p1 bra $again;\n"
    "add.s64 %rd6, %rd1, %rd2; st.global.u32 [%rd6], %r3; ret;\n}\n";

/* Additions in memory: in shared memory at one place for several lanes, with what was there before, and in
 * global memory side by side; also of nothing. */
static const char adding[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry adding(.param .u64 keys, .param .u64 out) {\n"
    ".reg .b32 %r<12>; .reg .b64 %rd<9>;\n"
    ".shared .align 4 .b8 bins[256];\n"
    "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, bins;\n"
    "mad.lo.s32 %r4, %r2, 64, %r1; mul.wide.u32 %rd2, %r4, 4;\n"
    "add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r5, [%rd3];\n"
    "shl.b32 %r6, %r1, 2; add.s32 %r6, %r3, %r6; st.shared.u32 [%r6], %r1;\n"
    "bar.sync 0;\n"
    "and.b32 %r7, %r5, 15; shl.b32 %r7, %r7, 2; add.s32 %r7, %r3, %r7;\n"
    "atom.shared.add.u32 %r8, [%r7], %r5; red.shared.add.u32 [%r7+64], 0;\n"
    "red.shared.add.u32 [%r7+128], %r5;\n"
    "bar.sync 0;\n"
    "ld.shared.u32 %r9, [%r6]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd1, %rd4;\n"
    "atom.global.add.u32 %r10, [%rd4], %r9; red.global.add.u32 [%rd4+1024], %r8;\n"
    "add.s64 %rd5, %rd1, %rd2; st.global.u32 [%rd5+4096], %r10;\n"
    "ret;\n}\n";

/* Addresses whose distances nobody knows beforehand, and that are side by side in some warps and not in
 * others: behind an index that wraps around in lanes that do not run, and behind a remainder. Some are beyond
 * the end of shared memory, in part of the lanes; some are not aligned. */
static const char turning_out[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry turning_out(.param .u64 keys, .param .u64 out) {\n"
    ".reg .b32 %r<16>; .reg .b64 %rd<12>; .reg .pred %p<3>;\n"
    ".shared .align 4 .b8 s[512];\n"
    "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, s;\n"
    "shl.b32 %r4, %r1, 2; add.s32 %r4, %r3, %r4; st.shared.u32 [%r4], %r1;\n"
    "bar.sync 0;\n"
    "sub.s32 %r5, %r1, 5; cvt.u64.u32 %rd2, %r5; shl.b64 %rd2, %rd2, 2; add.s64 %rd3, %rd0, %rd2;\n"
    "setp.ge.s32 %p0, %r1, 5; mov.u32 %r6, 77;\n"
    "@%p0 ld.global.u32 %r6, [%rd3];\n"
    "rem.u32 %r7, %r1, 48; shl.b32 %r8, %r7, 2; add.s32 %r8, %r3, %r8;\n"
    "ld.shared.u32 %r9, [%r8]; ld.shared.u32 %r10, [%r8+400]; setp.lt.s32 %p1, %r1, 90;\n"
    "ld.shared.u32 %r11, [%r8+2];\n"
    "bar.sync 0;\n"
    "@%p1 st.shared.u32 [%r8+64], %r6;\n"
    "bar.sync 0;\n"
    "ld.shared.u32 %r12, [%r4]; add.s32 %r9, %r9, %r10; xor.b32 %r9, %r9, %r12; add.s32 %r9, %r9, %r11;\n"
    "mad.lo.s32 %r13, %r2, 128, %r7; mul.wide.u32 %rd4, %r13, 8; add.s64 %rd5, %rd1, %rd4;\n"
    "cvt.u64.u32 %rd6, %r9; st.global.u64 [%rd5], %rd6;\n"
    "ret;\n}\n";

/* NaNs of several kinds go through chains of arithmetic; results on the way are stored, selected from, and
 * negated, too. */
static const char chained[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry chained(.param .u64 in, .param .u64 out) {\n"
    ".reg .pred %p<3>; .reg .b32 %r<12>; .reg .f32 %f<16>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 7;\n"
    "mov.u32 %r3, 0x3f800000;\n"
    "setp.eq.u32 %p1, %r2, 1; selp.b32 %r3, 0x7fc12345, %r3, %p1;\n"
    "setp.eq.u32 %p1, %r2, 2; selp.b32 %r3, 0xffc00001, %r3, %p1;\n"
    "setp.eq.u32 %p1, %r2, 3; selp.b32 %r3, 0x7f800001, %r3, %p1;\n"
    "setp.eq.u32 %p1, %r2, 4; selp.b32 %r3, 0x7f800000, %r3, %p1;\n"
    "setp.eq.u32 %p1, %r2, 5; selp.b32 %r3, 0xff800000, %r3, %p1;\n"
    "mov.b32 %f1, %r3; cvt.rn.f32.u32 %f2, %r1;\n"
    "mul.rn.f32 %f3, %f1, 0f00000000; add.rn.f32 %f4, %f3, %f2; fma.rn.f32 %f5, %f4, %f1, %f3;\n"
    "sub.rn.f32 %f6, %f5, %f4; add.rn.f32 %f7, %f6, %f5; mul.rn.f32 %f8, %f7, %f6;\n"
    "mov.b32 %r4, %f5; neg.f32 %f9, %f6; add.rn.f32 %f10, %f9, %f8; min.f32 %f11, %f7, %f2;\n"
    "setp.lt.f32 %p2, %f7, %f8; selp.f32 %f12, %f7, %f9, %p2; fma.rn.f32 %f13, %f12, %f12, %f10;\n"
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "st.global.u32 [%rd3], %r4; st.global.f32 [%rd3+256], %f8; st.global.f32 [%rd3+512], %f9;\n"
    "st.global.f32 [%rd3+768], %f11; st.global.f32 [%rd3+1024], %f12; st.global.f32 [%rd3+1280], %f13;\n"
    "ret;\n}\n";

/* Lanes leave a loop of one block one after the other, some only after several looks at the clock. In it some
 * lanes change %r10, all store what they have and load what others of the warp may have stored; `constant` is
 * the same for all lanes in every turn, and needed behind the loop. */
#define LEAVING(constant, condition)                                                                         \
    ".version 7.8\n.target sm_80\n.address_size 64\n"                                                        \
    ".visible .entry leaving(.param .u64 in, .param .u64 out) {\n"                                           \
    ".reg .b32 %r<16>; .reg .b64 %rd<12>; .reg .pred %p<4>;\n"                                               \
    "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n"                                                   \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r3, %r2, 64, %r1;\n"                            \
    "mul.lo.s32 %r4, %r1, 37; mad.lo.s32 %r4, %r2, 11, %r4; and.b32 %r4, %r4, 255;\n"                        \
    "add.s32 %r4, %r4, 1; mov.u32 %r5, %r3; mov.u32 %r9, 3; mov.u32 %r10, 0; mul.wide.u32 %rd2, %r3, 4;\n"   \
    "add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2;\n"                                                  \
    "$again:\n"                                                                                              \
    "ld.global.u32 %r6, [%rd3]; xor.b32 %r5, %r5, %r6; and.b32 %r7, %r5, 5; setp.ne.u32 %p1, %r7, 0;\n"      \
    "rem.u32 %r11, %r5, %r4; add.s32 %r5, %r5, %r11;\n"                                                      \
    "@%p1 add.s32 %r10, %r10, %r5;\n"                                                                        \
    "st.global.u32 [%rd4], %r5; ld.global.u32 %r8, [%rd4]; add.s32 %r5, %r5, %r8;\n" constant                \
    "add.s32 %r4, %r4, -1; setp." condition ".s32 %p0, %r4, 0;\n"
static const char leaving[] =
    LEAVING("", "ne") "@%p0 bra $again;\n"
                      "add.s32 %r5, %r5, %r9; add.s32 %r5, %r5, %r10; st.global.u32 [%rd4], %r5;\n"
                      "ret;\n}\n";
static const char leaving_constant[] =
    LEAVING("mov.u32 %r9, 7;\n", "eq") "@!%p0 bra $again;\n"
                                       "add.s32 %r5, %r5, %r9; add.s32 %r5, %r5, %r10;\n"
                                       "st.global.u32 [%rd4], %r5;\n"
                                       "ret;\n}\n";

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
        cmocka_unit_test_setup_teardown(test_several_workers, take_several_workers, take_one_worker),
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_source)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
