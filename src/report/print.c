/* The table of output formats, and small pieces of text that several of them print. */
#include "report/print.h"

#include "base/options.h"

#include <inttypes.h>
#include <stdlib.h>

char *ls_report_print(const ls_report *report, const ls_print_options *options, size_t *length) {
    LS_OWN_OPTIONS(ls_print_options, options);
    static void (*const printers[])(ls_printer *printer) = {[LS_FORMAT_TEXT] = ls_print_text,
                                                            [LS_FORMAT_JSON] = ls_print_json,
                                                            [LS_FORMAT_SARIF] = ls_print_sarif,
                                                            [LS_FORMAT_HTML] = ls_print_html};
    ls_buf out = {0};
    ls_printer printer = {report, options, ls_sources_new(), &out};
    printers[options->format](&printer);
    ls_sources_free(printer.sources);
    ls_buf_puts(&out, ""); /* an empty report is an empty text, not NULL */
    if (!out.text) ls_buf_reserve(&out, 1), out.text[0] = 0;
    if (length) *length = out.length;
    return out.text;
}

static void print_value(ls_buf *out, const ls_field *field) {
    switch (field->kind) {
    case LS_FIELD_INT: ls_buf_printf(out, "%" PRId64, field->value.integer); break;
    case LS_FIELD_UINT: ls_buf_printf(out, "%" PRIu64, field->value.natural); break;
    case LS_FIELD_REAL: ls_buf_printf(out, "%g", field->value.real); break;
    case LS_FIELD_BOOL: ls_buf_puts(out, field->value.truth ? "yes" : "no"); break;
    case LS_FIELD_TEXT: ls_buf_puts(out, field->value.text); break;
    case LS_FIELD_NEST:
        ls_buf_putc(out, field->value.nest->is_list ? '[' : '{');
        ls_print_fields(out, field->value.nest);
        ls_buf_putc(out, field->value.nest->is_list ? ']' : '}');
        break;
    }
}

void ls_print_fields(ls_buf *out, const ls_fields *fields) {
    for (const ls_field *field = fields->first; field; field = field->next) {
        if (field->key) ls_buf_printf(out, "%s = ", field->key);
        print_value(out, field);
        if (field->next) ls_buf_puts(out, ", ");
    }
}

void ls_print_size(ls_buf *out, const uint32_t size[3]) {
    if (!size[0]) {
        ls_buf_puts(out, "unknown");
        return;
    }
    ls_buf_printf(out, "%" PRIu32, size[0]);
    if (size[1] > 1 || size[2] > 1) ls_buf_printf(out, "×%" PRIu32, size[1]);
    if (size[2] > 1) ls_buf_printf(out, "×%" PRIu32, size[2]);
}

static void add_count(ls_buf *out, uint32_t count, const char *word, bool *first) {
    if (!count) return;
    ls_buf_printf(out, "%s%" PRIu32 " %s%s", *first ? "" : ", ", count, word, count == 1 ? "" : "s");
    *first = false;
}

void ls_print_summary(ls_buf *out, const ls_report_summary *summary) {
    ls_buf_printf(out, "%" PRIu32 " kernel%s: ", summary->kernels, summary->kernels == 1 ? "" : "s");
    bool first = true;
    for (int v = LS_PROVED; v <= LS_UNKNOWN; v++) {
        if (!summary->verdicts[v]) continue;
        ls_buf_printf(out, "%s%" PRIu32 " %s", first ? "" : ", ", summary->verdicts[v],
                      ls_verdict_name((ls_verdict)v));
        first = false;
    }
    uint32_t found = summary->levels[LS_ERROR] + summary->levels[LS_WARNING] + summary->levels[LS_NOTE];
    if (!first) ls_buf_puts(out, "; ");
    first = true;
    for (int level = LS_ERROR; level >= LS_NOTE; level--)
        add_count(out, summary->levels[level], ls_severity_name((ls_severity)level), &first);
    if (!found) ls_buf_puts(out, summary->diag_errors ? "not everything could be checked" : "nothing found");
}
