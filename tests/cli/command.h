/* Runs of the command for tests: words separated by spaces, in a folder; what it printed is in `last`.
 * Include after cmocka.h. */
#ifndef LS_TESTS_CLI_COMMAND_H
#define LS_TESTS_CLI_COMMAND_H

#include "cli/child.h"
#include "cli/cli.h"

#include <string.h>

static ls_child_result last; /* of the test's latest run */

/* The exit status of `lockstep SUBCOMMAND ARGUMENTS` in that folder (which may have spaces in its name, as
 * the program's own path may); a crash or a timeout fails the test. */
static inline int run_in(const char *folder, const char *subcommand, const char *arguments) {
    ls_buf_free(&last.output);
    char binary[] = LOCKSTEP_BINARY, words[2048], *argv[64] = {binary};
    snprintf(words, sizeof words, "%s %s", subcommand, arguments);
    int count = 1;
    for (char *word = strtok(words, " "); word && count < 63; word = strtok(NULL, " ")) argv[count++] = word;
    argv[count] = NULL;
    ls_child_run(argv, folder, 240, &last);
    assert_int_equal(last.end, LS_CHILD_EXITED);
    return last.code;
}

static inline void says(const char *what) {
    if (!strstr(ls_buf_text(&last.output), what))
        fail_msg("'%s' is not in the output:\n%s", what, ls_buf_text(&last.output));
}

/* Teardown. */
static inline int forget(void **state) {
    (void)state;
    ls_buf_free(&last.output);
    return 0;
}

#endif
