/* The list of diagnostics. */
#include "lockstep/diag.h"

#include "base/arena.h"
#include "base/recover.h"
#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>

struct ls_diags {
    ls_arena arena;
    LS_VEC(ls_diag) list;
    uint32_t errors;
    bool no_memory; /* the message about it comes last, and needs no memory */
};

ls_diags *ls_diags_new(void) {
    ls_diags *diags = calloc(1, sizeof *diags);
    if (!diags) ls_escape_further();
    return diags;
}

void ls_diags_free(ls_diags *diags) {
    if (!diags) return;
    ls_arena_free(&diags->arena);
    free(diags);
}

void ls_diags_add(ls_diags *diags, ls_severity severity, const char *file, uint32_t line, uint32_t column,
                  const char *format, ...) {
    if (!diags) return;
    va_list args;
    char text[1024];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ls_diag diag = {severity, file ? ls_arena_strdup(&diags->arena, file) : NULL, line, column,
                    ls_arena_strdup(&diags->arena, text)};
    LS_VEC_PUSH_IN(&diags->arena, &diags->list, diag); /* who reads meanwhile reads the old one */
    if (severity == LS_ERROR) diags->errors++;
}

uint32_t ls_diags_count(const ls_diags *diags) {
    return diags->list.length + diags->no_memory;
}

uint32_t ls_diags_errors(const ls_diags *diags) {
    return diags->errors + diags->no_memory;
}

void ls_diags_no_memory(ls_diags *diags) {
    if (diags) diags->no_memory = true;
}

const ls_diag *ls_diags_at(const ls_diags *diags, uint32_t index) {
    static const ls_diag no_memory = {LS_ERROR, NULL, 0, 0, "out of memory"};
    return index < diags->list.length ? &diags->list.items[index] : &no_memory;
}

void ls_diags_append(ls_diags *diags, const ls_diags *other) {
    for (uint32_t i = 0; i < ls_diags_count(other); i++) {
        const ls_diag *d = ls_diags_at(other, i);
        if (other->no_memory && i == other->list.length)
            ls_diags_no_memory(diags);
        else
            ls_diags_add(diags, d->severity, d->file, d->line, d->column, "%s", d->message);
    }
}
