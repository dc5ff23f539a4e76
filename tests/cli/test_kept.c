/* Results that are kept between runs (--cache): they are taken where nothing has changed, and only there. In
 * a run that could not compile anything, what is printed all the same is what was kept. */
#include "base/scratch.h"
#include "base/vec.h"
#include "lockstep/frontend.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "command.h"

static char *folder;

static const char KERNEL[] = "#include \"size.h\"\n"
                             "__global__ void shift(int *out) {\n"
                             "    __shared__ int s[SIZE];\n"
                             "    s[threadIdx.x] = threadIdx.x;\n"
                             "    BETWEEN;\n"
                             "    out[threadIdx.x] = s[(threadIdx.x + 1) % SIZE];\n"
                             "}\n"
                             "void launch(int *a) { shift<<<1, SIZE>>>(a); }\n";
static const char RACES[] = "#define SIZE 64\n#define BETWEEN\n";
static const char WAITS[] = "#define SIZE 64\n#define BETWEEN __syncthreads()\n";

static void write_text(const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(ls_write_file(path, text, strlen(text)));
}

static int make(void **state) {
    (void)state;
    folder = ls_scratch_make();
    write_text("shift.cu", KERNEL);
    write_text("size.h", RACES);
    return folder ? 0 : 1;
}

static int remove_all(void **state) {
    char path[512];
    unsetenv("LOCKSTEP_CLANG");
    unsetenv("LOCKSTEP_CACHE");
    snprintf(path, sizeof path, "rm -rf '%s/kept' '%s/forms'", folder, folder);
    int status = system(path);
    ls_scratch_remove(folder);
    return forget(state) || status;
}

static int check(const char *more) {
    char arguments[512];
    snprintf(arguments, sizeof arguments, "shift.cu --frontend clang --cache kept %s", more);
    return run_in(folder, "check", arguments);
}

static void without_compiler(bool yes) {
    if (yes)
        setenv("LOCKSTEP_CLANG", "/nonexistent/clang", 1);
    else
        unsetenv("LOCKSTEP_CLANG");
}

static void the_same_is_told_again(void **state) {
    (void)state;
    static const char *const formats[] = {"", "-v", "--format json", "--format sarif"};
    assert_int_equal(check(""), 1);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        without_compiler(false);
        assert_int_equal(check(formats[i]), 1);
        char *before = strdup(ls_buf_text(&last.output));
        without_compiler(true);
        assert_int_equal(check(formats[i]), 1);
        assert_string_equal(ls_buf_text(&last.output), before);
        free(before);
    }
    says("race.shared");
}

/* A header, an option, the source: each makes another result. */
static void changes_are_seen(void **state) {
    (void)state;
    assert_int_equal(check(""), 1);
    write_text("size.h", WAITS);
    assert_int_equal(check(""), 0);
    says("proved");
    write_text("size.h", RACES);
    assert_int_equal(check(""), 1);
    without_compiler(true);
    assert_int_equal(check("--block 32"), 2); /* not kept: it would have to be compiled */
    write_text("shift.cu", "__global__ void none() {}\n");
    assert_int_equal(check(""), 2);
}

/* Another file of the project: what it says matters where it names something that leads to a launch of this
 * one, or may do so by what it includes. */
static void others_matter_by_what_they_name(void **state) {
    (void)state;
    static const char OTHER[] = "__global__ void other(int *a) { a[threadIdx.x] = 1; }\n"
                                "void go(int *a) { other<<<1, 32>>>(a); }\n";
    char text[512];
    write_text("compile_commands.json",
               "[{\"directory\": \".\", \"file\": \"shift.cu\", \"command\": \"nvcc -c shift.cu\"},\n"
               " {\"directory\": \".\", \"file\": \"other.cu\", \"command\": \"nvcc -c other.cu\"}]\n");
    static const struct {
        const char *more;
        int status; /* 2: it would have to be compiled */
    } changes[] = {{"", 1},
                   {"void come(int *a) { go(a); }\n", 1},
                   {"void launch(int *);\nvoid come(int *a) { launch(a); }\n", 2},
                   {"#include \"come.h\"\n", 2},
                   {"// launched\n", 1},
                   {"void come(int *a) { shift<<<1, 32>>>(a); }\n", 2}};
    write_text("other.cu", OTHER);
    assert_int_equal(check("-p ."), 1);
    without_compiler(true);
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        snprintf(text, sizeof text, "%s%s", OTHER, changes[k].more);
        write_text("other.cu", text);
        assert_int_equal(check("-p ."), changes[k].status);
    }
}

/* What was cut off or changed on the disk is no result. */
static void broken_entries_are_not_taken(void **state) {
    (void)state;
    char path[512], entry[1024] = "";
    ls_buf text = {0};
    assert_int_equal(check(""), 1);
    snprintf(path, sizeof path, "%s/kept", folder);
    DIR *list = opendir(path);
    for (const struct dirent *file; (file = readdir(list));)
        if (file->d_name[0] != '.') snprintf(entry, sizeof entry, "%s/%s", path, file->d_name);
    closedir(list);
    assert_true(ls_read_file(entry, &text));
    static const size_t cuts[] = {0, 1, 30};
    without_compiler(true);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        assert_true(
            ls_write_file(entry, text.text, text.length - text.length / 31 * cuts[i] - (cuts[i] != 0)));
        assert_int_equal(check(""), cuts[i] ? 2 : 1);
    }
    text.text[text.length - 5] ^= 1;
    assert_true(ls_write_file(entry, text.text, text.length));
    assert_int_equal(check(""), 2);
    ls_buf_free(&text);
}

static void nothing_is_kept_unasked(void **state) {
    (void)state;
    assert_int_equal(run_in(folder, "check", "shift.cu --frontend clang"), 1);
    assert_int_equal(run_in(folder, "check", "shift.cu --frontend clang --cache off"), 1);
    without_compiler(true);
    assert_int_equal(run_in(folder, "check", "shift.cu --frontend clang --cache off"), 2);
}

/* The compiled form of the headers may be made in the very run whose result is kept, and may be gone later.
 */
static void compiled_headers_come_and_go(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/forms", folder);
    setenv("LOCKSTEP_CACHE", path, 1);
    assert_int_equal(check("--block 64"), 1); /* asked for once: it is not made yet */
    assert_int_equal(check(""), 1);
    without_compiler(true);
    assert_int_equal(check(""), 1);
    snprintf(path, sizeof path, "rm -r '%s/forms/headers'", folder);
    assert_int_equal(system(path), 0);
    assert_int_equal(check(""), 1);
}

int main(void) {
    char reason[256];
    if (!ls_frontend_available(LS_FRONTEND_CLANG, reason, sizeof reason)) {
        fprintf(stderr, "skipped: %s\n", reason);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_is_told_again, make, remove_all),
        cmocka_unit_test_setup_teardown(changes_are_seen, make, remove_all),
        cmocka_unit_test_setup_teardown(others_matter_by_what_they_name, make, remove_all),
        cmocka_unit_test_setup_teardown(compiled_headers_come_and_go, make, remove_all),
        cmocka_unit_test_setup_teardown(broken_entries_are_not_taken, make, remove_all),
        cmocka_unit_test_setup_teardown(nothing_is_kept_unasked, make, remove_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
