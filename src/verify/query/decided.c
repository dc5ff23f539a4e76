/* What a launch decides (decided.h): sizes and arguments that are constants, that branches of the host code
 * choose, or that count the rounds of a loop and so take every value that they can. What is computed from
 * such values alone is decided as well. */
#include "verify/query/decided.h"

#include "ptx/origin.h"
#include "verify/execute/facts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 8, NAME = 64 };

typedef struct {
    const ls_ir_function *kernel;
    const ls_verify_options *options;
    bool itself; /* what it is must be said, not what is computed from it */
} launch;

static bool is_part(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

/* The next name in a text; NULL where there is none. */
static const char *next_name(const char *text, char *name) {
    while (*text) {
        size_t length = 0;
        while (is_part(text[length])) length++;
        if (length && !isdigit((unsigned char)*text) && length < NAME) {
            snprintf(name, NAME, "%.*s", (int)length, text);
            return text + length;
        }
        text += length ? length : 1;
    }
    return NULL;
}

static bool speaks_of(const char *fact, const char *name) {
    char other[NAME];
    for (const char *at = fact; (at = next_name(at, other));)
        if (!strcmp(name, other)) return true;
    return false;
}

/* The fact says what it equals, in one of its parts, or what kind of number it is. */
static bool is_subject(const char *fact, const char *name) {
    char other[NAME];
    for (const char *at = fact; (at = next_name(at, other));) {
        if (strcmp(name, other) != 0) continue;
        size_t start = (size_t)(at - fact) - strlen(name);
        if (start <= 1 || !strncmp(at, " == ", 4)) return true;
    }
    return false;
}

static bool is_decided(const launch *l, const char *name, uint32_t depth);

static bool all_decided(const launch *l, const char *text, uint32_t depth) {
    char name[NAME];
    for (const char *at = text; (at = next_name(at, name));)
        if (!is_decided(l, name, depth + 1)) return false;
    return true;
}

/* A fact that says what the name is, or that it is chosen or counts. */
static bool is_decided(const launch *l, const char *name, uint32_t depth) {
    size_t length = strlen(name);
    for (uint32_t i = 0; i < l->options->fact_count && depth < MOST_DEPTH; i++) {
        const char *fact = l->options->facts[i];
        if (!speaks_of(fact, name) || ls_fact_is_given(fact)) continue;
        bool subject = !strncmp(fact, name, length) && fact[length] == ' ';
        if (strstr(fact, " || ") && (!l->itself || is_subject(fact, name))) return true;
        if (subject && ls_fact_is_counter(fact)) return true;
        bool defines = subject && !strncmp(fact + length, " == ", 4);
        if (defines && all_decided(l, fact + length + 4, depth)) return true;
    }
    return false;
}

/* The name that facts have for a parameter. */
static const char *name_of(const ls_ptx_function *f, uint32_t parameter, char name[LS_ARGUMENT_NAME]) {
    return ls_origin_argument(name, parameter, ls_ptx_type_bits((ls_ptx_type)f->params[parameter]->type),
                              f->param_count);
}

/* Sizes that are constants; a parameter under the name that facts have for it. */
static bool is_known(const launch *l, const char *name) {
    const ls_ptx_function *f = l->kernel->ptx;
    static const char *const axes = "xyz";
    const char *dot = strchr(name, '.');
    if (dot && strchr(axes, dot[1])) {
        const uint32_t *sizes = name[0] == 'b' ? l->options->block : l->options->grid;
        return sizes[0] || is_decided(l, name, 0);
    }
    for (uint32_t i = 0; i < f->param_count; i++) {
        const char *own = i < l->options->parameter_count ? l->options->parameters[i] : NULL;
        if (strcmp(own ? own : f->params[i]->symbol->name, name) != 0) continue;
        char fact[LS_ARGUMENT_NAME];
        return is_decided(l, name_of(f, i, fact), 0);
    }
    return false;
}

static bool decides(const launch *l, const char *condition) {
    char name[NAME];
    if (!l->options->fact_count) return false;
    for (const char *at = condition; (at = next_name(at, name));)
        if (!is_known(l, name)) return false;
    return true;
}

bool ls_launch_decides(const ls_ir_function *kernel, const ls_verify_options *options,
                       const char *condition) {
    return decides(&(launch){kernel, options, false}, condition);
}

bool ls_launch_says(const ls_ir_function *kernel, const ls_verify_options *options, const char *condition) {
    return decides(&(launch){kernel, options, true}, condition);
}

bool ls_launch_is_given(const ls_ir_function *kernel, const ls_verify_options *options, uint32_t parameter) {
    char name[LS_ARGUMENT_NAME];
    if (options->open_arguments) return true;
    name_of(kernel->ptx, parameter, name);
    for (uint32_t i = 0; i < options->fact_count; i++)
        if (ls_fact_is_given(options->facts[i]) && speaks_of(options->facts[i], name)) return true;
    return false;
}

enum { MOST_NAMES = 16 };

typedef struct {
    char items[MOST_NAMES][NAME];
    uint32_t count;
} name_set;

static bool add_name(name_set *set, const char *name) {
    for (uint32_t i = 0; i < set->count; i++)
        if (!strcmp(set->items[i], name)) return true;
    if (set->count == MOST_NAMES) return false;
    snprintf(set->items[set->count++], NAME, "%s", name);
    return true;
}

/* All that facts say of the value, and of what it is computed from, is how that is done: they mention no
 * size of the launch, and of no other argument. Then it comes from somewhere that is not followed, as a
 * member of a structure in memory does. */
static bool is_from_elsewhere(const ls_verify_options *o, const char *argument) {
    name_set all = {.count = 0};
    add_name(&all, argument);
    for (uint32_t k = 0; k < all.count; k++)
        for (uint32_t i = 0; i < o->fact_count; i++) {
            char name[NAME];
            if (ls_fact_is_given(o->facts[i]) || !speaks_of(o->facts[i], all.items[k])) continue;
            for (const char *at = o->facts[i]; (at = next_name(at, name));) {
                ls_origin origin = ls_origin_of(name);
                bool own =
                    !strcmp(name, argument) || origin.kind == LS_ORIGIN_HOST || !strcmp(name, "unsigned");
                if (!own || !add_name(&all, name)) return false;
            }
        }
    return all.count > 1;
}

/* The host code computes the argument from a value, as one that the program's user gives, of which no other
 * fact speaks: the launch is as large with any other. */
static bool has_own_value(const ls_verify_options *o, const char *argument) {
    size_t length = strlen(argument);
    for (uint32_t i = 0; i < o->fact_count; i++) {
        const char *fact = o->facts[i];
        char name[NAME];
        if (strncmp(fact, argument, length) != 0 || strncmp(fact + length, " == ", 4) != 0) continue;
        for (const char *at = fact + length; (at = next_name(at, name));) {
            bool own = ls_origin_of(name).kind == LS_ORIGIN_HOST;
            for (uint32_t k = 0; k < o->fact_count && own; k++) own = k == i || !speaks_of(o->facts[k], name);
            if (own) return true;
        }
    }
    return false;
}

static bool is_spoken_of(const ls_verify_options *options, const char *name) {
    for (uint32_t i = 0; i < options->fact_count; i++)
        if (!ls_fact_is_given(options->facts[i]) && speaks_of(options->facts[i], name)) return true;
    return false;
}

bool ls_launch_leaves(const ls_ir_function *kernel, const ls_verify_options *options, uint32_t parameter) {
    char name[LS_ARGUMENT_NAME];
    name_of(kernel->ptx, parameter, name);
    if (is_spoken_of(options, name)) return is_from_elsewhere(options, name) || has_own_value(options, name);
    return ls_launch_is_given(kernel, options, parameter);
}

bool ls_launch_leaves_member(const ls_ir_function *kernel, const ls_verify_options *options,
                             uint32_t parameter, uint32_t at, uint32_t bits) {
    char name[LS_ARGUMENT_NAME];
    ls_origin_member(name, parameter, bits, kernel->ptx->param_count, at);
    return !is_spoken_of(options, name) || is_from_elsewhere(options, name) || has_own_value(options, name);
}
