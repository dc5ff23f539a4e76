/* Dependencies of a compilation (depend.h): the compilers write them as rules of a makefile. */
#include "frontend/depend.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/makefile.h"
#include "frontend/precompiled.h"

#include <dirent.h>
#include <inttypes.h>
#include <string.h>

static const char ENDING[] = ".depends";

void ls_depend_ask(const ls_job *job, const char *output, ls_args *argv) {
    if (!job->options->dependencies || !*output) return;
    LS_VEC_PUSH(argv, "-MD");
    LS_VEC_PUSH(argv, "-MF");
    uint64_t of = ls_hash_text(LS_HASH_START, job->path); /* other files of the project are looked at, too */
    LS_VEC_PUSH(argv, ls_arena_printf(job->arena, "%s/%s-%" PRIx64 "%s", job->folder, output, of, ENDING));
}

typedef struct {
    const ls_job *job;
    ls_args list;
} dependencies;

static bool add(void *context, const char *name) {
    dependencies *d = context;
    if (!name || !*name || !strncmp(name, d->job->folder, strlen(d->job->folder))) return true;
    if (ls_precompiled_is_beside(d->job, name)) return true; /* it comes and goes with the compiled form */
    for (uint32_t i = 0; i < d->list.length; i++)
        if (!strcmp(d->list.items[i], name)) return true;
    LS_VEC_PUSH(&d->list, ls_arena_strdup(d->job->arena, name));
    return true;
}

/* Whether something was said, and all of it is a rule. */
static bool add_rules(dependencies *d) {
    const ls_job *job = d->job;
    DIR *folder = opendir(job->folder);
    uint32_t found = 0;
    bool good = folder != NULL;
    for (const struct dirent *entry; good && (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name), end = sizeof ENDING - 1;
        ls_buf text = {0};
        if (length < end || strcmp(entry->d_name + length - end, ENDING) != 0) continue;
        good = ls_read_file(ls_arena_printf(job->arena, "%s/%s", job->folder, entry->d_name), &text) &&
               ls_makefile_each(ls_buf_text(&text), add, d);
        ls_buf_free(&text);
        found++;
    }
    if (folder) closedir(folder);
    return good && found;
}

void ls_depend_list(const ls_job *job, bool whole, ls_compiled *out) {
    dependencies d = {.job = job};
    if (job->options->dependencies && whole && add_rules(&d)) {
        const char *commands = job->options->compile_commands;
        const char *const others[] = {job->path,
                                      job->tools.clang,
                                      job->tools.nvcc,
                                      job->tools.libclc,
                                      commands,
                                      commands
                                          ? ls_arena_printf(job->arena, "%s/compile_commands.json", commands)
                                          : NULL}; /* where that is a folder */
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) add(&d, others[i]);
        const char **copy = LS_NEW_N(job->arena, const char *, d.list.length);
        memcpy(copy, d.list.items, d.list.length * sizeof *copy);
        out->dependencies = copy;
        out->dependency_count = d.list.length;
    }
    LS_VEC_FREE(&d.list);
}
