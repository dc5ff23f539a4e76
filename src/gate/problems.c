/* The list of what is wrong with a candidate (problems.h). */
#include "gate/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    ls_rule rule;
    const char *kind;
} kinds[] = {{LS_RULE_RACE_SHARED, "race"},
             {LS_RULE_RACE_GLOBAL, "race"},
             {LS_RULE_BARRIER_DIVERGENCE, "barrier"},
             {LS_RULE_MEMORY_BOUNDS, "bounds"},
             {LS_RULE_MEMORY_MISALIGNED, "misaligned"},
             {LS_RULE_MEMORY_UNINITIALIZED, "uninitialized"},
             {LS_RULE_ASSERT, "assertion"},
             {LS_RULE_TERMINATION, "endless"},
             {LS_RULE_DIVISION, "division"}};

const char *ls_gate_kind(ls_rule rule) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].rule == rule) return kinds[i].kind;
    return NULL;
}

json_int_t ls_gate_problem_count(const json_t *list) {
    json_int_t count = 0;
    size_t i;
    const json_t *problem;
    json_array_foreach(list, i, problem) {
        count += json_integer_value(json_object_get(problem, "count"));
    }
    return count;
}

static bool same_text(const json_t *object, const char *key, const char *text) {
    const char *has = json_string_value(json_object_get(object, key));
    return has && text ? !strcmp(has, text) : has == text;
}

void ls_gate_problem(json_t *list, json_int_t number, const char *kind, const ls_place *place,
                     const char *format, ...) {
    const char *file = place ? place->file : NULL;
    json_int_t line = file ? place->line : 0;
    size_t i;
    json_t *old;
    json_array_foreach(list, i, old) {
        if (!same_text(old, "kind", kind) || !same_text(old, "file", file) ||
            json_integer_value(json_object_get(old, "line")) != line)
            continue;
        json_object_set_new(old, "count",
                            json_integer(json_integer_value(json_object_get(old, "count")) + 1));
        return;
    }
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_t *message = json_string(text), *problem = json_object();
    json_object_set_new(problem, "kind", json_string(kind));
    json_object_set_new(problem, "message", message ? message : json_string("(not UTF-8)"));
    if (file) json_object_set_new(problem, "file", json_string(file));
    if (line) json_object_set_new(problem, "line", json_integer(line));
    if (line) json_object_set_new(problem, "column", json_integer(place->column));
    if (number >= 0) json_object_set_new(problem, "case", json_integer(number));
    json_object_set_new(problem, "count", json_integer(1));
    json_array_append_new(list, problem);
}
