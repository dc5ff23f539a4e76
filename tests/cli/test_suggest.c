/* Changes that mend a finding are told only where they were tried: barriers, longer rows; and a text that an
 * editor has not saved is looked at under the name of its file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* keep */
#include <cmocka.h>

#include "command.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/lockstep-suggest-XXXXXX";

static void put(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(ls_write_file(path, text, strlen(text)));
}

static void says_not(const char *what) {
    if (strstr(ls_buf_text(&last.output), what))
        fail_msg("'%s' is in the output:\n%s", what, ls_buf_text(&last.output));
}

static const char reduce[] = "__global__ void reduce(const float *in, float *out) {\n"
                             "    __shared__ float s[256];\n"
                             "    int t = threadIdx.x;\n"
                             "    s[t] = in[blockIdx.x * 256 + t];\n"
                             "    for (int d = 128; d > 0; d /= 2) {\n"
                             "        if (t < d) s[t] += s[t + d];\n"
                             "        __syncthreads();\n"
                             "    }\n"
                             "    if (t == 0) out[blockIdx.x] = s[0];\n"
                             "}\n"
                             "void launch(const float *in, float *out) { reduce<<<4, 256>>>(in, out); }\n";

static void test_barrier(void **state) {
    (void)state;
    put("reduce.cu", reduce);
    assert_int_equal(run_in(folder, "verify", "--suggest reduce.cu"), 1);
    says("  fix: with a `__syncthreads()` after line 4 the kernel is proved");
    assert_int_equal(run_in(folder, "verify", "reduce.cu"), 1); /* not asked for */
    says_not("fix:");
    assert_int_equal(run_in(folder, "check", "--suggest --format json reduce.cu"), 1);
    says("\"insert\": \"    __syncthreads();\\n\"");
    says("\"checked\": true");
}

/* In a loop the barrier that is missing stands behind the later access. */
static void test_barrier_in_loop(void **state) {
    (void)state;
    put("loop.cl", "__kernel void rotate(__global int *out) {\n"
                   "    __local int s[64];\n"
                   "    int t = get_local_id(0);\n"
                   "    for (int i = 0; i < 4; i++) {\n"
                   "        s[t] = i + t;\n"
                   "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                   "        out[get_global_id(0)] += s[63 - t];\n"
                   "    }\n"
                   "}\n");
    assert_int_equal(run_in(folder, "verify", "--suggest --block 64 loop.cl"), 1);
    says("  fix: with a `barrier(CLK_LOCAL_MEM_FENCE)` after line 7 the kernel is proved");
}

/* No barrier helps where one statement reads what another thread's same statement writes, nor between
 * blocks; and one in a divergent branch would be wrong. */
static void test_nothing_helps(void **state) {
    (void)state;
    put("none.cu", "__global__ void one(int *a) {\n"
                   "    __shared__ int s[64];\n"
                   "    s[threadIdx.x] = a[threadIdx.x];\n"
                   "    __syncthreads();\n"
                   "    if (threadIdx.x > 0) s[threadIdx.x] += s[threadIdx.x - 1];\n"
                   "}\n"
                   "__global__ void two(int *a) {\n"
                   "    a[threadIdx.x] = blockIdx.x;\n"
                   "}\n");
    assert_int_equal(run_in(folder, "verify", "--suggest --block 64 --grid 2 none.cu"), 1);
    says_not("fix:");
}

/* A barrier orders threads of a block: what blocks write to the same element stays wrong. */
static void test_some_stays(void **state) {
    (void)state;
    put("none.cu", "__global__ void two(int *a) {\n"
                   "    a[threadIdx.x] = blockIdx.x;\n"
                   "    a[threadIdx.x + 1] = 7;\n"
                   "}\n");
    assert_int_equal(run_in(folder, "verify", "--suggest --block 64 --grid 2 none.cu"), 1);
    says("after line 2 fixes this; other findings remain");
}

static void test_rows(void **state) {
    (void)state;
    put("tile.cu", "__global__ void transpose(const float *in, float *out, int n) {\n"
                   "    __shared__ float tile[32][32];\n"
                   "    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
                   "    tile[threadIdx.y][threadIdx.x] = in[y * n + x];\n"
                   "    __syncthreads();\n"
                   "    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;\n"
                   "    out[y * n + x] = tile[threadIdx.x][threadIdx.y];\n"
                   "}\n"
                   "void go(float *a, float *b) { transpose<<<dim3(4, 4), dim3(32, 32)>>>(a, b, 128); }\n");
    assert_int_equal(run_in(folder, "check", "--suggest tile.cu"), 1);
    says("  fix: with rows of 'tile' that are one element longer (line 2) there is no bank conflict");
}

static void test_text(void **state) {
    (void)state;
    put("saved.cu", "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n");
    put("unsaved", "// a new line\n\n__global__ void k(int *a) { a[0] = threadIdx.x; }\n"
                   "// lockstep: ignore race.global -- in the text that is not saved\n"
                   "__global__ void other(int *a) { a[0] = threadIdx.x; }\n");
    assert_int_equal(run_in(folder, "verify", "--block 32 --grid 1 saved.cu"), 0);
    assert_int_equal(run_in(folder, "verify", "--block 32 --grid 1 --text unsaved saved.cu"), 1);
    says("saved.cu:3:");
    says("    3 | __global__ void k(int *a) { a[0] = threadIdx.x; }");
    says_not("saved.cu:5:");
    assert_int_equal(run_in(folder, "verify", "--text nowhere saved.cu"), 2);
    says("nowhere: error: cannot be read");
    assert_int_equal(run_in(folder, "verify", "--text unsaved saved.cu saved.cu"), 2);
    says("it is the text of one file");
}

static int make(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_barrier, forget),
                                       cmocka_unit_test_teardown(test_barrier_in_loop, forget),
                                       cmocka_unit_test_teardown(test_nothing_helps, forget),
                                       cmocka_unit_test_teardown(test_some_stays, forget),
                                       cmocka_unit_test_teardown(test_rows, forget),
                                       cmocka_unit_test_teardown(test_text, forget)};
    return cmocka_run_group_tests(tests, make, NULL);
}
