/* A kernel of the benchmark, compiled and with its buffers filled: for those that run it in the emulator. */
#ifndef LS_BENCH_EMULATE_LOADED_H
#define LS_BENCH_EMULATE_LOADED_H

#include "jobs.h"
#include "lockstep/emulate.h"
#include "lockstep/frontend.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    ls_diags *diags;
    ls_compiled compiled;
    ls_ptx_module *module;
    ls_emulator *emulator;
    uint64_t params[MOST_BUFFERS + 1];
    ls_emu_launch launch;
} loaded;

/* False, and said so, where it cannot be compiled here. */
static inline bool load(const job *j, loaded *l) {
    char path[4096];
    const char *made = getenv("BENCH_PTX"); /* a folder with PTX files, where there is no compiler */
    snprintf(path, sizeof path, SOURCE_DIR "/bench/emulate/%s.%s", j->file, j->cuda ? "cu" : "cl");
    if (made) snprintf(path, sizeof path, "%s/%s.ptx", made, j->file);
    *l = (loaded){.diags = ls_diags_new()};
    if (!ls_compile(path, &(ls_frontend_options){.form = LS_FORM_AS_RUN}, &l->compiled, l->diags)) {
        printf("%-16s cannot be compiled here\n", j->name);
        ls_diags_free(l->diags);
        return false;
    }
    l->module = ls_ptx_parse(l->compiled.ptx, l->compiled.length, path, l->diags);
    l->emulator = ls_emulator_new(l->module, l->diags);
    for (uint32_t k = 0; k < j->buffer_count; k++) {
        l->params[k] = ls_emulator_alloc(l->emulator, j->buffers[k], "buffer");
        fill(j, k, (void *)(uintptr_t)l->params[k]);
    }
    memcpy(&l->params[j->buffer_count], &j->n, sizeof j->n);
    l->launch = (ls_emu_launch){.kernel = j->file,
                                .grid = {j->grid[0], j->grid[1], 1},
                                .block = {j->block[0], j->block[1], 1},
                                .params = l->params,
                                .params_size = sizeof l->params};
    return true;
}

static inline void unload(loaded *l) {
    ls_emulator_free(l->emulator);
    ls_ptx_module_free(l->module);
    ls_compiled_free(&l->compiled);
    ls_diags_free(l->diags);
}

/* Its name starts like one of those given; all do where none is. */
static inline bool is_wanted(const job *j, int count, char **names) {
    for (int k = 1; k < count; k++)
        if (!strncmp(j->name, names[k], strlen(names[k]))) return true;
    return count < 2;
}

#endif
