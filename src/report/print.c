/* The table of output formats, and small pieces of text that several of them print. */
#include "report/print.h"

#include "base/options.h"
#include "base/recover.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ls_printer printer;
    ls_buf out;
    void (*print)(ls_printer *printer);
} printing;

static void print(void *context) {
    printing *all = context;
    all->printer.sources = ls_report_sources(all->printer.report, all->printer.options->roots);
    all->print(&all->printer);
    ls_buf_puts(&all->out, ""); /* an empty report is an empty text, not NULL */
    if (!all->out.text) ls_buf_reserve(&all->out, 1), all->out.text[0] = 0;
}

char *ls_report_print(const ls_report *report, const ls_print_options *options, size_t *length) {
    LS_OWN_OPTIONS(ls_print_options, options);
    static void (*const printers[])(ls_printer *printer) = {[LS_FORMAT_TEXT] = ls_print_text,
                                                            [LS_FORMAT_JSON] = ls_print_json,
                                                            [LS_FORMAT_SARIF] = ls_print_sarif,
                                                            [LS_FORMAT_HTML] = ls_print_html};
    printing all = {.printer = {.report = report, .options = options}, .print = printers[options->format]};
    all.printer.out = &all.out;
    bool good = ls_try(print, &all);
    if (all.printer.sources) ls_sources_free(all.printer.sources);
    if (!good) {
        ls_buf_free(&all.out);
        ls_escape_further();
        return NULL;
    }
    if (length) *length = all.out.length;
    return all.out.text;
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

/* The length of the name without parameters: up to the '(' that is in no template argument. */
static size_t name_length(const char *name) {
    int depth = 0;
    size_t length = 0;
    for (; name[length]; length++) {
        depth += name[length] == '<';
        depth -= name[length] == '>';
        if (name[length] == '(' && depth <= 0 && length && strncmp(name + length, "(anonymous", 10) != 0)
            break;
    }
    return length;
}

/* What a short name stands for: its kernel at the first launch, or this where it is that of several kernels.
 */
static ls_report_kernel several;

void ls_short_names(ls_map *names, const ls_report_file *file) {
    for (ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next) {
        void **slot = ls_map_at(names, kernel->demangled, name_length(kernel->demangled));
        const ls_report_kernel *first = *slot;
        if (!first)
            *slot = kernel;
        else if (first != &several && strcmp(first->demangled, kernel->demangled) != 0)
            *slot = &several;
    }
}

void ls_print_kernel_name(ls_buf *out, const ls_report_kernel *kernel, const ls_map *names) {
    size_t length = name_length(kernel->demangled);
    if (ls_map_get(names, kernel->demangled, length) == &several) length = strlen(kernel->demangled);
    char *name = ls_xmalloc(length + 1);
    memcpy(name, kernel->demangled, length);
    name[length] = 0;
    ls_source_safe(out, name);
    free(name);
}

static void put_launch(ls_buf *out, const ls_report_kernel *kernel) {
    const char *block = kernel->opencl ? "work-group" : "block", *grid = kernel->opencl ? "NDRange" : "grid";
    if (kernel->block[0]) {
        ls_buf_printf(out, "%s ", block);
        ls_print_size(out, kernel->block);
    } else
        ls_buf_printf(out, "any %s", block);
    ls_buf_puts(out, ", ");
    if (kernel->grid[0]) {
        if (!kernel->opencl) ls_buf_printf(out, "%s ", grid);
        ls_print_size(out, kernel->grid);
        if (kernel->opencl)
            ls_buf_puts(out, kernel->grid[0] * kernel->grid[1] * kernel->grid[2] == 1 ? " work-group"
                                                                                      : " work-groups");
    } else
        ls_buf_printf(out, "any %s", grid);
    if (!kernel->launch_from) return;
    static const char launch[] = "launch at ";
    const char *from = kernel->launch_from, *path = kernel->file->path;
    size_t words = strlen(launch), length = strlen(path);
    if (!strncmp(from, launch, words) && !strncmp(from + words, path, length) && from[words + length] == ':')
        ls_buf_printf(out, " (launched at line %s)", from + words + length + 1);
    else
        ls_buf_printf(out, " (%s)", from);
}

static const char assumes[] = "assumes that ";

static bool is_assumption(const ls_scope_item *item) {
    return item && !strncmp(item->brief, assumes, strlen(assumes));
}

/* The first from here on that is printed: none is printed twice, and no assumption on which a finding does
 * not depend. */
static const ls_scope_item *next_said(const ls_report_kernel *kernel, const ls_scope_item *item) {
    for (; item; item = item->next) {
        bool said = !item->brief || (is_assumption(item) && kernel->verdict == LS_REFUTED);
        for (const ls_scope_item *before = kernel->scope; before != item && !said; before = before->next)
            said = before->brief && !strcmp(before->brief, item->brief);
        if (!said) break;
    }
    return item;
}

void ls_print_brief(ls_buf *out, const ls_report_kernel *kernel) {
    bool open = kernel->verdict == LS_REFUTED || kernel->verdict == LS_UNKNOWN;
    if (kernel->runs) {
        if (!open) ls_buf_printf(out, " in %s", kernel->runs);
    } else if (kernel->block[0] || kernel->grid[0] || !open) {
        ls_buf_puts(out, " for ");
        put_launch(out, kernel);
    }
    bool assuming = false;
    for (const ls_scope_item *item = next_said(kernel, kernel->scope), *next; item; item = next) {
        next = next_said(kernel, item->next);
        bool again = assuming && is_assumption(item);
        ls_buf_puts(out, !again ? "; " : is_assumption(next) ? ", " : " and ");
        ls_source_safe(out, item->brief + (again ? strlen(assumes) : 0));
        assuming = is_assumption(item);
    }
}

static void add_count(ls_buf *out, uint32_t count, const char *word, bool *first) {
    if (!count) return;
    ls_buf_printf(out, "%s%" PRIu32 " %s%s", *first ? "" : ", ", count, word, count == 1 ? "" : "s");
    *first = false;
}

void ls_print_summary(ls_buf *out, const ls_report_summary *summary) {
    ls_buf_printf(out, "%" PRIu32 " kernel%s", summary->names, summary->names == 1 ? "" : "s");
    if (summary->names < summary->kernels) ls_buf_printf(out, " at %" PRIu32 " launches", summary->kernels);
    if (summary->hosts) ls_buf_puts(out, " and the host code");
    ls_buf_puts(out, ": ");
    bool first = true;
    static const ls_verdict order[] = {LS_PROVED, LS_PROVED_IF, LS_REFUTED, LS_UNKNOWN};
    for (int i = 0; i < 4; i++) {
        ls_verdict v = order[i];
        if (!summary->verdicts[v]) continue;
        ls_buf_printf(out, "%s%" PRIu32 " %s", first ? "" : ", ", summary->verdicts[v],
                      v == LS_PROVED_IF ? (summary->verdicts[v] == 1 ? "proved if its contract holds"
                                                                     : "proved if their contract holds")
                                        : ls_verdict_name(v));
        first = false;
    }
    uint32_t found = summary->levels[LS_ERROR] + summary->levels[LS_WARNING] + summary->levels[LS_NOTE];
    if (!first) ls_buf_puts(out, "; ");
    first = true;
    for (int level = LS_ERROR; level >= LS_NOTE; level--)
        add_count(out, summary->levels[level], ls_severity_name((ls_severity)level), &first);
    if (!found) ls_buf_puts(out, summary->diag_errors ? "not everything could be checked" : "nothing found");
    if (summary->suppressed) ls_buf_printf(out, " (%" PRIu32 " suppressed)", summary->suppressed);
}
