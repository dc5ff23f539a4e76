/* From reports to the protocol's words (answers.h). */
#include "lsp/answers.h"

#include "rpc/rpc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Walking through reports --------------------------------------------------------------------------- */

typedef void finding_visitor(void *context, const json_t *kernel, const json_t *finding);
typedef void kernel_visitor(void *context, const json_t *kernel);

static void each_kernel(const json_t *report, kernel_visitor *visit, void *context) {
    size_t f, k;
    const json_t *file, *kernel;
    json_array_foreach(json_object_get(report, "files"), f, file) {
        json_array_foreach(json_object_get(file, "kernels"), k, kernel) visit(context, kernel);
    }
}

typedef struct {
    finding_visitor *visit;
    void *context;
} findings_walk;

static void walk_kernel(void *context, const json_t *kernel) {
    const findings_walk *walk = context;
    size_t i;
    const json_t *finding;
    json_array_foreach(json_object_get(kernel, "findings"), i, finding) {
        if (!json_object_get(finding, "suppressed")) walk->visit(walk->context, kernel, finding);
    }
}

static void each_finding(const json_t *report, finding_visitor *visit, void *context) {
    findings_walk walk = {visit, context};
    each_kernel(report, walk_kernel, &walk);
}

static bool is_cost(const json_t *finding) {
    const char *rule = ls_rpc_string(finding, "rule", "");
    return !strcmp(rule, "coalescing") || !strcmp(rule, "bank-conflict");
}

/* With --all the accesses that cost no more than they must are in the report as well, as notes. */
static bool is_good_cost(const json_t *finding) {
    return is_cost(finding) && !strcmp(ls_rpc_string(finding, "level", ""), "note");
}

static bool is_here(const ls_answers *a, const json_t *place) {
    return !strcmp(ls_rpc_string(place, "file", ""), a->path);
}

static uint32_t number(const json_t *object, const char *name) {
    json_int_t value = ls_rpc_number(object, name, 0);
    return value > 0 && value < UINT32_MAX ? (uint32_t)value : 0;
}

/* --- Diagnostics --------------------------------------------------------------------------------------- */

enum { SEVERITY_ERROR = 1, SEVERITY_WARNING, SEVERITY_INFORMATION, SEVERITY_HINT };

static int severity_of(const json_t *thing) {
    const char *level = ls_rpc_string(thing, "level", "note");
    if (!strcmp(level, "error")) return SEVERITY_ERROR;
    return !strcmp(level, "warning") ? SEVERITY_WARNING : SEVERITY_HINT;
}

/* Where a place of the report is, for the protocol; NULL where it is nowhere. */
static json_t *location_of(const ls_answers *a, const json_t *place) {
    const char *file = ls_rpc_string(place, "file", NULL);
    uint32_t line = number(place, "line"), column = number(place, "column");
    if (!file || !line) return NULL;
    if (is_here(a, place))
        return json_pack("{s:s, s:o}", "uri", a->uri, "range", ls_text_range(a->text, line, column));
    char whole[8192];
    snprintf(whole, sizeof whole, "%s/%s", a->folder, file);
    json_int_t at = line - 1, from = column ? column - 1 : 0;
    return json_pack("{s:o, s:{s:{s:I, s:I}, s:{s:I, s:I}}}", "uri", ls_uri_of(*file == '/' ? file : whole),
                     "range", "start", "line", at, "character", from, "end", "line", at, "character",
                     from + 1);
}

static void relate(const ls_answers *a, json_t *list, const json_t *places, const char *words) {
    size_t i;
    const json_t *place;
    json_array_foreach(places, i, place) {
        json_t *location = location_of(a, place);
        if (!location) continue;
        json_array_append_new(
            list, json_pack("{s:o, s:s}", "location", location, "message", ls_rpc_string(place, words, "")));
    }
}

/* The sentence, how it comes about, and what would help. */
static json_t *message_of(const json_t *finding) {
    ls_buf out = {0};
    const json_t *witness = json_object_get(finding, "witness"), *thread, *value;
    size_t i;
    ls_buf_puts(&out, ls_rpc_string(finding, "message", ""));
    json_array_foreach(json_object_get(witness, "threads"), i, thread) {
        ls_buf_printf(&out, "\n%s", ls_rpc_string(thread, "text", ""));
    }
    json_array_foreach(json_object_get(witness, "values"), i, value) {
        const json_t *is = json_object_get(value, "value");
        if (json_is_integer(is))
            ls_buf_printf(&out, "%s%s = %lld", i ? ", " : "\nwhere ", ls_rpc_string(value, "name", ""),
                          (long long)json_integer_value(is));
    }
    const char *replay = ls_rpc_string(witness, "replay", NULL), *help = ls_rpc_string(finding, "help", NULL);
    if (replay) ls_buf_printf(&out, "\n%s", replay);
    if (help) ls_buf_printf(&out, "\n%s", help);
    json_t *text = ls_rpc_text(ls_buf_text(&out), out.length);
    ls_buf_free(&out);
    return text;
}

/* Adds it, unless another report has said the same. */
static void add_once(json_t *list, json_t *diagnostic) {
    size_t i;
    json_t *other;
    json_array_foreach(list, i, other) {
        if (!json_equal(other, diagnostic)) continue;
        json_decref(diagnostic);
        return;
    }
    json_array_append_new(list, diagnostic);
}

/* What stands in another file is shown where the kernel is. */
static json_t *range_of(const ls_answers *a, const json_t *kernel, const json_t *place) {
    if (is_here(a, place)) return ls_text_range(a->text, number(place, "line"), number(place, "column"));
    return ls_text_range(a->text, kernel && is_here(a, kernel) ? number(kernel, "line") : 1, 0);
}

typedef struct {
    const ls_answers *a;
    json_t *list;
} diagnostics;

static json_t *diagnostic_of(const ls_answers *a, const json_t *kernel, const json_t *finding) {
    json_t *related = json_array();
    if (!is_here(a, finding)) {
        json_t *here = location_of(a, finding);
        if (here)
            json_array_append_new(related, json_pack("{s:o, s:s}", "location", here, "message", "here"));
    }
    const json_t *threads = json_object_get(json_object_get(finding, "witness"), "threads");
    relate(a, related, threads, "text");
    if (!json_array_size(threads)) relate(a, related, json_object_get(finding, "related"), "message");
    return json_pack("{s:o, s:i, s:s, s:s, s:o, s:o}", "range", range_of(a, kernel, finding), "severity",
                     severity_of(finding), "code", ls_rpc_string(finding, "rule", ""), "source", "lockstep",
                     "message", message_of(finding), "relatedInformation", related);
}

static void add_finding(void *context, const json_t *kernel, const json_t *finding) {
    const diagnostics *d = context;
    if (is_good_cost(finding)) return;
    add_once(d->list, diagnostic_of(d->a, kernel, finding));
}

/* Why a verdict is not known. */
static void add_unknown(void *context, const json_t *kernel) {
    const diagnostics *d = context;
    size_t i;
    const json_t *reason;
    json_array_foreach(json_object_get(kernel, "unknown"), i, reason) {
        add_once(d->list, json_pack("{s:o, s:i, s:s, s:s, s:o}", "range", range_of(d->a, kernel, reason),
                                    "severity", SEVERITY_INFORMATION, "code", "unknown", "source", "lockstep",
                                    "message", message_of(reason)));
    }
}

/* What the compiler says. What has no line is shown in the first one, where it is an error. */
static void add_compiler(const ls_answers *a, json_t *list, const json_t *report) {
    size_t f, i;
    const json_t *file, *said;
    json_array_foreach(json_object_get(report, "files"), f, file) {
        json_array_foreach(json_object_get(file, "diagnostics"), i, said) {
            int severity = severity_of(said);
            if (severity == SEVERITY_HINT || (severity != SEVERITY_ERROR && !is_here(a, said))) continue;
            json_t *range = range_of(a, NULL, said);
            json_t *related = json_array(), *here = is_here(a, said) ? NULL : location_of(a, said);
            if (here)
                json_array_append_new(related, json_pack("{s:o, s:s}", "location", here, "message", "here"));
            add_once(list,
                     json_pack("{s:o, s:i, s:s, s:o, s:o}", "range", range, "severity", severity, "source",
                               "lockstep", "message", message_of(said), "relatedInformation", related));
        }
    }
}

json_t *ls_answer_diagnostics(const ls_answers *a) {
    json_t *list = json_array();
    diagnostics d = {a, list};
    const json_t *reports[] = {a->proofs, a->costs};
    for (int i = 0; i < 2; i++) {
        add_compiler(a, list, reports[i]);
        each_finding(reports[i], add_finding, &d);
    }
    each_kernel(a->proofs, add_unknown, &d);
    return list;
}

/* --- Hints --------------------------------------------------------------------------------------------- */

typedef struct {
    const ls_answers *a;
    json_int_t first, last;
    json_t *list;
    ls_buf *out; /* hovers */
} lines;

static bool in_lines(const lines *l, const json_t *place) {
    json_int_t line = ls_rpc_number(place, "line", 0) - 1;
    return line >= 0 && line >= l->first && line <= l->last && is_here(l->a, place);
}

/* "4 sectors", "2-way conflict"; false where there is nothing to say. */
static bool cost_label(const json_t *finding, char *out, size_t size) {
    const json_t *detail = json_object_get(finding, "detail");
    json_int_t sectors = ls_rpc_number(detail, "sectors", 0), best = ls_rpc_number(detail, "sectors_best", 0);
    json_int_t degree = ls_rpc_number(detail, "degree", 0);
    if (sectors > 0 && best > 0 && best != sectors)
        snprintf(out, size, "%lld–%lld sectors", (long long)best, (long long)sectors);
    else if (sectors > 0)
        snprintf(out, size, "%lld sector%s", (long long)sectors, sectors == 1 ? "" : "s");
    else if (degree > 1)
        snprintf(out, size, "%lld-way conflict", (long long)degree);
    else
        return false;
    return true;
}

/* Hints of one line are one. */
static json_t *hint_at(const lines *l, uint32_t line) {
    size_t i;
    json_t *hint;
    json_array_foreach(l->list, i, hint) {
        if (ls_rpc_number(json_object_get(hint, "position"), "line", -1) == (json_int_t)line) return hint;
    }
    const char *start;
    size_t length = 0;
    if (!ls_text_line(l->a->text, line, &start, &length)) return NULL;
    hint = json_pack("{s:o, s:s, s:s, s:b}", "position", ls_text_position(l->a->text, line, length), "label",
                     "", "tooltip", "", "paddingLeft", 1);
    json_array_append_new(l->list, hint);
    return hint;
}

static void append(json_t *object, const char *name, const char *between, const char *more) {
    const char *old = ls_rpc_string(object, name, "");
    ls_buf text = {0};
    if (strstr(old, more)) return;
    ls_buf_printf(&text, "%s%s%s", old, *old ? between : "", more);
    json_object_set_new(object, name, ls_rpc_text(ls_buf_text(&text), text.length));
    ls_buf_free(&text);
}

static void add_hint(void *context, const json_t *kernel, const json_t *finding) {
    const lines *l = context;
    char label[64];
    (void)kernel;
    if (!is_cost(finding) || !in_lines(l, finding) || !cost_label(finding, label, sizeof label)) return;
    json_t *hint = hint_at(l, number(finding, "line") - 1);
    if (!hint) return;
    append(hint, "label", " · ", label);
    append(hint, "tooltip", "\n", ls_rpc_string(finding, "message", ""));
}

json_t *ls_answer_hints(const ls_answers *a, json_int_t first, json_int_t last) {
    lines l = {.a = a, .first = first, .last = last, .list = json_array()};
    each_finding(a->costs, add_hint, &l);
    return l.list;
}

/* --- Hovers -------------------------------------------------------------------------------------------- */

static void hover_cost(void *context, const json_t *kernel, const json_t *finding) {
    const lines *l = context;
    (void)kernel;
    if (!is_cost(finding) || !in_lines(l, finding)) return;
    char label[64];
    bool has = cost_label(finding, label, sizeof label);
    ls_buf_printf(l->out, "%s**%s**: %s\n", l->out->length ? "\n" : "", has ? label : "no bank conflict",
                  ls_rpc_string(finding, "message", ""));
}

static void hover_finding(void *context, const json_t *kernel, const json_t *finding) {
    const lines *l = context;
    (void)kernel;
    if (is_cost(finding) || !in_lines(l, finding)) return;
    ls_buf_printf(l->out, "%s**%s**: %s\n\n`lockstep explain %s` says more.\n", l->out->length ? "\n" : "",
                  ls_rpc_string(finding, "level", ""), ls_rpc_string(finding, "message", ""),
                  ls_rpc_string(finding, "rule", ""));
}

static void hover_kernel(void *context, const json_t *kernel) {
    const lines *l = context;
    if (!in_lines(l, kernel)) return;
    ls_buf_printf(l->out, "%s**%s**: %s %s\n\n", l->out->length ? "\n" : "",
                  ls_rpc_string(kernel, "demangled", ""), ls_rpc_string(kernel, "verdict", ""),
                  ls_rpc_string(kernel, "brief", ""));
    size_t i;
    const json_t *item;
    json_array_foreach(json_object_get(kernel, "scope"), i, item) {
        ls_buf_printf(l->out, "- %s\n", json_string_value(item) ? json_string_value(item) : "");
    }
}

json_t *ls_answer_hover(const ls_answers *a, json_int_t line) {
    ls_buf out = {0};
    lines l = {.a = a, .first = line, .last = line, .out = &out};
    each_finding(a->costs, hover_cost, &l);
    each_finding(a->proofs, hover_finding, &l);
    each_kernel(a->proofs, hover_kernel, &l);
    json_t *hover = NULL;
    if (out.length)
        hover = json_pack("{s:{s:s, s:o}}", "contents", "kind", "markdown", "value",
                          ls_rpc_text(ls_buf_text(&out), out.length));
    ls_buf_free(&out);
    return hover;
}

/* --- Code actions -------------------------------------------------------------------------------------- */

static json_t *edit_of(const ls_answers *a, uint32_t line, size_t from, size_t to, const char *text) {
    json_t *range = json_pack("{s:o, s:o}", "start", ls_text_position(a->text, line, from), "end",
                              ls_text_position(a->text, line, to));
    return json_pack("{s:{s:[{s:o, s:s}]}}", "changes", a->uri, "range", range, "newText", text);
}

static bool near_lines(const lines *l, const json_t *finding) {
    if (in_lines(l, finding)) return true;
    size_t i;
    const json_t *place;
    json_array_foreach(json_object_get(finding, "related"), i, place) {
        if (in_lines(l, place)) return true;
    }
    return false;
}

/* One action for a change, whatever number of findings it is for. Takes the edit and the diagnostic. */
static void add_action(const lines *l, const char *title, bool preferred, json_t *edit, json_t *diagnostic) {
    size_t i;
    const json_t *action;
    json_array_foreach(l->list, i, action) {
        if (!json_equal(json_object_get(action, "edit"), edit)) continue;
        json_array_append_new(json_object_get(action, "diagnostics"), diagnostic);
        json_decref(edit);
        return;
    }
    json_array_append_new(l->list,
                          json_pack("{s:s, s:s, s:b, s:[o], s:o}", "title", title, "kind", "quickfix",
                                    "isPreferred", preferred, "diagnostics", diagnostic, "edit", edit));
}

/* Changes that were tried; others are not offered. */
static void add_fix(void *context, const json_t *kernel, const json_t *finding) {
    const lines *l = context;
    const json_t *fix = json_object_get(finding, "fix");
    if (!fix || !is_here(l->a, fix) || !ls_rpc_truth(fix, "checked", false)) return;
    if (!near_lines(l, finding) && !in_lines(l, fix)) return;
    uint32_t line = number(fix, "line"), column = number(fix, "column");
    if (!line || !column) return;
    json_t *edit = edit_of(l->a, line - 1, column - 1, column - 1 + number(fix, "delete"),
                           ls_rpc_string(fix, "insert", ""));
    add_action(l, ls_rpc_string(fix, "description", ""), true, edit, diagnostic_of(l->a, kernel, finding));
}

/* A comment that says that it is meant so. */
static void add_ignore(void *context, const json_t *kernel, const json_t *finding) {
    const lines *l = context;
    if (!in_lines(l, finding) || is_good_cost(finding)) return;
    const char *rule = ls_rpc_string(finding, "rule", ""), *start;
    uint32_t line = number(finding, "line") - 1;
    size_t length;
    if (!ls_text_line(l->a->text, line, &start, &length)) return;
    char comment[256], title[256];
    snprintf(comment, sizeof comment, " // lockstep: ignore %s -- why", rule);
    snprintf(title, sizeof title, "Ignore %s in this line (say why)", rule);
    add_action(l, title, false, edit_of(l->a, line, length, length, comment),
               diagnostic_of(l->a, kernel, finding));
}

json_t *ls_answer_actions(const ls_answers *a, json_int_t first, json_int_t last) {
    lines l = {.a = a, .first = first, .last = last, .list = json_array()};
    each_finding(a->fixes, add_fix, &l);
    each_finding(a->proofs, add_ignore, &l);
    each_finding(a->costs, add_ignore, &l);
    return l.list;
}

static void wants_fix(void *context, const json_t *kernel, const json_t *finding) {
    (void)kernel;
    const char *rule = ls_rpc_string(finding, "rule", "");
    bool level = strcmp(ls_rpc_string(finding, "level", "note"), "note") != 0;
    if (level && (!strncmp(rule, "race.", 5) || !strcmp(rule, "bank-conflict"))) *(bool *)context = true;
}

bool ls_answer_wants_fixes(const ls_answers *a) {
    bool wanted = false;
    each_finding(a->proofs, wants_fix, &wanted);
    each_finding(a->costs, wants_fix, &wanted);
    return wanted;
}
