/* Findings that do not count. A comment on the finding's line, or alone on the line above it, takes out rules
 * by name and says why:
 *
 *     bins[key] = 1; // lockstep: ignore race.global -- all threads write the same
 *
 * .lockstep.toml does the same by path and kernel, and changes levels. A baseline is an earlier report as
 * JSON or SARIF: findings with a fingerprint that it has were there before. */
#include "cli/suppress.h"

#include "base/map.h"
#include "report/model.h"
#include "report/same.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

/* --- Comments in the source ------------------------------------------------------------------------------
 */

static const char mark[] = "lockstep: ignore ";

/* Whether the list "race.global, coalescing" has the rule; "race" stands for all that start with "race.". */
static bool names_rule(const char *list, size_t length, const char *rule) {
    for (const char *end = list + length; list < end;) {
        while (list < end && strchr(" ,\t", *list)) list++;
        const char *from = list;
        while (list < end && !strchr(" ,\t", *list)) list++;
        size_t size = (size_t)(list - from);
        bool start = size && !strncmp(rule, from, size) && (!rule[size] || rule[size] == '.');
        if (start || (size == 3 && !memcmp(from, "all", 3))) return true;
    }
    return false;
}

/* The reason behind "--" where the line has the comment for the rule; NULL where it has none. */
static const char *comment_in(const char *text, size_t length, const char *rule, bool alone,
                              ls_arena *arena) {
    const char *at = memmem(text, length, mark, strlen(mark)), *end = text + length;
    if (!at) return NULL;
    const char *start = text + strspn(text, " \t");
    if (alone && strncmp(start, "//", 2) != 0 && strncmp(start, "/*", 2) != 0) return NULL;
    at += strlen(mark);
    const char *dashes = memmem(at, (size_t)(end - at), "--", 2);
    if (!dashes || !names_rule(at, (size_t)(dashes - at), rule)) return NULL;
    const char *close = memmem(dashes, (size_t)(end - dashes), "*/", 2);
    if (close) end = close;
    for (dashes += 2; dashes < end && *dashes == ' ';) dashes++;
    while (end > dashes && strchr(" \t\r", end[-1])) end--;
    return end > dashes ? ls_arena_strndup(arena, dashes, (size_t)(end - dashes)) : NULL;
}

static const char *comment_at(ls_sources *sources, const ls_place *place, const char *rule, ls_arena *arena) {
    const char *text, *reason = NULL;
    size_t length;
    if (ls_source_line(sources, place->file, place->line, &text, &length))
        reason = comment_in(text, length, rule, false, arena);
    if (!reason && place->line > 1 && ls_source_line(sources, place->file, place->line - 1, &text, &length))
        reason = comment_in(text, length, rule, true, arena);
    return reason;
}

/* Comments that can have no effect: without a reason, or with a rule that does not exist. */
static void check_comments(ls_sources *sources, const char *path, ls_diags *diags) {
    const char *text;
    size_t length;
    if (!ls_source_mentions(sources, path, mark)) return;
    for (uint32_t line = 1; ls_source_line(sources, path, line, &text, &length); line++) {
        const char *at = memmem(text, length, mark, strlen(mark)), *end = text + length;
        if (!at) continue;
        at += strlen(mark);
        const char *dashes = memmem(at, (size_t)(end - at), "--", 2);
        if (!dashes || dashes + 2 + strspn(dashes + 2, " ") >= end) {
            ls_diags_add(
                diags, LS_WARNING, path, line, (uint32_t)(at - text) + 1,
                "this has no effect: it needs a reason, as in 'lockstep: ignore race.global -- why'");
            continue;
        }
        bool known = names_rule(at, (size_t)(dashes - at), "");
        for (int i = 0; i < LS_RULE_COUNT; i++)
            known |= names_rule(at, (size_t)(dashes - at), ls_rule_get((ls_rule)i)->name);
        if (!known)
            ls_diags_add(diags, LS_WARNING, path, line, (uint32_t)(at - text) + 1,
                         "this has no effect: there is no such rule; 'lockstep explain' lists them");
    }
}

/* --- .lockstep.toml --------------------------------------------------------------------------------------
 */

static bool matches(const char *pattern, const char *text) {
    return !pattern || (text && !fnmatch(pattern, text, 0));
}

static void apply_config(struct ls_config *c, ls_finding *f) {
    const ls_rule_info *rule = ls_rule_get(f->rule);
    int level = c->levels[f->rule];
    if (level == LS_CONFIG_OFF)
        ls_finding_suppress(f, LS_IN_CONFIG, "the rule is off");
    else if (level >= 0)
        f->level = (ls_severity)level;
    for (uint32_t i = 0; i < c->suppression_count; i++) {
        ls_config_suppression *s = &c->suppressions[i];
        const char *file = f->place.file ? f->place.file : f->kernel->file->path;
        ls_common named = {.kernels = {&s->kernel, s->kernel != NULL, 1}};
        bool kernel = matches(s->kernel, f->kernel->demangled) ||
                      ls_cli_wants_kernel(&named, f->kernel->name, f->kernel->demangled);
        if (!kernel || !matches(s->rule, rule->name)) continue;
        if (!matches(s->path, file) && !matches(s->path, f->kernel->file->path)) continue;
        s->used = true;
        ls_finding_suppress(f, LS_IN_CONFIG, s->reason);
    }
}

/* --- The baseline ----------------------------------------------------------------------------------------
 */

/* Fingerprints are found by their key alone, in JSON and in SARIF. */
static bool read_baseline(const char *path, ls_arena *arena, ls_map *known, ls_diags *diags) {
    static const char *const keys[] = {"\"fingerprint\": \"", "\"primaryLocationLineHash\": \""};
    ls_buf text = {0};
    if (!ls_read_file(path, &text)) {
        ls_diags_add(diags, LS_ERROR, path, 0, 0,
                     "the baseline cannot be read: %s; an earlier run with --format json -o %s makes it",
                     strerror(errno), path);
        return false;
    }
    bool good = text.length && (strstr(text.text, "\"lockstep\"") || strstr(text.text, "\"Lockstep\""));
    if (!good) ls_diags_add(diags, LS_ERROR, path, 0, 0, "this is not a report of Lockstep in JSON or SARIF");
    for (size_t k = 0; k < 2 && good; k++)
        for (const char *at = text.text; (at = strstr(at, keys[k]));) {
            at += strlen(keys[k]);
            const char *print = ls_arena_strndup(arena, at, strcspn(at, "\""));
            *ls_map_at(known, print, strlen(print)) = known;
        }
    ls_buf_free(&text);
    return good;
}

/* --- The report ------------------------------------------------------------------------------------------
 */

typedef struct {
    struct ls_config *config;
    ls_sources *sources;
    const ls_map *known; /* fingerprints of the baseline; NULL: there is none */
    ls_arena *arena;
} judgement;

static void judge(const judgement *j, ls_finding *f) {
    const char *rule = ls_rule_get(f->rule)->name;
    apply_config(j->config, f);
    const char *reason = comment_at(j->sources, &f->place, rule, j->arena);
    for (const ls_related *r = f->related; r && !reason; r = r->next)
        if (!r->aside) reason = comment_at(j->sources, &r->place, rule, j->arena);
    if (reason) ls_finding_suppress(f, LS_IN_SOURCE, reason);
    if (!f->suppressed && j->known && ls_map_get(j->known, f->fingerprint, strlen(f->fingerprint)))
        ls_finding_suppress(f, LS_IN_BASELINE, NULL);
}

/* What is suppressed at its line does not stand for others of its cause that are not: one of these does. True
 * where there are any. */
static bool part(const judgement *j, ls_finding *f) {
    ls_finding *open = NULL, **end = &open;
    bool by_line = f->suppressed == LS_IN_SOURCE || f->suppressed == LS_IN_CONFIG;
    if (!by_line || !f->same) return false;
    for (ls_finding *other = ls_part_same(f), *next; other; other = next) {
        next = other->next;
        judge(j, other);
        if (other->suppressed) {
            ls_report_put(f->kernel, other);
        } else {
            *end = other;
            end = &other->next;
        }
    }
    *end = NULL;
    if (!open) return true;
    ls_finding *rest = open->next;
    ls_report_put(f->kernel, open);
    open->same = rest;
    return true;
}

static void judge_all(const judgement *j, ls_report *report) {
    bool parted = false;
    for (const ls_report_file *file = ls_report_files(report); file; file = file->next)
        for (ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next)
            for (ls_finding *f = kernel->findings; f; f = f->next) {
                if (!f->suppressed) judge(j, f);
                parted |= part(j, f);
            }
    if (!parted) return;
    ls_report_finish(report); /* what is new gets its notes, its place in the order and its fingerprint */
    judge_all(j, report);
}

bool ls_suppress(ls_report *report, struct ls_config *config, const char *baseline, ls_diags *diags) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_map known = {0};
    ls_sources *sources = ls_report_sources(report, NULL);
    bool good = !baseline || read_baseline(baseline, &arena, &known, diags);
    for (const ls_report_file *file = ls_report_files(report); file && good; file = file->next)
        check_comments(sources, file->path, file->diags);
    judgement j = {config, sources, baseline ? &known : NULL, &arena};
    if (good) judge_all(&j, report);
    ls_sources_free(sources);
    ls_map_free(&known);
    ls_arena_free(&arena);
    return good;
}
