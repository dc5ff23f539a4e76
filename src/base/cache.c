/* The folder of what is kept (cache.h). */
#include "base/cache.h"

#include "base/vec.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const char *ls_cache_folder(ls_arena *arena, const char *name) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache) return ls_arena_printf(arena, "%s/lockstep/%s", cache, name);
    if (home && *home) return ls_arena_printf(arena, "%s/.cache/lockstep/%s", home, name);
    return ls_arena_printf(arena, "/tmp/lockstep-cache-%lu/%s", (unsigned long)geteuid(), name);
}

bool ls_cache_is_own(const char *folder) {
    struct stat info;
    return !lstat(folder, &info) && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           !(info.st_mode & S_IWOTH);
}

bool ls_make_folders(const char *path) {
    char part[PATH_MAX];
    for (size_t i = 1; path[i]; i++) {
        if (path[i] != '/') continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        if (mkdir(part, 0700) && errno != EEXIST) return false;
    }
    return !mkdir(path, 0700) || errno == EEXIST;
}

/* Entries are named by their hash, in 16 digits: what else is in the folder is somebody's. */
static bool is_entry(const char *name) {
    size_t length = 0;
    while (isxdigit((unsigned char)name[length])) length++;
    return length == 16 && !name[length];
}

typedef struct {
    char *path;
    uint64_t bytes;
    struct timespec changed;
} kept;

static int by_age(const void *a, const void *b) {
    const struct timespec *x = &((const kept *)a)->changed, *y = &((const kept *)b)->changed;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

void ls_cache_trim(const char *folder, uint64_t most) {
    LS_VEC(kept) files = {0};
    uint64_t all = 0;
    ls_arena arena;
    ls_arena_init(&arena);
    DIR *list = opendir(folder);
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        kept one = {.path = ls_arena_printf(&arena, "%s/%s", folder, entry->d_name)};
        struct stat info;
        if (!is_entry(entry->d_name) || lstat(one.path, &info) || !S_ISREG(info.st_mode)) continue;
        one.bytes = (uint64_t)info.st_size;
        one.changed = info.st_mtim;
        all += one.bytes;
        LS_VEC_PUSH(&files, one);
    }
    if (list) closedir(list);
    if (all > most) qsort(files.items, files.length, sizeof *files.items, by_age);
    for (uint32_t i = 0; i < files.length && all > most; i++) {
        unlink(files.items[i].path);
        all -= files.items[i].bytes;
    }
    LS_VEC_FREE(&files);
    ls_arena_free(&arena);
}
