/* The folder of what is kept on disk (disk.h): $LOCKSTEP_CACHE, or lockstep/NAME below $XDG_CACHE_HOME or
 * ~/.cache; none where LOCKSTEP_CACHE is "off". A file's name is a sum of its key; in it stand the key
 * itself, which is compared, and the content with its sums. Files come into being whole, under another name
 * first. */
#include "base/disk.h"
#include "base/recover.h"

#include "base/cache.h"
#include "lockstep/version.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES (UINT64_C(256) << 20) /* of all files */

typedef struct {
    char magic[8];
    uint64_t key_length, size, sums[2];
} header;

static const char magic[8] = "LSDTC02";

void ls_sums(const void *bytes, size_t length, uint64_t sums[2]) {
    const char *text = bytes;
    uint64_t word;
    sums[0] = 14695981039346656037u, sums[1] = length;
    for (size_t at = 0; at < length; at += 8) {
        word = 0;
        memcpy(&word, text + at, length - at < 8 ? length - at : 8);
        sums[0] = (sums[0] ^ word) * 1099511628211u;
        sums[1] = (sums[1] + word) * 0x9E3779B97F4A7C15u;
        sums[1] ^= sums[1] >> 29;
    }
}

/* Whether nobody but its owner, who we are, can change it. */
static bool is_ours(const struct stat *info) {
    return info->st_uid == geteuid() && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

/* NULL: nothing is kept. */
static const char *folder_of(ls_arena *arena, const char *name) {
    const char *asked = getenv("LOCKSTEP_CACHE");
    if (asked && strcmp(asked, "off") == 0) return NULL;
    const char *folder = asked && *asked ? asked : ls_cache_folder(arena, name);
    return strlen(folder) < 3000 ? folder : NULL;
}

bool ls_disk_keeps(const char *name) {
    LS_SCRATCH(scratch);
    return folder_of(&scratch, name) != NULL;
}

static bool is_safe_folder(const char *folder) {
    struct stat info;
    return !stat(folder, &info) && S_ISDIR(info.st_mode) && is_ours(&info);
}

static bool make_folder(const char *folder) {
    char above[4096];
    snprintf(above, sizeof above, "%s", folder);
    char *last = strrchr(above, '/');
    if (last && last != above) {
        *last = 0;
        if (!ls_make_folders(above)) return false;
    }
    return !mkdir(folder, 0700) || errno == EEXIST;
}

const char *ls_disk_folder(ls_arena *arena, const char *name) {
    const char *asked = getenv("LOCKSTEP_CACHE"), *folder = folder_of(arena, name);
    if (folder && folder == asked) folder = ls_arena_printf(arena, "%s/%s", folder, name);
    return folder && ls_make_folders(folder) && is_safe_folder(folder) ? folder : NULL;
}

/* Another build may reach other conclusions. The name is one that ls_cache_trim takes for an entry. */
static const char *path_of(ls_arena *arena, const char *folder, const ls_buf *key) {
    uint64_t sums[2], version[2];
    ls_sums(key->text, key->length, sums);
    ls_sums(ls_version(), strlen(ls_version()), version);
    return ls_arena_printf(arena, "%s/%016" PRIx64, folder, sums[0] ^ (sums[1] + version[1]));
}

static bool read_all(int file, char *to, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = read(file, to + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static bool write_all(int file, const void *from, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = write(file, (const char *)from + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

/* The content behind the header, once everything about the file is as it was put. */
static bool take(int file, const ls_buf *key, ls_buf *out) {
    struct stat info;
    header h;
    uint64_t sums[2];
    if (fstat(file, &info) || !S_ISREG(info.st_mode) || !is_ours(&info)) return false;
    if (info.st_size < (off_t)sizeof h || (uint64_t)info.st_size > MOST_BYTES) return false;
    if (!read_all(file, (char *)&h, sizeof h) || memcmp(h.magic, magic, sizeof magic) != 0) return false;
    uint64_t rest = (uint64_t)info.st_size - sizeof h;
    if (h.key_length != key->length || h.key_length > rest || h.size != rest - h.key_length) return false;
    char *all = malloc(rest + 1);
    bool good =
        all && read_all(file, all, rest) && (!key->length || memcmp(all, key->text, key->length) == 0);
    if (good) ls_sums(all + key->length, h.size, sums);
    good = good && memcmp(sums, h.sums, sizeof sums) == 0;
    if (good) ls_buf_add(out, all + key->length, h.size);
    free(all);
    if (good) futimens(file, NULL); /* it was used: others are removed before it */
    return good;
}

bool ls_disk_get(const char *name, const ls_buf *key, ls_buf *out) {
    ls_arena arena;
    ls_arena_init(&arena);
    const char *folder = folder_of(&arena, name);
    int file = folder && is_safe_folder(folder)
                   ? open(path_of(&arena, folder, key), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
                   : -1;
    bool found = file >= 0 && take(file, key, out);
    if (file >= 0) close(file);
    ls_arena_free(&arena);
    return found;
}

static bool put_file(const char *path, const ls_buf *key, const void *content, size_t size) {
    header h = {.key_length = key->length, .size = size};
    memcpy(h.magic, magic, sizeof magic);
    ls_sums(content, size, h.sums);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return false;
    bool done = write_all(file, &h, sizeof h) && write_all(file, key->text, key->length) &&
                write_all(file, content, size);
    return !close(file) && done;
}

void ls_disk_put(const char *name, const ls_buf *key, const void *content, size_t size) {
    ls_arena arena;
    ls_arena_init(&arena);
    const char *folder = folder_of(&arena, name);
    if (folder && make_folder(folder) && is_safe_folder(folder)) {
        const char *path = path_of(&arena, folder, key);
        const char *first = ls_arena_printf(&arena, "%s.%ld", path, (long)gettid());
        if (!put_file(first, key, content, size) || rename(first, path)) unlink(first);
        if (path[strlen(path) - 1] == '0')
            ls_cache_trim(folder, MOST_BYTES); /* one in sixteen: it reads the folder */
    }
    ls_arena_free(&arena);
}
