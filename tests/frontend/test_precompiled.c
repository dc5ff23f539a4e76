/* Precompiled headers: which includes go into them, the same PTX with and without, and what happens when a
 * header is changed afterwards. */
#include "base/scratch.h"
#include "frontend/precompiled.h"
#include "lockstep/frontend.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char KERNEL[] =
    "// one\n#include <cstdint>\n#include <twice.h>\n"
    "__global__ void k(std::uint32_t *a) { a[threadIdx.x] = twice(a[threadIdx.x]); }\n"
    "void f(std::uint32_t *a) { k<<<4, 64>>>(a); }\n";

static void test_leading_includes(void **state) {
    (void)state;
    static const struct {
        const char *text, *leading;
    } cases[] = {
        {"", ""},
        {"int x;\n#include <a>\n", ""},
        {"/* a\n b */ // c\n\n#include <a.h>\n # include\t<b> \r\n#include <c",
         "#include <a.h>\n# include\t<b> \r\n"},
        {"#include <a>\n#include \"b\"\n#include <c>\n", "#include <a>\n"},
        {"#include <a> int x;\n", ""},
        {"#define X\n#include <a>\n", ""},
        {"/* never closed", ""},
        {"#include <a>", "#include <a>\n"},
    };
    ls_arena arena;
    ls_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(ls_leading_includes(cases[i].text, &arena), cases[i].leading);
    ls_arena_free(&arena);
}

static char *compile(const char *path, const char *precompiled, const char *folder, uint32_t *block) {
    ls_frontend_options options = {.kind = LS_FRONTEND_CLANG,
                                   .include_dirs = &folder,
                                   .include_dir_count = 1,
                                   .precompiled = precompiled};
    ls_compiled out;
    ls_diags *diags = ls_diags_new();
    bool good = ls_compile(path, &options, &out, diags);
    char *ptx = good ? strdup(out.ptx) : NULL;
    *block = good && out.kernel_count ? out.kernels[0].block.x : 0;
    if (good) ls_compiled_free(&out);
    ls_diags_free(diags);
    return ptx;
}

static void write_text(const char *folder, const char *name, const char *text, char path[4096]) {
    snprintf(path, 4096, "%s/%s", folder, name);
    assert_true(ls_write_file(path, text, strlen(text)));
}

static void test_the_same_code(void **state) {
    (void)state;
    char *folder = ls_scratch_make(), *headers = ls_scratch_make(), path[4096], header[4096];
    uint32_t block;
    write_text(folder, "twice.h", "__device__ inline unsigned twice(unsigned x) { return 2 * x; }\n", header);
    write_text(folder, "k.cu", KERNEL, path);
    char *plain = compile(path, NULL, folder, &block);
    if (!plain) { /* no clang here */
        ls_scratch_remove(folder), ls_scratch_remove(headers);
        skip();
    }
    assert_int_equal(block, 64);
    for (int i = 0; i < 2; i++) { /* made, then used */
        char *with = compile(path, headers, folder, &block);
        assert_non_null(with);
        assert_string_equal(with, plain);
        assert_int_equal(block, 64);
        free(with);
    }
    write_text(folder, "twice.h", "__device__ inline unsigned twice(unsigned x) { return 12345 * x; }\n",
               header);
    char *later = compile(path, headers, folder, &block);
    assert_non_null(later);
    assert_non_null(strstr(later, "12345"));
    assert_int_equal(block, 64);
    free(later);
    free(plain);
    ls_scratch_remove(folder);
    ls_scratch_remove(headers);
}

static uint32_t count_files(const char *folder, const char *ending) {
    uint32_t count = 0;
    DIR *list = opendir(folder);
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        size_t length = strlen(entry->d_name), end = strlen(ending);
        count += length > end && !strcmp(entry->d_name + length - end, ending);
    }
    if (list) closedir(list);
    return count;
}

/* Lockstep's own headers, in the user's cache: noted, made, used. */
static void test_for_all_projects(void **state) {
    (void)state;
    char *folder = ls_scratch_make(), *cache = ls_scratch_make(), path[4096], header[4096], own[4096];
    uint32_t block;
    unsetenv("LOCKSTEP_CACHE");
    setenv("XDG_CACHE_HOME", cache, 1);
    snprintf(own, sizeof own, "%s/lockstep/headers", cache);
    write_text(folder, "twice.h", "__device__ inline unsigned twice(unsigned x) { return 2 * x; }\n", header);
    write_text(folder, "k.cu", KERNEL, path);
    char *plain = compile(path, NULL, folder, &block);
    if (!plain) { /* no clang here */
        ls_scratch_remove(folder), ls_scratch_remove(cache);
        skip();
    }
    assert_int_equal(count_files(own, ".pch"), 0);
    for (int i = 0; i < 2; i++) {
        char *with = compile(path, NULL, folder, &block);
        assert_non_null(with);
        assert_string_equal(with, plain);
        assert_int_equal(block, 64);
        assert_int_equal(count_files(own, ".pch"), 2); /* for the device and the host */
        free(with);
    }
    free(plain);
    /* A header of the project that stands for one of the system's is read, as it always was. */
    char *other = ls_scratch_make(), same[4096];
    write_text(other, "twice.h", "__device__ inline unsigned twice(unsigned x) { return SEEN * x; }\n",
               header);
    write_text(other, "math.h", "#define SEEN 4711\n#include_next <math.h>\n", same);
    char *disturbed = compile(path, NULL, other, &block);
    assert_non_null(disturbed);
    assert_non_null(strstr(disturbed, "4711"));
    free(disturbed);
    setenv("LOCKSTEP_CACHE", "off", 1);
    char *without = compile(path, NULL, folder, &block);
    assert_non_null(without);
    free(without);
    ls_scratch_remove(folder);
    ls_scratch_remove(other);
    ls_scratch_remove(cache);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_leading_includes),
                                       cmocka_unit_test(test_the_same_code),
                                       cmocka_unit_test(test_for_all_projects)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
