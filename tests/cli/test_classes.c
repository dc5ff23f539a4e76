/* The classes of defects in tests/cli/classes, each with a twin that is right: verify, check, run and detect
 * answer as the line above each kernel says (//= VERIFY CHECK RUN DETECT). So they agree, or it stands there
 * how they differ; docs/detect.md says why detect does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "command.h"
#include "lockstep/frontend.h"

#include <stdlib.h>

static const struct {
    const char *command, *options;
} engines[] = {{"verify", ""}, {"check", ""}, {"run", ""}, {"detect", "--on emulator "}};
enum { ENGINES = 4, MOST_KERNELS = 64 };

typedef struct {
    char kernel[64], answers[ENGINES][16];
} expectation;

typedef struct {
    expectation rows[MOST_KERNELS];
    int count;
} table;

/* The name in front of the first bracket behind "void". */
static void read_name(const char *line, char *name) {
    const char *at = strstr(line, "void "), *end = at ? strchr(at, '(') : NULL;
    assert_non_null(end);
    const char *start = end;
    while (start[-1] != ' ') start--;
    snprintf(name, 64, "%.*s", (int)(end - start), start);
}

static void read_table(const char *path, table *t) {
    char line[512];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    t->count = 0;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "//=", 3) != 0) continue;
        assert_true(t->count < MOST_KERNELS);
        expectation *e = &t->rows[t->count++];
        int words = sscanf(line, "//= %15s %15s %15s %15s", e->answers[0], e->answers[1], e->answers[2],
                           e->answers[3]);
        assert_int_equal(words, ENGINES);
        assert_non_null(fgets(line, sizeof line, file));
        read_name(line, e->kernel);
    }
    fclose(file);
}

/* The first word that the report has for the kernel; nothing where there are no errors, at most notes. */
static void find_answer(const char *kernel, char *answer) {
    char key[96];
    snprintf(key, sizeof key, "kernel '%s': ", kernel);
    const char *at = strstr(ls_buf_text(&last.output), key);
    at = at ? at + strlen(key) : "none";
    snprintf(answer, 16, "%.*s", (int)strcspn(at, " ;\n"), at);
    if (!strcmp(answer, "no")) strcpy(answer, "nothing");
}

static void compare(const char *name) {
    char path[1024], reason[256];
    if (!ls_frontend_available(LS_FRONTEND_CLANG, reason, sizeof reason)) skip();
    table t;
    snprintf(path, sizeof path, "%s/tests/cli/classes/%s", SOURCE_DIR, name);
    read_table(path, &t);
    assert_true(t.count > 0);
    int wrong = 0;
    for (int e = 0; e < ENGINES; e++) {
        char folder[1024], words[256];
        snprintf(folder, sizeof folder, "%s/tests/cli/classes", SOURCE_DIR);
        snprintf(words, sizeof words, "%s%s", engines[e].options, name);
        int status = run_in(folder, engines[e].command, words);
        assert_true(status == 1 || status == 3);
        for (int k = 0; k < t.count; k++) {
            char answer[16];
            find_answer(t.rows[k].kernel, answer);
            if (!strcmp(answer, t.rows[k].answers[e])) continue;
            wrong++;
            print_error("%s: %s of '%s' says %s, not %s\n", name, engines[e].command, t.rows[k].kernel,
                        answer, t.rows[k].answers[e]);
        }
    }
    assert_int_equal(wrong, 0);
}

static void test_cuda(void **state) {
    (void)state;
    compare("classes.cu");
}

static void test_opencl(void **state) {
    (void)state;
    compare("classes.cl");
}

static void test_template(void **state) {
    (void)state;
    compare("template.cu");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_cuda, forget),
                                       cmocka_unit_test_teardown(test_opencl, forget),
                                       cmocka_unit_test_teardown(test_template, forget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
