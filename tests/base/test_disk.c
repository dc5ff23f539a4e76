/* What is kept on disk: it comes back whole or not at all, whoever has changed the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cache.h"
#include "base/disk.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], inside[512];

static ls_buf key_of(const char *text) {
    ls_buf key = {0};
    ls_buf_puts(&key, text);
    return key;
}

static bool get(const char *key, const char *expected) {
    ls_buf k = key_of(key), out = {0};
    bool found = ls_disk_get("test", &k, &out);
    if (found) assert_string_equal(ls_buf_text(&out), expected);
    ls_buf_free(&k);
    ls_buf_free(&out);
    return found;
}

static void put(const char *key, const char *content) {
    ls_buf k = key_of(key);
    ls_disk_put("test", &k, content, strlen(content));
    ls_buf_free(&k);
}

/* The path of the only file; the number of files. */
static int list(char *path, size_t size) {
    int count = 0;
    DIR *d = opendir(inside);
    for (const struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        count++;
        snprintf(path, size, "%s/%s", inside, e->d_name);
    }
    if (d) closedir(d);
    return count;
}

static int fresh(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/lockstep-disk-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    snprintf(inside, sizeof inside, "%s/of/programs", folder);
    setenv("LOCKSTEP_CACHE", inside, 1);
    return 0;
}

static int removed(void **state) {
    (void)state;
    char path[1024];
    chmod(inside, 0700);
    while (list(path, sizeof path)) unlink(path);
    rmdir(inside);
    snprintf(path, sizeof path, "%s/of", folder);
    rmdir(path);
    return rmdir(folder);
}

static void comes_back(void **state) {
    (void)state;
    assert_false(get("one", ""));
    put("one", "first");
    put("two", "second");
    assert_true(get("one", "first") && get("two", "second"));
    put("one", "third");
    assert_true(get("one", "third"));
    setenv("LOCKSTEP_CACHE", "off", 1);
    assert_false(get("one", ""));
    setenv("LOCKSTEP_CACHE", inside, 1);
}

/* The limit of the folder's size takes them. */
static void is_trimmed(void **state) {
    (void)state;
    put("one", "first");
    ls_cache_trim(inside, 1 << 20);
    assert_true(get("one", "first"));
    ls_cache_trim(inside, 0);
    assert_false(get("one", ""));
}

/* Each byte changed, each length: never anything else than what was put. */
static void damaged(void **state) {
    (void)state;
    char path[1024];
    ls_buf whole = {0};
    put("key", "content");
    assert_int_equal(list(path, sizeof path), 1);
    assert_true(ls_read_file(path, &whole));
    for (size_t i = 0; i < whole.length; i++) {
        whole.text[i] ^= 1;
        assert_true(ls_write_file(path, whole.text, whole.length));
        assert_false(get("key", "content"));
        whole.text[i] ^= 1;
        assert_true(ls_write_file(path, whole.text, i));
        assert_false(get("key", "content"));
    }
    assert_true(ls_write_file(path, whole.text, whole.length));
    assert_true(get("key", "content"));
    ls_buf_free(&whole);
}

/* Files and folders that others could have written, and links to elsewhere, are not taken. */
static void of_others(void **state) {
    (void)state;
    char path[1024], other[1100];
    put("key", "content");
    assert_int_equal(list(path, sizeof path), 1);
    chmod(path, 0666);
    assert_false(get("key", "content"));
    chmod(path, 0600);
    assert_true(get("key", "content"));
    snprintf(other, sizeof other, "%s/elsewhere", folder);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_false(get("key", "content"));
    unlink(path);
    assert_int_equal(rename(other, path), 0);
    chmod(inside, 0777);
    assert_false(get("key", "content"));
    put("more", "content");
    assert_int_equal(list(path, sizeof path), 1);
}

/* Several processes put and get the same: each gets a whole one. */
static void at_once(void **state) {
    (void)state;
    enum { PROCESSES = 4, TIMES = 50 };
    static char text[2][4096];
    for (int i = 0; i < 2; i++) memset(text[i], 'a' + i, sizeof text[i] - 1);
    for (int p = 0; p < PROCESSES; p++) {
        if (fork()) continue;
        int wrong = 0;
        for (int i = 0; i < TIMES; i++) {
            ls_buf k = key_of("key"), out = {0};
            ls_disk_put("test", &k, text[(p + i) % 2], sizeof text[0] - 1);
            bool found = ls_disk_get("test", &k, &out);
            wrong += !found || (strcmp(out.text, text[0]) != 0 && strcmp(out.text, text[1]) != 0);
            ls_buf_free(&k);
            ls_buf_free(&out);
        }
        _exit(wrong != 0);
    }
    for (int p = 0, status; p < PROCESSES; p++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
}

/* A folder for files of others: below the one that is named, of nobody else, or none. */
static void is_a_folder(void **state) {
    (void)state;
    char *given = getenv("LOCKSTEP_CACHE"), *before = given ? strdup(given) : NULL, named[80];
    ls_arena arena;
    ls_arena_init(&arena);
    snprintf(named, sizeof named, "%s/named", folder);
    setenv("LOCKSTEP_CACHE", named, 1);
    const char *path = ls_disk_folder(&arena, "headers");
    assert_non_null(path);
    assert_memory_equal(path, named, strlen(named));
    assert_string_equal(path + strlen(named), "/headers");
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_true(S_ISDIR(info.st_mode));
    assert_int_equal(chmod(path, 0777), 0);
    assert_null(ls_disk_folder(&arena, "headers"));
    setenv("LOCKSTEP_CACHE", "off", 1);
    assert_null(ls_disk_folder(&arena, "headers"));
    rmdir(path);
    rmdir(named);
    before ? setenv("LOCKSTEP_CACHE", before, 1) : unsetenv("LOCKSTEP_CACHE");
    free(before);
    ls_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(is_a_folder, fresh, removed),
        cmocka_unit_test_setup_teardown(comes_back, fresh, removed),
        cmocka_unit_test_setup_teardown(is_trimmed, fresh, removed),
        cmocka_unit_test_setup_teardown(damaged, fresh, removed),
        cmocka_unit_test_setup_teardown(of_others, fresh, removed),
        cmocka_unit_test_setup_teardown(at_once, fresh, removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
