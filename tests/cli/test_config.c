/* .lockstep.toml, suppressions in the source, --baseline and --fail-on, as a user sees them; and the reader
 * of TOML on what it takes and refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* keep */
#include <cmocka.h>

#include "cli/toml.h"
#include "command.h"

#include <stdlib.h>
#include <unistd.h>

/* --- TOML ------------------------------------------------------------------------------------------------
 */

static ls_arena arena;

static bool parse(const char *text, ls_toml *out, char *error, size_t size) {
    ls_diags *diags = ls_diags_new();
    bool good = ls_toml_parse(text, strlen(text), "t.toml", &arena, out, diags);
    assert_int_equal(good, !ls_diags_errors(diags));
    if (!good) snprintf(error, size, "%u: %s", ls_diags_at(diags, 0)->line, ls_diags_at(diags, 0)->message);
    ls_diags_free(diags);
    return good;
}

static void test_toml_is_read(void **state) {
    (void)state;
    ls_toml toml;
    char error[256];
    assert_true(
        parse("# nothing\n[options]\ntimeout = 20 # s\nname = \"a\\\"b\"\r\nlist = [ 'x',\n  \"y\", # z\n]\n"
              "on = true\n[[suppress]]\n\"a.b\" = 'c'\n[[suppress]]\nk = -1.5\n",
              &toml, error, sizeof error));
    assert_int_equal(toml.count, 6);
    assert_string_equal(toml.entries[0].values.items[0], "20");
    assert_int_equal(toml.entries[0].kind, LS_TOML_NUMBER);
    assert_string_equal(toml.entries[1].values.items[0], "a\"b");
    assert_true(toml.entries[2].is_list);
    assert_int_equal(toml.entries[2].values.count, 2);
    assert_int_equal(toml.entries[3].kind, LS_TOML_BOOL);
    assert_string_equal(toml.entries[4].key, "a.b");
    assert_int_equal(toml.entries[4].number, 1);
    assert_int_equal(toml.entries[5].number, 2);
    assert_int_equal(toml.entries[5].line, 12);
}

static void test_what_is_no_toml_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"[options",      "[options]x",     "a",
                                        "a =",           "a = \"b",        "a = \"\\q\"",
                                        "a = [1, 'x']",  "a = [1",         "a = 1\na = 2",
                                        "[a]\n[a]",      "a.b = 1",        "a = {b = 1}",
                                        "a = \"\"\"x",   "a = 2020-01-01", "a = 1 2",
                                        "= 1",           "[[a]]\n[a]",     "a = nan1",
                                        "a = [[1], [2]]"};
    ls_toml toml;
    char error[256];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (parse(texts[i], &toml, error, sizeof error)) fail_msg("taken: %s", texts[i]);
    assert_false(parse("a = 1\n\nb = ?\n", &toml, error, sizeof error));
    assert_non_null(strstr(error, "3: "));
}

/* --- The command -----------------------------------------------------------------------------------------
 */

static char folder[] = "/tmp/lockstep-config-XXXXXX";

static void put(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(ls_write_file(path, text, strlen(text)));
}

static void drop(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    remove(path);
}

/* Every thread writes one place: a race; a[i * 32] costs more than it must. */
#define RACE                                                                                                 \
    "__global__ void k(int *a) {\n%s    a[0] = threadIdx.x;%s\n}\nvoid l(int *a) { k<<<1, 64>>>(a); }\n"

static void race(const char *above, const char *behind) {
    char text[512];
    snprintf(text, sizeof text, RACE, above, behind);
    put("k.cu", text);
}

static void test_comments_suppress(void **state) {
    (void)state;
    race("", "");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 1);
    race("", " // lockstep: ignore race.global -- the last one wins, any will do");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 0);
    says("1 suppressed");
    race("    /* lockstep: ignore race -- any will do */\n", "");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 0);
    race("    // lockstep: ignore race.global -- any\n    int unused;\n", "");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 1);
    race("", " // lockstep: ignore race.shared -- another rule");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 1);
    race("", " // lockstep: ignore race.global");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 1);
    says("it needs a reason");
    race("", " // lockstep: ignore race.globl -- typo");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 1);
    says("there is no such rule");
    race("", " // lockstep: ignore race.global -- known");
    assert_int_equal(run_in(folder, "verify", "--format sarif k.cu"), 0);
    says("\"justification\": \"known\"");
    says("\"kind\": \"inSource\"");
}

/* Two lines of one cause are one finding; a comment is about its own line. */
static void two_races(const char *first, const char *second) {
    char text[512];
    snprintf(text, sizeof text,
             "__global__ void k(int *a) {\n    a[0] = threadIdx.x;%s\n    a[1] = threadIdx.x;%s\n}\n"
             "void l(int *a) { k<<<1, 64>>>(a); }\n",
             first, second);
    put("k.cu", text);
}

static void test_comments_are_for_their_line(void **state) {
    (void)state;
    static const char ignore[] = " // lockstep: ignore race -- any will do";
    two_races("", "");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 1);
    says("k.cu:2:10: error");
    says("the same here");
    two_races(ignore, "");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 1);
    says("k.cu:3:10: error");
    says("1 suppressed");
    two_races("", ignore);
    assert_int_equal(run_in(folder, "verify", "k.cu"), 1);
    says("k.cu:2:10: error");
    two_races(ignore, ignore);
    assert_int_equal(run_in(folder, "verify", "k.cu"), 0);
    says("2 suppressed");
}

static void test_config(void **state) {
    (void)state;
    race("", "");
    put(".lockstep.toml", "[rules]\n\"race.global\" = \"off\"\n");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 0);
    assert_int_equal(run_in(folder, "verify", "--config none k.cu"), 1);
    put(".lockstep.toml", "[rules]\n\"race.global\" = \"note\"\n");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 0);
    says("note: ");
    put(".lockstep.toml",
        "[[suppress]]\nrule = \"race.*\"\npath = \"k.cu\"\nkernel = \"k\"\nreason = \"any\"\n");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 0);
    put(".lockstep.toml", "[[suppress]]\nrule = \"race.*\"\nkernel = \"other\"\nreason = \"any\"\n");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 1);
    put(".lockstep.toml", "[options]\nfail-on = \"never\"\n");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 0);
    assert_int_equal(run_in(folder, "verify", "--fail-on error k.cu"), 1);
    put(".lockstep.toml", "[options]\nprofile = true\n[verify]\nonly-divergence = true\n");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 0);
    put(".lockstep.toml", "[paths]\nexclude = [\"k.*\"]\n");
    assert_int_equal(run_in(folder, "verify", "k.cu"), 0);
    says("0 kernels");
    static const char *const bad[] = {"[options]\nno-such = 1\n",
                                      "[rules]\nrace = \"off\"\n",
                                      "[rules]\nassert = 3\n",
                                      "[suppress]\nrule = \"x\"\n",
                                      "[[suppress]]\nrule = \"x\"\n",
                                      "[verify]\nprofile = true\n",
                                      "[options]\ntimeout = true\n",
                                      "[options]\nformat = \"pdf\"\n",
                                      "timeout = 1\n",
                                      "[paths]\ninclude = [\"x\"]\n",
                                      "[options]\narch = [\"a\", \"b\"]\n",
                                      /* what writes, runs or trusts: */ "[options]\noutput = \"x\"",
                                      "[options]\ncache = \".\"",
                                      "[verify]\ncontracts = \"x\"",
                                      "[verify]\nsmt2 = \".\""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(".lockstep.toml", bad[i]);
        assert_int_equal(run_in(folder, "verify", "k.cu"), 2);
        says(".lockstep.toml:");
    }
    assert_int_equal(run_in(folder, "verify", "--config missing.toml k.cu"), 2);
    drop(".lockstep.toml");
}

static void test_baseline(void **state) {
    (void)state;
    race("", "");
    assert_int_equal(run_in(folder, "verify", "--format json -o base.json k.cu"), 1);
    race("    int moved = 0;\n\n", "");
    assert_int_equal(run_in(folder, "verify", "--baseline base.json k.cu"), 0);
    says("1 suppressed");
    race("    a[1] = threadIdx.x;\n", "");
    assert_int_equal(run_in(folder, "verify", "--baseline base.json k.cu"), 1);
    says("k.cu:2:");
    assert_int_equal(run_in(folder, "verify", "--format sarif -o base.sarif k.cu"), 1);
    assert_int_equal(run_in(folder, "verify", "--baseline base.sarif --format sarif k.cu"), 0);
    says("\"baselineState\": \"unchanged\"");
    assert_int_equal(run_in(folder, "verify", "--baseline none.json k.cu"), 2);
    assert_int_equal(run_in(folder, "verify", "--baseline k.cu k.cu"), 2);
    says("not a report of Lockstep");
    drop("base.json");
    drop("base.sarif");
}

static void test_failing(void **state) {
    (void)state;
    put("w.cu",
        "__global__ void w(float *a) { a[threadIdx.x * 32] = 1; }\nvoid l(float *a) { w<<<1, 64>>>(a); }\n");
    assert_int_equal(run_in(folder, "analyze", "w.cu"), 1);
    assert_int_equal(run_in(folder, "analyze", "--fail-on warning w.cu"), 1);
    assert_int_equal(run_in(folder, "analyze", "--fail-on error w.cu"), 0);
    assert_int_equal(run_in(folder, "analyze", "--fail-on never w.cu"), 0);
    assert_int_equal(run_in(folder, "analyze", "--fail-on never missing.cu"), 2);
    drop("w.cu");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toml_is_read),
        cmocka_unit_test(test_what_is_no_toml_is_refused),
        cmocka_unit_test_teardown(test_comments_suppress, forget),
        cmocka_unit_test_teardown(test_comments_are_for_their_line, forget),
        cmocka_unit_test_teardown(test_config, forget),
        cmocka_unit_test_teardown(test_baseline, forget),
        cmocka_unit_test_teardown(test_failing, forget),
    };
    if (!mkdtemp(folder)) return 1;
    ls_arena_init(&arena);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ls_arena_free(&arena);
    drop("k.cu");
    rmdir(folder);
    return failed;
}
