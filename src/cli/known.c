/* Keys of kernels (known.h). */
#include "cli/known.h"

#include "base/hash.h"
#include "base/recover.h"
#include "cli/config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

struct ls_known {
    const char *text; /* a few lines */
};

ls_known *ls_known_read(const char *path, ls_arena *arena) {
    ls_known *known = LS_NEW(arena, ls_known);
    ls_buf text = {0};
    known->text = ls_read_file(path, &text) ? ls_arena_strdup(arena, ls_buf_text(&text)) : "";
    ls_buf_free(&text);
    return known;
}

bool ls_known_has(const ls_known *known, const char *key) {
    return strstr(known->text, key) != NULL;
}

/* --- PTX ----------------------------------------------------------------------------------------------- */

/* Behind a comment or a text at `at`; NULL where there is none. */
static const char *skip_literal(const char *at) {
    if (at[0] == '/' && at[1] == '/') return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"') return NULL;
    at += 1 + strcspn(at + 1, "\"\n");
    return *at ? at + 1 : at;
}

/* Behind the block that starts at the next brace. */
static const char *skip_body(const char *at) {
    int depth = 0;
    while (*at) {
        const char *after = skip_literal(at);
        if (after) {
            at = after;
            continue;
        }
        depth += (*at == '{') - (*at == '}');
        if (*at++ == '}' && depth <= 0) break;
    }
    return at;
}

static bool is_named(const char *at, const char *name) {
    while (isspace((unsigned char)*at)) at++;
    size_t length = strlen(name);
    return !strncmp(at, name, length) && !isalnum((unsigned char)at[length]) && at[length] != '_' &&
           at[length] != '$';
}

/* The lines of source that the code names. */
static uint64_t hash_lines(uint64_t hash, const char *code, const char *end, const ls_buf *source,
                           const uint32_t *starts, uint32_t count) {
    for (const char *at = code; (at = memmem(at, (size_t)(end - at), ".loc", 4)); at += 4) {
        char *after;
        strtoul(at + 4, &after, 10);
        unsigned long line = strtoul(after, NULL, 10);
        if (line < 1 || line >= count) continue;
        hash = ls_hash_add(hash, source->text + starts[line - 1], starts[line] - starts[line - 1]);
    }
    return hash;
}

/* All but other kernels. */
static uint64_t hash_module(uint64_t hash, const char *ptx, const char *name, const ls_buf *source,
                            const uint32_t *starts, uint32_t count) {
    const char *from = ptx;
    for (const char *at = ptx; (at = strstr(at, ".entry"));) {
        const char *after = at + 6;
        bool own = is_named(after, name);
        at = skip_body(after);
        const char *end = own ? at : after;
        hash = ls_hash_add(hash, from, (size_t)(end - from));
        hash = hash_lines(hash, from, end, source, starts, count);
        from = at;
    }
    hash = hash_lines(hash, from, from + strlen(from), source, starts, count);
    return ls_hash_text(hash, from);
}

/* --- Whatever else counts ------------------------------------------------------------------------------ */

static uint64_t hash_numbers(uint64_t hash, const uint32_t *list, uint32_t count) {
    return list ? ls_hash_add(hash, list, count * sizeof *list) : ls_hash_text(hash, NULL);
}

static uint64_t hash_again(uint64_t hash, const ls_launch_again *again) {
    if (!again) return hash;
    hash = hash_numbers(hash, again->parameters, again->parameter_count);
    for (uint32_t i = 0; i < again->renewed_count; i++) hash = ls_hash_text(hash, again->renewed[i]);
    for (uint32_t i = 0; i < again->kernel_count; i++) hash = ls_hash_text(hash, again->kernels[i]);
    uint32_t rest[] = {again->parameter_count, again->variables, again->renewed_count, again->kernel_count};
    return hash_numbers(hash, rest, sizeof rest / sizeof *rest);
}

static uint64_t hash_launch(uint64_t hash, const ls_launch_case *launch) {
    hash = hash_numbers(hash, launch->block, 3);
    hash = hash_numbers(hash, launch->grid, 3);
    hash = ls_hash_text(hash, launch->from);
    for (uint32_t i = 0; i < launch->fact_count; i++) hash = ls_hash_text(hash, launch->facts[i]);
    const ls_kernel_launch *l = launch->launch;
    if (!l) return hash;
    hash = hash_numbers(hash, l->same, l->argument_count);
    for (uint32_t i = 0; i < l->allocation_count; i++) {
        const ls_argument_memory *m = &l->allocations[i];
        uint32_t of[] = {m->parameter, m->at, m->line, m->is_zero};
        hash = ls_hash_text(hash_numbers(hash, of, sizeof of / sizeof *of), m->bytes);
    }
    for (uint32_t i = 0; i < l->inside_count; i++) {
        const ls_argument_inside *in = &l->inside[i];
        uint32_t of[] = {in->parameter, in->at, in->of, in->of_at};
        hash = ls_hash_text(hash_numbers(hash, of, sizeof of / sizeof *of), in->bytes);
    }
    hash = hash_again(hash, l->again);
    uint32_t rest[] = {l->line, l->column, l->shared_known, l->shared_bytes, l->is_recorded, l->number};
    return hash_numbers(hash, rest, sizeof rest / sizeof *rest);
}

static uint64_t hash_kernel(uint64_t hash, const ls_compiled_kernel *kernel) {
    hash = ls_hash_text(ls_hash_text(hash, kernel->demangled), kernel->file);
    hash = hash_numbers(hash, &kernel->line, 1);
    for (uint32_t i = 0; kernel->parameters && i < kernel->parameter_count; i++)
        hash = ls_hash_text(hash, kernel->parameters[i]);
    return hash;
}

/* Comments that speak to Lockstep, with their lines. */
static uint64_t hash_comments(uint64_t hash, const ls_buf *source, const uint32_t *starts, uint32_t count) {
    for (uint32_t line = 1; line < count; line++) {
        const char *text = source->text + starts[line - 1];
        size_t length = starts[line] - starts[line - 1];
        if (!memmem(text, length, "lockstep:", 9)) continue;
        hash = hash_numbers(hash, &line, 1);
        hash = ls_hash_add(hash, text, length);
    }
    return hash;
}

static uint64_t hash_config(uint64_t hash, const struct ls_config *config) {
    ls_buf text = {0};
    if (config && config->file && ls_read_file(config->file, &text))
        hash = ls_hash_add(hash, ls_buf_text(&text), text.length);
    ls_buf_free(&text);
    return hash;
}

/* Where each line starts, and the end of the text. */
static uint32_t *line_starts(ls_arena *arena, const ls_buf *source, uint32_t *count) {
    uint32_t lines = 2;
    for (size_t i = 0; i < source->length; i++) lines += source->text[i] == '\n';
    uint32_t *starts = LS_NEW_N(arena, uint32_t, lines);
    *count = 0;
    starts[(*count)++] = 0;
    for (size_t i = 0; i < source->length; i++)
        if (source->text[i] == '\n') starts[(*count)++] = (uint32_t)i + 1;
    if (starts[*count - 1] != source->length) starts[(*count)++] = (uint32_t)source->length;
    return starts;
}

void ls_kernel_key(const ls_cli_job *job, const ls_input *input, const ls_compiled_kernel *kernel,
                   const ls_launch_case *launch, const ls_buf *source, char key[LS_KEY_SIZE]) {
    uint32_t count;
    LS_SCRATCH(scratch);
    uint32_t *starts = line_starts(&scratch, source, &count);
    uint64_t hash = ls_hash_text(LS_HASH_START, job->path);
    hash = hash_module(hash, input->compiled.ptx, kernel->name, source, starts, count);
    if (input->compiled.as_run)
        hash = hash_module(hash, input->compiled.as_run, kernel->name, source, starts, count);
    hash = hash_launch(hash_kernel(hash, kernel), launch);
    hash = hash_comments(hash, source, starts, count);
    hash = hash_config(hash, job->cli->config);
    snprintf(key, LS_KEY_SIZE, "%016" PRIx64, hash);
}
