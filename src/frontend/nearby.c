/* Headers in the neighbourhood of a file (nearby.h). The search is bounded, does not follow links, and does
 * not leave the project: it ends at the folder that has a .git in it. */
#include "frontend/nearby.h"

#include "base/buf.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UPWARDS = 3, DEEPEST = 4, MOST_ENTRIES = 20000 };

typedef struct {
    ls_arena *arena;
    const char *header;
    const char *found; /* the folder */
    uint32_t depth;    /* that it was found at */
    bool several;      /* at that depth */
    uint32_t entries;  /* looked at */
} search;

static bool has_file(const char *folder, const char *name) {
    ls_buf path = {0};
    ls_buf_printf(&path, "%s/%s", folder, name);
    bool there = access(ls_buf_text(&path), R_OK) == 0;
    ls_buf_free(&path);
    return there;
}

static void look_in(search *s, const char *folder, uint32_t depth) {
    if (s->found && depth > s->depth) return;
    if (has_file(folder, s->header)) {
        s->several = s->found && depth == s->depth;
        s->found = ls_arena_strdup(s->arena, folder);
        s->depth = depth;
    }
    DIR *entries = depth < DEEPEST ? opendir(folder) : NULL;
    for (struct dirent *e; entries && (e = readdir(entries)) && s->entries < MOST_ENTRIES;) {
        s->entries++;
        if (e->d_type != DT_DIR || e->d_name[0] == '.') continue;
        ls_buf path = {0};
        ls_buf_printf(&path, "%s/%s", folder, e->d_name);
        look_in(s, ls_buf_text(&path), depth + 1);
        ls_buf_free(&path);
    }
    if (entries) closedir(entries);
}

/* Further up there is nothing that belongs to the file. */
static bool is_outermost(const char *folder) {
    char *whole = realpath(folder, NULL);
    const char *home = getenv("HOME");
    bool ends = !whole || !strcmp(whole, "/") || !strcmp(whole, "/tmp") || (home && !strcmp(whole, home)) ||
                has_file(folder, ".git");
    free(whole);
    return ends;
}

const char *ls_nearby_folder(ls_arena *arena, const char *file, const char *header) {
    const char *slash = strrchr(file, '/');
    const char *folder = slash ? ls_arena_strndup(arena, file, (size_t)(slash - file)) : ".";
    search s = {.arena = arena, .header = header};
    if (*header == '/' || strstr(header, "..")) return NULL;
    for (uint32_t up = 0; up <= UPWARDS && !s.found; up++) {
        if (up) folder = ls_arena_printf(arena, "%s/..", folder);
        bool ends = is_outermost(folder);
        look_in(&s, folder, 0);
        if (ends) break;
    }
    return s.several || s.entries >= MOST_ENTRIES ? NULL : s.found;
}
