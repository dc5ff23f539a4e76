/* The list of kernels of a compiled file: the entries of its PTX, with what the IR (positions, attributes),
 * the host code (launches) and the source (kernels that were not compiled) say of them. */
#include "frontend/kernels.h"

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

static bool has_plain(const ls_entries *entries, ls_arena *arena, const char *name) {
    for (uint32_t i = 0; i < entries->length; i++)
        if (!strcmp(plain_name(arena, demangled(arena, entries->items[i].name)), name)) return true;
    return false;
}

bool ls_kernels_unclear(const ls_facts *facts, ls_arena *arena) {
    ls_entries entries = {0};
    ls_source_kernels declared = {0};
    ls_entries_scan(facts->ptx, arena, &entries);
    ls_source_scan(facts->text, arena, &declared);
    bool unclear = false;
    for (uint32_t i = 0; i < declared.length && !unclear; i++)
        unclear = !has_plain(&entries, arena, declared.items[i].name);
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
static bool same_kernel(const char *a, const char *b) {
    if (!strncmp(a, "void ", 5)) a += 5;
    if (!strncmp(b, "void ", 5)) b += 5;
    return !strcmp(a, b);
}

static void collect_launches(const ls_facts *facts, ls_arena *arena, ls_compiled_kernel *kernel) {
    uint32_t count = 0;
    ls_kernel_launch *list =
        LS_NEW_N(arena, ls_kernel_launch, facts->launches.length + facts->text_launches.length + 1);
    for (uint32_t i = 0; i < facts->launches.length; i++) {
        if (!same_kernel(facts->launches.items[i].kernel, kernel->demangled)) continue;
        list[count] = facts->launches.items[i].launch;
        list[count].file = shown(facts, list[count].file);
        count++;
    }
    const char *plain = plain_name(arena, kernel->demangled);
    for (uint32_t i = 0; i < facts->text_launches.length; i++)
        if (!strcmp(facts->text_launches.items[i].kernel, plain))
            list[count++] = facts->text_launches.items[i].launch;
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

/* Where nothing else says it, a kernel stands where its first instruction does: .loc 20 73 0, with
 * .file 20 "…". Kernels of libraries are told by that. */
static void place_by_ptx(const ls_facts *facts, const ls_entry *entry, ls_arena *arena,
                         ls_compiled_kernel *kernel) {
    const char *loc = entry->defined ? strstr(entry->body, ".loc") : NULL;
    const char *end = loc ? strchr(entry->body, '}') : NULL;
    uint32_t number, line;
    if (!loc || (end && loc > end) || sscanf(loc, ".loc %u %u", &number, &line) != 2) return;
    for (const char *at = facts->ptx; (at = strstr(at, ".file"));) {
        at += strlen(".file");
        const char *open = at + strspn(at, " \t0123456789");
        if (strtoul(at, NULL, 10) != number || *open != '"') continue;
        kernel->file = shown(facts, ls_arena_strndup(arena, open + 1, strcspn(open + 1, "\"\n")));
        kernel->line = line;
        return;
    }
}

static void add_compiled(const ls_facts *facts, const ls_entry *entry, const ls_source_kernels *declared,
                         const ls_source_enums *enums, ls_arena *arena, kernel_list *list) {
    ls_compiled_kernel kernel = {.name = entry->name,
                                 .demangled = demangled(arena, entry->name),
                                 .status = entry->defined ? LS_KERNEL_DEFINED : LS_KERNEL_DECLARED,
                                 .required_block = entry->required,
                                 .max_threads = entry->max_threads};
    for (uint32_t i = 0; i < facts->kernels.length; i++) {
        const ls_ir_kernel *ir = &facts->kernels.items[i];
        if (strcmp(ir->name, entry->name)) continue;
        kernel.file = shown(facts, ir->file);
        kernel.line = ir->line;
        if (ir->required.known) kernel.required_block = ir->required;
        if (ir->max_threads) kernel.max_threads = ir->max_threads;
        kernel.arguments = ir->arguments;
        kernel.argument_count = ir->argument_count;
    }
    const char *plain = plain_name(arena, kernel.demangled);
    for (uint32_t i = 0; i < declared->length; i++) {
        if (!declared->items[i].defined || strcmp(declared->items[i].name, plain)) continue;
        /* Of several kernels of one name, which is meant is told by their lines, if at all. */
        if (!kernel.parameters || (kernel.line && declared->items[i].line == kernel.line)) {
            kernel.parameters = declared->items[i].parameters;
            kernel.parameter_count = declared->items[i].parameter_count;
        }
        if (kernel.line) continue;
        kernel.file = declared->items[i].file ? declared->items[i].file : facts->path;
        kernel.line = declared->items[i].line;
    }
    if (!kernel.line) place_by_ptx(facts, entry, arena, &kernel);
    kernel.ranges = ls_ranges_of(kernel.demangled, enums, kernel.parameter_count, arena);
    collect_launches(facts, arena, &kernel);
    agree(arena, &kernel);
    LS_VEC_PUSH_IN(arena, list, kernel);
}

static bool listed(const kernel_list *list, ls_arena *arena, const char *plain) {
    for (uint32_t i = 0; i < list->length; i++)
        if (!strcmp(plain_name(arena, list->items[i].demangled), plain)) return true;
    return false;
}

/* A kernel that is defined in the text but not in the PTX is a template; one that is only declared, not. */
static void add_declared(const ls_facts *facts, const ls_source_kernels *declared, ls_arena *arena,
                         kernel_list *list) {
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < declared->length; i++) {
            const ls_source_kernel *source = &declared->items[i];
            bool is_template = source->is_template && source->defined;
            if (is_template != (pass == 0) || source->is_instantiation) continue;
            if ((source->defined && !is_template) || listed(list, arena, source->name)) continue;
            ls_compiled_kernel kernel = {.name = source->name,
                                         .demangled = source->name,
                                         .file = source->file ? source->file : facts->path,
                                         .line = source->line,
                                         .status =
                                             is_template ? LS_KERNEL_NOT_INSTANTIATED : LS_KERNEL_DECLARED};
            LS_VEC_PUSH_IN(arena, list, kernel);
        }
}

void ls_kernels_list(const ls_facts *facts, ls_arena *arena, ls_compiled *out) {
    ls_entries entries = {0};
    ls_source_kernels declared = {0};
    ls_source_enums enums = {0};
    kernel_list list = {0};
    ls_entries_scan(facts->ptx, arena, &entries);
    if (facts->text) ls_source_scan(facts->text, arena, &declared);
    if (facts->text) ls_ranges_scan(facts->path, facts->text, arena, &enums);
    for (uint32_t i = 0; i < entries.length; i++)
        add_compiled(facts, &entries.items[i], &declared, &enums, arena, &list);
    add_declared(facts, &declared, arena, &list);
    out->kernels = list.items;
    out->kernel_count = list.length;
    LS_VEC_FREE(&entries);
    LS_VEC_FREE(&declared);
    LS_VEC_FREE(&enums);
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
