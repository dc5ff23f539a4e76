/* Kernels and launches in different files. --contracts: what is found is written, read back in the next run,
 * and held against the launches of another file. -p: launches in the project's other files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "command.h"

#include <stdlib.h>
#include <unistd.h>

#define KERNEL                                                                                               \
    "#include <cuda_runtime.h>\n"                                                                            \
    "__global__ void rows(int *a, int width) {\n"                                                            \
    "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"        \
    "    a[y * width + x] = x;\n"                                                                            \
    "}\n"

static char folder[64];

static void put(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(ls_write_file(path, text, strlen(text)));
}

static const char *contents(const char *name) {
    static ls_buf text;
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    text.length = 0;
    assert_true(ls_read_file(path, &text));
    ls_buf_free(&last.output);
    last.output = text;
    text = (ls_buf){0};
    return ls_buf_text(&last.output);
}

static const char found[] =
    "[\n {\"kernel\": \"_Z4rowsPii\", \"contract\": \"width >= gridDim.x*blockDim.x\"}\n]\n";

static void test_written_and_read(void **state) {
    (void)state;
    put("rows.cu", KERNEL);
    assert_int_equal(run_in(folder, "verify", "--contracts rows.json rows.cu"), LS_EXIT_UNKNOWN);
    says("proved if width >= gridDim.x*blockDim.x");
    assert_string_equal(contents("rows.json"), found);
    assert_int_equal(run_in(folder, "verify", "--accept-contracts --contracts rows.json rows.cu"),
                     LS_EXIT_CLEAN);
    says("proved if width >= gridDim.x*blockDim.x");
    assert_string_equal(contents("rows.json"), found);
}

static void launch(const char *width) {
    char text[1024];
    snprintf(text, sizeof text,
             KERNEL "void f(int *a, int n) { rows<<<dim3(4, n), dim3(16, 16)>>>(a, %s); }\n", width);
    put("launch.cu", text);
    put("given.json", found);
}

/* One that satisfies it, one that does not, and one of which it is not known. */
static void test_launches(void **state) {
    (void)state;
    launch("64");
    assert_int_equal(run_in(folder, "verify", "-v --contracts given.json launch.cu"), LS_EXIT_CLEAN);
    launch("63");
    assert_int_equal(run_in(folder, "verify", "-v --contracts given.json launch.cu"), LS_EXIT_FOUND);
    says("the launch does not satisfy the contract 'width >= gridDim.x*blockDim.x'");
    launch("n");
    assert_int_equal(run_in(folder, "verify", "-v --contracts given.json launch.cu"), LS_EXIT_UNKNOWN);
    says("proved if width >= gridDim.x*blockDim.x");
    assert_string_equal(contents("given.json"), found);
}

/* A contract under which the kernel is not proved excuses nothing, nor does one that is none. */
static void test_wrong_contracts(void **state) {
    (void)state;
    launch("63");
    put("given.json", "[{\"kernel\": \"_Z4rowsPii\", \"contract\": \"width > 0\"}]");
    assert_int_equal(run_in(folder, "verify", "--contracts given.json launch.cu"), LS_EXIT_FOUND);
    says("it is not proved for launches that satisfy its contract 'width > 0'");
    put("given.json", "[{\"kernel\": \"_Z4rowsPii\", \"contract\": \"width >\"}]");
    assert_int_equal(run_in(folder, "verify", "--contracts given.json launch.cu"), LS_EXIT_USAGE);
    says("entry 1 of the list");
    put("given.json", "{}");
    assert_int_equal(run_in(folder, "verify", "--contracts given.json launch.cu"), LS_EXIT_USAGE);
    says("expected a list of contracts");
    assert_int_equal(run_in(folder, "verify", "--contracts nowhere/c.json rows.cu"), LS_EXIT_USAGE);
    says("cannot be written");
}

/* The kernel in one file, its launch in another, which is compiled with an option of the project. A kernel of
 * the same name that the other file has for itself is none of this file's. */
static void test_project(void **state) {
    (void)state;
    static const char commands[] =
        "[{\"directory\": \"%s\", \"file\": \"rows.cu\", \"command\": \"nvcc -c rows.cu\"},\n"
        " {\"directory\": \"%s\", \"file\": \"main.cu\", \"command\": \"nvcc -DWIDTH=%u -c main.cu\"}]\n";
    put("rows.cu", KERNEL "__global__ void own(int *a, int n) { a[n * threadIdx.x] = threadIdx.x; }\n");
    put("main.cu", "#include <cuda_runtime.h>\n"
                   "__global__ void rows(int *a, int width);\n"
                   "static __global__ void own(int *a, int n) { a[threadIdx.x] = n; }\n"
                   "void run(int *a) {\n"
                   "    rows<<<dim3(4, 4), dim3(16, 16)>>>(a, WIDTH);\n"
                   "    own<<<1, 32>>>(a, 1);\n"
                   "}\n");
    for (unsigned width = 63; width < 65; width++) {
        char text[1024];
        snprintf(text, sizeof text, commands, folder, folder, width);
        put("compile_commands.json", text);
        int status = run_in(folder, "verify", "-p . --kernel rows rows.cu");
        assert_int_equal(status, width == 64 ? LS_EXIT_CLEAN : LS_EXIT_FOUND);
        says("main.cu:5");
    }
    run_in(folder, "verify", "-p . --kernel own rows.cu");
    assert_null(strstr(ls_buf_text(&last.output), "main.cu"));
}

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/lockstep-contracts-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    static const char *const names[] = {"rows.cu",    "rows.json", "launch.cu",
                                        "given.json", "main.cu",   "compile_commands.json"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    return forget(state);
}

/* The launch is in a function that other files call, one of them in C and by way of another. What they give
 * is known of the launch; where one of them cannot be read, whoever may call it can give anything. */
static const char *const CALLERS[][2] = {
    {"rows.cu", "#include \"rows.h\"\n" KERNEL "void run_rows(int *a, int columns, int lines, int width) {\n"
                "    rows<<<dim3(columns / 16, lines / 16), dim3(16, 16)>>>(a, width);\n"
                "}\n"},
    {"rows.h", "#ifdef __cplusplus\n"
               "extern \"C\"\n"
               "#endif\n"
               "    void run_rows(int *a, int columns, int lines, int width);\n"},
    {"work.c", "#include \"rows.h\"\n"
               "void work(int *a, int n) { run_rows(a, n, n, n + PAD); }\n"},
    {"main.cpp", "#include <cstdlib>\n"
                 "extern \"C\" void work(int *a, int n);\n"
                 "int main(int, char **values) { work(nullptr, atoi(values[1])); }\n"},
};

static void put_project(const char *pad, const char *further) {
    ls_buf text = {0};
    for (size_t i = 0; i < sizeof CALLERS / sizeof *CALLERS; i++) put(CALLERS[i][0], CALLERS[i][1]);
    ls_buf_printf(&text,
                  "[{\"directory\": \"%s\", \"file\": \"rows.cu\", \"command\": \"nvcc -c rows.cu\"},\n"
                  " {\"directory\": \"%s\", \"file\": \"work.c\", \"command\": \"cc -DPAD=%s -c work.c\"},\n",
                  folder, folder, pad);
    if (further)
        ls_buf_printf(&text, " {\"directory\": \"%s\", \"file\": \"%s\", \"command\": \"c++ -c %s\"},\n",
                      folder, further, further);
    ls_buf_printf(&text,
                  " {\"directory\": \"%s\", \"file\": \"main.cpp\", \"command\": \"c++ -c main.cpp\"}]\n",
                  folder);
    put("compile_commands.json", ls_buf_text(&text));
    ls_buf_free(&text);
}

static void test_callers(void **state) {
    (void)state;
    put_project("0", NULL);
    assert_int_equal(run_in(folder, "verify", "--cache off -p . rows.cu"), LS_EXIT_CLEAN);
    says("gridDim.x == width / 16");
    put_project("-1", NULL);
    assert_int_equal(run_in(folder, "verify", "--cache off -p . rows.cu"), LS_EXIT_FOUND);
    says("width == atoi_result + -1");
    put_project("0", "other.cpp");
    put("other.cpp", "#include \"rows.h\"\nstatic int early = (run_rows(nullptr, 64, 64, 60), 0);\n");
    assert_int_equal(run_in(folder, "verify", "--cache off -p . rows.cu"), LS_EXIT_FOUND);
    put("other.cpp", "#include \"rows.h\"\nthis is no program\n");
    assert_int_equal(run_in(folder, "verify", "--cache off -p . rows.cu"), LS_EXIT_UNKNOWN);
    says("proved if width >= gridDim.x*blockDim.x");
}

/* Faults in a caller in another file: one with which threads of the launch meet is never proved. */
static void test_wrong_callers(void **state) {
    (void)state;
    static const struct {
        const char *columns, *width;
        bool meets;
    } calls[] = {{"n", "n", false},          {"n", "n - 1", true},  {"2 * n", "n", true},
                 {"n", "n / 32 * 16", true}, {"n + 16", "n", true}, {"n / 2", "n", false}};
    put_project("0", NULL);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "#include \"rows.h\"\nvoid work(int *a, int n) { run_rows(a, %s, n, %s); }\n",
                 calls[i].columns, calls[i].width);
        put("work.c", text);
        int status = run_in(folder, "verify", "--cache off --accept-contracts -p . rows.cu");
        if (calls[i].meets) {
            assert_int_not_equal(status, LS_EXIT_CLEAN);
        } else {
            assert_int_equal(status, LS_EXIT_CLEAN);
        }
    }
}

/* Two programs of a project call it: there is a launch of each. */
static void test_programs(void **state) {
    (void)state;
    put_project("0", "second.cpp");
    put("second.cpp", "#include \"rows.h\"\nint main() { run_rows(nullptr, 64, 64, 60); }\n");
    assert_int_equal(run_in(folder, "verify", "--cache off -p . rows.cu"), LS_EXIT_FOUND);
    says("proved for block 16×16, any grid");
    says("refuted for block 16×16, grid 4×4");
}

/* A variable that another file changes, in a function that leads to no launch: what it is set to where it is
 * defined says nothing. */
static void test_changed_variables(void **state) {
    (void)state;
    put_project("0", "settings.cpp");
    put("rows.cu", KERNEL "int wide = 64;\nvoid change();\n"
                          "int main() { int *a; cudaMalloc(&a, 16384); change();"
                          " rows<<<dim3(4, 4), dim3(16, 16)>>>(a, wide); }\n");
    put("settings.cpp", "extern int wide;\nvoid change() { wide = 60; }\n");
    put("main.cpp", "");
    put("work.c", "");
    assert_int_not_equal(run_in(folder, "verify", "--cache off --accept-contracts --bounds -p . rows.cu"),
                         LS_EXIT_CLEAN);
    put("rows.cu", KERNEL "int wide = 64;\n"
                          "void go(int *a) { rows<<<dim3(4, 4), dim3(16, 16)>>>(a, wide); }\n");
    assert_int_not_equal(run_in(folder, "verify", "--cache off rows.cu"), LS_EXIT_CLEAN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_and_read), cmocka_unit_test(test_launches),
        cmocka_unit_test(test_wrong_contracts),  cmocka_unit_test(test_project),
        cmocka_unit_test(test_callers),          cmocka_unit_test(test_wrong_callers),
        cmocka_unit_test(test_programs),         cmocka_unit_test(test_changed_variables)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
