/* Programs built without NVIDIA's toolkit (docs/programs.md): `lockstep nvcc --frontend clang`, its steps and
 * options, and CMake with lockstep-nvcc as its CUDA compiler. They are linked with a runtime of the test's
 * own, which says what it is asked for. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/process.h"
#include "command.h"
#include "lockstep/frontend.h"

/* A link in the folder of the test: its own path may have spaces. */
#define PROGRAMS "programs/"
#define LOCKSTEP "lockstep" /* the program that is tested */

static char folder[] = "/tmp/lockstep-build-test-XXXXXX";

/* The exit status of a command in the folder of the test, what it says in `last`. */
static int run(const char *format, ...) {
    char words[4096], *argv[64], binary[] = LOCKSTEP_BINARY;
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    ls_buf_free(&last.output);
    int count = 0;
    for (char *word = strtok(words, " "); word && count < 63; word = strtok(NULL, " ")) argv[count++] = word;
    argv[count] = NULL;
    if (!strcmp(argv[0], LOCKSTEP)) argv[0] = binary;
    ls_child_run(argv, folder, 300, &last);
    assert_int_equal(last.end, LS_CHILD_EXITED);
    return last.code;
}

static void expect_success(int status) {
    if (status) fail_msg("status %d:\n%s", status, ls_buf_text(&last.output));
}

static bool has_program(const char *name) {
    char *path = ls_process_find(name);
    free(path);
    return path != NULL;
}

static void put_link(const char *to, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(symlink(to, path), 0);
}

static int set_up(void **state) {
    (void)state;
    char reason[256];
    if (!ls_frontend_available(LS_FRONTEND_CLANG, reason, sizeof reason)) return 0;
    if (!mkdtemp(folder)) return -1;
    setenv("LOCKSTEP_CUDA_LIBRARY", folder, 1);
    put_link(TEST_DIR "/programs", "programs");
    put_link(LOCKSTEP_BINARY "-nvcc", "lockstep-nvcc");
    return run("cc -shared -fPIC -w -o libcudart.so " PROGRAMS "stub.c");
}

static int tear_down(void **state) {
    (void)state;
    if (!access(folder, F_OK)) run("rm -rf %s", folder);
    return forget(NULL);
}

static void need(void) {
    char reason[256];
    if (ls_frontend_available(LS_FRONTEND_CLANG, reason, sizeof reason)) return;
    print_message("skipped: %s\n", reason);
    skip();
}

static void runs_as_it_should(const char *program) {
    expect_success(run("%s/%s", folder, program));
    says("fat binary ba55ed50 with PTX: 1");
    says("kernel _Z5scalePfi");
    says("kernel _ZL10add_kernelPfi");
    says("variable factor");
    says("launch 4 256 1000");
    says("launch 8 128 1000");
    says("1 999, 3 devices");
}

static void whole_program(void **state) {
    (void)state;
    need();
    expect_success(run(
        LOCKSTEP
        " nvcc --frontend clang -O2 -std=c++14 -DFACTOR=2 -Xcompiler -Wall,-fPIC -arch=sm_80 -o app " PROGRAMS
        "main.cu " PROGRAMS "parts.cu " PROGRAMS "devices.c -lm -lcudart_static"));
    runs_as_it_should("app");
}

static void steps(void **state) {
    (void)state;
    need();
    expect_success(run(LOCKSTEP
                       " nvcc --frontend=clang -dc -D FACTOR=2 -gencode arch=compute_75,code=sm_75 " PROGRAMS
                       "main.cu -o main.o -MD -MF main.d"));
    expect_success(run(LOCKSTEP " nvcc --frontend clang -c " PROGRAMS "parts.cu " PROGRAMS "devices.c"));
    expect_success(run(LOCKSTEP " nvcc --frontend clang -dlink main.o parts.o -o linked.o"));
    expect_success(run(
        LOCKSTEP " nvcc --frontend clang -lineinfo -lto -Xfatbin -compress-all -lm main.o parts.o devices.o "
                 "linked.o -o stepwise"));
    runs_as_it_should("stepwise");
    expect_success(run("cat main.d"));
    says("programs/parts.h");
    expect_success(run(LOCKSTEP " nvcc --frontend clang -ptx -arch sm_80 " PROGRAMS "parts.cu -o parts.ptx"));
    expect_success(run("cat parts.ptx"));
    says(".target sm_80");
    says("add_kernel");
    expect_success(run(LOCKSTEP " nvcc --frontend clang -fatbin -gencode arch=compute_80,code=sm_80 -gencode "
                                "arch=compute_120,code=sm_120 " PROGRAMS "parts.cu"));
    expect_success(run("grep -a target parts.fatbin"));
    says(".target sm_80"); /* the latest one that clang knows */
    expect_success(run(LOCKSTEP " nvcc --frontend clang -ptx -arch sm_120 " PROGRAMS "parts.cu -o new.ptx"));
    says("clang 19 does not know sm_120, so the code is compiled for sm_90");
    expect_success(run("cat new.ptx"));
    says(".target sm_90");
    expect_success(
        run(LOCKSTEP " nvcc --frontend clang -shared -Xcompiler -fPIC " PROGRAMS "parts.cu -o libparts.so"));
    expect_success(run(LOCKSTEP " nvcc --frontend clang -DFACTOR=2 " PROGRAMS "main.cu " PROGRAMS
                                "devices.c -L. -lparts -Xlinker -rpath,%s -o with_library",
                       folder));
    runs_as_it_should("with_library");
}

static void put_text(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Build files name the folder of a toolkit: what it has alone is found there, the rest is bundled. */
static void headers_of_a_toolkit(void **state) {
    (void)state;
    need();
    expect_success(run("mkdir -p kit/crt"));
    put_text("kit/cuda_runtime.h", "#error of the toolkit\n");
    put_text("kit/crt/host_runtime.h", "");
    put_text("kit/alone.h", "enum { ALONE = 3 };\n");
    put_text("asks.cu", "#include <cuda_runtime.h>\n#include <alone.h>\n"
                        "__global__ void k(int *p) { *p = ALONE; }\n");
    put_text("asks.cpp",
             "#include <cuda_runtime.h>\n#include <alone.h>\nint f() { return ALONE + cudaSuccess; }\n");
    expect_success(run(LOCKSTEP " nvcc --frontend clang -Ikit -c asks.cu asks.cpp"));
    expect_success(run(LOCKSTEP " nvcc --frontend clang -isystem=kit -c asks.cu"));
}

static void cmake(void **state) {
    (void)state;
    need();
    if (!has_program("cmake") || !has_program("make")) {
        print_message("skipped: CMake is not installed\n");
        skip();
    }
    expect_success(run("cmake -S " PROGRAMS "cmake -B cmake -DCMAKE_CUDA_COMPILER=%s/lockstep-nvcc", folder));
    says("The CUDA compiler identification is NVIDIA 12.8.0");
    says("Found CUDAToolkit");
    expect_success(run("cmake --build cmake"));
    setenv("LD_LIBRARY_PATH", folder, 1);
    runs_as_it_should("cmake/scale");
    runs_as_it_should("cmake/scale_linked");
    unsetenv("LD_LIBRARY_PATH");
}

static void what_it_cannot(void **state) {
    (void)state;
    need();
    expect_success(run(LOCKSTEP " nvcc --frontend clang -c " PROGRAMS "unlinked.cu"));
    says("warning: elsewhere(int) is device code from another file: kernels that use it need -dc or "
         "-rdc=true");
    expect_success(run(LOCKSTEP " nvcc --frontend clang -dc -Xcompiler -fPIC " PROGRAMS "unlinked.cu"));
    assert_null(strstr(ls_buf_text(&last.output), "warning"));
    assert_int_equal(run(LOCKSTEP " nvcc --frontend clang -shared unlinked.o -o unlinked.so"), LS_EXIT_USAGE);
    says("unlinked.so: no file defines the device code elsewhere(int)");
    assert_int_not_equal(run("cat unlinked.so"), 0);
    expect_success(run(LOCKSTEP " nvcc --frontend clang -dc -Xcompiler -fPIC " PROGRAMS "elsewhere.cu"));
    expect_success(run(LOCKSTEP " nvcc --frontend clang -shared unlinked.o elsewhere.o -o whole.so"));
    expect_success(
        run(LOCKSTEP " nvcc --frontend clang -dc -Xcompiler -fPIC " PROGRAMS "elsewhere.cu -o again.o"));
    assert_int_equal(
        run(LOCKSTEP " nvcc --frontend clang -shared unlinked.o elsewhere.o again.o -o unlinked.so"),
        LS_EXIT_USAGE);
    says("unlinked.so: several files define the device code elsewhere(int)");
    static const struct {
        const char *arguments, *message;
    } WRONG[] = {
        {"", "no input file"},
        {"-c", "no input file"},
        {"-o", "-o needs a value"},
        {"-cubin x.cu", "-cubin: only NVIDIA's nvcc can do this"},
        {"--no-such-option x.cu", "does not know this option"},
        {"-c missing.cu", "missing.cu: error: cannot be read"},
        {"-c -o one.o " PROGRAMS "parts.cu " PROGRAMS "main.cu",
         "-o names one output file, but 2 source files are given"},
        {"-DFACTOR=2 -o alone " PROGRAMS "main.cu", "give the other source files of the program as well"},
        {"-o alone " PROGRAMS "libraries.cu", "functions of OpenMP are missing: link with -fopenmp"},
        {"-DOWN -o alone " PROGRAMS "libraries.cu", "'glow(int)' is in none of the files"},
        {"-DSOLVED -o alone " PROGRAMS "libraries.cu", "functions of NVIDIA's cuSOLVER are missing"},
        {"-c " PROGRAMS "main.cu", "use of undeclared identifier 'FACTOR'"},
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        assert_int_equal(run(LOCKSTEP " nvcc --frontend clang %s", WRONG[i].arguments), LS_EXIT_USAGE);
        says(WRONG[i].message);
        assert_null(strstr(ls_buf_text(&last.output), "OpenGL"));
    }
    expect_success(run(LOCKSTEP " nvcc --frontend clang -c " PROGRAMS "libraries.cu"));
    const char *warning = strstr(ls_buf_text(&last.output), "warning: ISO C++11 does not allow");
    assert_non_null(warning);
    assert_null(strstr(warning + 1, "warning:")); /* though both compilations warn of it */
    expect_success(run(LOCKSTEP " nvcc --frontend clang --dryrun -Xcompiler -Wall,-fopenmp main.o -o app"));
    says(" -fopenmp \"-L"); /* when it is linked, too */
    setenv("LOCKSTEP_CUDA_LIBRARY", "/nowhere", 1);
    assert_int_not_equal(run(LOCKSTEP " nvcc --frontend clang " PROGRAMS "parts.cu -o nothing"), 0);
    setenv("LOCKSTEP_CUDA_LIBRARY", folder, 1);
    expect_success(run(LOCKSTEP " nvcc --frontend clang --version"));
    says("Lockstep, with clang in the place of");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_program),        cmocka_unit_test(steps),
        cmocka_unit_test(headers_of_a_toolkit), cmocka_unit_test(cmake),
        cmocka_unit_test(what_it_cannot),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
