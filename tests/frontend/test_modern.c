/* Modern sources: the bundled headers of libraries, CCCL, what is tried when a file does not compile,
 * launches from the text, nvcc's static kernels, and device code as programs carry it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "frontend/fatbin.h"
#include "frontend/launch_text.h"
#include "frontend/remedies.h"

#define KERNELS TEST_DIR "/kernels/"

static void need(ls_frontend_kind kind) {
    char reason[256];
    if (ls_frontend_available(kind, reason, sizeof reason)) return;
    print_message("skipped: %s\n", reason);
    skip();
}

typedef struct {
    ls_compiled compiled;
    ls_diags *diags;
    bool good;
} outcome;

static outcome compile_with(const char *name, ls_frontend_options options) {
    need(options.kind);
    outcome o = {.diags = ls_diags_new()};
    char path[512];
    snprintf(path, sizeof path, KERNELS "%s", name);
    o.good = ls_compile(path, &options, &o.compiled, o.diags);
    return o;
}

static void finish(outcome *o) {
    if (o->good) ls_compiled_free(&o->compiled);
    ls_diags_free(o->diags);
}

static bool told(const outcome *o, const char *what) {
    for (uint32_t i = 0; i < ls_diags_count(o->diags); i++)
        if (strstr(ls_diags_at(o->diags, i)->message, what)) return true;
    return false;
}

static void expect_good(const outcome *o) {
    for (uint32_t i = 0; i < ls_diags_count(o->diags) && !o->good; i++)
        print_message("%s\n", ls_diags_at(o->diags, i)->message);
    assert_true(o->good);
}

static const ls_compiled_kernel *kernel(const outcome *o, const char *demangled) {
    const ls_compiled_kernel *found = NULL;
    for (uint32_t i = 0; i < o->compiled.kernel_count; i++) {
        if (!strstr(o->compiled.kernels[i].demangled, demangled)) continue;
        assert_null(found); /* each once */
        found = &o->compiled.kernels[i];
    }
    assert_non_null(found);
    return found;
}

static void assert_size(ls_launch_size size, uint32_t x, uint32_t y, uint32_t z) {
    assert_true(size.known);
    assert_int_equal(size.x, x);
    assert_int_equal(size.y, y);
    assert_int_equal(size.z, z);
}

/* --- Headers ------------------------------------------------------------------------------------------- */

static void bundled_headers(void **state) {
    (void)state;
    outcome o =
        compile_with("modern.cu", (ls_frontend_options){.kind = LS_FRONTEND_CLANG, .cccl = "/nowhere"});
    expect_good(&o);
    assert_size(kernel(&o, "product(")->block, 32, 1, 1);
    assert_size(kernel(&o, "small_floats(")->block, 64, 1, 1); /* by cudaLaunchKernelEx */
    assert_size(kernel(&o, "small_floats(")->grid, 3, 1, 1);
    kernel(&o, "calls_variadic(");
    assert_non_null(strstr(o.compiled.ptx, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"));
    finish(&o);
}

static void bundled_libcu(void **state) {
    (void)state;
    outcome o =
        compile_with("libcu.cu", (ls_frontend_options){.kind = LS_FRONTEND_CLANG, .cccl = "/nowhere"});
    expect_good(&o);
    assert_true(told(&o, "compiled for sm_80: the source has <cuda/barrier>") ||
                told(&o, "compiled for sm_80: the source has <cuda/pipeline>"));
    assert_non_null(strstr(o.compiled.ptx, "mbarrier.arrive"));
    assert_non_null(strstr(o.compiled.ptx, "cp.async.cg.shared.global"));
    assert_non_null(strstr(o.compiled.ptx, "atom.relaxed.gpu.add.u32"));
    finish(&o);
}

static void cccl_where_it_is(void **state) {
    (void)state;
    outcome o = compile_with("cub.cu", (ls_frontend_options){.kind = LS_FRONTEND_CLANG});
    if (!o.good && told(&o, "--cccl DIR")) {
        print_message("skipped: CCCL is not installed\n");
        finish(&o);
        skip();
    }
    expect_good(&o);
    assert_true(told(&o, "compiled with the CCCL headers in"));
    assert_size(kernel(&o, "total(")->block, 128, 1, 1);
    finish(&o);
}

static void missing_headers_get_advice(void **state) {
    (void)state;
    outcome o = compile_with("cub.cu", (ls_frontend_options){.kind = LS_FRONTEND_CLANG, .cccl = "/nowhere"});
    if (o.good) { /* in the compiler's own path */
        finish(&o);
        skip();
    }
    assert_true(told(&o, "'cub/cub.cuh' file not found"));
    assert_true(told(&o, "--cccl DIR"));
    finish(&o);
}

/* What clang says, and whether something that was not tried may help against it. */
static bool is_curable(const char *message, bool *loose) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_frontend_options options = {.kind = LS_FRONTEND_CLANG};
    ls_job job = {.path = "/nowhere/a.cu",
                  .options = &options,
                  .language = LS_LANGUAGE_CUDA,
                  .arch = "sm_75",
                  .arena = &arena};
    ls_diags *said = ls_diags_new(), *notes = ls_diags_new();
    ls_diags_add(said, LS_WARNING, "a.cu", 1, 1, "no matching function");
    ls_diags_add(said, LS_ERROR, "a.cu", 2, 1, "%s", message);
    ls_diags_add(said, LS_ERROR, "a.cu", 3, 1, "no matching function for call to 'cudaMalloc'");
    bool curable = ls_remedy(&job, LS_FRONTEND_CLANG, said, notes);
    *loose = job.loose;
    ls_diags_free(said);
    ls_diags_free(notes);
    ls_arena_free(&arena);
    return curable;
}

static void missing_names_are_not_tried_again(void **state) {
    (void)state;
    bool loose;
    assert_true(is_curable("no matching function for call to 'cudaFree'", &loose) && loose);
    assert_true(is_curable("too few arguments to function call, expected 3, have 2", &loose) && loose);
    assert_false(is_curable("unknown type name 'record'", &loose) || loose);
    assert_false(is_curable("use of undeclared identifier 'n'", &loose) || loose);
}

/* Both compilers say in their own words that a header is not there. */
static void check_foreign(ls_frontend_kind kind) {
    outcome o = compile_with("foreign.cu", (ls_frontend_options){.kind = kind});
    assert_false(o.good);
    assert_true(told(&o, "cuDLA's headers are missing"));
    finish(&o);
}

static void foreign_headers_clang(void **state) {
    (void)state;
    check_foreign(LS_FRONTEND_CLANG);
}

static void foreign_headers_nvcc(void **state) {
    (void)state;
    check_foreign(LS_FRONTEND_NVCC);
}

/* --- Architectures ---------------------------------------------------------------------------------------
 */

static void architecture_by_words(void **state) {
    (void)state;
    const char *word = NULL;
    assert_string_equal(ls_arch_for("__global__ void k();", "sm_75", &word), "sm_75");
    assert_null(word);
    assert_string_equal(ls_arch_for("__reduce_add_sync(m, v)", "sm_75", &word), "sm_80");
    assert_string_equal(ls_arch_for("cp.async.bulk __reduce_add_sync", "sm_75", &word), "sm_90");
    assert_string_equal(ls_arch_for("wgmma.mma_async", "sm_75", &word), "sm_90a");
    word = NULL;
    assert_string_equal(ls_arch_for("__reduce_add_sync(m, v)", "sm_86", &word), "sm_86");
    assert_null(word);
    outcome o = compile_with("clusters.cu", (ls_frontend_options){.kind = LS_FRONTEND_CLANG});
    expect_good(&o);
    assert_true(told(&o, "compiled for sm_90: the source has __cluster_dims__"));
    assert_non_null(strstr(o.compiled.ptx, ".target sm_90"));
    finish(&o);
    o = compile_with("clusters.cu", (ls_frontend_options){.kind = LS_FRONTEND_CLANG, .arch = "sm_80"});
    assert_false(o.good); /* what the user says stays */
    assert_true(told(&o, "__cluster_dims___needs_sm_90"));
    finish(&o);
}

/* What stands between a kernel's parameters and its body, as both compilers write it. */
static void expect_directives(const outcome *o, const char *name, const char *const *wanted, uint32_t count) {
    char entry[64];
    snprintf(entry, sizeof entry, "%s", kernel(o, name)->name);
    const char *at = strstr(o->compiled.ptx, ".entry ");
    while (at && strncmp(at + 7, entry, strlen(entry))) at = strstr(at + 1, ".entry ");
    assert_non_null(at);
    const char *from = strchr(at, ')'), *to = strchr(at, '{');
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *place = strstr(from, wanted[i]);
        assert_true(place && place < to);
    }
    for (const char *p = from; (p = strstr(p, "cluster")) && p < to; p++) found++;
    assert_int_equal(found, count);
}

#define EXPECT_DIRECTIVES(name, ...)                                                                         \
    expect_directives(&o, name, (const char *const[]){__VA_ARGS__},                                          \
                      sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

static uint32_t count_of(const char *text, const char *word) {
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) count++;
    return count;
}

static void asynchronous_kernels(void **state) {
    (void)state;
    outcome o = compile_with(
        "asynchronous.cu",
        (ls_frontend_options){.kind = LS_FRONTEND_CLANG, .form = LS_FORM_SOURCE, .arch = "sm_90a"});
    expect_good(&o);
    assert_int_equal(count_of(o.compiled.ptx, "abs.f32"), 4);
    assert_int_equal(count_of(o.compiled.ptx, ".local"), 0);
    assert_int_equal(count_of(o.compiled.ptx, "cvta.param"), 1);
    finish(&o);
}

static void check_cluster_sizes(ls_frontend_kind kind, ls_form form) {
    outcome o = compile_with("clusters.cu", (ls_frontend_options){.kind = kind, .form = form});
    expect_good(&o);
    EXPECT_DIRECTIVES("pair(", ".explicitcluster", ".reqnctapercluster 2, 1, 1");
    EXPECT_DIRECTIVES("declared(", ".explicitcluster", ".reqnctapercluster 4, 1, 1");
    EXPECT_DIRECTIVES("void of_template<3>(", ".explicitcluster", ".reqnctapercluster 3, 2, 1");
    EXPECT_DIRECTIVES("void of_template<4>(", ".explicitcluster", ".reqnctapercluster 4, 2, 1");
    EXPECT_DIRECTIVES("(anonymous namespace)::left_to_the_launch(", ".explicitcluster");
    EXPECT_DIRECTIVES("grid_of_clusters(", ".blocksareclusters", ".reqnctapercluster 2, 2, 1");
    assert_size(kernel(&o, "grid_of_clusters(")->required_block, 64, 2, 1);
    expect_directives(&o, "alone(", NULL, 0);
    finish(&o);
}

static void cluster_sizes(void **state) {
    (void)state;
    check_cluster_sizes(LS_FRONTEND_CLANG, LS_FORM_SOURCE);
    check_cluster_sizes(LS_FRONTEND_CLANG, LS_FORM_AS_RUN);
    check_cluster_sizes(LS_FRONTEND_NVCC, LS_FORM_AS_RUN);
}

/* --- Launches --------------------------------------------------------------------------------------------
 */

static void check_text_launches(ls_frontend_kind kind) {
    outcome o = compile_with("host_fails.cu", (ls_frontend_options){.kind = kind});
    expect_good(&o);
    assert_true(told(&o, "launch sizes are read from its text"));
    const ls_compiled_kernel *k = kernel(&o, "first(");
    assert_int_equal(k->launch_count, 1);
    assert_size(k->block, 128, 1, 1);
    assert_size(k->grid, 4, 1, 1);
    assert_int_equal(k->launches[0].line, 9);
    assert_null(strstr(k->name, "__nv_static"));
    assert_int_equal(k->parameter_count, 1);
    assert_string_equal(k->parameters[0], "p");
    finish(&o);
}

static void launches_of_the_text_clang(void **state) {
    (void)state;
    check_text_launches(LS_FRONTEND_CLANG);
}

static void check_older(ls_frontend_kind kind) {
    outcome o = compile_with("older.cu", (ls_frontend_options){.kind = kind, .form = LS_FORM_SOURCE});
    expect_good(&o);
    assert_int_equal(o.compiled.kernel_count, 1);
    finish(&o);
}
static void older_calls_clang(void **state) {
    (void)state;
    check_older(LS_FRONTEND_CLANG);
}
static void older_calls_nvcc(void **state) {
    (void)state;
    check_older(LS_FRONTEND_NVCC);
}

/* Kernels that launch kernels, in both forms of one compilation. */
static void kernels_launch_kernels_nvcc(void **state) {
    (void)state;
    outcome o = compile_with(
        "nested.cu",
        (ls_frontend_options){.kind = LS_FRONTEND_NVCC, .form = LS_FORM_SOURCE, .both_forms = true});
    expect_good(&o);
    assert_int_equal(o.compiled.kernel_count, 2);
    assert_non_null(strstr(o.compiled.as_run, ".entry _Z6parentPi"));
    assert_true(told(&o, "compiled with -rdc=true"));
    finish(&o);
}

/* Where clang's errors are about something that nvcc alone compiles, nvcc's errors are told. */
static void errors_of_nvcc(void **state) {
    (void)state;
    need(LS_FRONTEND_NVCC);
    outcome o = compile_with("waits_inside.cu",
                             (ls_frontend_options){.kind = LS_FRONTEND_AUTO, .form = LS_FORM_SOURCE});
    assert_false(o.good);
    assert_true(told(&o, "cudaDeviceSynchronize"));
    assert_false(told(&o, "--frontend nvcc"));
    finish(&o);
}

/* Declarations that are there for nvcc alone: the kernel has its launch. */
static void macro_of_nvcc(void **state) {
    (void)state;
    outcome o = compile_with("only_nvcc.cu",
                             (ls_frontend_options){.kind = LS_FRONTEND_CLANG, .form = LS_FORM_SOURCE});
    expect_good(&o);
    assert_true(told(&o, "compiled with -D__NVCC__"));
    assert_int_equal(o.compiled.kernel_count, 1);
    assert_int_equal(o.compiled.kernels[0].launch_count, 1);
    assert_size(o.compiled.kernels[0].launches[0].block, 128, 1, 1);
    finish(&o);
}

/* The same file by both compilers, with the bundled arithmetic on vectors. */
static void vectors_of_samples(void **state) {
    (void)state;
    ls_frontend_kind kinds[] = {LS_FRONTEND_CLANG, LS_FRONTEND_NVCC};
    for (int i = 0; i < 2; i++) {
        outcome o =
            compile_with("vectors.cu", (ls_frontend_options){.kind = kinds[i], .form = LS_FORM_SOURCE});
        expect_good(&o);
        assert_int_equal(o.compiled.kernel_count, 1);
        finish(&o);
    }
}

static void launches_of_the_text_nvcc(void **state) {
    (void)state;
    check_text_launches(LS_FRONTEND_NVCC);
}

static void launch_text(void **state) {
    (void)state;
    static const char TEXT[] = "#define B 32\nconst int rows = 4 * (B + 0);\nint moving = 7;\n"
                               "void f(int n) {\n"
                               "  dim3 g(n, 2), changed(1); changed.x = n;\n"
                               "  ns::a<<<rows / 2, B << 1, 16>>>(n); // a<<<9, 9>>>\n"
                               "  a<<<n, dim3(B, 2)>>>(\"a<<<8, 8>>>\");\n"
                               "  b<T, (1 > 0)><<<g, changed>>>();\n"
                               "  c<<<moving, 0x40u, n, stream>>>();\n"
                               "  d <<< 1;\n"
                               "}\n";
    ls_arena arena;
    ls_arena_init(&arena);
    ls_text_launches found = {0};
    ls_launch_text(TEXT, "f.cu", &arena, &found);
    assert_int_equal(found.length, 4);
    assert_string_equal(found.items[0].kernel, "a");
    assert_size(found.items[0].launch.grid, 64, 1, 1);
    assert_size(found.items[0].launch.block, 64, 1, 1);
    assert_true(found.items[0].launch.shared_known);
    assert_int_equal(found.items[0].launch.shared_bytes, 16);
    assert_int_equal(found.items[0].launch.line, 6);
    assert_false(found.items[1].launch.grid.known);
    assert_size(found.items[1].launch.block, 32, 2, 1);
    assert_int_equal(found.items[1].launch.shared_bytes, 0);
    assert_string_equal(found.items[2].kernel, "b");
    assert_false(found.items[2].launch.grid.known);
    assert_false(found.items[2].launch.block.known);
    assert_false(found.items[3].launch.grid.known);
    assert_size(found.items[3].launch.block, 64, 1, 1);
    assert_false(found.items[3].launch.shared_known);
    ls_arena_free(&arena);
}

/* A text that never ends, or names itself, ends the reading all the same. */
static void launch_text_of_anything(void **state) {
    (void)state;
    static const char *const TEXTS[] = {"<<<",
                                        "a<<<",
                                        "a<<<1",
                                        "a<<<1,",
                                        "a<<<1,1",
                                        "<<<1,1>>>",
                                        "a<<<(((((,)))>>>",
                                        "#define A A\nk<<<A, A>>>()",
                                        "#define A B\n#define B A\nk<<<A, B>>>()",
                                        "k<<<1/0, 1%0>>>()",
                                        "k<<<99999999999999999999, 1 << 99>>>()",
                                        "/* k<<<1, 1>>>",
                                        "\"k<<<1, 1>>>",
                                        "dim3 g(1, 2, 3, 4); k<<<g, g>>>()",
                                        ">k<<<1, 2>>>()"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        ls_arena arena;
        ls_arena_init(&arena);
        ls_text_launches found = {0};
        ls_launch_text(TEXTS[i], "f.cu", &arena, &found);
        for (uint32_t k = 0; k < found.length; k++) assert_false(found.items[k].launch.grid.known && i < 14);
        ls_arena_free(&arena);
    }
}

/* --- Device code in programs ------------------------------------------------------------------------------
 */

static void fat_binary(void **state) {
    (void)state;
    static const char PTX[] = "//\n.version 7.5\n.target sm_86\n";
    ls_buf out = {0};
    ls_fatbin_of_ptx(PTX, sizeof PTX - 1, "sm_86", &out);
    uint32_t word;
    uint16_t half[2];
    uint64_t size;
    memcpy(&word, out.text, 4);
    assert_int_equal(word, 0xba55ed50);
    memcpy(&size, out.text + 8, 8);
    assert_int_equal(size, out.length - 16);
    memcpy(half, out.text + 16, 4);
    assert_int_equal(half[0], 1); /* PTX */
    memcpy(&word, out.text + 16 + 4, 4);
    assert_int_equal(word, 64);
    memcpy(&word, out.text + 16 + 28, 4);
    assert_int_equal(word, 86);
    assert_memory_equal(out.text + 16 + 64, PTX, sizeof PTX); /* with a zero behind it */
    assert_int_equal(out.length % 8, 0);
    ls_buf_free(&out);
}

static void object_with_device_code(void **state) {
    (void)state;
    char path[] = "/tmp/lockstep-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    outcome o = compile_with("modern.cu", (ls_frontend_options){.kind = LS_FRONTEND_CLANG,
                                                                .form = LS_FORM_AS_RUN,
                                                                .cccl = "/nowhere",
                                                                .host_object = path});
    expect_good(&o);
    FILE *object = fopen(path, "rb");
    assert_non_null(object);
    ls_buf text = {0};
    char chunk[4096];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, object));) ls_buf_add(&text, chunk, got);
    fclose(object);
    unlink(path);
    assert_memory_equal(text.text, "\177ELF", 4);
    assert_non_null(memmem(text.text, text.length, ".visible .entry _Z7product", 26));
    assert_non_null(memmem(text.text, text.length, "__cudaRegisterFatBinary", 23));
    ls_buf_free(&text);
    finish(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundled_headers),
        cmocka_unit_test(bundled_libcu),
        cmocka_unit_test(cccl_where_it_is),
        cmocka_unit_test(missing_headers_get_advice),
        cmocka_unit_test(missing_names_are_not_tried_again),
        cmocka_unit_test(foreign_headers_clang),
        cmocka_unit_test(foreign_headers_nvcc),
        cmocka_unit_test(architecture_by_words),
        cmocka_unit_test(cluster_sizes),
        cmocka_unit_test(asynchronous_kernels),
        cmocka_unit_test(launches_of_the_text_clang),
        cmocka_unit_test(launches_of_the_text_nvcc),
        cmocka_unit_test(older_calls_clang),
        cmocka_unit_test(older_calls_nvcc),
        cmocka_unit_test(kernels_launch_kernels_nvcc),
        cmocka_unit_test(errors_of_nvcc),
        cmocka_unit_test(macro_of_nvcc),
        cmocka_unit_test(vectors_of_samples),
        cmocka_unit_test(launch_text),
        cmocka_unit_test(launch_text_of_anything),
        cmocka_unit_test(fat_binary),
        cmocka_unit_test(object_with_device_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
