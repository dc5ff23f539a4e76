/* Fingerprints of findings: a hash of the rule, the kernel, and for each position the path relative to the
 * current directory and the text of the line without blanks at its ends. Lines may move or be indented;
 * findings that would be the same by that are counted. */
#include "report/model.h"

#include "base/hash.h"
#include "base/map.h"
#include "report/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    ls_sources *sources;
    ls_arena arena;
    ls_map seen; /* hash → how often it was given out */
    char folder[4096];
} prints;

static uint64_t hash_place(const prints *p, uint64_t hash, const ls_place *place) {
    if (place->file) {
        const char *path = ls_path_below(place->file, p->folder);
        hash = ls_hash_add(hash, path, strlen(path));
    }
    const char *text;
    size_t length;
    if (!ls_source_line(p->sources, place->file, place->line, &text, &length))
        return ls_hash_add(hash, &place->line, sizeof place->line);
    while (length && strchr(" \t", text[0])) text++, length--;
    while (length && strchr(" \t", text[length - 1])) length--;
    return ls_hash_add(hash, text, length);
}

static void print_one(prints *p, ls_finding *finding) {
    const char *rule = ls_rule_get(finding->rule)->name, *kernel = finding->kernel->name;
    uint64_t hash = ls_hash_add(LS_HASH_START, rule, strlen(rule));
    hash = ls_hash_add(hash, kernel, strlen(kernel));
    hash = hash_place(p, hash, &finding->place);
    for (const ls_related *r = finding->related; r; r = r->next) hash = hash_place(p, hash, &r->place);
    const char *key = ls_arena_printf(&p->arena, "%016" PRIx64, hash);
    void **times = ls_map_at(&p->seen, key, strlen(key));
    uintptr_t count = (uintptr_t)*times + 1;
    *times = (void *)count;
    snprintf(finding->fingerprint, sizeof finding->fingerprint, "%016" PRIx64 ":%u", hash,
             (unsigned)(count % 100000));
}

const char *ls_path_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    if (length && !strncmp(path, folder, length)) path += length;
    while (!strncmp(path, "./", 2)) path += 2;
    return path;
}

void ls_path_folder(char *out, size_t size, const char *folder) {
    if (folder)
        snprintf(out, size - 1, "%s", folder);
    else if (!getcwd(out, size - 1))
        out[0] = 0;
    size_t length = strlen(out);
    if (length && out[length - 1] != '/') memcpy(out + length, "/", 2);
}

void ls_report_fingerprint(ls_report *report) {
    prints p = {.sources = ls_report_sources(report, NULL)};
    ls_arena_init(&p.arena);
    ls_path_folder(p.folder, sizeof p.folder, NULL);
    for (ls_report_file *file = report->files; file; file = file->next)
        for (ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next)
            for (ls_finding *f = kernel->findings; f; f = f->next) print_one(&p, f);
    ls_map_free(&p.seen);
    ls_arena_free(&p.arena);
    ls_sources_free(p.sources);
}
