/* lockstep detect and lockstep nvcc as commands: output and exit status. */
#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

/* Exit status; standard output in out. */
static int lockstep(char *out, size_t size, const char *arguments) {
    char command[4096];
    snprintf(command, sizeof command, "LD_LIBRARY_PATH='%s' '" LOCKSTEP_BINARY "' %s 2>/dev/null",
             FAKE_DRIVER, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(out, 1, size - 1, pipe);
    out[length] = 0;
    return WEXITSTATUS(pclose(pipe));
}

#define DATA(name)   "'" TEST_DIR "/data/" name "'" /* quoted for the shell */
#define BINARY(name) "'" SOURCE_DIR "/tests/ptx/data/" name "'"

static void plan(void **state) {
    (void)state;
    char out[4096];
    assert_int_equal(lockstep(out, sizeof out, "detect --plan --warps 960 --copies 2,4,6,10,31,960"), 0);
    static const char *const rows[] = {
        "960       20            2x         100%", "960       10            4x         100%",
        "960        8            6x         100%", "960        6           10x         100%",
        "960        4           31x         100%", "960        2          960x         100%",
        "960       10            2x          97%", "960        8            2x          94%",
        "960        6            2x          88%", "960        4            2x          75%"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_non_null(strstr(out, rows[i]));
    assert_int_equal(lockstep(out, sizeof out, "detect --plan --copies nonsense"), 2);
    assert_int_equal(lockstep(out, sizeof out, "detect --plan --copies 4,1"), 2);
    assert_int_equal(lockstep(out, sizeof out, "detect --plan --copies 4,"), 2);
}

static void kernels(void **state) {
    (void)state;
    char out[16384];
    assert_int_equal(
        lockstep(out, sizeof out,
                 "detect " DATA("block.ptx") " --on emulator --kernel racy_scan --grid 2 --block 256"),
        1);
    assert_non_null(strstr(
        out, "block.cu:26:9: error: read-write race on 't' between threads of one block [race.shared]"));
    assert_non_null(strstr(out, "block.cu:27:9: note: a thread of warp "));
    assert_int_equal(
        lockstep(out, sizeof out,
                 "detect " DATA(
                     "block.ptx") " --on emulator --kernel scan --grid 2 --block 256 --all --format json"),
        0);
    assert_non_null(strstr(out, "barrier intervals watched"));
    assert_int_equal(lockstep(out, sizeof out,
                              "detect " DATA("grid.ptx") " --on emulator --kernel own --grid 4 --block 64"),
                     0);
    assert_non_null(strstr(out, "proved"));
    assert_int_equal(
        lockstep(out, sizeof out,
                 "detect " DATA("calls.ptx") " --on emulator --kernel calls_itself --grid 2 --block 64"),
        3);
    assert_non_null(strstr(out, "not inlined"));
    assert_int_equal(
        lockstep(out, sizeof out, "detect " DATA("block.ptx") " --on emulator --kernel nothing --block 32"),
        2);
    assert_int_equal(lockstep(out, sizeof out, "detect --memory much " DATA("block.ptx")), 2);
    assert_int_equal(lockstep(out, sizeof out, "detect --copies 1 " DATA("block.ptx")), 2);
    assert_int_equal(lockstep(out, sizeof out, "detect --copies 2,4 " DATA("block.ptx")), 2);
}

/* The same through the driver's interface, and a whole program. */
static void driver(void **state) {
    (void)state;
    char out[16384];
    assert_int_equal(
        lockstep(out, sizeof out,
                 "detect " DATA("grid.ptx") " --on gpu --kernel racy_stencil --grid 4 --block 64 "
                                            "--arg 's32[256]=random:3' --arg 256"),
        1);
    assert_non_null(strstr(out, "grid.cu:21:5: error: read-write race"));
    assert_non_null(strstr(out, "run on fake GPU 0"));
    assert_int_equal(lockstep(out, sizeof out, "detect -- '" PROGRAM "' " BINARY("grid_none.fatbin")), 1);
    assert_non_null(strstr(out, "0 wrong results"));
    assert_non_null(strstr(out, "write-write race on 'total' between threads of different blocks"));
    assert_int_equal(lockstep(out, sizeof out,
                              "detect --kernel own --kernel permuted -v -- '" PROGRAM
                              "' " BINARY("grid_none.fatbin")),
                     0);
    assert_non_null(strstr(out, "own_param_0: every thread has its own part"));
    assert_non_null(strstr(out, "race-free by its offsets or a rehearsal, so it ran as the program has it"));
    assert_non_null(strstr(out, "global memory: the accesses of 16 warps were watched"));
    assert_int_equal(lockstep(out, sizeof out, "detect -- /no/such/program"), 3);
    /* two processes at once, and the number of the launch in the finding */
    static const char *const twice =
        "detect --kernel racy_blocks --format json -- sh -c \"'" PROGRAM
        "' " BINARY("grid_none.fatbin") " & '" PROGRAM "' " BINARY("grid_none.fatbin") "; wait\"";
    assert_int_equal(lockstep(out, sizeof out, twice), 1);
    assert_non_null(strstr(out, "\"checked_launches\": 2"));
    assert_non_null(strstr(out, "\"launch\": 3"));
}

/* What no GPU shows runs in the emulator, with the memory and variables of the program. */
static void in_the_emulator(void **state) {
    (void)state;
    static const struct {
        const char *kernel, *variable, *more;
        int status;
        const char *said;
    } cases[] = {
        {"pulled", "none", "", 0, NULL},
        {"racy_pulled", "none", "", 1, "race"},
        {"handed", "none", "", 0, NULL},
        {"racy_handed", "none", "", 1, "race"},
        {"racy_apart", "none", "", 1, "race"},
        {"racy_apart", "none", "--emulate 0", 3, "a barrier of only some threads of the block"},
        {"met", "none", "", 0, NULL},
        {"met", "none", "--emulate 0", 3, "the blocks of a cluster wait for each other"},
        {"racy_met", "none", "", 1, "race"},
        {"handed_early", "none", "", 0, NULL},
        {"handed_early", "early", "", 1, "race"},
        {"handed", "none", "--emulate 0", 3, "a barrier of only some threads of the block"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[16384], arguments[1024];
        setenv("PROGRAM_KERNEL", cases[i].kernel, 1);
        setenv("PROGRAM_VARIABLE", cases[i].variable, 1);
        snprintf(arguments, sizeof arguments, "detect -v %s -- '" PROGRAM "' " DATA("beside.ptx"),
                 cases[i].more);
        int status = lockstep(out, sizeof out, arguments);
        if (status != cases[i].status)
            fail_msg("%s %s: %d\n%s", cases[i].kernel, cases[i].variable, status, out);
        if (cases[i].said && !strstr(out, cases[i].said)) fail_msg("%s: %s", cases[i].kernel, out);
        if (!*cases[i].more)
            assert_non_null(strstr(out, "4 of 4 blocks of launch 1 were run in the emulator"));
    }
    unsetenv("PROGRAM_KERNEL"), unsetenv("PROGRAM_VARIABLE");
}

static void nvcc(void **state) {
    (void)state;
    char out[4096];
    assert_int_equal(
        lockstep(out, sizeof out, "nvcc --show -O3 a.cu -gencode arch=compute_90,code=sm_90 -o a"), 0);
    assert_non_null(strstr(out, "nvcc -lineinfo -gencode=arch=compute_90,code=compute_90 -O3 a.cu"));
    assert_int_equal(lockstep(out, sizeof out, "nvcc --show -arch=sm_90 -lineinfo a.cu"), 0);
    assert_non_null(strstr(out, "nvcc -arch=sm_90 -lineinfo a.cu\n"));
    assert_int_equal(lockstep(out, sizeof out, "nvcc --show --version"), 0);
    assert_null(strstr(out, "lineinfo"));
}

int main(void) {
    setenv("LOCKSTEP_CACHE", "off", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan),   cmocka_unit_test(kernels),
        cmocka_unit_test(driver), cmocka_unit_test(in_the_emulator),
        cmocka_unit_test(nvcc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
