/* Facts about the kernels of a gate (spec.h). */
#include "gate/spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *trimmed(ls_arena *arena, const char *from, size_t length) {
    while (length && isspace((unsigned char)*from)) from++, length--;
    while (length && isspace((unsigned char)from[length - 1])) length--;
    return ls_arena_strndup(arena, from, length);
}

/* --- Words --------------------------------------------------------------------------------------------- */

/* "x=f32[n]=random:7": the name, the type, the number of elements and what they are. */
static const char *add_buffer(ls_gate_spec *spec, ls_gate_role role, const char *text) {
    const char *is = strchr(text, '='), *open = is ? strchr(is, '[') : NULL, *close = open;
    for (int depth = 0; close && *close; close++) {
        depth += (*close == '[') - (*close == ']');
        if (!depth) break;
    }
    if (!open || !*close) return "NAME=TYPE[COUNT] is expected, as in x=f32[n]";
    ls_gate_param p = {.role = role, .name = trimmed(spec->arena, text, (size_t)(is - text))};
    p.type = trimmed(spec->arena, is + 1, (size_t)(open - is - 1));
    p.count = trimmed(spec->arena, open + 1, (size_t)(close - open - 1));
    close += 1 + strspn(close + 1, " ");
    if (*close == '=') p.fill = trimmed(spec->arena, close + 1, strlen(close + 1));
    if (*close && *close != '=') return "after the ']' an '=' is expected, or nothing";
    if (role == LS_GATE_OUT && p.fill) return "an output has no values before the launch: say inout";
    LS_VEC_PUSH(&spec->params, p);
    return NULL;
}

static const char *add_in(ls_gate_spec *spec, const char *text) {
    return add_buffer(spec, LS_GATE_IN, text);
}

static const char *add_out(ls_gate_spec *spec, const char *text) {
    return add_buffer(spec, LS_GATE_OUT, text);
}

static const char *add_inout(ls_gate_spec *spec, const char *text) {
    return add_buffer(spec, LS_GATE_INOUT, text);
}

static const char *add_scalar(ls_gate_spec *spec, const char *text) {
    const char *is = strchr(text, '=');
    size_t length = is ? (size_t)(is - text) : strlen(text);
    ls_gate_param p = {.role = LS_GATE_SCALAR, .name = trimmed(spec->arena, text, length)};
    p.value = is ? trimmed(spec->arena, is + 1, strlen(is + 1)) : p.name;
    LS_VEC_PUSH(&spec->params, p);
    return NULL;
}

/* "n=1,31,32,100..5000" */
static const char *add_size(ls_gate_spec *spec, const char *text) {
    static const char expected[] = "NAME=VALUE,…,LOW..HIGH is expected, as in n=1,33,100..5000";
    const char *is = strchr(text, '=');
    if (!is) return expected;
    ls_gate_size size = {.name = trimmed(spec->arena, text, (size_t)(is - text)), .low = 1, .high = 0};
    for (const char *at = is + 1;;) {
        char *end;
        errno = 0;
        int64_t value = strtoll(at, &end, 10);
        bool wrong = end == at || errno;
        if (!wrong && !strncmp(end, "..", 2)) {
            at = end + 2;
            size.low = value;
            size.high = strtoll(at, &end, 10);
            wrong = end == at || errno || size.high < size.low;
        } else if (!wrong) {
            LS_VEC_PUSH(&size.values, value);
        }
        end += strspn(end, " ");
        if (!wrong && *end == ',') {
            at = end + 1;
            continue;
        }
        if (!wrong && !*end) break;
        LS_VEC_FREE(&size.values);
        return expected;
    }
    LS_VEC_PUSH(&spec->sizes, size);
    return NULL;
}

static const char *set_tolerance(ls_gate_spec *spec, const char *text) {
    char *end;
    spec->tolerance = strtod(text, &end);
    return end == text || *end || !(spec->tolerance >= 0) ? "a number is expected, as in 1e-4" : NULL;
}

static const struct {
    const char *word;
    const char *(*add)(ls_gate_spec *spec, const char *text);
} facts[] = {{"in", add_in},         {"out", add_out},   {"inout", add_inout},
             {"scalar", add_scalar}, {"size", add_size}, {"tolerance", set_tolerance}};

static const char *set_launch(ls_gate_spec *spec, ls_gate_launch *launch, const char *word,
                              const char *value) {
    const char *text = ls_arena_strdup(spec->arena, value);
    if (!strcmp(word, "grid"))
        launch->grid = text;
    else if (!strcmp(word, "block"))
        launch->block = text;
    else if (!strcmp(word, "shared"))
        launch->shared = text;
    else
        return "unknown";
    return NULL;
}

const char *ls_gate_fact(ls_gate_spec *spec, const char *word, const char *value) {
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (!strcmp(facts[i].word, word)) return facts[i].add(spec, value);
    if (!set_launch(spec, &spec->launch, word, value)) return NULL;
    return "in, out, inout, scalar, size, grid, block, shared or tolerance is expected";
}

bool ls_gate_comments(ls_gate_spec *spec, const char *path, const char *text, bool is_candidate,
                      ls_diags *diags) {
    uint32_t line = 1;
    bool good = true;
    for (; *text; line++) {
        size_t length = strcspn(text, "\n"), blanks = strspn(text, " \t");
        const char *at = text + blanks;
        text += length + (text[length] == '\n');
        if (strncmp(at, "// gate:", 8) != 0) continue;
        at += 8 + strspn(at + 8, " \t");
        size_t word_length = strcspn(at, " \t\n");
        const char *word = ls_arena_strndup(spec->arena, at, word_length);
        const char *value = trimmed(spec->arena, at + word_length, strcspn(at + word_length, "\n"));
        if (is_candidate) {
            set_launch(spec, &spec->candidate, word, value); /* what else it says does not count */
            continue;
        }
        const char *wrong = ls_gate_fact(spec, word, value);
        if (!wrong) continue;
        good = false;
        ls_diags_add(diags, LS_ERROR, path, line, 1, "%s", wrong);
    }
    return good;
}

bool ls_gate_dimensions(const char *text, const ls_gate_name *names, uint32_t count, uint32_t out[3]) {
    ls_arena arena;
    ls_arena_init(&arena);
    bool good = true;
    out[0] = out[1] = out[2] = 1;
    for (int d = 0; good; d++) {
        size_t length = 0;
        for (int depth = 0; text[length] && (depth || text[length] != ','); length++)
            depth += (text[length] == '(') - (text[length] == ')');
        int64_t value;
        good = d < 3 && ls_gate_evaluate(ls_arena_strndup(&arena, text, length), names, count, &value) &&
               value >= 1 && value <= UINT32_MAX;
        if (good) out[d] = (uint32_t)value;
        text += length;
        if (!*text) break;
        text++;
    }
    ls_arena_free(&arena);
    return good;
}

void ls_gate_spec_free(ls_gate_spec *spec) {
    for (uint32_t i = 0; i < spec->sizes.length; i++) LS_VEC_FREE(&spec->sizes.items[i].values);
    LS_VEC_FREE(&spec->sizes);
    LS_VEC_FREE(&spec->params);
}
