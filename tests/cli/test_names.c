/* What things are called in findings: parameters and variables as in the source, and a race's two threads are
 * never one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "command.h"
#include "lockstep/frontend.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void test_variables(void **state) {
    (void)state;
    static const char *const names[][2] = {{"_ZZ4scanPiE1s", "s"},
                                           {"_ZZ4scanPiE11temporaries", "temporaries"},
                                           {"scan_$_tile", "tile"},
                                           {"_ZN2ns5tableE", "table"},
                                           {"plain", "plain"},
                                           {"_$_", "_$_"},
                                           {"", ""},
                                           {"_Z", "_Z"},
                                           {"_Z99999999999x", "_Z99999999999x"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char out[64];
        ls_variable_name(names[i][0], out, sizeof out);
        assert_string_equal(out, names[i][1]);
        ls_variable_name(names[i][0], out, 2);
        assert_true(strlen(out) < 2);
    }
}

static json_t *findings_of(const char *command, const char *file) {
    char words[1024];
    snprintf(words, sizeof words, "--format json --block 256 --grid 2 kernels/%s", file);
    run_in(TEST_DIR, command, words);
    json_t *report = json_loads(ls_buf_text(&last.output), 0, NULL);
    assert_non_null(report);
    return report;
}

/* Calls `see` with every finding of the report; returns how many there were. */
static uint32_t each_finding(json_t *node, void (*see)(json_t *finding)) {
    uint32_t count = 0;
    const char *key;
    json_t *part;
    size_t index;
    if (json_is_object(node) && json_object_get(node, "rule") && json_object_get(node, "message")) {
        see(node);
        return 1;
    }
    if (json_is_object(node)) json_object_foreach(node, key, part) count += each_finding(part, see);
    if (json_is_array(node)) json_array_foreach(node, index, part) count += each_finding(part, see);
    return count;
}

static void see_race(json_t *finding) {
    const char *rule = json_string_value(json_object_get(finding, "rule"));
    if (!rule || strcmp(rule, "race.shared")) return;
    assert_non_null(strstr(json_string_value(json_object_get(finding, "message")), "race on 's'"));
    json_t *witness = json_object_get(finding, "witness");
    json_t *threads = json_object_get(witness, "threads");
    json_t *one = json_array_get(threads, 0), *other = json_array_get(threads, 1);
    assert_non_null(one);
    if (other) assert_false(json_equal(json_object_get(one, "thread"), json_object_get(other, "thread")));
}

static void test_races(void **state) {
    (void)state;
    char reason[256];
    if (!ls_frontend_available(LS_FRONTEND_CLANG, reason, sizeof reason)) skip();
    const char *const commands[] = {"run", "verify"};
    for (int i = 0; i < 2; i++) {
        json_t *report = findings_of(commands[i], "several_readers.cu");
        assert_true(each_finding(report, see_race) > 0);
        char *text = json_dumps(report, 0);
        assert_null(strstr(text, "_param_0"));
        free(text);
        json_decref(report);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_variables), cmocka_unit_test(test_races)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
