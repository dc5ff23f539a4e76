/* Random programs and one kernel for each instruction form, whose results on an H200 were recorded as hashes
 * (bench/gpu/exactness/run.c wrote tests/emulate/h200/programs_*.txt): the emulator must leave the same bits
 * in every register of every thread. */
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

static unsigned check_kernel(uint64_t seed, unsigned size, unsigned n, uint64_t text, uint64_t result) {
    static char in[EXACT_BYTES], out[EXACT_BYTES];
    char *ptx = size ? exact_program(seed, n, size) : exact_single(seed, n);
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

static void check_file(const char *name, unsigned least) {
    unsigned long long seed, text, result;
    unsigned size, n, kernels = 0, wrong = 0;
    FILE *f = fopen(name, "r");
    if (!f) fail_msg("%s cannot be read", name);
    assert_int_equal(fscanf(f, "seed %llu size %u", &seed, &size), 2);
    for (; fscanf(f, "%u %llx %llx", &n, &text, &result) == 3; kernels++)
        wrong += check_kernel(seed, size, n, text, result);
    fclose(f);
    assert_int_equal(wrong, 0);
    assert_true(kernels >= least);
}

static void every_instruction_form(void **state) {
    (void)state;
    check_file(SOURCE_DIR "/tests/emulate/h200/programs_each.txt", 2000);
}

static void random_programs(void **state) {
    (void)state;
    check_file(SOURCE_DIR "/tests/emulate/h200/programs_random.txt", 800);
    check_file(SOURCE_DIR "/tests/emulate/h200/programs_long.txt", 150);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_instruction_form),
                                       cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
