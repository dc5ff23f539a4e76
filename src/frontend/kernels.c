/* The list of kernels of a compiled file: the entries of its PTX, with what the IR (positions, attributes),
 * the host code (launches) and the source (kernels that were not compiled) say of them. */
#include "frontend/kernels.h"

#include "base/by_name.h"
#include "frontend/entries.h"
#include "frontend/ranges.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The plain name of a demangled one: "void ns::scan<int>(int*)" → "scan". */
static const char *plain_name(ls_arena *arena, const char *demangled) {
    size_t end = strcspn(demangled, "(<");
    size_t start = end;
    while (start && demangled[start - 1] != ':' && demangled[start - 1] != ' ') start--;
    return ls_arena_strndup(arena, demangled + start, end - start);
}

static const char *demangled(ls_arena *arena, const char *name) {
    char text[4096];
    ls_demangle(name, text, sizeof text);
    return ls_arena_strdup(arena, text);
}

/* The plain names of kernels, to ask whether one is there. */
typedef struct {
    ls_map names;
    ls_arena *arena;
} plain_names;

static void add_plain(plain_names *known, const char *demangled) {
    const char *name = plain_name(known->arena, demangled);
    *ls_map_at(&known->names, name, strlen(name)) = known;
}

static bool has_plain(const plain_names *known, const char *name) {
    return ls_map_get(&known->names, name, strlen(name)) != NULL;
}

const char *ls_kernel_plain_name(ls_arena *arena, const char *name) {
    return plain_name(arena, demangled(arena, name));
}

bool ls_kernels_unclear(const ls_facts *facts, ls_arena *arena) {
    ls_entries entries = {0};
    ls_source_kernels declared = {0};
    plain_names known = {.arena = arena};
    ls_entries_scan(facts->ptx, arena, &entries);
    ls_source_scan(facts->text, arena, &declared);
    for (uint32_t i = 0; i < entries.length; i++) add_plain(&known, demangled(arena, entries.items[i].name));
    bool unclear = false;
    for (uint32_t i = 0; i < declared.length && !unclear; i++)
        unclear = !has_plain(&known, declared.items[i].name);
    ls_map_free(&known.names);
    LS_VEC_FREE(&entries);
    LS_VEC_FREE(&declared);
    return unclear;
}

/* A file by the name that the user gave it, where it is the one that was given. */
static const char *shown(const ls_facts *facts, const char *file) {
    if (!file || !facts->path) return file;
    char given[PATH_MAX], other[PATH_MAX];
    if (!realpath(facts->path, given) || !realpath(file, other)) return file;
    return strcmp(given, other) ? file : facts->path;
}

/* --- Launches ------------------------------------------------------------------------------------------ */

static bool same_size(const ls_launch_size *a, const ls_launch_size *b) {
    return a->known && b->known && a->x == b->x && a->y == b->y && a->z == b->z;
}

/* Demangled names of template kernels start with their return type; that of a stub may not. */
static const char *without_void(const char *name) {
    return strncmp(name, "void ", 5) ? name : name + 5;
}

/* What is known of kernels, by their names: a file may have very many of them. */
typedef struct {
    const ls_facts *facts;
    ls_arena *arena;
    ls_source_kernels declared;
    ls_source_types types;
    ls_by_name in_ir, in_source, launches, text_launches;
    ls_intmap files; /* number → where its path begins in the PTX */
} knowledge;

static uint32_t count_of(const ls_by_name *list, const char *name) {
    uint32_t count = 0;
    for (uint32_t i = ls_by_name_first(list, name); i; i = list->next[i - 1]) count++;
    return count;
}

static void collect_launches(const knowledge *k, ls_compiled_kernel *kernel) {
    const ls_facts *facts = k->facts;
    const char *name = without_void(kernel->demangled), *plain = plain_name(k->arena, kernel->demangled);
    uint32_t most = count_of(&k->launches, name) + count_of(&k->text_launches, plain), count = 0;
    ls_kernel_launch *list = LS_NEW_N(k->arena, ls_kernel_launch, most + 1);
    for (uint32_t i = ls_by_name_first(&k->launches, name); i; i = k->launches.next[i - 1]) {
        list[count] = facts->launches.items[i - 1].launch;
        list[count].file = shown(facts, list[count].file);
        count++;
    }
    for (uint32_t i = ls_by_name_first(&k->text_launches, plain); i; i = k->text_launches.next[i - 1])
        list[count++] = facts->text_launches.items[i - 1].launch;
    kernel->launches = list;
    kernel->launch_count = count;
}

/* What all launches agree on is what is used where the user names no size. */
static void agree(ls_arena *arena, ls_compiled_kernel *kernel) {
    if (kernel->required_block.known) {
        kernel->block = kernel->required_block;
        kernel->block_origin = "the kernel's required block size";
    }
    if (!kernel->launch_count) return;
    const ls_kernel_launch *first = &kernel->launches[0];
    bool grid = first->grid.known, block = first->block.known, shared = first->shared_known;
    for (uint32_t i = 1; i < kernel->launch_count; i++) {
        const ls_kernel_launch *other = &kernel->launches[i];
        grid = grid && same_size(&first->grid, &other->grid);
        block = block && same_size(&first->block, &other->block);
        shared = shared && other->shared_known && other->shared_bytes == first->shared_bytes;
    }
    const char *origin =
        ls_arena_printf(arena, kernel->launch_count > 1 ? "launch at %s:%u and %u more" : "launch at %s:%u",
                        first->file ? first->file : "?", first->line, kernel->launch_count - 1);
    if (grid) {
        kernel->grid = first->grid;
        kernel->grid_origin = origin;
    }
    if (block && !kernel->required_block.known) {
        kernel->block = first->block;
        kernel->block_origin = origin;
    }
    kernel->shared_known = shared;
    if (shared) kernel->shared_bytes = first->shared_bytes;
}

/* --- The list ------------------------------------------------------------------------------------------ */

typedef LS_VEC(ls_compiled_kernel) kernel_list;

/* .file 20 "…" */
static void read_files(knowledge *k) {
    for (const char *at = k->facts->ptx; (at = strstr(at, ".file"));) {
        at += strlen(".file");
        const char *open = at + strspn(at, " \t0123456789");
        if (*open != '"') continue;
        bool is_new;
        uint64_t *path = ls_intmap_at(&k->files, strtoul(at, NULL, 10), &is_new);
        if (is_new) *path = (uint64_t)(open + 1 - k->facts->ptx);
    }
}

/* Where nothing else says it, a kernel stands where its first instruction does: .loc 20 73 0. Kernels of
 * libraries are told by that. */
static void place_by_ptx(const knowledge *k, const ls_entry *entry, ls_compiled_kernel *kernel) {
    char *end; /* sscanf would look for the end of the whole text first */
    unsigned long number = entry->loc ? strtoul(entry->loc + strlen(".loc"), &end, 10) : 0;
    unsigned long line = entry->loc ? strtoul(end, NULL, 10) : 0;
    uint64_t path;
    if (!line || line > UINT32_MAX || !ls_intmap_get(&k->files, number, &path)) return;
    const char *text = k->facts->ptx + path;
    kernel->file = shown(k->facts, ls_arena_strndup(k->arena, text, strcspn(text, "\"\n")));
    kernel->line = (uint32_t)line;
}

static void add_compiled(const knowledge *k, const ls_entry *entry, kernel_list *list) {
    const ls_facts *facts = k->facts;
    ls_compiled_kernel kernel = {.name = entry->name,
                                 .demangled = demangled(k->arena, entry->name),
                                 .status = entry->defined ? LS_KERNEL_DEFINED : LS_KERNEL_DECLARED,
                                 .required_block = entry->required,
                                 .max_threads = entry->max_threads};
    for (uint32_t i = ls_by_name_first(&k->in_ir, entry->name); i; i = k->in_ir.next[i - 1]) {
        const ls_ir_kernel *ir = &facts->kernels.items[i - 1];
        kernel.file = shown(facts, ir->file);
        kernel.line = ir->line;
        if (ir->required.known) kernel.required_block = ir->required;
        if (ir->max_threads) kernel.max_threads = ir->max_threads;
        kernel.arguments = ir->arguments;
        kernel.argument_count = ir->argument_count;
    }
    const char *plain = plain_name(k->arena, kernel.demangled);
    for (uint32_t i = ls_by_name_first(&k->in_source, plain); i; i = k->in_source.next[i - 1]) {
        const ls_source_kernel *source = &k->declared.items[i - 1];
        if (!source->defined) continue;
        /* Of several kernels of one name, which is meant is told by their lines, if at all. */
        if (!kernel.parameters || (kernel.line && source->line == kernel.line)) {
            kernel.parameters = source->parameters;
            kernel.parameter_count = source->parameter_count;
        }
        if (kernel.line) continue;
        kernel.file = source->file ? source->file : facts->path;
        kernel.line = source->line;
    }
    if (!kernel.line) place_by_ptx(k, entry, &kernel);
    kernel.ranges = ls_ranges_of(kernel.demangled, &k->types, kernel.parameter_count, k->arena);
    collect_launches(k, &kernel);
    agree(k->arena, &kernel);
    LS_VEC_PUSH_IN(k->arena, list, kernel);
}

/* A kernel that is defined in the text but not in the PTX is a template; one that is only declared, not. */
static void add_declared(const knowledge *k, kernel_list *list) {
    plain_names known = {.arena = k->arena};
    for (uint32_t i = 0; i < list->length; i++) add_plain(&known, list->items[i].demangled);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < k->declared.length; i++) {
            const ls_source_kernel *source = &k->declared.items[i];
            bool is_template = source->is_template && source->defined;
            if (is_template != (pass == 0) || source->is_instantiation) continue;
            if ((source->defined && !is_template) || has_plain(&known, source->name)) continue;
            ls_compiled_kernel kernel = {.name = source->name,
                                         .demangled = source->name,
                                         .file = source->file ? source->file : k->facts->path,
                                         .line = source->line,
                                         .status =
                                             is_template ? LS_KERNEL_NOT_INSTANTIATED : LS_KERNEL_DECLARED};
            add_plain(&known, source->name);
            LS_VEC_PUSH_IN(k->arena, list, kernel);
        }
    ls_map_free(&known.names);
}

/* From the last to the first, so that each name's are found in their order. */
static void learn(knowledge *k) {
    const ls_facts *facts = k->facts;
    if (facts->text) ls_source_scan(facts->text, k->arena, &k->declared);
    if (facts->text) ls_ranges_scan(facts->path, facts->text, k->arena, &k->types);
    ls_by_name_init(&k->in_ir, k->arena, facts->kernels.length);
    ls_by_name_init(&k->in_source, k->arena, k->declared.length);
    ls_by_name_init(&k->launches, k->arena, facts->launches.length);
    ls_by_name_init(&k->text_launches, k->arena, facts->text_launches.length);
    for (uint32_t i = facts->kernels.length; i-- > 0;)
        ls_by_name_add(&k->in_ir, facts->kernels.items[i].name, i);
    for (uint32_t i = k->declared.length; i-- > 0;)
        ls_by_name_add(&k->in_source, k->declared.items[i].name, i);
    for (uint32_t i = facts->launches.length; i-- > 0;)
        ls_by_name_add(&k->launches, without_void(facts->launches.items[i].kernel), i);
    for (uint32_t i = facts->text_launches.length; i-- > 0;)
        ls_by_name_add(&k->text_launches, facts->text_launches.items[i].kernel, i);
    read_files(k);
}

static void forget(knowledge *k) {
    ls_by_name_free(&k->in_ir);
    ls_by_name_free(&k->in_source);
    ls_by_name_free(&k->launches);
    ls_by_name_free(&k->text_launches);
    ls_intmap_free(&k->files);
    LS_VEC_FREE(&k->declared);
    ls_types_free(&k->types);
}

void ls_kernels_list(const ls_facts *facts, ls_arena *arena, ls_compiled *out) {
    ls_entries entries = {0};
    knowledge k = {.facts = facts, .arena = arena};
    kernel_list list = {0};
    ls_entries_scan(facts->ptx, arena, &entries);
    learn(&k);
    for (uint32_t i = 0; i < entries.length; i++) add_compiled(&k, &entries.items[i], &list);
    add_declared(&k, &list);
    out->kernels = list.items;
    out->kernel_count = list.length;
    LS_VEC_FREE(&entries);
    forget(&k);
}

/* Whether `demangled` is `wanted` with template arguments or parameters after it: "scan" for
 * "scan<int>(int*)" and, after a return type, for "void scan<int>(int*)". */
static bool is_base_name(const char *demangled, const char *wanted) {
    size_t length = strlen(wanted);
    for (const char *at = demangled; length && (at = strstr(at, wanted)); at++) {
        bool starts = at == demangled || at[-1] == ' ' || at[-1] == ':';
        if (starts && (at[length] == '(' || at[length] == '<' || !at[length])) return true;
        if (starts && (wanted[length - 1] == ')' || wanted[length - 1] == '>')) return true;
        if (memchr(demangled, '(', (size_t)(at - demangled))) return false;
    }
    return false;
}

bool ls_kernel_is_named(const char *name, const char *demangled, const char *wanted) {
    return !strcmp(wanted, name) || (demangled && is_base_name(demangled, wanted));
}
