/* What the types of a kernel's parameters leave of their values: a bool is 0 or 1, and an enum has the values
 * that it declares. The types stand in the kernel's mangled name, whatever compiler made it; enums are looked
 * for in the source text, and in the files that it includes by a name relative to it. */
#include "frontend/ranges.h"
#include "base/buf.h"

#include <string.h>
#include <sys/stat.h>

/* --- Enums -----------------------------------------------------------------------------------------------
 */

enum { MOST_INCLUDED = 64, MOST_INCLUDED_BYTES = 1 << 20 };

typedef LS_VEC(const char *) paths;

/* A file that a line includes by a relative name, in the folder of `path`; NULL: it is none of ours. */
static const char *included(const char *path, const char *line, ls_arena *arena) {
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0) return NULL;
    line += 7 + strspn(line + 7, " \t");
    size_t length = *line == '"' ? strcspn(line + 1, "\"\n") : 0;
    if (!length || line[1] == '/' || line[1 + length] != '"') return NULL;
    const char *slash = strrchr(path, '/');
    return ls_arena_printf(arena, "%.*s%.*s", slash ? (int)(slash - path) + 1 : 0, path, (int)length,
                           line + 1);
}

static void add_included(const char *path, const char *text, ls_arena *arena, paths *list) {
    for (const char *at = text; (at = strchr(at, '#')) && list->length < MOST_INCLUDED; at++) {
        const char *file = included(path, at + 1, arena);
        bool there = !file;
        for (uint32_t i = 0; i < list->length && !there; i++) there = !strcmp(list->items[i], file);
        if (!there) LS_VEC_PUSH(list, file);
    }
}

/* An enum that is declared twice, in two of the files or in two branches of a condition, is not known. */
void ls_ranges_scan(const char *path, const char *text, ls_arena *arena, ls_source_enums *enums) {
    paths list = {0};
    ls_source_scan_enums(text, arena, enums);
    add_included(path, text, arena, &list);
    for (uint32_t i = 0; i < list.length; i++) {
        struct stat status;
        bool small =
            !stat(list.items[i], &status) && S_ISREG(status.st_mode) && status.st_size <= MOST_INCLUDED_BYTES;
        ls_buf file = {0};
        if (small && ls_read_file(list.items[i], &file)) {
            ls_source_scan_enums(ls_buf_text(&file), arena, enums);
            add_included(list.items[i], ls_buf_text(&file), arena, &list);
        }
        ls_buf_free(&file);
    }
    LS_VEC_FREE(&list);
}

/* --- Ranges ----------------------------------------------------------------------------------------------
 */

/* The list of parameters of "void ns::k<(Mode)1>(bool, Mode)": from just after its bracket. */
static const char *list_of(const char *demangled) {
    size_t at = strlen(demangled);
    int depth = 0;
    if (!at || demangled[at - 1] != ')') return NULL;
    while (at--) {
        depth += (demangled[at] == ')') - (demangled[at] == '(');
        if (!depth) return demangled + at + 1;
    }
    return NULL;
}

/* One that has gaps is one of bits, mostly: any combination of these. */
static ls_parameter_range range_of_enum(const ls_source_enum *e) {
    ls_parameter_range r = {e->least, e->most, e->name, true};
    if (!e->has_gaps) return r;
    uint64_t bits =
        (uint64_t)(e->most > ~e->least ? e->most : ~e->least) | (uint64_t)(e->most >= 0 ? e->most : 0);
    uint64_t all = 1;
    while (all - 1 < bits && all < UINT64_C(1) << 62) all *= 2;
    r.most = (int64_t)(all - 1);
    r.least = e->least < 0 ? -(int64_t)all : 0;
    return r;
}

static ls_parameter_range range_of(const char *type, size_t length, const ls_source_enums *enums) {
    if (length == 4 && !strncmp(type, "bool", 4)) return (ls_parameter_range){0, 1, "bool", false};
    for (size_t k = length; k--;) /* without its namespaces */
        if (type[k] == ':') {
            type += k + 1;
            length -= k + 1;
            break;
        }
    for (uint32_t i = 0; i < enums->length; i++) {
        const ls_source_enum *e = &enums->items[i];
        if (e->known && strlen(e->name) == length && !strncmp(e->name, type, length)) return range_of_enum(e);
    }
    return (ls_parameter_range){0};
}

const ls_parameter_range *ls_ranges_of(const char *demangled, const ls_source_enums *enums, uint32_t count,
                                       ls_arena *arena) {
    const char *at = list_of(demangled);
    ls_parameter_range *ranges = LS_NEW_N(arena, ls_parameter_range, count + 1);
    uint32_t found = 0;
    bool any = false;
    for (uint32_t depth = 0; at && *at;) {
        const char *start = at + strspn(at, " ");
        for (at = start; *at && (depth || (*at != ',' && *at != ')')); at++) {
            depth += strchr("(<[", *at) != NULL;
            depth -= depth && strchr(")>]", *at);
        }
        if (found < count) ranges[found] = range_of(start, (size_t)(at - start), enums);
        any |= found < count && ranges[found].type;
        found++;
        if (*at != ',') break;
        at++;
    }
    return any && found == count ? ranges : NULL;
}
