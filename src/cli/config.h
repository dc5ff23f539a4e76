/* .lockstep.toml: options, levels of rules, suppressions, paths to leave out (docs/config.md). */
#ifndef LS_CLI_CONFIG_H
#define LS_CLI_CONFIG_H

#include "cli/toml.h"

typedef struct {
    const char *rule, *path, *kernel, *reason; /* NULL: any; patterns as in a shell */
    uint32_t line;
    bool used;
} ls_config_suppression;

struct ls_config {
    const char *file; /* NULL: there is none */
    const char
        *folder; /* that paths in it are relative to, with a slash at its end; "" for the current one */
    ls_toml toml;
    int levels[LS_RULE_COUNT]; /* -1: as it is; LS_CONFIG_OFF; else ls_severity */
    ls_config_suppression *suppressions;
    uint32_t suppression_count;
    const ls_list *exclude; /* NULL or patterns of paths */
};

enum { LS_CONFIG_OFF = 100 };

/* Reads the file (NULL: .lockstep.toml of the current folder or one above it, up to where a .git stands;
 * "none": no file); false with errors in diags. */
bool ls_config_read(const char *path, ls_arena *arena, struct ls_config *out, ls_diags *diags);
/* Whether the path is one that `exclude` names. */
bool ls_config_excludes(const struct ls_config *config, const char *path);

#endif
