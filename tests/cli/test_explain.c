/* `lockstep explain`: each rule's example is found by the subcommand that it names, and the mended one is
 * not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* keep */
#include <cmocka.h>

#include "base/buf.h"
#include "cli/explanations.h"
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/lockstep-explain-XXXXXX";

/* Whether the rule is reported of this text. */
static bool is_found(const ls_explanation *how, const char *text, const char *rule) {
    char path[64], tag[64], words[256];
    snprintf(path, sizeof path, "%s/example.cu", folder);
    assert_true(ls_write_file(path, text, strlen(text)));
    const char *options = strchr(how->command, ' ');
    snprintf(words, sizeof words, "%s example.cu", options ? options + 1 : "");
    char command[32];
    snprintf(command, sizeof command, "%.*s", (int)strcspn(how->command, " "), how->command);
    int status = run_in(folder, command, words);
    assert_int_not_equal(status, 2);
    snprintf(tag, sizeof tag, "[%s]", rule);
    remove(path);
    return strstr(ls_buf_text(&last.output), tag) != NULL;
}

static void test_examples_show_their_rule(void **state) {
    (void)state;
    for (int i = 0; i < LS_RULE_COUNT; i++) {
        const char *rule = ls_rule_get((ls_rule)i)->name;
        const ls_explanation *how = ls_explanation_of((ls_rule)i);
        assert_non_null(how->command);
        if (!*how->wrong) continue;
        if (!is_found(how, how->wrong, rule))
            fail_msg("%s is not found:\n%s", rule, ls_buf_text(&last.output));
        if (is_found(how, how->right, rule)) fail_msg("%s is found:\n%s", rule, ls_buf_text(&last.output));
    }
}

static void test_rules_are_listed_and_explained(void **state) {
    (void)state;
    assert_int_equal(run_in(".", "explain", ""), 0);
    for (int i = 0; i < LS_RULE_COUNT; i++) says(ls_rule_get((ls_rule)i)->name);
    assert_int_equal(run_in(".", "explain", "bank-conflict"), 0);
    says("tile[32][33]");
    assert_int_equal(run_in(".", "explain", "race.share"), 2);
    says("did you mean 'race.shared'?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_examples_show_their_rule, forget),
        cmocka_unit_test_teardown(test_rules_are_listed_and_explained, forget),
    };
    if (!mkdtemp(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
