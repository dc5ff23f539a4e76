/* JSON as docs/json.md says; the order of keys is that of the code. */
#include "report/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_FORMAT = 2 }; /* of docs/json.md and share/lockstep/report.schema.json */

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

/* Keys are words: what is no letter, digit or dot becomes an underscore. */
static const char *key_of(const char *name, char *out, size_t size) {
    size_t length = 0;
    for (; name[length] && length + 1 < size; length++) {
        char c = name[length];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
        out[length] = plain ? c : '_';
    }
    out[length] = 0;
    return out;
}

static void add_fields(json_t *to, const ls_fields *fields) {
    char key[128];
    for (const ls_field *field = fields ? fields->first : NULL; field; field = field->next) {
        if (fields->is_list)
            json_array_append_new(to, field_value(field));
        else
            json_object_set_new(to, key_of(field->key, key, sizeof key), field_value(field));
    }
}

json_t *ls_json_fields(const ls_fields *fields) {
    json_t *result = fields && fields->is_list ? json_array() : json_object();
    add_fields(result, fields);
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

/* --- Stories ---------------------------------------------------------------------------------------------
 */

static json_t *three(const uint32_t at[3]) {
    return json_pack("[I, I, I]", (json_int_t)at[0], (json_int_t)at[1], (json_int_t)at[2]);
}

static json_t *actor_json(const ls_finding *finding, const ls_actor *actor) {
    json_t *object = json_object();
    ls_buf text = {0};
    ls_print_act(&text, finding, actor);
    json_object_set_new(object, "text", ls_json_text(ls_buf_text(&text)));
    ls_buf_free(&text);
    if (actor->does) json_object_set_new(object, "does", ls_json_text(actor->does));
    if (actor->has_block) json_object_set_new(object, "block", three(actor->block));
    if (actor->has_thread) json_object_set_new(object, "thread", three(actor->thread));
    if (actor->has_warp) json_object_set_new(object, "warp", json_integer(actor->warp));
    set_place(object, &actor->place, NULL);
    return object;
}

static json_t *values_json(const ls_fields *values) {
    json_t *list = json_array();
    for (const ls_field *field = values->first; field; field = field->next) {
        json_t *item = json_object();
        json_object_set_new(item, "name", ls_json_text(field->key));
        json_object_set_new(item, "value", field_value(field));
        json_array_append_new(list, item);
    }
    return list;
}

static void set_story(json_t *object, const ls_finding *finding) {
    const ls_story *story = finding->story;
    json_t *actors = json_array();
    for (const ls_actor *a = story->actors; a; a = a->next)
        json_array_append_new(actors, actor_json(finding, a));
    json_object_set_new(object, "threads", actors);
    json_object_set_new(object, "in_order", json_boolean(story->in_order));
    if (story->object) json_object_set_new(object, "object", ls_json_text(story->object));
    if (story->element) json_object_set_new(object, "element", ls_json_text(story->element));
    if (story->has_byte)
        json_object_set_new(object, story->object ? "byte" : "address", natural(story->byte));
    if (story->values) json_object_set_new(object, "values", values_json(story->values));
    if (story->confirmed) json_object_set_new(object, "replay", ls_json_text(story->confirmed));
}

json_t *ls_json_witness(const ls_finding *finding) {
    if (!finding->story && !finding->witness) return NULL;
    json_t *object = json_object();
    if (finding->story) set_story(object, finding);
    add_fields(object, finding->witness);
    return object;
}

static json_t *fix_json(const ls_fix *fix) {
    json_t *object = json_object();
    json_object_set_new(object, "description", ls_json_text(fix->description));
    set_place(object, &fix->place, NULL);
    json_object_set_new(object, "delete", json_integer(fix->length));
    json_object_set_new(object, "insert", ls_json_text(fix->text));
    json_object_set_new(object, "checked", json_boolean(fix->checked));
    return object;
}

static json_t *suppression_json(const ls_finding *finding) {
    static const char *const names[] = {
        [LS_IN_SOURCE] = "source", [LS_IN_CONFIG] = "config", [LS_IN_BASELINE] = "baseline"};
    json_t *object = json_object();
    json_object_set_new(object, "by", json_string(names[finding->suppressed]));
    if (finding->reason) json_object_set_new(object, "reason", ls_json_text(finding->reason));
    return object;
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
    json_object_set_new(object, "fingerprint", json_string(finding->fingerprint));
    if (finding->suppressed) json_object_set_new(object, "suppressed", suppression_json(finding));
    json_t *witness = ls_json_witness(finding);
    if (witness) json_object_set_new(object, "witness", witness);
    if (finding->detail) json_object_set_new(object, "detail", ls_json_fields(finding->detail));
    if (finding->help) json_object_set_new(object, "help", ls_json_text(finding->help));
    if (finding->fix) json_object_set_new(object, "fix", fix_json(finding->fix));
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

static json_t *profile_json(const ls_report_kernel *kernel) {
    json_t *list = json_array();
    for (const ls_hot_line *line = kernel->lines; line; line = line->next) {
        json_t *item = json_object();
        set_place(item, &line->place, kernel->file->path);
        json_object_set_new(item, "warp_instructions", natural(line->warp_instructions));
        json_object_set_new(item, "lane_instructions", natural(line->lane_instructions));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *kernel_json(const ls_report_kernel *kernel) {
    json_t *object = json_object(), *scope = json_array(), *findings = json_array();
    json_object_set_new(object, "name", ls_json_text(kernel->name));
    json_object_set_new(object, "demangled", ls_json_text(kernel->demangled));
    set_place(object, &kernel->place, kernel->file->path);
    json_object_set_new(object, "launch", launch_json(kernel));
    json_object_set_new(object, "verdict", json_string(ls_verdict_name(kernel->verdict)));
    if (kernel->contract) json_object_set_new(object, "contract", json_string(kernel->contract));
    for (const ls_scope_item *item = kernel->scope; item; item = item->next)
        json_array_append_new(scope, ls_json_text(item->text));
    json_object_set_new(object, "scope", scope);
    ls_buf brief = {0};
    ls_print_brief(&brief, kernel);
    const char *said = ls_buf_text(&brief);
    json_object_set_new(object, "brief", ls_json_text(said + strspn(said, "; ")));
    ls_buf_free(&brief);
    if (kernel->help) json_object_set_new(object, "help", ls_json_text(kernel->help));
    json_object_set_new(object, "unknown", reasons_json(kernel));
    for (const ls_finding *f = kernel->findings; f; f = f->next)
        json_array_append_new(findings, finding_json(f));
    json_object_set_new(object, "findings", findings);
    json_object_set_new(object, "stats", ls_json_fields(kernel->stats));
    if (kernel->key) json_object_set_new(object, "key", json_string(kernel->key));
    if (kernel->is_known) json_object_set_new(object, "known", json_boolean(true));
    if (kernel->lines) json_object_set_new(object, "profile", profile_json(kernel));
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

json_t *ls_json_report(const ls_report *report) {
    json_t *root = json_object(), *files = json_array();
    json_object_set_new(root, "lockstep", json_string(ls_version()));
    json_object_set_new(root, "format", json_integer(JSON_FORMAT));
    json_object_set_new(root, "command", ls_json_text(report->command));
    for (const ls_report_file *file = report->files; file; file = file->next) {
        json_t *object = json_object(), *kernels = json_array();
        json_object_set_new(object, "path", ls_json_text(file->path));
        json_object_set_new(object, "diagnostics", diags_json(file->diags));
        for (const ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next)
            json_array_append_new(kernels, kernel_json(kernel));
        json_object_set_new(object, "kernels", kernels);
        json_array_append_new(files, object);
    }
    json_object_set_new(root, "files", files);
    return root;
}

void ls_print_json(ls_printer *printer) {
    ls_json_dump(printer->out, ls_json_report(printer->report));
}
