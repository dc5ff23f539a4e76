/* The kernels that PTX text has: `.entry name (…) .maxntid 256, 1, 1 {`. Only so much of PTX is looked at
 * here; reading PTX in full is src/ptx's. */
#include "frontend/entries.h"

#include "base/map.h"

#include <ctype.h>
#include <string.h>

static const char *skip_space(const char *p) {
    for (;;) {
        while (isspace((unsigned char)*p)) p++;
        if (p[0] == '/' && p[1] == '/')
            p += strcspn(p, "\n");
        else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else
            return p;
    }
}

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static const char *number(const char *p, uint32_t *value) {
    p = skip_space(p);
    *value = isdigit((unsigned char)*p) ? (uint32_t)strtoul(p, NULL, 0) : 1;
    while (isalnum((unsigned char)*p)) p++;
    return p;
}

/* "256, 1, 1", of which the later ones may be left out. */
static const char *three(const char *p, uint32_t value[3]) {
    value[1] = value[2] = 1;
    p = number(p, &value[0]);
    for (int i = 1; i < 3; i++) {
        const char *comma = skip_space(p);
        if (*comma != ',') break;
        p = number(comma + 1, &value[i]);
    }
    return p;
}

/* After the name: parameters, then directives, then a body or ';'. */
static const char *entry(const char *p, ls_entry *out) {
    int depth = 0;
    while (*(p = skip_space(p))) {
        uint32_t size[3];
        if (*p == '(')
            depth++;
        else if (*p == ')')
            depth--;
        else if (!depth && (*p == '{' || *p == ';')) {
            out->defined = *p == '{';
            return p + 1;
        } else if (!depth && !strncmp(p, ".maxntid", 8)) {
            p = three(p + 8, size);
            out->max_threads = size[0] * size[1] * size[2];
            continue;
        } else if (!depth && !strncmp(p, ".reqntid", 8)) {
            p = three(p + 8, size);
            out->required = (ls_launch_size){size[0], size[1], size[2], true};
            continue;
        }
        p++;
    }
    return p;
}

/* by_name: number + 1 of each in the list. The entry whose body follows; NULL: none. */
static ls_entry *add(ls_entries *entries, ls_map *by_name, const ls_entry *found) {
    void **number = ls_map_at(by_name, found->name, strlen(found->name));
    ls_entry *kept = NULL;
    if (!*number) {
        LS_VEC_PUSH(entries, *found);
        *number = (void *)(uintptr_t)entries->length;
        kept = &entries->items[entries->length - 1];
    } else if (found->defined) {
        kept = &entries->items[(uintptr_t)*number - 1];
        *kept = *found;
    }
    return found->defined ? kept : NULL;
}

void ls_entries_scan(const char *ptx, ls_arena *arena, ls_entries *entries) {
    const char *p = ptx;
    ls_map by_name = {0};
    ls_entry *open = NULL;
    while ((p = strpbrk(p, "./\"}"))) {
        if (*p == '"') {
            p += 1 + strcspn(p + 1, "\"\n");
            if (*p) p++;
        } else if (*p == '/') {
            const char *after = skip_space(p);
            p = after > p ? after : p + 1;
        } else if (!strncmp(p, ".entry", 6) && isspace((unsigned char)p[6])) {
            const char *name = skip_space(p + 6);
            size_t length = 0;
            while (in_name(name[length])) length++;
            ls_entry found = {.name = ls_arena_strndup(arena, name, length)};
            p = entry(name + length, &found);
            open = length ? add(entries, &by_name, &found) : NULL;
        } else {
            if (open && !open->loc && !strncmp(p, ".loc", 4) && isspace((unsigned char)p[4])) open->loc = p;
            if (*p == '}') open = NULL;
            p++;
        }
    }
    ls_map_free(&by_name);
}
