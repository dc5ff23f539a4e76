/* The names of rules, with their descriptions, of severities and of verdicts; and whether two places are the
 * same. */
#include "lockstep/finding.h"

#include <assert.h>
#include <string.h>

static const ls_rule_info rules[] = {
#define RULE_ROW(id, name, level, title, help) {name, level, title, help},
    LS_RULES(RULE_ROW)
#undef RULE_ROW
};

const ls_rule_info *ls_rule_get(ls_rule rule) {
    assert(rule < LS_RULE_COUNT);
    return &rules[rule];
}

ls_rule ls_rule_find(const char *name) {
    for (int i = 0; i < LS_RULE_COUNT; i++)
        if (!strcmp(rules[i].name, name)) return (ls_rule)i;
    return LS_RULE_COUNT;
}

const char *ls_severity_name(ls_severity severity) {
    static const char *const names[] = {[LS_NOTE] = "note", [LS_WARNING] = "warning", [LS_ERROR] = "error"};
    return names[severity];
}

const char *ls_verdict_name(ls_verdict verdict) {
    static const char *const names[] = {[LS_NO_VERDICT] = "none",
                                        [LS_PROVED] = "proved",
                                        [LS_REFUTED] = "refuted",
                                        [LS_UNKNOWN] = "unknown",
                                        [LS_PROVED_IF] = "proved_if"};
    return names[verdict];
}

bool ls_place_same_line(const ls_place *a, const ls_place *b) {
    return a->file && b->file && a->line == b->line && !strcmp(a->file, b->file);
}

bool ls_rule_is_race(ls_rule rule) {
    return rule == LS_RULE_RACE_SHARED || rule == LS_RULE_RACE_GLOBAL;
}

const ls_place *ls_finding_other(const ls_finding *finding) {
    return finding->related ? &finding->related->place : &finding->place;
}
