/* Finding and reading .lockstep.toml (config.h). What stands in [options] and in the tables named like
 * subcommands is left to options.c, which knows what each subcommand takes. */
#include "cli/config.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static const char name[] = ".lockstep.toml";

/* The nearest one from the current folder up, in the words of a relative path: "../.lockstep.toml". */
static const char *find(ls_arena *arena) {
    char here[PATH_MAX], up[PATH_MAX] = "", path[PATH_MAX + 32];
    int folders = 1; /* from here to the root */
    for (const char *at = getcwd(here, sizeof here); at && at[1]; at++) folders += *at == '/';
    for (int depth = 0; depth < folders; depth++) {
        snprintf(path, sizeof path, "%s%s", up, name);
        if (!access(path, R_OK)) return ls_arena_strdup(arena, path);
        snprintf(path, sizeof path, "%s.git", up);
        if (!access(path, F_OK)) return NULL;
        strncat(up, "../", sizeof up - strlen(up) - 1);
    }
    return NULL;
}

static bool wrong(const struct ls_config *c, const ls_toml_entry *e, ls_diags *diags, const char *what) {
    ls_diags_add(diags, LS_ERROR, c->file, e->line, 0, "%s: %s", e->key, what);
    return false;
}

static bool is_text(const ls_toml_entry *e) {
    return e->kind == LS_TOML_TEXT && !e->is_list;
}

static bool read_level(struct ls_config *c, const ls_toml_entry *e, ls_diags *diags) {
    static const char *const levels[] = {[LS_NOTE] = "note", [LS_WARNING] = "warning", [LS_ERROR] = "error"};
    ls_rule rule = ls_rule_find(e->key);
    if (rule == LS_RULE_COUNT)
        return wrong(c, e, diags, "there is no such rule; 'lockstep explain' lists them");
    if (is_text(e) && !strcmp(e->values.items[0], "off")) return c->levels[rule] = LS_CONFIG_OFF, true;
    for (int i = 0; i < 3 && is_text(e); i++)
        if (!strcmp(e->values.items[0], levels[i])) return c->levels[rule] = i, true;
    return wrong(c, e, diags, "\"error\", \"warning\", \"note\" or \"off\" is expected");
}

static bool read_suppression(struct ls_config *c, const ls_toml_entry *e, ls_diags *diags) {
    ls_config_suppression *s = &c->suppressions[e->number - 1];
    const struct {
        const char *key, **to;
    } keys[] = {{"rule", &s->rule}, {"path", &s->path}, {"kernel", &s->kernel}, {"reason", &s->reason}};
    if (e->number > c->suppression_count) c->suppression_count = e->number;
    s->line = e->line;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(e->key, keys[i].key)) {
            if (!is_text(e)) return wrong(c, e, diags, "a string is expected");
            *keys[i].to = e->values.items[0];
            return true;
        }
    return wrong(c, e, diags, "a suppression has rule, path, kernel and reason");
}

static bool read_entry(struct ls_config *c, const ls_toml_entry *e, ls_diags *diags) {
    if (!strcmp(e->table, "rules")) return read_level(c, e, diags);
    if (!strcmp(e->table, "suppress") && e->number) return read_suppression(c, e, diags);
    if (!strcmp(e->table, "paths")) {
        if (strcmp(e->key, "exclude") || e->kind != LS_TOML_TEXT)
            return wrong(c, e, diags, "[paths] has exclude = [\"…\"]");
        c->exclude = &e->values;
        return true;
    }
    if (!strcmp(e->table, "options") || ls_command_find(e->table)) return true;
    ls_diags_add(diags, LS_ERROR, c->file, e->line, 0,
                 *e->table ? "there is no table [%s]" : "a table such as [options] is expected first%s",
                 *e->table ? e->table : "");
    return false;
}

static bool read_entries(struct ls_config *c, ls_arena *arena, ls_diags *diags) {
    c->suppressions = LS_NEW_N(arena, ls_config_suppression, c->toml.count + 1);
    bool good = true;
    for (uint32_t i = 0; i < c->toml.count; i++) good &= read_entry(c, &c->toml.entries[i], diags);
    for (uint32_t i = 0; i < c->suppression_count && good; i++)
        if (!c->suppressions[i].reason) {
            ls_diags_add(diags, LS_ERROR, c->file, c->suppressions[i].line, 0,
                         "a suppression needs a reason");
            good = false;
        }
    return good;
}

bool ls_config_read(const char *path, ls_arena *arena, struct ls_config *out, ls_diags *diags) {
    *out = (struct ls_config){.folder = ""};
    for (int i = 0; i < LS_RULE_COUNT; i++) out->levels[i] = -1;
    if (path && !strcmp(path, "none")) return true;
    out->file = path ? path : find(arena);
    if (!out->file) return true;
    const char *slash = strrchr(out->file, '/');
    if (slash) out->folder = ls_arena_strndup(arena, out->file, (size_t)(slash - out->file) + 1);
    ls_buf text = {0};
    bool good = ls_read_file(out->file, &text);
    if (!good) ls_diags_add(diags, LS_ERROR, out->file, 0, 0, "cannot be read: %s", strerror(errno));
    good = good && ls_toml_parse(ls_buf_text(&text), text.length, out->file, arena, &out->toml, diags);
    ls_buf_free(&text);
    return good && read_entries(out, arena, diags);
}

bool ls_config_excludes(const struct ls_config *config, const char *path) {
    for (uint32_t i = 0; config && config->exclude && i < config->exclude->count; i++)
        if (!fnmatch(config->exclude->items[i], path, 0)) return true;
    return false;
}
