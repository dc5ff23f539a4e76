/* JSON as docs/json.md says; the order of keys is that of the code. */
#include "report/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *ls_json_text(const char *text) {
    if (!text) return json_null();
    json_t *value = json_string(text);
    if (value) return value;
    ls_buf clean = {0};
    for (size_t length = strlen(text); length;) {
        uint32_t c;
        size_t size = ls_utf8_decode(text, length, &c);
        if (c == 0xfffd)
            ls_buf_puts(&clean, "\xef\xbf\xbd");
        else
            ls_buf_add(&clean, text, size);
        text += size;
        length -= size;
    }
    value = json_string(ls_buf_text(&clean));
    ls_buf_free(&clean);
    return value ? value : json_null();
}

/* Numbers that jansson cannot hold are texts. */
static json_t *natural(uint64_t number) {
    if (number <= INT64_MAX) return json_integer((json_int_t)number);
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, number);
    return json_string(text);
}

static json_t *field_value(const ls_field *field) {
    switch (field->kind) {
    case LS_FIELD_INT: return json_integer(field->value.integer);
    case LS_FIELD_UINT: return natural(field->value.natural);
    case LS_FIELD_REAL: return isfinite(field->value.real) ? json_real(field->value.real) : json_null();
    case LS_FIELD_BOOL: return json_boolean(field->value.truth);
    case LS_FIELD_TEXT: return ls_json_text(field->value.text);
    case LS_FIELD_NEST: return ls_json_fields(field->value.nest);
    }
    return json_null();
}

json_t *ls_json_fields(const ls_fields *fields) {
    if (!fields) return json_object();
    json_t *result = fields->is_list ? json_array() : json_object();
    for (const ls_field *field = fields->first; field; field = field->next) {
        if (fields->is_list)
            json_array_append_new(result, field_value(field));
        else
            json_object_set_new(result, field->key, field_value(field));
    }
    return result;
}

json_t *ls_json_size(const uint32_t size[3]) {
    if (!size[0]) return json_null();
    return json_pack("[I, I, I]", (json_int_t)size[0], (json_int_t)size[1], (json_int_t)size[2]);
}

void ls_json_dump(ls_buf *out, json_t *root) {
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    if (text) ls_buf_puts(out, text);
    ls_buf_putc(out, '\n');
    free(text);
    json_decref(root);
}

static void set_place(json_t *object, const ls_place *place, const char *otherwise) {
    json_object_set_new(object, "file", ls_json_text(place->file ? place->file : otherwise));
    json_object_set_new(object, "line", json_integer(place->line));
    json_object_set_new(object, "column", json_integer(place->column));
}

static json_t *finding_json(const ls_finding *finding) {
    const char *path = finding->kernel->file->path;
    json_t *object = json_object(), *related = json_array();
    json_object_set_new(object, "rule", json_string(ls_rule_get(finding->rule)->name));
    json_object_set_new(object, "level", json_string(ls_severity_name(finding->level)));
    json_object_set_new(object, "message", ls_json_text(finding->message));
    set_place(object, &finding->place, path);
    json_object_set_new(object, "count", natural(finding->count));
    for (const ls_related *r = finding->related; r; r = r->next) {
        json_t *item = json_object();
        set_place(item, &r->place, path);
        json_object_set_new(item, "message", ls_json_text(r->message));
        json_array_append_new(related, item);
    }
    json_object_set_new(object, "related", related);
    if (finding->witness) json_object_set_new(object, "witness", ls_json_fields(finding->witness));
    if (finding->detail) json_object_set_new(object, "detail", ls_json_fields(finding->detail));
    if (finding->help) json_object_set_new(object, "help", ls_json_text(finding->help));
    return object;
}

static json_t *reasons_json(const ls_report_kernel *kernel) {
    json_t *list = json_array();
    for (const ls_reason *reason = kernel->reasons; reason; reason = reason->next) {
        json_t *item = json_object();
        json_object_set_new(item, "message", ls_json_text(reason->message));
        set_place(item, &reason->place, kernel->file->path);
        if (reason->help) json_object_set_new(item, "help", ls_json_text(reason->help));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *launch_json(const ls_report_kernel *kernel) {
    json_t *launch = json_object();
    json_object_set_new(launch, "block", ls_json_size(kernel->block));
    json_object_set_new(launch, "grid", ls_json_size(kernel->grid));
    if (kernel->launch_from) json_object_set_new(launch, "from", ls_json_text(kernel->launch_from));
    return launch;
}

static json_t *kernel_json(const ls_report_kernel *kernel) {
    json_t *object = json_object(), *scope = json_array(), *findings = json_array();
    json_object_set_new(object, "name", ls_json_text(kernel->name));
    json_object_set_new(object, "demangled", ls_json_text(kernel->demangled));
    set_place(object, &kernel->place, kernel->file->path);
    json_object_set_new(object, "launch", launch_json(kernel));
    json_object_set_new(object, "verdict", json_string(ls_verdict_name(kernel->verdict)));
    for (const ls_scope_item *item = kernel->scope; item; item = item->next)
        json_array_append_new(scope, ls_json_text(item->text));
    json_object_set_new(object, "scope", scope);
    if (kernel->help) json_object_set_new(object, "help", ls_json_text(kernel->help));
    json_object_set_new(object, "unknown", reasons_json(kernel));
    for (const ls_finding *f = kernel->findings; f; f = f->next)
        json_array_append_new(findings, finding_json(f));
    json_object_set_new(object, "findings", findings);
    json_object_set_new(object, "stats", ls_json_fields(kernel->stats));
    if (kernel->time_ms >= 0)
        json_object_set_new(object, "time_ms", json_real(round(kernel->time_ms * 1000) / 1000));
    return object;
}

static json_t *diags_json(const ls_diags *diags) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < ls_diags_count(diags); i++) {
        const ls_diag *diag = ls_diags_at(diags, i);
        json_t *item = json_object();
        json_object_set_new(item, "level", json_string(ls_severity_name(diag->severity)));
        json_object_set_new(item, "message", ls_json_text(diag->message));
        set_place(item, &(ls_place){diag->file, diag->line, diag->column}, NULL);
        json_array_append_new(list, item);
    }
    return list;
}

void ls_print_json(ls_printer *printer) {
    json_t *root = json_object(), *files = json_array();
    json_object_set_new(root, "lockstep", json_string(ls_version()));
    json_object_set_new(root, "command", ls_json_text(printer->report->command));
    for (const ls_report_file *file = printer->report->files; file; file = file->next) {
        json_t *object = json_object(), *kernels = json_array();
        json_object_set_new(object, "path", ls_json_text(file->path));
        json_object_set_new(object, "diagnostics", diags_json(file->diags));
        for (const ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next)
            json_array_append_new(kernels, kernel_json(kernel));
        json_object_set_new(object, "kernels", kernels);
        json_array_append_new(files, object);
    }
    json_object_set_new(root, "files", files);
    ls_json_dump(printer->out, root);
}
