/* Text as a compiler prints it: position, level, message, the source line with a caret, notes for related
 * positions, the witness; then each kernel's verdict and one line for the run. */
#include "report/print.h"

#include <inttypes.h>
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

static void put_excerpt(writer *w, const ls_place *place) {
    const char *text;
    size_t length;
    if (!ls_source_line(w->sources, place->file, place->line, &text, &length)) return;
    ls_buf_printf(w->out, "%5" PRIu32 " | ", place->line);
    size_t at = ls_source_show(w->out, text, length, place->column, SHOWN_WIDTH);
    ls_buf_putc(w->out, '\n');
    if (place->column)
        ls_buf_printf(w->out, "      | %*s%s^%s\n", (int)at, "", w->color->caret, w->color->off);
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

static void put_finding(writer *w, const ls_finding *finding) {
    const char *path = finding->kernel->file->path;
    put_message(w, &finding->place, path, w->color->levels[finding->level], ls_severity_name(finding->level),
                finding->message);
    ls_buf_printf(w->out, " [%s]", ls_rule_get(finding->rule)->name);
    if (finding->count > 1) ls_buf_printf(w->out, " (%" PRIu64 " times)", finding->count);
    ls_buf_putc(w->out, '\n');
    put_excerpt(w, &finding->place);
    for (const ls_related *r = finding->related; r; r = r->next) {
        put_message(w, &r->place, path, w->color->levels[LS_NOTE], "note", r->message);
        ls_buf_putc(w->out, '\n');
        put_excerpt(w, &r->place);
    }
    put_fields(w, "witness", finding->witness);
    if (finding->help) ls_buf_printf(w->out, "  help: %s\n", finding->help);
}

static void put_reason(writer *w, const ls_report_kernel *kernel, const ls_reason *reason) {
    put_message(w, &reason->place, kernel->file->path, w->color->unknown, "unknown", reason->message);
    ls_buf_putc(w->out, '\n');
    put_excerpt(w, &reason->place);
    if (reason->help) ls_buf_printf(w->out, "  help: %s\n", reason->help);
}

/* "scan.cu: MIDDLE 'scan(int*)'" */
static void put_kernel_name(writer *w, const ls_report_kernel *kernel, const char *middle) {
    put_place(w, &(ls_place){0}, kernel->file->path);
    ls_buf_printf(w->out, "%s '", middle);
    ls_source_safe(w->out, kernel->demangled);
    ls_buf_putc(w->out, '\'');
}

static void put_verdict(writer *w, const ls_report_kernel *kernel) {
    const char *colors[] = {"", w->color->good, w->color->levels[LS_ERROR], w->color->unknown};
    put_kernel_name(w, kernel, "kernel");
    ls_buf_puts(w->out, ": ");
    if (kernel->verdict != LS_NO_VERDICT)
        ls_buf_printf(w->out, "%s%s%s, ", colors[kernel->verdict], ls_verdict_name(kernel->verdict),
                      w->color->off);
    ls_buf_puts(w->out, "block ");
    ls_print_size(w->out, kernel->block);
    ls_buf_puts(w->out, ", grid ");
    ls_print_size(w->out, kernel->grid);
    if (kernel->launch_from) ls_buf_printf(w->out, " (%s)", kernel->launch_from);
    ls_buf_putc(w->out, '\n');
    for (const ls_text_item *item = kernel->scope; item; item = item->next)
        ls_buf_printf(w->out, "  scope: %s\n", item->text);
    if (kernel->stats_asked) put_fields(w, "stats", kernel->stats);
    if (kernel->help) ls_buf_printf(w->out, "  help: %s\n", kernel->help);
}

static void put_kernel(writer *w, const ls_report_kernel *kernel) {
    if (kernel->findings || kernel->reasons) {
        put_kernel_name(w, kernel, "in kernel");
        ls_buf_puts(w->out, ":\n");
    }
    for (const ls_finding *f = kernel->findings; f; f = f->next) put_finding(w, f);
    for (const ls_reason *r = kernel->reasons; r; r = r->next) put_reason(w, kernel, r);
    if (kernel->verdict != LS_NO_VERDICT || (kernel->scope && kernel->scope_asked)) put_verdict(w, kernel);
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

char *ls_diags_print(const ls_diags *diags, bool color, const ls_source_roots *roots) {
    ls_buf out = {0};
    writer w = {&out, ls_sources_new(roots), color ? &colored : &plain};
    ls_buf_reserve(&out, 1);
    out.text[0] = 0;
    put_diags(&w, diags);
    ls_sources_free(w.sources);
    return out.text;
}

void ls_print_text(ls_printer *printer) {
    writer w = {printer->out, printer->sources, printer->options->color ? &colored : &plain};
    for (const ls_report_file *file = printer->report->files; file; file = file->next) {
        if (!printer->options->no_diags) put_diags(&w, file->diags);
        for (const ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next)
            put_kernel(&w, kernel);
    }
    ls_report_summary summary = ls_report_summarize(printer->report);
    if (printer->options->no_summary || (summary.diag_errors && !summary.kernels)) return;
    ls_print_summary(w.out, &summary);
    ls_buf_putc(w.out, '\n');
}
