/* The same files give the same report in every run: with one worker and with several, and while other threads
 * keep the machine busy. All limits count steps, so that a time that passes changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "command.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { BUSY = 2 };

static atomic_bool over;

static void *keep_busy(void *unused) {
    volatile unsigned long n = 0;
    while (!atomic_load(&over)) n = n + 1;
    return unused;
}

/* What a run says, as the test's own copy. */
static char *report(const char *command, const char *options, const char *files) {
    char words[1024];
    snprintf(words, sizeof words, "%s %s", options, files);
    int status = run_in(SOURCE_DIR, command, words);
    char *text = malloc(last.output.length + 16);
    snprintf(text, last.output.length + 16, "%d\n%s", status, ls_buf_text(&last.output));
    return text;
}

static void compare(const char *command, const char *files) {
    char *alone = report(command, "-j1", files), *together = report(command, "-j4", files);
    pthread_t threads[BUSY];
    atomic_store(&over, false);
    for (int i = 0; i < BUSY; i++) assert_int_equal(pthread_create(&threads[i], NULL, keep_busy, NULL), 0);
    char *busy = report(command, "-j2", files);
    atomic_store(&over, true);
    for (int i = 0; i < BUSY; i++) pthread_join(threads[i], NULL);
    assert_string_equal(alone, together);
    assert_string_equal(alone, busy);
    free(alone);
    free(together);
    free(busy);
}

static void test_verify(void **state) {
    (void)state;
    compare("verify",
            "--block 32 --grid 4 tests/verify/kernels/order/lock_no_release.cu "
            "tests/verify/kernels/lanes/verify_warpid.ptx tests/verify/kernels/lanes/verify_lanemask.ptx");
}

static void test_run(void **state) {
    (void)state;
    compare("run", "--block 32 --grid 4 tests/verify/kernels/lanes/verify_warpid.ptx");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_verify, forget),
                                       cmocka_unit_test_teardown(test_run, forget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
