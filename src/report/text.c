/* Text as a compiler prints it: position, level, message, the source line with a caret, notes for related
 * positions, the witness; then each kernel's verdict and one line for the run. */
#include "base/recover.h"
#include "report/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_WIDTH = 110 };

/* Colour sequences by what is coloured; empty texts where colour is off. */
typedef struct {
    const char *levels[3], *unknown, *bold, *caret, *good, *off;
} palette;

static const palette plain = {{"", "", ""}, "", "", "", "", ""};
static const palette colored = {
    {[LS_NOTE] = "\033[1;36m", [LS_WARNING] = "\033[1;35m", [LS_ERROR] = "\033[1;31m"},
    "\033[1;33m",
    "\033[1m",
    "\033[1;32m",
    "\033[1;32m",
    "\033[0m"};

typedef struct {
    ls_buf *out;
    ls_sources *sources;
    const palette *color;
    bool verbose, quiet;
    ls_map names; /* of the file's kernels */
} writer;

static void put_place(writer *w, const ls_place *place, const char *otherwise) {
    const char *file = place->file ? place->file : otherwise;
    if (!file) file = "lockstep";
    ls_buf_puts(w->out, w->color->bold);
    ls_source_safe(w->out, file);
    ls_buf_putc(w->out, ':');
    if (place->file && place->line) {
        ls_buf_printf(w->out, "%" PRIu32 ":", place->line);
        if (place->column) ls_buf_printf(w->out, "%" PRIu32 ":", place->column);
    }
    ls_buf_printf(w->out, "%s ", w->color->off);
}

/* What is written under a source line: a caret, with a few words behind it or none. */
typedef struct {
    uint32_t column;
    const char *words;
} mark;

/* The source line, and under it the marks: all carets in one line, the words of the last one behind it, those
 * of an earlier one in a line of its own below its caret. */
static void put_marked(writer *w, const ls_place *place, mark *marks, uint32_t count) {
    const char *text;
    size_t length, at[2] = {0};
    if (!ls_source_line(w->sources, place->file, place->line, &text, &length)) return;
    if (count == 2 && marks[0].column > marks[1].column) {
        mark first = marks[0];
        marks[0] = marks[1], marks[1] = first;
    }
    ls_buf_printf(w->out, "%5" PRIu32 " | ", place->line);
    uint32_t last = marks[count - 1].column;
    at[count - 1] = ls_source_show(w->out, text, length, last, SHOWN_WIDTH);
    ls_buf_putc(w->out, '\n');
    if (!last) return;
    if (count == 2) { /* the same excerpt is shown, so that both carets stand in it */
        ls_buf shown = {0};
        size_t first = ls_source_show(&shown, text, length, marks[0].column, SHOWN_WIDTH);
        ls_buf_free(&shown);
        at[0] = length <= SHOWN_WIDTH || first <= at[1] ? first : at[1];
    }
    ls_buf_puts(w->out, "      | ");
    for (uint32_t i = 0; i < count; i++)
        if (!i || at[i] > at[i - 1])
            ls_buf_printf(w->out, "%*s%s^%s", (int)(at[i] - (i ? at[i - 1] + 1 : 0)), "", w->color->caret,
                          w->color->off);
    if (marks[count - 1].words) ls_buf_printf(w->out, " %s", marks[count - 1].words);
    ls_buf_putc(w->out, '\n');
    if (count == 2 && marks[0].words)
        ls_buf_printf(w->out, "      | %*s%s\n", (int)at[0], "", marks[0].words);
}

static void put_excerpt(writer *w, const ls_place *place) {
    put_marked(w, place, &(mark){place->column, NULL}, 1);
}

static void put_message(writer *w, const ls_place *place, const char *otherwise, const char *color,
                        const char *level, const char *message) {
    put_place(w, place, otherwise);
    ls_buf_printf(w->out, "%s%s:%s %s", color, level, w->color->off, w->color->bold);
    ls_source_safe(w->out, message);
    ls_buf_puts(w->out, w->color->off);
}

static void put_inline(writer *w, const ls_fields *fields) {
    ls_buf text = {0};
    ls_print_fields(&text, fields);
    ls_source_safe(w->out, ls_buf_text(&text));
    ls_buf_free(&text);
}

/* Scalars and lists of them on the first line; each nested object on a line of its own. */
static void put_fields(writer *w, const char *title, const ls_fields *fields) {
    if (!fields || !fields->first) return;
    ls_buf_printf(w->out, "  %s:", title);
    const char *separator = " ";
    for (const ls_field *field = fields->first; field; field = field->next) {
        if (field->kind == LS_FIELD_NEST && !field->value.nest->is_list) continue;
        ls_field alone = *field;
        alone.next = NULL;
        ls_buf_puts(w->out, separator);
        put_inline(w, &(ls_fields){.first = &alone});
        separator = ", ";
    }
    ls_buf_putc(w->out, '\n');
    for (const ls_field *field = fields->first; field; field = field->next) {
        if (field->kind != LS_FIELD_NEST || field->value.nest->is_list) continue;
        ls_buf_printf(w->out, "    %s: ", field->key);
        put_inline(w, field->value.nest);
        ls_buf_putc(w->out, '\n');
    }
}

/* --- Stories ---------------------------------------------------------------------------------------------
 */

static bool is_same_line(const ls_place *a, const ls_place *b) {
    return a->file && b->file && a->line == b->line && !strcmp(a->file, b->file);
}

static bool has_line(writer *w, const ls_place *place) {
    const char *text;
    size_t length;
    return place->column && ls_source_line(w->sources, place->file, place->line, &text, &length);
}

/* "1. thread 3 reads s[2]"; the number only where the order is known. */
static char *words_of(const ls_finding *finding, const ls_actor *actor, uint32_t number) {
    ls_buf raw = {0}, safe = {0};
    if (finding->story->in_order) ls_buf_printf(&raw, "%" PRIu32 ". ", number);
    ls_print_act(&raw, finding, actor);
    ls_source_safe(&safe, ls_buf_text(&raw));
    ls_buf_free(&raw);
    return safe.text;
}

/* Each thread's part at its line: both at once where they share it. */
static void put_actors(writer *w, const ls_finding *finding) {
    const ls_actor *first = finding->story->actors, *second = first ? first->next : NULL;
    uint32_t number = 1;
    if (second && is_same_line(&first->place, &second->place) && has_line(w, &first->place) &&
        has_line(w, &second->place) && first->place.column != second->place.column) {
        char *one = words_of(finding, first, 1), *other = words_of(finding, second, 2);
        mark marks[] = {{first->place.column, one}, {second->place.column, other}};
        put_marked(w, &first->place, marks, 2);
        free(one), free(other);
        return;
    }
    for (const ls_actor *actor = first; actor; actor = actor->next, number++) {
        if (actor != first && !actor->does) break; /* told with the first */
        char *words = words_of(finding, actor, number);
        bool elsewhere = actor != first || !is_same_line(&actor->place, &finding->place);
        if (elsewhere && actor->place.file) {
            put_message(w, &actor->place, NULL, w->color->levels[LS_NOTE], "note", words);
            ls_buf_putc(w->out, '\n');
            put_excerpt(w, &actor->place);
        } else if (has_line(w, &actor->place)) {
            put_marked(w, &actor->place, &(mark){actor->place.column, words}, 1);
        } else {
            ls_buf_printf(w->out, "  %s\n", words);
            put_excerpt(w, &actor->place);
        }
        free(words);
    }
}

/* A position that the story tells of already. */
static bool is_told(const ls_finding *finding, const ls_place *place) {
    for (const ls_actor *a = finding->story ? finding->story->actors : NULL; a; a = a->next)
        if (is_same_line(&a->place, place) && a->place.column == place->column) return true;
    return false;
}

static void put_values(writer *w, const ls_finding *finding) {
    if (finding->story) put_fields(w, "with", finding->story->values);
    put_fields(w, "witness", finding->witness);
}

static void put_finding(writer *w, const ls_finding *finding) {
    const char *path = finding->kernel->file->path;
    put_message(w, &finding->place, path, w->color->levels[finding->level], ls_severity_name(finding->level),
                finding->message);
    ls_buf_printf(w->out, " [%s]", ls_rule_get(finding->rule)->name);
    if (finding->count > 1) ls_buf_printf(w->out, " (%" PRIu64 " times)", finding->count);
    if (finding->suppressed) ls_buf_puts(w->out, " (suppressed)");
    ls_buf_putc(w->out, '\n');
    if (!is_told(finding, &finding->place)) put_excerpt(w, &finding->place);
    if (finding->story) put_actors(w, finding);
    for (const ls_related *r = finding->related; r; r = r->next) {
        if (is_told(finding, &r->place)) continue;
        put_message(w, &r->place, path, w->color->levels[LS_NOTE], "note", r->message);
        ls_buf_putc(w->out, '\n');
        put_excerpt(w, &r->place);
    }
    put_values(w, finding);
    if (finding->story && finding->story->confirmed)
        ls_buf_printf(w->out, "  %s\n", finding->story->confirmed);
    if (finding->fix)
        ls_buf_printf(w->out, "  fix: %s%s\n", finding->fix->description,
                      finding->fix->checked ? "" : " (not tried)");
    bool mended = finding->fix && finding->fix->checked; /* which says more */
    if (finding->help && !mended) ls_buf_printf(w->out, "  help: %s\n", finding->help);
}

static void put_reason(writer *w, const ls_report_kernel *kernel, const ls_reason *reason) {
    put_message(w, &reason->place, kernel->file->path, w->color->unknown, "unknown", reason->message);
    ls_buf_putc(w->out, '\n');
    put_excerpt(w, &reason->place);
    if (reason->help) ls_buf_printf(w->out, "  help: %s\n", reason->help);
}

/* "scan.cu: BEFORE kernel 'scan'" */
static void put_kernel_name(writer *w, const ls_report_kernel *kernel, const char *before) {
    put_place(w, &(ls_place){0}, kernel->file->path);
    ls_buf_puts(w->out, before);
    if (kernel->is_host) {
        ls_buf_puts(w->out, "the host code");
        return;
    }
    ls_buf_puts(w->out, "kernel '");
    ls_print_kernel_name(w->out, kernel, &w->names);
    ls_buf_putc(w->out, '\'');
}

/* "scan.cu: kernel 'scan': proved for block 256, any grid; assumes …"; with -v the sentences behind it. */
static void put_verdict(writer *w, const ls_report_kernel *kernel) {
    const char *colors[] = {w->color->good, w->color->good, w->color->levels[LS_ERROR], w->color->unknown,
                            w->color->good};
    const char *words[] = {kernel->findings ? "no error found" : "nothing found", "proved", "refuted",
                           "unknown", "proved if"};
    put_kernel_name(w, kernel, "");
    ls_buf_printf(w->out, ": %s%s%s", colors[kernel->verdict], words[kernel->verdict], w->color->off);
    if (kernel->contract) ls_buf_printf(w->out, " %s", kernel->contract);
    ls_print_brief(w->out, kernel);
    ls_buf_putc(w->out, '\n');
    for (const ls_scope_item *item = kernel->scope; item && w->verbose; item = item->next)
        ls_buf_printf(w->out, "  scope: %s\n", item->text);
    if (kernel->stats_asked) put_fields(w, "stats", kernel->stats);
    if (kernel->help) ls_buf_printf(w->out, "  help: %s\n", kernel->help);
}

static void put_kernel(writer *w, const ls_report_kernel *kernel) {
    bool found = kernel->reasons;
    for (const ls_finding *f = kernel->findings; f && !found; f = f->next)
        found = !f->suppressed || w->verbose;
    if (found) {
        put_kernel_name(w, kernel, "in ");
        ls_buf_puts(w->out, ":\n");
    }
    for (const ls_finding *f = kernel->findings; f; f = f->next)
        if (!f->suppressed || w->verbose) put_finding(w, f);
    for (const ls_reason *r = kernel->reasons; r; r = r->next) put_reason(w, kernel, r);
    if (w->quiet && !found) return;
    if (kernel->verdict != LS_NO_VERDICT || kernel->scope_asked || !found || w->verbose)
        put_verdict(w, kernel);
}

static void put_diags(writer *w, const ls_diags *diags) {
    for (uint32_t i = 0; i < ls_diags_count(diags); i++) {
        const ls_diag *diag = ls_diags_at(diags, i);
        ls_place place = {diag->file, diag->line, diag->column};
        put_message(w, &place, NULL, w->color->levels[diag->severity], ls_severity_name(diag->severity),
                    diag->message);
        ls_buf_putc(w->out, '\n');
        put_excerpt(w, &place);
    }
}

static char *diags_text(const ls_diags *diags, bool color, const ls_source_roots *roots) {
    ls_buf out = {0};
    writer w = {.out = &out, .sources = ls_sources_new(roots), .color = color ? &colored : &plain};
    ls_buf_reserve(&out, 1);
    out.text[0] = 0;
    put_diags(&w, diags);
    ls_sources_free(w.sources);
    return out.text;
}

char *ls_diags_print(const ls_diags *diags, bool color, const ls_source_roots *roots) {
    LS_GUARDED((ls_escape_further(), NULL), diags_text(diags, color, roots));
}

void ls_print_text(ls_printer *printer) {
    const ls_print_options *o = printer->options;
    writer w = {printer->out, printer->sources, o->color ? &colored : &plain, o->verbose, o->quiet, {0}};
    for (const ls_report_file *file = printer->report->files; file; file = file->next) {
        if (!o->no_diags) put_diags(&w, file->diags);
        ls_short_names(&w.names, file);
        for (const ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next)
            put_kernel(&w, kernel);
        ls_map_free(&w.names);
    }
    ls_report_summary summary = ls_report_summarize(printer->report);
    if (o->no_summary || o->quiet || (summary.diag_errors && !summary.kernels)) return;
    ls_print_summary(w.out, &summary);
    ls_buf_putc(w.out, '\n');
}
