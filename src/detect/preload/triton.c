/* The PTX that Triton, and with it PyTorch's Inductor, keeps beside the machine code it loads: a folder of
 * its cache has NAME.cubin and NAME.ptx, made from one another. The folder is known by the machine code: the
 * file with the same bytes. Caches are TRITON_CACHE_DIR, ~/.triton/cache, and what Inductor makes of
 * TORCHINDUCTOR_CACHE_DIR or /tmp/torchinductor_USER, with one more level of folders by device. */
#include "base/arena.h"
#include "detect/preload/program.h"

#include <dirent.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PATH = 4096, ELF_HEADER = 64, DEEPEST = 4 };

/* How long an ELF image is, from its own header: the end of its tables of sections and segments, and of what
 * they mention. 0: it is none. */
size_t dp_elf_size(const void *data, size_t size) {
    const uint8_t *image = data;
    static const uint8_t magic[] = {0x7f, 'E', 'L', 'F', 2};
    uint64_t sections, segments, end = ELF_HEADER;
    uint16_t counts[4]; /* size and number of segments, then of sections */
    if (size < ELF_HEADER || memcmp(image, magic, sizeof magic) != 0) return 0;
    memcpy(&segments, image + 32, 8);
    memcpy(&sections, image + 40, 8);
    memcpy(counts, image + 54, 8);
    if (segments + (uint64_t)counts[0] * counts[1] > end) end = segments + (uint64_t)counts[0] * counts[1];
    if (sections + (uint64_t)counts[2] * counts[3] > end) end = sections + (uint64_t)counts[2] * counts[3];
    if (end > size) return 0;
    for (uint16_t i = 0; i < counts[3]; i++) {
        enum { NO_BITS = 8 };
        const uint8_t *section = image + sections + (uint64_t)i * counts[2];
        uint32_t type;
        uint64_t at, bytes;
        memcpy(&type, section + 4, 4);
        memcpy(&at, section + 24, 8);
        memcpy(&bytes, section + 32, 8);
        if (type != NO_BITS && at + bytes > end) end = at + bytes;
    }
    return end > size ? 0 : (size_t)end;
}

typedef struct {
    const uint8_t *image;
    size_t size;
    char *ptx;
    size_t length;
} search;

static bool ends_with(const char *name, const char *end) {
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* NAME.cubin has the same bytes: NAME.ptx is it. Padding may follow in the file. */
static void try_file(search *s, const char *path) {
    struct stat info;
    ls_buf data = {0};
    if (stat(path, &info) != 0 || (size_t)info.st_size < s->size || (size_t)info.st_size > s->size + 4096)
        return;
    bool same =
        ls_read_file(path, &data) && data.length >= s->size && memcmp(data.text, s->image, s->size) == 0;
    ls_buf_free(&data);
    char ptx[MAX_PATH];
    int length = snprintf(ptx, sizeof ptx, "%.*s.ptx", (int)(strlen(path) - strlen(".cubin")), path);
    if (!same || length >= (int)sizeof ptx || !ls_read_file(ptx, &data)) return;
    s->length = data.length;
    s->ptx = ls_xstrdup(ls_buf_text(&data));
    ls_buf_free(&data);
}

static void look_in(search *s, const char *folder, int depth) {
    DIR *open = depth ? opendir(folder) : NULL;
    for (struct dirent *e; open && !s->ptx && (e = readdir(open));) {
        char path[MAX_PATH];
        if (*e->d_name == '.' || snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path)
            continue;
        if (ends_with(e->d_name, ".cubin"))
            try_file(s, path);
        else if (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN)
            look_in(s, path, depth - 1);
    }
    if (open) closedir(open);
}

static void look_below(search *s, const char *root, const char *rest, int depth) {
    char path[MAX_PATH];
    if (s->ptx || !root || !*root || snprintf(path, sizeof path, "%s%s", root, rest) >= (int)sizeof path)
        return;
    look_in(s, path, depth);
}

char *dp_triton_ptx(const void *cubin, size_t size, size_t *length) {
    search s = {.image = cubin, .size = dp_elf_size(cubin, size)};
    if (!s.size) return NULL;
    const char *home = getenv("HOME");
    const struct passwd *user = getpwuid(getuid());
    char torch[MAX_PATH];
    snprintf(torch, sizeof torch, "/tmp/torchinductor_%s/triton", user ? user->pw_name : "root");
    look_below(&s, getenv("TRITON_CACHE_DIR"), "", 2);
    look_below(&s, getenv("TORCHINDUCTOR_CACHE_DIR"), "/triton", DEEPEST - 1);
    look_below(&s, home, "/.triton/cache", 2);
    look_below(&s, torch, "", DEEPEST - 1);
    *length = s.length;
    return s.ptx;
}
