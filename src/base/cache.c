/* The folder of what is kept (cache.h). */
#include "base/cache.h"

#include "base/vec.h"

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
    return ls_arena_printf(arena, "%s/.cache/lockstep/%s", home && *home ? home : "/tmp", name);
}

bool ls_make_folders(const char *path) {
    char part[PATH_MAX];
    for (size_t i = 1; path[i]; i++) {
        if (path[i] != '/') continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        if (mkdir(part, 0777) && errno != EEXIST) return false;
    }
    return !mkdir(path, 0777) || errno == EEXIST;
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
        if (lstat(one.path, &info) || !S_ISREG(info.st_mode)) continue;
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
