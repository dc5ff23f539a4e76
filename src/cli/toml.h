/* The part of TOML that .lockstep.toml needs (toml.c). */
#ifndef LS_CLI_TOML_H
#define LS_CLI_TOML_H

#include "cli/cli.h"

typedef enum { LS_TOML_TEXT, LS_TOML_NUMBER, LS_TOML_BOOL } ls_toml_kind;

/* One `key = value`. */
typedef struct {
    const char *table; /* "" before the first; "suppress" in [[suppress]] */
    uint32_t number;   /* of the [[table]] among those of its name, from 1; 0 in a [table] */
    const char *key;
    uint32_t line;
    ls_toml_kind kind; /* of the value, or of the items of a list */
    bool is_list;
    ls_list values; /* one, or the items; numbers as they are written, "true" or "false" */
} ls_toml_entry;

typedef struct {
    ls_toml_entry *entries;
    uint32_t count;
} ls_toml;

/* False with an error that names file and line in diags. Everything stands in arena. */
bool ls_toml_parse(const char *text, size_t length, const char *file, ls_arena *arena, ls_toml *out,
                   ls_diags *diags);

#endif
