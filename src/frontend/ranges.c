/* What the types of a kernel's parameters leave of their values: a bool is 0 or 1, and an enum has the values
 * that it declares; so have such members of a plain structure. The types stand in the kernel's mangled name,
 * whatever compiler made it; enums and structures are looked for in the source text, and in the files that it
 * includes by a name relative to it. */
#include "frontend/ranges.h"
#include "base/buf.h"

#include <string.h>
#include <sys/stat.h>

/* --- Files that are included ---------------------------------------------------------------------------
 */

enum { MOST_INCLUDED = 64, MOST_INCLUDED_BYTES = 1 << 20 };

typedef LS_VEC(const char *) paths;

/* A file that a line includes by a relative name, in the folder of `path`; NULL if the line includes no such
 * file. */
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

/* A type that is declared twice, in two of the files or in two branches of a condition, is not known. */
void ls_ranges_scan(const char *path, const char *text, ls_arena *arena, ls_source_types *types) {
    paths list = {0};
    ls_types_scan(text, arena, types);
    add_included(path, text, arena, &list);
    for (uint32_t i = 0; i < list.length; i++) {
        struct stat status;
        bool small =
            !stat(list.items[i], &status) && S_ISREG(status.st_mode) && status.st_size <= MOST_INCLUDED_BYTES;
        ls_buf file = {0};
        if (small && ls_read_file(list.items[i], &file)) {
            ls_types_scan(ls_buf_text(&file), arena, types);
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
    ls_parameter_range r = {.least = e->least, .most = e->most, .type = e->name, .is_assumed = true};
    if (!e->has_gaps) return r;
    uint64_t bits =
        (uint64_t)(e->most > ~e->least ? e->most : ~e->least) | (uint64_t)(e->most >= 0 ? e->most : 0);
    uint64_t all = 1;
    while (all - 1 < bits && all < UINT64_C(1) << 62) all *= 2;
    r.most = (int64_t)(all - 1);
    r.least = e->least < 0 ? -(int64_t)all : 0;
    return r;
}

static const ls_source_enum *enum_of(const ls_source_types *types, const char *name) {
    for (uint32_t i = 0; i < types->enums.length; i++)
        if (!strcmp(types->enums.items[i].name, name))
            return types->enums.items[i].known ? &types->enums.items[i] : NULL;
    return NULL;
}

static ls_parameter_range range_of_scalar(const ls_source_types *types, const char *name) {
    if (!strcmp(name, "bool")) return (ls_parameter_range){.most = 1, .type = "bool"};
    if (!strcmp(name, "unsigned int")) return (ls_parameter_range){.is_unsigned = true};
    const ls_source_enum *e = enum_of(types, name);
    return e ? range_of_enum(e) : (ls_parameter_range){0};
}

/* --- Structures ------------------------------------------------------------------------------------------
 */

enum { MOST_DEPTH = 8, MOST_PARTS = 4096 };

typedef struct {
    uint64_t bytes, align;
} layout;

typedef struct {
    ls_arena *arena;
    const ls_source_types *types;
    uint32_t parts; /* that were looked at: a structure may have very many */
    LS_VEC(ls_parameter_range) known;
} walk;

static const ls_source_struct *struct_of(const ls_source_types *types, const char *name) {
    for (uint32_t i = 0; i < types->structs.length && !types->packed; i++)
        if (!strcmp(types->structs.items[i].name, name))
            return types->structs.items[i].known ? &types->structs.items[i] : NULL;
    return NULL;
}

static uint64_t align_up(uint64_t at, uint64_t align) {
    return (at + align - 1) / align * align;
}

/* A part of a parameter: where it begins, and what the source calls it there; NULL: it is not kept. */
typedef struct {
    uint64_t base;
    const char *path;
} part;

static layout lay_out(walk *w, const char *name, part at, uint32_t depth);

static part part_of(walk *w, part all, const ls_source_member *m, uint64_t base, uint32_t element) {
    const char *dot = *all.path ? "." : "";
    const char *path = m->count > 1 ? ls_arena_printf(w->arena, "%s%s%s[%u]", all.path, dot, m->name, element)
                                    : ls_arena_printf(w->arena, "%s%s%s", all.path, dot, m->name);
    return (part){base, path};
}

static layout lay_out_members(walk *w, const ls_source_struct *s, part at, uint32_t depth) {
    layout all = {0, 1};
    for (uint32_t i = 0; i < s->members.length; i++) {
        const ls_source_member *m = &s->members.items[i];
        const layout one = lay_out(w, m->type, (part){0}, depth + 1);
        if (!one.align) return (layout){0};
        all.bytes = align_up(all.bytes, one.align);
        for (uint32_t k = 0; at.path && k < m->count; k++) {
            part element = part_of(w, at, m, at.base + all.bytes + k * one.bytes, k);
            if (!lay_out(w, m->type, element, depth + 1).align) return (layout){0};
        }
        all.bytes += m->count * one.bytes;
        if (one.align > all.align) all.align = one.align;
    }
    return (layout){align_up(all.bytes, all.align), all.align};
}

/* How a type lies in memory, with what is known of its parts. align is 0 where the type is not known, or too
 * large. */
static layout lay_out(walk *w, const char *name, part at, uint32_t depth) {
    const ls_source_struct *s = struct_of(w->types, name);
    const ls_source_enum *e = enum_of(w->types, name);
    uint32_t bytes, align;
    if (depth > MOST_DEPTH || w->parts++ > MOST_PARTS) return (layout){0};
    if (s) return lay_out_members(w, s, at, depth);
    if (!ls_types_basic(name, &bytes, &align)) bytes = align = e ? e->bytes : 0;
    ls_parameter_range r = range_of_scalar(w->types, name);
    r.offset = at.base;
    r.bytes = bytes;
    r.name = at.path;
    if (at.path && align) LS_VEC_PUSH(&w->known, r);
    return (layout){bytes, align};
}

static ls_parameter_range range_of_struct(const ls_source_types *types, const char *name, ls_arena *arena) {
    walk w = {.arena = arena, .types = types};
    ls_parameter_range r = {.bytes = lay_out(&w, name, (part){0, ""}, 0).bytes};
    if (r.bytes && w.known.length) {
        ls_parameter_range *members = LS_NEW_N(arena, ls_parameter_range, w.known.length);
        memcpy(members, w.known.items, w.known.length * sizeof *members);
        r.members = members;
        r.member_count = w.known.length;
    }
    LS_VEC_FREE(&w.known);
    return r;
}

/* --- Parameters ------------------------------------------------------------------------------------------
 */

static ls_parameter_range range_of(const char *type, size_t length, const ls_source_types *types,
                                   ls_arena *arena) {
    for (size_t k = length; k--;) /* without its namespaces */
        if (type[k] == ':') {
            type += k + 1;
            length -= k + 1;
            break;
        }
    const char *name = ls_arena_strndup(arena, type, length);
    return struct_of(types, name) ? range_of_struct(types, name, arena) : range_of_scalar(types, name);
}

const ls_parameter_range *ls_ranges_of(const char *demangled, const ls_source_types *types, uint32_t count,
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
        if (found < count) ranges[found] = range_of(start, (size_t)(at - start), types, arena);
        any |= found < count && (ranges[found].type || ranges[found].members || ranges[found].is_unsigned);
        found++;
        if (*at != ',') break;
        at++;
    }
    return any && found == count ? ranges : NULL;
}
