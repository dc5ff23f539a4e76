/* One HTML page that needs nothing else: a summary, a table of kernels, and each finding with the source
 * around it. */
#include "report/print.h"

#include <inttypes.h>
#include <string.h>

enum { AROUND = 3, SHOWN_WIDTH = 160 };

static const char style[] =
    ":root{--bg:#fff;--fg:#1b1f24;--dim:#667080;--line:#e3e6ea;--code:#f6f8fa;--hit:#fff4ce;"
    "--error:#c62828;--warning:#a15c00;--note:#1565c0;--proved:#1b7f3b;--refuted:#c62828;--unknown:#a15c00}"
    "@media(prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e4e7eb;--dim:#98a2ae;--line:#2b3138;"
    "--code:#1b2026;--hit:#3d3418;--error:#ff7b72;--warning:#e3b341;--note:#79b8ff;--proved:#56d364;"
    "--refuted:#ff7b72;--unknown:#e3b341}}"
    "body{margin:2rem auto;max-width:66rem;padding:0 1rem;background:var(--bg);color:var(--fg);"
    "font:15px/1.5 system-ui,sans-serif}h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}"
    "p.sum{color:var(--dim);margin:.2rem 0 1.5rem}table{border-collapse:collapse;width:100%}"
    "th{text-align:left;color:var(--dim);font-weight:500}td,th{padding:.35rem .8rem .35rem 0;"
    "border-bottom:1px solid var(--line);vertical-align:top}code,pre{font:13px/1.45 ui-monospace,monospace}"
    "article{border:1px solid var(--line);border-radius:8px;margin:1rem 0;padding:.8rem 1rem}"
    "article h3{font-size:1rem;margin:0}article .at{color:var(--dim);font-size:.9rem}"
    "pre{background:var(--code);border-radius:6px;padding:.5rem 0;overflow-x:auto;margin:.6rem 0}"
    "pre span{display:block;padding:0 .8rem}pre .hit{background:var(--hit)}pre i{color:var(--dim);"
    "font-style:normal;user-select:none}.tag{border-radius:4px;padding:0 .4rem;font-size:.85rem;"
    "border:1px solid currentColor}.error{color:var(--error)}.warning{color:var(--warning)}"
    ".note{color:var(--note)}.proved{color:var(--proved)}.refuted{color:var(--refuted)}"
    ".unknown{color:var(--unknown)}.none{color:var(--dim)}ul{margin:.3rem 0;padding-left:1.2rem}";

static void put_escaped(ls_buf *out, const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        uint32_t c;
        size_t size = ls_utf8_decode(text + i, length - i, &c);
        if (c == '<')
            ls_buf_puts(out, "&lt;");
        else if (c == '>')
            ls_buf_puts(out, "&gt;");
        else if (c == '&')
            ls_buf_puts(out, "&amp;");
        else if (c == '"')
            ls_buf_puts(out, "&quot;");
        else if (c == 0xfffd || (c < 0x20 && c != '\n' && c != '\t'))
            ls_buf_puts(out, "&#xfffd;");
        else
            ls_buf_add(out, text + i, size);
        i += size;
    }
}

static void put_text(ls_buf *out, const char *text) {
    put_escaped(out, text, strlen(text));
}

static void put_place(ls_buf *out, const ls_place *place, const char *otherwise) {
    put_text(out, place->file ? place->file : otherwise);
    if (!place->file || !place->line) return;
    ls_buf_printf(out, ":%" PRIu32, place->line);
    if (place->column) ls_buf_printf(out, ":%" PRIu32, place->column);
}

static void put_excerpt(ls_printer *p, const ls_place *place) {
    const char *text;
    size_t length;
    if (!ls_source_line(p->sources, place->file, place->line, &text, &length)) return;
    ls_buf_puts(p->out, "<pre>");
    uint32_t first = place->line > AROUND ? place->line - AROUND : 1;
    for (uint32_t line = first; line <= place->line + AROUND; line++) {
        if (!ls_source_line(p->sources, place->file, line, &text, &length)) break;
        bool hit = line == place->line;
        ls_buf shown = {0};
        ls_source_show(&shown, text, length, hit ? place->column : 0, SHOWN_WIDTH);
        ls_buf_printf(p->out, "<span%s><i>%5" PRIu32 " </i>", hit ? " class=\"hit\"" : "", line);
        put_escaped(p->out, ls_buf_text(&shown), shown.length);
        ls_buf_puts(p->out, "</span>");
        ls_buf_free(&shown);
    }
    ls_buf_puts(p->out, "</pre>\n");
}

static void put_fields(ls_buf *out, const char *title, const ls_fields *fields) {
    if (!fields || !fields->first) return;
    ls_buf_printf(out, "<div><b>%s</b><ul>", title);
    for (const ls_field *field = fields->first; field; field = field->next) {
        ls_field alone = *field;
        alone.next = NULL;
        ls_buf value = {0};
        if (field->kind == LS_FIELD_NEST && !field->value.nest->is_list) {
            ls_buf_printf(&value, "%s: ", field->key);
            ls_print_fields(&value, field->value.nest);
        } else {
            ls_print_fields(&value, &(ls_fields){.first = &alone});
        }
        ls_buf_puts(out, "<li><code>");
        put_text(out, ls_buf_text(&value));
        ls_buf_puts(out, "</code></li>");
        ls_buf_free(&value);
    }
    ls_buf_puts(out, "</ul></div>\n");
}

static void put_finding(ls_printer *p, const ls_finding *finding) {
    const char *path = finding->kernel->file->path, *level = ls_severity_name(finding->level);
    const ls_rule_info *rule = ls_rule_get(finding->rule);
    ls_buf_printf(p->out, "<article><h3><span class=\"tag %s\">%s</span> ", level, level);
    put_text(p->out, finding->message);
    ls_buf_printf(p->out, "</h3>\n<div class=\"at\"><code>");
    put_place(p->out, &finding->place, path);
    ls_buf_puts(p->out, "</code> in kernel <code>");
    put_text(p->out, finding->kernel->demangled);
    ls_buf_puts(p->out, "</code> · <abbr title=\"");
    put_text(p->out, rule->help);
    ls_buf_printf(p->out, "\">%s</abbr>", rule->name);
    if (finding->count > 1) ls_buf_printf(p->out, " · %" PRIu64 " times", finding->count);
    ls_buf_puts(p->out, "</div>\n");
    put_excerpt(p, &finding->place);
    for (const ls_related *r = finding->related; r; r = r->next) {
        ls_buf_puts(p->out, "<div><span class=\"note\">note</span> ");
        put_text(p->out, r->message);
        ls_buf_puts(p->out, " <span class=\"at\"><code>");
        put_place(p->out, &r->place, path);
        ls_buf_puts(p->out, "</code></span></div>\n");
        put_excerpt(p, &r->place);
    }
    put_fields(p->out, "Witness", finding->witness);
    put_fields(p->out, "Detail", finding->detail);
    if (finding->help) {
        ls_buf_puts(p->out, "<div><b>Help</b> ");
        put_text(p->out, finding->help);
        ls_buf_puts(p->out, "</div>\n");
    }
    ls_buf_puts(p->out, "</article>\n");
}

static void put_item(ls_buf *out, const char *text) {
    ls_buf_puts(out, "<li>");
    put_text(out, text);
    ls_buf_puts(out, "</li>");
}

static void put_kernel_row(ls_buf *out, const ls_report_kernel *kernel) {
    uint64_t count = 0;
    for (const ls_finding *f = kernel->findings; f; f = f->next) count++;
    ls_buf_puts(out, "<tr><td><code>");
    put_text(out, kernel->demangled);
    ls_buf_puts(out, "</code><div class=\"none\">");
    put_text(out, kernel->file->path);
    const char *verdict = ls_verdict_name(kernel->verdict);
    ls_buf_printf(out, "</div></td><td class=\"%s\">%s</td><td>", verdict,
                  kernel->verdict == LS_NO_VERDICT ? "–" : verdict);
    ls_print_size(out, kernel->block);
    ls_buf_puts(out, "</td><td>");
    ls_print_size(out, kernel->grid);
    ls_buf_printf(out, "</td><td>%" PRIu64 "</td><td>", count);
    bool listed = kernel->scope || kernel->reasons || kernel->help;
    if (listed) ls_buf_puts(out, "<ul>");
    for (const ls_reason *reason = kernel->reasons; reason; reason = reason->next) {
        ls_buf_puts(out, "<li class=\"unknown\">");
        put_place(out, &reason->place, kernel->file->path);
        ls_buf_puts(out, ": ");
        put_text(out, reason->message);
        ls_buf_puts(out, "</li>");
    }
    for (const ls_scope_item *item = kernel->scope; item; item = item->next) put_item(out, item->text);
    if (kernel->help) put_item(out, kernel->help);
    if (listed) ls_buf_puts(out, "</ul>");
    ls_buf_puts(out, "</td></tr>\n");
}

static void put_diags(ls_printer *p, const ls_report_file *file) {
    for (uint32_t i = 0; i < ls_diags_count(file->diags); i++) {
        const ls_diag *diag = ls_diags_at(file->diags, i);
        ls_place place = {diag->file, diag->line, diag->column};
        const char *level = ls_severity_name(diag->severity);
        ls_buf_printf(p->out, "<article><h3><span class=\"tag %s\">%s</span> ", level, level);
        put_text(p->out, diag->message);
        ls_buf_puts(p->out, "</h3><div class=\"at\"><code>");
        put_place(p->out, &place, file->path);
        ls_buf_puts(p->out, "</code></div>\n");
        put_excerpt(p, &place);
        ls_buf_puts(p->out, "</article>\n");
    }
}

#define FOR_KERNELS(report, file, kernel)                                                                    \
    for (const ls_report_file *file = (report)->files; file; file = file->next)                              \
        for (const ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next)

void ls_print_html(ls_printer *p) {
    ls_report_summary summary = ls_report_summarize(p->report);
    ls_buf_printf(p->out,
                  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width\">"
                  "<title>Lockstep report</title><style>%s</style></head><body>\n"
                  "<h1>Lockstep %s</h1>\n<p class=\"sum\">",
                  style, p->report->command);
    ls_print_summary(p->out, &summary);
    ls_buf_printf(p->out, " · version %s</p>\n", ls_version());
    for (const ls_report_file *file = p->report->files; file; file = file->next) put_diags(p, file);
    ls_buf_puts(p->out, "<table><tr><th>Kernel</th><th>Verdict</th><th>Block</th><th>Grid</th>"
                        "<th>Findings</th><th>Scope</th></tr>\n");
    FOR_KERNELS(p->report, file, kernel) put_kernel_row(p->out, kernel);
    ls_buf_puts(p->out, "</table>\n");
    if (summary.levels[LS_ERROR] + summary.levels[LS_WARNING] + summary.levels[LS_NOTE])
        ls_buf_puts(p->out, "<h2>Findings</h2>\n");
    FOR_KERNELS(p->report, file, kernel)
    for (const ls_finding *f = kernel->findings; f; f = f->next) put_finding(p, f);
    ls_buf_puts(p->out, "</body></html>\n");
}
