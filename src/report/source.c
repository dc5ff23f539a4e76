/* Source excerpts for any file that a position can name: missing, binary, with very long lines, tabs or
 * broken UTF-8. Only regular files are read, and nothing in them reaches the terminal unchecked. */
#include "report/source.h"

#include "base/arena.h"
#include "base/confine.h"
#include "base/map.h"
#include "base/vec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_FILE = 256 << 20, TAB = 8 };

typedef struct source_file {
    struct source_file *next;
    ls_buf text;
    LS_VEC(size_t) starts; /* of each line, and the end of the last; empty: not looked for yet */
    bool is_read;
} source_file;

struct ls_sources {
    pthread_mutex_t lock; /* of all below; a file that has been read does not change any more */
    ls_arena arena;
    ls_map by_path;
    source_file *files;
    const ls_source_roots *roots;
    const char *path, *stand_in; /* NULL, or a file and the one that is read instead */
    const char *folder;          /* NULL, or where files without a folder are looked for first */
};

ls_sources *ls_sources_new(const ls_source_roots *roots) {
    ls_sources *sources = ls_xmalloc(sizeof *sources);
    memset(sources, 0, sizeof *sources);
    sources->roots = roots;
    pthread_mutex_init(&sources->lock, NULL);
    ls_arena_init(&sources->arena);
    return sources;
}

void ls_sources_stand_in(ls_sources *sources, const char *path, const char *file) {
    sources->path = path;
    sources->stand_in = file;
}

void ls_sources_stand_in_folder(ls_sources *sources, const char *folder) {
    sources->folder = folder;
}

void ls_sources_free(ls_sources *sources) {
    if (!sources) return;
    for (source_file *file = sources->files; file; file = file->next) {
        ls_buf_free(&file->text);
        LS_VEC_FREE(&file->starts);
    }
    ls_map_free(&sources->by_path);
    ls_arena_free(&sources->arena);
    pthread_mutex_destroy(&sources->lock);
    free(sources);
}

/* Links and ".." are followed first. */
bool ls_source_is_below(const ls_source_roots *roots, const char *path) {
    char *real = realpath(path, NULL);
    bool shown = false;
    for (uint32_t i = 0; real && i < roots->count && !shown; i++) {
        char *root = realpath(roots->folders[i], NULL);
        size_t length = root ? strlen(root) : 0;
        shown = length && !strncmp(real, root, length) && (real[length] == '/' || root[length - 1] == '/');
        free(root);
    }
    free(real);
    return shown;
}

/* Where this process is sealed, the one that opens files for it decides. */
static bool is_shown(const ls_source_roots *roots, const char *path) {
    return !roots || ls_confine_sealed() || ls_source_is_below(roots, path);
}

static void read_text(source_file *file, const char *path) {
    struct stat info;
    bool known = !ls_confine_sealed();
    if (known && (stat(path, &info) || !S_ISREG(info.st_mode) || info.st_size > LARGEST_FILE)) return;
    file->is_read = ls_read_file(path, &file->text);
}

/* Only who shows lines needs to know where they begin. */
static void find_lines(source_file *file) {
    if (!file->is_read) return;
    const char *text = ls_buf_text(&file->text), *end = text + file->text.length;
    LS_VEC_PUSH(&file->starts, 0);
    for (const char *at = text; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end + 1;
        LS_VEC_PUSH(&file->starts, (size_t)(at - text));
    }
}

static source_file *find_file(ls_sources *sources, const char *path) {
    source_file *known = ls_map_get(&sources->by_path, path, strlen(path));
    if (known) return known;
    const char *key = ls_arena_strdup(&sources->arena, path);
    void **slot = ls_map_at(&sources->by_path, key, strlen(key));
    source_file *file = LS_NEW(&sources->arena, source_file);
    file->next = sources->files;
    sources->files = *slot = file;
    if (sources->path && !strcmp(sources->path, path)) {
        read_text(file, sources->stand_in);
        return file;
    }
    if (sources->folder && !strchr(path, '/'))
        read_text(file, ls_arena_printf(&sources->arena, "%s%s", sources->folder, path));
    if (!file->is_read && is_shown(sources->roots, path)) read_text(file, path);
    return file;
}

static source_file *locked_file(ls_sources *sources, const char *path, bool lines) {
    if (!path || !strcmp(path, "-")) return NULL;
    pthread_mutex_lock(&sources->lock);
    source_file *file = find_file(sources, path);
    if (lines && !file->starts.length) find_lines(file);
    pthread_mutex_unlock(&sources->lock);
    return file;
}

/* A file with zero bytes is no text: what follows the first is not looked at. */
bool ls_source_mentions(ls_sources *sources, const char *file, const char *text) {
    const source_file *source = locked_file(sources, file, false);
    return source && strstr(ls_buf_text(&source->text), text) != NULL;
}

bool ls_source_line(ls_sources *sources, const char *file, uint32_t line, const char **text, size_t *length) {
    const source_file *source = line ? locked_file(sources, file, true) : NULL;
    if (!source) return false;
    if (line >= source->starts.length) return false;
    size_t start = source->starts.items[line - 1], end = source->starts.items[line] - 1;
    *text = ls_buf_text(&source->text) + start;
    if (end > start && (*text)[end - start - 1] == '\r') end--;
    *length = end - start;
    return true;
}

/* --- Characters ---------------------------------------------------------------------------------------- */

size_t ls_utf8_decode(const char *text, size_t length, uint32_t *character) {
    const unsigned char *s = (const unsigned char *)text;
    *character = 0xfffd;
    if (s[0] < 0x80) return *character = s[0], 1;
    size_t size = s[0] >= 0xf0 && s[0] < 0xf5   ? 4
                  : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                  : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                                                : 0;
    if (!size || size > length) return 1;
    uint32_t value = s[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xc0) != 0x80) return 1;
        value = value << 6 | (s[i] & 0x3f);
    }
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < lowest[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 1;
    *character = value;
    return size;
}

/* Columns on a terminal: 2 for the East Asian and pictographic ranges, 0 for combining marks. */
static size_t width_of(uint32_t c) {
    static const struct {
        uint32_t first, last;
        size_t width;
    } ranges[] = {{0x300, 0x36f, 0},   {0x1100, 0x115f, 2}, {0x200b, 0x200f, 0},   {0x2e80, 0xa4cf, 2},
                  {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2}, {0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe6f, 2},
                  {0xff00, 0xff60, 2}, {0xffe0, 0xffe6, 2}, {0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i].first && c <= ranges[i].last) return ranges[i].width;
    return 1;
}

static bool is_control(uint32_t c) {
    bool bidi = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069); /* can reorder what is shown */
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || bidi;
}

void ls_source_safe(ls_buf *out, const char *text) {
    for (size_t length = strlen(text); length;) {
        uint32_t c;
        size_t size = ls_utf8_decode(text, length, &c);
        if (c == 0xfffd || (is_control(c) && c != '\n' && c != '\t'))
            ls_buf_puts(out, "\xef\xbf\xbd");
        else
            ls_buf_add(out, text, size);
        text += size;
        length -= size;
    }
}

/* The first byte of a character at or before `at`. */
static size_t character_start(const char *text, size_t at) {
    for (int i = 0; i < 3 && at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80; i++) at--;
    return at;
}

size_t ls_source_show(ls_buf *out, const char *text, size_t length, uint32_t column, size_t width) {
    size_t caret = column ? column - 1 : 0;
    if (caret > length) caret = length;
    size_t start = 0;
    if (length > width && caret > width / 2) start = character_start(text, caret - width / 2);
    size_t shown = 0, caret_at = 0;
    if (start) ls_buf_puts(out, "…"), shown++;
    for (size_t i = start; i < length;) {
        if (i <= caret) caret_at = shown;
        uint32_t c;
        size_t size = ls_utf8_decode(text + i, length - i, &c);
        size_t wide = c == '\t' ? TAB - shown % TAB : is_control(c) ? 1 : width_of(c);
        if (shown + wide > width) {
            ls_buf_puts(out, "…");
            return caret_at;
        }
        if (c == '\t')
            ls_buf_printf(out, "%*s", (int)wide, "");
        else if (is_control(c) || c == 0xfffd)
            ls_buf_puts(out, "\xef\xbf\xbd");
        else
            ls_buf_add(out, text + i, size);
        shown += wide;
        i += size;
    }
    return caret >= length ? shown : caret_at;
}

uint32_t ls_source_utf16_column(ls_sources *sources, const ls_place *place) {
    const char *text;
    size_t length;
    if (place->column < 2 || !ls_source_line(sources, place->file, place->line, &text, &length))
        return place->column;
    uint32_t units = 1;
    size_t i = 0;
    while (i < length && i + 1 < place->column) {
        uint32_t c;
        i += ls_utf8_decode(text + i, length - i, &c);
        units += c > 0xffff ? 2 : 1;
    }
    return i + 1 < place->column ? units + (place->column - 1 - (uint32_t)i) : units;
}
