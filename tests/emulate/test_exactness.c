/* Random programs, one kernel for each instruction form, and kernels with wgmma (operands in all layouts),
 * whose results on an H200 were recorded as hashes by bench/gpu/exactness/run.c: the emulator must leave the
 * same bits in every register of every thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inputs.h"
#include "program.h"

static char *read_kernel(const char *folder, unsigned n) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%04u.ptx", folder, n);
    FILE *f = fopen(path, "rb");
    char *text = calloc(1 << 16, 1);
    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    return text;
}

/* folder: where the kernel stands; NULL: it is generated. */
static unsigned check_kernel(const char *folder, uint64_t seed, unsigned size, unsigned n, uint64_t text,
                             uint64_t result) {
    static char in[EXACT_BYTES], out[EXACT_BYTES];
    char *ptx = folder ? read_kernel(folder, n) : size ? exact_program(seed, n, size) : exact_single(seed, n);
    assert_non_null(ptx);
    if (exact_hash(ptx, strlen(ptx)) != text)
        fail_msg("kernel %u is not what was recorded: the generator has changed, record again on a GPU", n);
    exact_inputs(seed, n, in);
    assert_int_equal(exact_emulate(ptx, in, out), 0);
    unsigned wrong = exact_hash(out, EXACT_BYTES) != result;
    if (wrong) print_message("seed %llu, kernel %u differs from the H200\n", (unsigned long long)seed, n);
    free(ptx);
    return wrong;
}

static void check_file(const char *name, const char *folder, unsigned least) {
    unsigned long long seed, text, result;
    unsigned size, n, kernels = 0, wrong = 0;
    FILE *f = fopen(name, "r");
    if (!f) fail_msg("%s cannot be read", name);
    assert_int_equal(fscanf(f, "seed %llu size %u", &seed, &size), 2);
    for (; fscanf(f, "%u %llx %llx", &n, &text, &result) == 3; kernels++)
        wrong += check_kernel(folder, seed, size, n, text, result);
    fclose(f);
    assert_int_equal(wrong, 0);
    assert_true(kernels >= least);
}

static void every_instruction_form(void **state) {
    (void)state;
    check_file(SOURCE_DIR "/tests/emulate/h200/programs_each.txt", NULL, 2000);
}

static void random_programs(void **state) {
    (void)state;
    check_file(SOURCE_DIR "/tests/emulate/h200/programs_random.txt", NULL, 1000);
    check_file(SOURCE_DIR "/tests/emulate/h200/programs_more.txt", NULL, 1600);
    check_file(SOURCE_DIR "/tests/emulate/h200/programs_long.txt", NULL, 400);
}

static void products_of_four_warps(void **state) {
    (void)state;
    check_file(SOURCE_DIR "/tests/emulate/h200/wgmma/results.txt", SOURCE_DIR "/tests/emulate/h200/wgmma",
               30);
    check_file(SOURCE_DIR "/tests/emulate/h200/wgmma_sparse/results.txt",
               SOURCE_DIR "/tests/emulate/h200/wgmma_sparse", 14);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_instruction_form),
                                       cmocka_unit_test(random_programs),
                                       cmocka_unit_test(products_of_four_warps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
