/* The front end on small kernels: what the PTX keeps, what is told of the kernels, how errors come through.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/pool.h"
#include "lockstep/frontend.h"

#define KERNELS TEST_DIR "/kernels/"

static void need(ls_frontend_kind kind) {
    char reason[256];
    if (ls_frontend_available(kind, reason, sizeof reason)) return;
    print_message("skipped: %s\n", reason);
    skip();
}

static ls_compiled compile_with(const char *name, ls_frontend_options options) {
    need(options.kind);
    char path[512];
    snprintf(path, sizeof path, KERNELS "%s", name);
    ls_compiled out;
    ls_diags *diags = ls_diags_new();
    bool good = ls_compile(path, &options, &out, diags);
    for (uint32_t i = 0; i < ls_diags_count(diags) && !good; i++) {
        const ls_diag *d = ls_diags_at(diags, i);
        print_message("%s:%u:%u: %s\n", d->file ? d->file : "", d->line, d->column, d->message);
    }
    ls_diags_free(diags);
    assert_true(good);
    return out;
}

static ls_compiled compile(const char *name, ls_form form, ls_frontend_kind kind) {
    return compile_with(name, (ls_frontend_options){.form = form, .kind = kind});
}

static const ls_compiled_kernel *kernel(const ls_compiled *c, const char *demangled) {
    for (uint32_t i = 0; i < c->kernel_count; i++)
        if (!strncmp(c->kernels[i].demangled, demangled, strlen(demangled))) return &c->kernels[i];
    fail_msg("no kernel %s", demangled);
    return NULL;
}

static uint32_t count(const char *text, const char *word) {
    uint32_t n = 0;
    for (const char *p = text; (p = strstr(p, word)); p += strlen(word)) n++;
    return n;
}

static void assert_size(ls_launch_size size, uint32_t x, uint32_t y, uint32_t z) {
    assert_true(size.known);
    assert_int_equal(size.x, x);
    assert_int_equal(size.y, y);
    assert_int_equal(size.z, z);
}

/* --- Launch sizes and the list of kernels -------------------------------------------------------------- */

static void launch_constants(void **state) {
    (void)state;
    ls_compiled c = compile("launches.cu", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    const ls_compiled_kernel *k = kernel(&c, "literal(");
    assert_size(k->block, 256, 1, 1);
    assert_size(k->grid, 4, 1, 1);
    assert_non_null(strstr(k->block_origin, "launches.cu:24"));
    assert_int_equal(k->line, 7);
    k = kernel(&c, "variables(");
    assert_size(k->block, 32, 8, 1);
    assert_size(k->grid, 2, 3, 1);
    assert_true(k->shared_known);
    assert_int_equal(k->shared_bytes, 1024);
    k = kernel(&c, "computed(");
    assert_size(k->grid, 8, 1, 1);
    k = kernel(&c, "by_function(");
    assert_size(k->grid, 16, 1, 1);
    k = kernel(&c, "bounded(");
    assert_int_equal(k->max_threads, 256);
    assert_size(k->block, 8, 8, 1); /* cudaLaunchKernel */
    assert_false(k->required_block.known);
    ls_compiled_free(&c);
}

static void launches_that_disagree_give_no_constant(void **state) {
    (void)state;
    ls_compiled c = compile("launches.cu", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    const ls_compiled_kernel *k = kernel(&c, "disagree(");
    assert_int_equal(k->launch_count, 2);
    assert_false(k->block.known);
    assert_size(k->grid, 1, 1, 1);
    k = kernel(&c, "agree(");
    assert_int_equal(k->launch_count, 2);
    assert_size(k->block, 64, 1, 1);
    assert_false(k->grid.known);
    k = kernel(&c, "unknown(");
    assert_int_equal(k->launch_count, 1);
    assert_false(k->block.known || k->grid.known);
    ls_compiled_free(&c);
}

static void templates_and_declarations_are_listed(void **state) {
    (void)state;
    ls_compiled c = compile("launches.cu", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    assert_size(kernel(&c, "void templated<float, 5>(")->block, 96, 1, 1);
    assert_size(kernel(&c, "void templated<int, 6>(")->block, 33, 1, 1);
    const ls_compiled_kernel *k = kernel(&c, "never");
    assert_int_equal(k->status, LS_KERNEL_NOT_INSTANTIATED);
    assert_int_equal(k->line, 16);
    assert_int_equal(kernel(&c, "elsewhere")->status, LS_KERNEL_DECLARED);
    for (uint32_t i = 0; i < c.kernel_count; i++) assert_null(strstr(c.kernels[i].name, "left_out"));
    ls_compiled_free(&c);
}

/* --- Source shape -------------------------------------------------------------------------------------- */

static void source_shape_is_kept(void **state) {
    (void)state;
    ls_compiled c = compile("shape.cu", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    const char *entry = strstr(c.ptx, ".entry");
    assert_non_null(entry);
    assert_int_equal(count(entry, "bar.sync"), 2);
    assert_int_equal(count(entry, "st.volatile.global"), 1);
    assert_int_equal(count(entry, "ld.volatile.global"), 1);
    /* a[i*64+t], 3, 4, a[0], a[1] */
    assert_int_equal(count(entry, "\tst.global.u32"), 5);
    /* unused, the assertion's, inlined's */
    assert_int_equal(count(entry, "\tld.global.u32"), 3);
    assert_int_equal(count(entry, "st.shared.u32"), 2);
    assert_int_equal(count(c.ptx, "lockstep."), 0); /* no marker is left */
    ls_compiled_free(&c);
}

static void accesses_stay_in_their_branches(void **state) {
    (void)state;
    ls_compiled c = compile("branches.cu", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    const char *entry = strstr(c.ptx, ".entry");
    assert_int_equal(count(entry, "st.global.u32"), 7);
    assert_int_equal(count(entry, "ld.global.u32"), 1);
    assert_int_equal(count(entry, "\t@%p"), 5);
    assert_int_equal(count(entry, "selp"), 0);
    ls_compiled_free(&c);
}

static void loops_are_not_rotated(void **state) {
    (void)state;
    ls_compiled c = compile("shape.cu", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    const char *entry = strstr(c.ptx, ".entry");
    const char *annotation = strstr(entry, "__invariant,");
    assert_non_null(annotation);
    assert_null(strstr(annotation + 1, "__invariant,")); /* once: rotation would copy it */
    /* The block of the annotation starts with a label, holds the comparison that leaves the loop, and the
     * way back to that label comes after the store. */
    const char *label = annotation;
    while (strncmp(label, "\n$L__BB", 7)) label--;
    char name[32];
    assert_int_equal(sscanf(label + 1, "%31[^:]", name), 1);
    char back[64];
    snprintf(back, sizeof back, "bra.uni \t%s;", name);
    const char *jump = strstr(annotation, back);
    assert_non_null(jump);
    const char *exit = strstr(annotation, "@%p");
    const char *store = strstr(annotation, "st.global.u32");
    assert_true(exit && store && exit < store && store < jump);
    /* The condition is a comparison, and has its source line. */
    assert_non_null(strstr(label, "setp.gt.s32"));
    assert_true(strstr(label, "setp.gt.s32") < annotation);
    const char *line = strstr(label, ".loc\t1 19 ");
    assert_true(line && line < annotation);
    ls_compiled_free(&c);
}

static void contracts_keep_their_function(void **state) {
    (void)state;
    ls_compiled c = compile("shape.cu", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    assert_non_null(strstr(strstr(c.ptx, ".entry"), "_Z13with_contractPi"));
    assert_null(strstr(c.ptx, "_Z7inlinedPi"));
    assert_true(c.uses_annotations);
    ls_compiled_free(&c);
}

static void as_it_runs_has_no_annotations(void **state) {
    (void)state;
    ls_compiled c = compile("shape.cu", LS_FORM_AS_RUN, LS_FRONTEND_CLANG);
    assert_null(strstr(c.ptx, "__invariant"));
    assert_null(strstr(c.ptx, "__assert"));
    assert_null(strstr(c.ptx, "with_contract"));
    assert_int_equal(c.form, LS_FORM_AS_RUN);
    ls_compiled_free(&c);
}

/* The source form is what it is without the other; that has loops unrolled, as -O3 does. */
static void both_forms_of_one_compilation(void **state) {
    (void)state;
    ls_compiled one = compile("everything.cu", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    ls_compiled both =
        compile_with("everything.cu", (ls_frontend_options){.kind = LS_FRONTEND_CLANG, .both_forms = true});
    assert_null(one.as_run);
    assert_string_equal(one.ptx, both.ptx);
    assert_non_null(both.as_run);
    assert_int_equal(strlen(both.as_run), both.as_run_length);
    assert_string_not_equal(both.ptx, both.as_run);
    for (uint32_t i = 0; i < both.kernel_count; i++)
        if (both.kernels[i].status == LS_KERNEL_DEFINED)
            assert_non_null(strstr(both.as_run, both.kernels[i].name));
    ls_compiled_free(&one);
    ls_compiled_free(&both);
}

/* The last line that is named before the text. */
static int line_before(const char *ptx, const char *text) {
    int line = 0;
    for (const char *at = strstr(ptx, ".loc\t"); at && at < text; at = strstr(at + 1, ".loc\t"))
        sscanf(at, ".loc\t%*d %d", &line);
    return line;
}

static void moved_accesses_have_places(void **state) {
    (void)state;
    ls_compiled c = compile("moved.cu", LS_FORM_AS_RUN, LS_FRONTEND_CLANG);
    const char *entry = strstr(c.ptx, ".entry"), *first = strstr(entry, "\tld.global");
    assert_non_null(first);
    assert_true(strstr(entry, "bra") < first); /* behind the condition of line 4 */
    assert_int_equal(line_before(entry, first), 6);
    ls_compiled_free(&c);
}

static void annotations_need_no_header(void **state) {
    (void)state;
    static const char *const NAMES[] = {"__requires,",
                                        "__requires_size_at,",
                                        "__global_requires,",
                                        "__function_wide_invariant,",
                                        "__global_invariant,",
                                        "__candidate_invariant,",
                                        "__assume,",
                                        "__barrier_invariant_1,",
                                        "__assert,",
                                        "__global_assert,",
                                        "__ensures,",
                                        "__other_int,",
                                        "__old_int,",
                                        "__enabled,",
                                        "__write,",
                                        "__read,",
                                        "__write_offset_bytes,",
                                        "__other_bool,",
                                        "__axiom0"};
    ls_compiled c = compile("annotations.cu", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (!strstr(c.ptx, NAMES[i])) fail_msg("%s is not in the PTX", NAMES[i]);
    ls_compiled_free(&c);
    c = compile("annotations.cu", LS_FORM_AS_RUN, LS_FRONTEND_CLANG);
    assert_int_equal(count(c.ptx, "call"), 0);
    ls_compiled_free(&c);
    c = compile("with_header.cu", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    assert_non_null(strstr(c.ptx, "__invariant,"));
    ls_compiled_free(&c);
}

/* --- OpenCL -------------------------------------------------------------------------------------------- */

static void opencl_keeps_fences_and_copies(void **state) {
    (void)state;
    ls_compiled c = compile("fences.cl", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    const char *entry = strstr(c.ptx, ".entry");
    assert_int_equal(count(entry, "__lockstep_barrier,"), 2);
    assert_int_equal(count(entry, "bar.sync"), 2);
    const char *first = strstr(entry, "__lockstep_barrier,"),
               *second = strstr(first + 1, "__lockstep_barrier,");
    const char *local = strstr(entry, "st.param.b32 \t[param0+0], 1;"),
               *global = strstr(entry, "st.param.b32 \t[param0+0], 2;");
    assert_true(local && global && local < first && first < global && global < second);
    assert_int_equal(count(entry, "__lockstep_async_copy_to_local,"), 1);
    assert_int_equal(count(entry, "__lockstep_async_copy_to_global,"), 1);
    assert_int_equal(count(entry, "__lockstep_wait_event,"), 2);
    assert_non_null(strstr(c.ptx, ".visible .entry fences("));
    assert_non_null(strstr(c.ptx, ".extern .func __lockstep_barrier"));
    assert_non_null(strstr(entry, ".ptr .global"));
    assert_non_null(strstr(entry, ".reqntid 8, 4, 1"));
    assert_int_equal(count(entry, "ld.global.f32"), 2); /* a[t], and a[t + 5] whose value is not used */
    const ls_compiled_kernel *k = kernel(&c, "fences");
    assert_size(k->required_block, 8, 4, 1);
    assert_size(k->block, 8, 4, 1);
    ls_compiled_free(&c);
    c = compile("fences.cl", LS_FORM_AS_RUN, LS_FRONTEND_CLANG);
    assert_null(strstr(c.ptx, "__lockstep_"));
    assert_non_null(strstr(c.ptx, ".reqntid 8, 4, 1"));
    ls_compiled_free(&c);
}

static void opencl_images_and_later_versions(void **state) {
    (void)state;
    ls_compiled c = compile("images.cl", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    assert_int_equal(c.kernel_count, 1);
    ls_compiled_free(&c);
    c = compile("later.cl", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
    assert_int_equal(count(strstr(c.ptx, ".entry"), "__lockstep_barrier,"), 1);
    ls_compiled_free(&c);
}

/* As NVIDIA's compiler divides, in code that runs. */
static void opencl_divides_as_on_a_gpu(void **state) {
    (void)state;
    static const char *const exact[] = {"-cl-fp32-correctly-rounded-divide-sqrt"};
    const ls_frontend_options runs = {.form = LS_FORM_AS_RUN, .kind = LS_FRONTEND_CLANG};
    ls_frontend_options rounds = runs;
    rounds.extra = exact;
    rounds.extra_count = 1;
    for (int k = 0; k < 2; k++) { /* one leaves nothing behind for the other */
        ls_compiled c = compile_with("divide.cl", runs);
        assert_int_equal(count(c.ptx, "div.full.f32"), 1);
        ls_compiled_free(&c);
        c = compile_with("divide.cl", rounds);
        assert_int_equal(count(c.ptx, "div.rn.f32"), 1);
        ls_compiled_free(&c);
        c = compile("divide.cl", LS_FORM_SOURCE, LS_FRONTEND_CLANG);
        assert_int_equal(count(c.ptx, "div.rn.f32"), 1);
        ls_compiled_free(&c);
    }
}

/* --- Shims --------------------------------------------------------------------------------------------- */

static void a_use_of_everything_compiles(void **state) {
    (void)state;
    static const char *const RESOLVED[] = {"vprintf", "malloc", "free", "__assertfail",
                                           "__lockstep_whole_block" /* for proofs: not in code that runs */};
    for (int form = 0; form < 2; form++) {
        ls_compiled c = compile("everything.cu", form ? LS_FORM_AS_RUN : LS_FORM_SOURCE, LS_FRONTEND_CLANG);
        for (const char *p = c.ptx; (p = strstr(p, ".extern .func"));) {
            p += 13;
            const char *end = strchr(p, '\n');
            bool known = false;
            for (size_t i = 0; i < (form ? 4 : 5); i++)
                known |= memmem(p, (size_t)(end - p), RESOLVED[i], strlen(RESOLVED[i])) != NULL;
            if (!known) fail_msg("unresolved:%.*s", (int)(end - p), p);
        }
        assert_int_equal(c.kernel_count, 10);
        assert_size(kernel(&c, "random_numbers(")->block, 32, 1, 1);
        assert_null(strstr(c.ptx, "ls_math.h")); /* no line of a bundled header */
        ls_compiled_free(&c);
    }
}

/* --- Errors and options -------------------------------------------------------------------------------- */

static void compiler_errors_have_positions(void **state) {
    (void)state;
    need(LS_FRONTEND_CLANG);
    ls_frontend_options options = {.kind = LS_FRONTEND_CLANG};
    ls_compiled c;
    ls_diags *diags = ls_diags_new();
    assert_false(ls_compile(KERNELS "errors.cu", &options, &c, diags));
    assert_int_equal(ls_diags_errors(diags), 1);
    const ls_diag *d = ls_diags_at(diags, 0);
    assert_string_equal(d->file, KERNELS "errors.cu");
    assert_int_equal(d->line, 4);
    assert_int_equal(d->column, 30);
    assert_non_null(strstr(d->message, "undeclared"));
    ls_diags_free(diags);
}

static void bad_inputs_are_named(void **state) {
    (void)state;
    static const struct {
        const char *path, *arch, *expected;
    } CASES[] = {
        {KERNELS "no-such-file.cu", NULL, "cannot be read"},
        {SOURCE_DIR "/.clang-format", NULL, "neither its name nor its text"},
        {KERNELS "shape.cu", "compute_75", "not of the form"},
        {KERNELS "shape.cu", "sm_999", "does not know the architecture"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ls_frontend_options options = {.kind = LS_FRONTEND_CLANG, .arch = CASES[i].arch};
        if (CASES[i].arch && !ls_frontend_available(LS_FRONTEND_CLANG, NULL, 0)) continue;
        ls_compiled c;
        ls_diags *diags = ls_diags_new();
        assert_false(ls_compile(CASES[i].path, &options, &c, diags));
        assert_int_equal(ls_diags_errors(diags), 1);
        assert_non_null(strstr(ls_diags_at(diags, 0)->message, CASES[i].expected));
        ls_diags_free(diags);
    }
}

static void options_reach_the_compiler(void **state) {
    (void)state;
    need(LS_FRONTEND_CLANG);
    char folder[] = "/tmp/lockstep-test-XXXXXX", path[64], header[64], database[64], json[512];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/k.cu", folder);
    snprintf(header, sizeof header, "%s/value.h", folder);
    snprintf(database, sizeof database, "%s/compile_commands.json", folder);
    const char *text = "#include \"value.h\"\n__global__ void k(int *a) { a[0] = VALUE + OTHER; }\n";
    assert_true(ls_write_file(path, text, strlen(text)));
    assert_true(ls_write_file(header, "#define VALUE 4000\n", 19));
    int length = snprintf(json, sizeof json,
                          "[{\"directory\": \"%s\", \"file\": \"k.cu\", \"command\": \"nvcc -O3 -I . "
                          "-DOTHER=\\\"(70 + 7)\\\" -c k.cu\"}]",
                          folder);
    assert_true(ls_write_file(database, json, (size_t)length));
    const char *define = "OTHER=77";
    ls_frontend_options with_define = {
        .kind = LS_FRONTEND_CLANG, .defines = &define, .define_count = 1, .arch = "sm_80"};
    ls_frontend_options with_database = {.kind = LS_FRONTEND_CLANG, .compile_commands = folder};
    const char *extra[] = {"-DOTHER=77", "-Wall"};
    ls_frontend_options with_extra = {.kind = LS_FRONTEND_CLANG, .extra = extra, .extra_count = 2};
    const ls_frontend_options *all[] = {&with_define, &with_database, &with_extra};
    for (size_t i = 0; i < 3; i++) {
        ls_compiled c;
        ls_diags *diags = ls_diags_new();
        assert_true(ls_compile(path, all[i], &c, diags));
        assert_non_null(strstr(c.ptx, "4077"));
        if (i == 0) assert_non_null(strstr(c.ptx, ".target sm_80"));
        ls_compiled_free(&c);
        ls_diags_free(diags);
    }
    remove(path);
    remove(header);
    remove(database);
    remove(folder);
}

/* A header beside the file's folder, and one that two folders have. */
static void headers_of_the_project_are_found(void **state) {
    (void)state;
    need(LS_FRONTEND_CLANG);
    static const char *const FOLDERS[] = {"source", "common", "other", ".git"};
    char folder[] = "/tmp/lockstep-test-XXXXXX", path[96], text[] = "#define VALUE 4077\n";
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, FOLDERS[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    const char *kernel = "#include \"value.h\"\n__global__ void k(int *a) { a[0] = VALUE; }\n";
    for (int copies = 1; copies < 3; copies++) {
        snprintf(path, sizeof path, "%s/%s/value.h", folder, FOLDERS[copies]);
        assert_true(ls_write_file(path, text, strlen(text)));
        snprintf(path, sizeof path, "%s/source/k.cu", folder);
        assert_true(ls_write_file(path, kernel, strlen(kernel)));
        ls_compiled c;
        ls_diags *diags = ls_diags_new();
        bool good = ls_compile(path, &(ls_frontend_options){.kind = LS_FRONTEND_CLANG}, &c, diags);
        assert_int_equal(good, copies == 1);
        if (good) assert_non_null(strstr(c.ptx, "4077"));
        if (good) ls_compiled_free(&c);
        ls_diags_free(diags);
    }
    static const char *const FILES[] = {"source/k.cu", "common/value.h", "other/value.h"};
    for (size_t i = 0; i < 7; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, i < 3 ? FILES[i] : FOLDERS[i - 3]);
        remove(path);
    }
    remove(folder);
}

static void ptx_passes_through(void **state) {
    (void)state;
    char path[] = "/tmp/lockstep-test-XXXXXX.ptx";
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    const char *text = ".version 7.5\n.target sm_75\n.address_size 64\n// .entry not_this\n"
                       ".visible .entry _Z1kPf(.param .u64 p)\n.maxntid 128, 2, 1\n{ ret; }\n"
                       ".entry exact() .reqntid 64 { ret; }\n";
    assert_true(ls_write_file(path, text, strlen(text)));
    ls_compiled c;
    ls_diags *diags = ls_diags_new();
    assert_true(ls_compile(path, NULL, &c, diags));
    assert_string_equal(c.ptx, text);
    assert_int_equal(c.kernel_count, 2);
    assert_string_equal(c.kernels[0].demangled, "k(float*)");
    assert_int_equal(c.kernels[0].max_threads, 256);
    assert_false(c.kernels[0].block.known);
    assert_size(c.kernels[1].block, 64, 1, 1);
    ls_compiled_free(&c);
    ls_diags_free(diags);
    remove(path);
}

/* --- Several at once ----------------------------------------------------------------------------------- */

typedef struct {
    char *ptx[12];
} outputs;

static void compile_one(void *context, uint32_t index) {
    outputs *out = context;
    ls_frontend_options options = {.kind = LS_FRONTEND_CLANG,
                                   .form = index % 2 ? LS_FORM_AS_RUN : LS_FORM_SOURCE};
    ls_compiled c;
    ls_diags *diags = ls_diags_new();
    if (ls_compile(index % 4 < 2 ? KERNELS "shape.cu" : KERNELS "fences.cl", &options, &c, diags)) {
        out->ptx[index] = strdup(c.ptx);
        ls_compiled_free(&c);
    }
    ls_diags_free(diags);
}

static void files_compile_side_by_side(void **state) {
    (void)state;
    need(LS_FRONTEND_CLANG);
    outputs out = {0};
    ls_parallel_for(4, 12, compile_one, &out);
    for (uint32_t i = 0; i < 12; i++) assert_non_null(out.ptx[i]);
    for (uint32_t i = 4; i < 12; i++) assert_string_equal(out.ptx[i], out.ptx[i % 4]);
    for (uint32_t i = 0; i < 12; i++) free(out.ptx[i]);
}

/* --- nvcc ---------------------------------------------------------------------------------------------- */

static void nvcc_compiles_too(void **state) {
    (void)state;
    ls_compiled c = compile("launches.cu", LS_FORM_SOURCE, LS_FRONTEND_NVCC);
    assert_int_equal(c.used, LS_FRONTEND_NVCC);
    const ls_compiled_kernel *k = kernel(&c, "literal(");
    assert_int_equal(k->line, 7);
    if (ls_frontend_available(LS_FRONTEND_CLANG, NULL, 0)) assert_size(k->block, 256, 1, 1);
    assert_int_equal(kernel(&c, "bounded(")->max_threads, 256);
    ls_compiled_free(&c);
    c = compile("with_header.cu", LS_FORM_SOURCE, LS_FRONTEND_NVCC);
    assert_non_null(strstr(c.ptx, "__invariant"));
    ls_compiled_free(&c);
    c = compile("with_header.cu", LS_FORM_AS_RUN, LS_FRONTEND_NVCC);
    assert_null(strstr(c.ptx, "__invariant"));
    ls_compiled_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launch_constants),
        cmocka_unit_test(both_forms_of_one_compilation),
        cmocka_unit_test(launches_that_disagree_give_no_constant),
        cmocka_unit_test(templates_and_declarations_are_listed),
        cmocka_unit_test(source_shape_is_kept),
        cmocka_unit_test(accesses_stay_in_their_branches),
        cmocka_unit_test(loops_are_not_rotated),
        cmocka_unit_test(contracts_keep_their_function),
        cmocka_unit_test(as_it_runs_has_no_annotations),
        cmocka_unit_test(moved_accesses_have_places),
        cmocka_unit_test(annotations_need_no_header),
        cmocka_unit_test(opencl_keeps_fences_and_copies),
        cmocka_unit_test(opencl_images_and_later_versions),
        cmocka_unit_test(opencl_divides_as_on_a_gpu),
        cmocka_unit_test(a_use_of_everything_compiles),
        cmocka_unit_test(compiler_errors_have_positions),
        cmocka_unit_test(bad_inputs_are_named),
        cmocka_unit_test(options_reach_the_compiler),
        cmocka_unit_test(headers_of_the_project_are_found),
        cmocka_unit_test(ptx_passes_through),
        cmocka_unit_test(files_compile_side_by_side),
        cmocka_unit_test(nvcc_compiles_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
