/* Soundness of `lockstep analyze`, on every kernel of the repository that can be run: each is run in the
 * emulator, optimised and as written, with several launch sizes and arguments, while everything that the
 * analyses say of it is held against what its warps do (claims.h). The last test makes sure that a wrong
 * claim is noticed. */
#include <stdarg.h>

#include "base/buf.h"
#include "claims.h"
#include "launch/args.h"
#include "lockstep/frontend.h"

#include <glob.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct {
    uint32_t kernels, runs, cut, failures;
    uint64_t values, uniform, polynomials, branches, accesses, exact;
} totals;

typedef struct {
    const ls_ptx_module *module;
    const ls_ptx_function *function;
    const ls_ir_function *ir;
    uint32_t block[3], grid[3];
    uint32_t integers; /* what scalar parameters are; 0: the number of threads */
    uint32_t shared_bytes;
    ls_diags *diags;
} launch;

/* Whether something is accessed through the parameter: then it is aligned, as the analyses assume. */
static bool is_pointer(const ls_ir_function *ir, uint32_t parameter) {
    for (uint32_t i = 0; i < ir->access_count; i++)
        for (uint32_t b = 0; b < ir->accesses[i]->base_count; b++) {
            const ls_ir_base *base = ir->accesses[i]->bases[b];
            if (base->kind == LS_BASE_PARAM && ir->objects[base->object]->index == parameter) return true;
        }
    return false;
}

/* Runs the kernel with made-up arguments while its claims are watched. */
static void watch_run(const launch *how, claims *c) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_emulator *emulator = ls_emulator_new(how->module, how->diags);
    ls_emu_args args;
    uint32_t *offsets = LS_NEW_N(&arena, uint32_t, how->function->param_count + 1u);
    ls_emu_param_offsets(how->function, offsets);
    if (emulator && ls_emu_args_make(emulator, how->function, how->grid, how->block, how->shared_bytes, NULL,
                                     0, NULL, &arena, &args, how->diags)) {
        for (uint32_t k = 0; k < args.count; k++) {
            const ls_emu_arg *arg = &args.args[k];
            uint32_t bits = ls_ptx_type_bits(arg->type);
            uint64_t value = is_pointer(how->ir, k) ? 4096 : how->integers;
            if (arg->is_buffer || arg->is_local || how->function->params[k]->dimension_count || !value ||
                ls_ptx_type_kind_of(arg->type) == LS_KIND_FLOAT || (bits != 32 && bits != 64))
                continue;
            memcpy(args.params + offsets[k], &value, bits / 8);
        }
        ls_emu_launch start = {.kernel = how->function->symbol->name,
                               .shared_bytes = args.shared_bytes,
                               .params = args.params,
                               .params_size = args.params_size};
        memcpy(start.grid, how->grid, sizeof start.grid);
        memcpy(start.block, how->block, sizeof start.block);
        ls_emu_options options = {
            .threads = 1, .timeout = 20, .cancel = &c->enough, .watch = claims_watch, .watch_context = c};
        ls_emu_result_free(ls_emulator_run(emulator, &start, &options));
    }
    ls_emulator_free(emulator);
    ls_arena_free(&arena);
}

static void watch_launch(const char *path, const char *form, const launch *how, totals *t) {
    claims c = {.ir = how->ir, .limit = 10000};
    ls_analyze_options known = {0}, every, unknown = {0};
    memcpy(c.block, how->block, sizeof c.block);
    memcpy(known.block, how->block, sizeof known.block);
    memcpy(known.grid, how->grid, sizeof known.grid);
    every = known;
    every.every_warp = true;
    every.degree = 1;
    ls_analysis *analyses[] = {ls_analyze(how->ir, &known), ls_analyze(how->ir, &every),
                               how->block[0] % 32 ? NULL : ls_analyze(how->ir, &unknown)};
    for (uint32_t k = 0; k < 3 && analyses[k]; k++) c.analyses[c.analysis_count++] = analyses[k];
    claims_start(&c);
    watch_run(how, &c);
    if (c.failures)
        print_error("%s (%s), %s, block %u,%u,%u: %u wrong claims, the first: %s\n", path, form,
                    how->function->symbol->name, how->block[0], how->block[1], how->block[2], c.failures,
                    c.failure);
    t->runs += c.reads > 0;
    t->cut += c.enough;
    t->failures += c.failures > 0;
    t->values += c.values, t->uniform += c.uniform, t->polynomials += c.polynomials;
    t->branches += c.branches, t->accesses += c.accesses, t->exact += c.exact;
    claims_end(&c);
    for (uint32_t k = 0; k < 3; k++)
        if (analyses[k]) ls_analysis_free(analyses[k]);
}

/* The sizes that the source launches it with, or several. */
static void watch_kernel(const char *path, const char *form, const ls_ptx_module *module,
                         const ls_compiled_kernel *kernel, ls_diags *diags, totals *t) {
    static const uint32_t blocks[][3] = {{64, 1, 1}, {32, 8, 1}, {16, 16, 1}, {12, 10, 1}, {4, 4, 4}};
    const ls_ptx_function *function = ls_ptx_find_function(module, kernel->name);
    if (!function || !function->body) return;
    ls_ir_function *ir = ls_ir_build(module, function, &(ls_ir_options){.quiet = true}, diags);
    if (!ir) return;
    t->kernels++;
    launch how = {.module = module, .function = function, .ir = ir, .diags = diags, .shared_bytes = 4096};
    for (uint32_t b = 0; b < 5; b++) {
        memcpy(how.block, blocks[b], sizeof how.block);
        memcpy(how.grid, (uint32_t[]){2, 2, 1}, sizeof how.grid);
        if (kernel->block.known)
            memcpy(how.block, (uint32_t[]){kernel->block.x, kernel->block.y, kernel->block.z},
                   sizeof how.block);
        uint32_t threads = how.block[0] * how.block[1] * how.block[2];
        if (kernel->max_threads && threads > kernel->max_threads) continue;
        for (uint32_t k = 0; k < 2; k++) {
            how.integers = k ? 7 : 0;
            watch_launch(path, form, &how, t);
        }
        if (kernel->block.known) break;
    }
    ls_ir_free(ir);
}

static void watch_file(const char *path, ls_form form, totals *t) {
    ls_diags *diags = ls_diags_new();
    ls_compiled compiled;
    if (ls_compile(path, &(ls_frontend_options){.form = form}, &compiled, diags)) {
        ls_ptx_module *module = ls_ptx_parse(compiled.ptx, compiled.length, path, diags);
        for (uint32_t k = 0; module && k < compiled.kernel_count; k++)
            if (compiled.kernels[k].status == LS_KERNEL_DEFINED)
                watch_kernel(path, form == LS_FORM_SOURCE ? "as written" : "optimised", module,
                             &compiled.kernels[k], diags, t);
        ls_ptx_module_free(module);
        ls_compiled_free(&compiled);
    }
    ls_diags_free(diags);
}

static totals watch_files(const char *pattern, bool compiled) {
    totals t = {0};
    glob_t found;
    const char *one = getenv("LOCKSTEP_CLAIMS"); /* a single file, for looking into a failure */
    const char *half =
        getenv("LOCKSTEP_CLAIMS_HALF"); /* 0 or 1: a fifth of the files each, for two cores; … */
#ifdef __SANITIZE_ADDRESS__
    const uint32_t step = 16; /* … where all takes long, every sixteenth */
#else
    const uint32_t step = 5;
#endif
    if (!glob(pattern, 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc; i++) {
            if (one && !strstr(found.gl_pathv[i], one)) continue;
            if (strstr(found.gl_pathv[i], "/hostile/")) continue; /* made to run for ever, or to be refused */
            if (half && i % step != (*half == '1')) continue;
            watch_file(found.gl_pathv[i], LS_FORM_AS_RUN, &t);
            if (compiled) watch_file(found.gl_pathv[i], LS_FORM_SOURCE, &t);
        }
    globfree(&found);
    print_message("%s: %u kernels, %u runs (%u cut short), values %" PRIu64 " (%" PRIu64 " uniform, %" PRIu64
                  " affine), branches %" PRIu64 ", accesses %" PRIu64 " (%" PRIu64 " with a known cost)\n",
                  pattern + strlen(SOURCE_DIR) + 1, t.kernels, t.runs, t.cut, t.values, t.uniform,
                  t.polynomials, t.branches, t.accesses, t.exact);
    return t;
}

static void test_ptx(void **unused) {
    (void)unused;
    static const char *const patterns[] = {
        SOURCE_DIR "/tests/*/*.ptx",           SOURCE_DIR "/tests/*/kernels/*.ptx",
        SOURCE_DIR "/tests/*/kernels/*/*.ptx", SOURCE_DIR "/tests/*/data/*.ptx",
        SOURCE_DIR "/examples/*.ptx",          SOURCE_DIR "/bench/gpu/*/*.ptx"};
    uint32_t failures = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        failures += watch_files(patterns[i], false).failures;
    assert_int_equal(failures, 0);
}

static void test_source(void **unused) {
    (void)unused;
    static const char *const patterns[] = {
        SOURCE_DIR "/tests/*/kernels/*.c[lu]", SOURCE_DIR "/tests/*/kernels/*/*.c[lu]",
        SOURCE_DIR "/tests/*/data/*.cu",       SOURCE_DIR "/tests/ir/*.cu",
        SOURCE_DIR "/examples/*.c[lu]",        SOURCE_DIR "/bench/emulate/*.cl",
        SOURCE_DIR "/tests/library/cub/*.cu"}; /* where CCCL is installed */
    char reason[256];
    if (!ls_frontend_available(LS_FRONTEND_CLANG, reason, sizeof reason)) skip();
    uint32_t failures = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        failures += watch_files(patterns[i], true).failures;
    assert_int_equal(failures, 0);
}

/* --- Wrong claims are noticed ------------------------------------------------------------------------------
 */
static const char wrong_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                ".visible .entry k(.param .u64 p) {\n"
                                ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %q;\n"
                                ".shared .align 4 .b8 s[8192];\n"
                                "ld.param.u64 %rd1, [p];\n"
                                "cvta.to.global.u64 %rd2, %rd1;\n"
                                "mov.u32 %r1, %tid.x;\n"
                                "mul.wide.u32 %rd3, %r1, 4;\n"
                                "add.s64 %rd4, %rd2, %rd3;\n"
                                "ld.global.u32 %r2, [%rd4+4];\n"
                                "shl.b32 %r3, %r1, 3;\n"
                                "mov.u32 %r4, s;\n"
                                "add.s32 %r5, %r4, %r3;\n"
                                "st.shared.u32 [%r5], %r2;\n"
                                "setp.lt.u32 %q, %r1, 5;\n"
                                "@%q bra done;\n"
                                "st.global.u32 [%rd4], %r2;\n"
                                "done: ret;\n}\n";

typedef enum { RIGHT, UNIFORM, COEFFICIENT, BASE, SECTORS, LINES, DEGREE, ACTIVE, LIES } lie;

static void spoil(ls_analysis *a, lie which) {
    const ls_ir_value *index = NULL; /* tid · 4 as the address computation reads it */
    for (uint32_t i = 0; i < a->function->instr_count; i++)
        if (a->function->instrs[i]->op == LS_OP_MUL) index = a->function->instrs[i]->dst[0].value;
    ls_shape *shape = &a->shapes[index->id];
    for (uint32_t i = 0; i < a->access_count; i++) {
        ls_access_cost *cost = &a->accesses[i].cost;
        if (which == SECTORS && cost->sectors) cost->sectors--;
        if (which == LINES && cost->lines) cost->lines--;
        if (which == DEGREE && cost->degree) cost->degree--;
        if (which == ACTIVE) cost->active_lanes--;
    }
    if (which == UNIFORM) shape->term_count = 0;
    if (which == COEFFICIENT) shape->coefficients[0] = (ls_residue){8, 0};
    if (which == BASE) shape->constant = (ls_residue){1, 2};
}

static uint32_t failures_with(const launch *how, lie which, char *failure) {
    claims c = {.ir = how->ir, .limit = 100000, .analysis_count = 1};
    ls_analyze_options options = {0};
    memcpy(options.block, how->block, sizeof options.block);
    memcpy(c.block, how->block, sizeof c.block);
    ls_analysis *a = ls_analyze(how->ir, &options);
    c.analyses[0] = a;
    spoil(a, which);
    claims_start(&c);
    watch_run(how, &c);
    claims_end(&c);
    ls_analysis_free(a);
    memcpy(failure, c.failure, sizeof c.failure);
    return c.failures;
}

static void test_wrong_claims(void **unused) {
    (void)unused;
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(wrong_ptx, sizeof wrong_ptx - 1, "wrong.ptx", diags);
    assert_non_null(module);
    const ls_ptx_function *function = ls_ptx_find_function(module, "k");
    ls_ir_function *ir = ls_ir_build(module, function, NULL, diags);
    assert_non_null(ir);
    launch how = {.module = module,
                  .function = function,
                  .ir = ir,
                  .block = {64, 1, 1},
                  .grid = {1, 1, 1},
                  .diags = diags};
    for (lie which = RIGHT; which < LIES; which++) {
        char failure[sizeof((claims *)0)->failure] = "";
        uint32_t failures = failures_with(&how, which, failure);
        if (!failures != (which == RIGHT)) fail_msg("lie %d: %u failures: %s", which, failures, failure);
    }
    ls_ir_free(ir);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong_claims), cmocka_unit_test(test_ptx),
                                       cmocka_unit_test(test_source)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
