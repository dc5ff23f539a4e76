/* SARIF 2.1.0 as GitHub code scanning takes it: one run, the rule table as tool.driver.rules, relative
 * URIs, columns in UTF-16 units, and fingerprints that do not change when lines move. What is not known is
 * no result but a notification of the run. */
#include "report/print.h"

#include "base/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    ls_sources *sources;
    ls_arena arena;
    char root[4096]; /* with a slash at its end; empty: nothing is made relative */
    ls_map seen;     /* fingerprint → how often it was given out */
} sarif;

/* --- Positions ----------------------------------------------------------------------------------------- */

static void set_root(sarif *s, const char *root) {
    if (root)
        snprintf(s->root, sizeof s->root - 1, "%s", root);
    else if (!getcwd(s->root, sizeof s->root - 1))
        s->root[0] = 0;
    size_t length = strlen(s->root);
    if (length && s->root[length - 1] != '/') memcpy(s->root + length, "/", 2);
}

static const char *relative(const sarif *s, const char *path) {
    size_t length = strlen(s->root);
    if (length && !strncmp(path, s->root, length)) path += length;
    while (!strncmp(path, "./", 2)) path += 2;
    return path;
}

/* A path as URI: relative to the root, or file:// where it is absolute. */
static json_t *artifact(const sarif *s, const char *path) {
    ls_buf uri = {0};
    path = relative(s, path);
    bool absolute = *path == '/';
    if (absolute) ls_buf_puts(&uri, "file://");
    for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
        bool safe = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                    strchr("-._~/+=@,", *c);
        if (safe)
            ls_buf_putc(&uri, (char)*c);
        else
            ls_buf_printf(&uri, "%%%02X", *c);
    }
    json_t *location = json_object();
    json_object_set_new(location, "uri", json_string(ls_buf_text(&uri)));
    if (!absolute) json_object_set_new(location, "uriBaseId", json_string("%SRCROOT%"));
    ls_buf_free(&uri);
    return location;
}

static json_t *physical(sarif *s, const ls_place *place, const char *otherwise) {
    json_t *location = json_object();
    json_object_set_new(location, "artifactLocation", artifact(s, place->file ? place->file : otherwise));
    /* A position is required by code scanning: the first line stands for the file as a whole. */
    json_t *region = json_object();
    bool known = place->file && place->line;
    json_object_set_new(region, "startLine", json_integer(known ? place->line : 1));
    if (known && place->column)
        json_object_set_new(region, "startColumn", json_integer(ls_source_utf16_column(s->sources, place)));
    json_object_set_new(location, "region", region);
    return location;
}

static json_t *text_message(const char *text) {
    json_t *message = json_object();
    json_object_set_new(message, "text", ls_json_text(text));
    return message;
}

/* --- Rules --------------------------------------------------------------------------------------------- */

static json_t *rules_json(void) {
    json_t *list = json_array();
    for (int i = 0; i < LS_RULE_COUNT; i++) {
        const ls_rule_info *info = ls_rule_get((ls_rule)i);
        bool correctness = info->level == LS_ERROR || i == LS_RULE_MEMORY_UNINITIALIZED;
        json_t *rule = json_object(), *properties = json_object(), *tags = json_array();
        json_object_set_new(rule, "id", json_string(info->name));
        json_object_set_new(rule, "name", json_string(info->title));
        json_object_set_new(rule, "shortDescription", text_message(info->title));
        json_object_set_new(rule, "fullDescription", text_message(info->help));
        json_object_set_new(rule, "help", text_message(info->help));
        json_t *configuration = json_object();
        json_object_set_new(configuration, "level", json_string(ls_severity_name(info->level)));
        json_object_set_new(rule, "defaultConfiguration", configuration);
        json_array_append_new(tags, json_string("gpu"));
        json_array_append_new(tags, json_string(correctness ? "correctness" : "performance"));
        json_object_set_new(properties, "tags", tags);
        json_object_set_new(
            properties, "problem.severity",
            json_string(info->level == LS_NOTE ? "recommendation" : ls_severity_name(info->level)));
        json_object_set_new(rule, "properties", properties);
        json_array_append_new(list, rule);
    }
    return list;
}

/* --- Results ------------------------------------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t hash, const char *text, size_t length) { /* FNV-1a */
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

/* A line by its text without blanks at its ends, so that moving or indenting it changes nothing. */
static uint64_t hash_place(sarif *s, uint64_t hash, const ls_place *place) {
    if (place->file) {
        const char *path = relative(s, place->file);
        hash = hash_bytes(hash, path, strlen(path));
    }
    const char *text;
    size_t length;
    if (!ls_source_line(s->sources, place->file, place->line, &text, &length))
        return hash_bytes(hash, (const char *)&place->line, sizeof place->line);
    while (length && strchr(" \t", text[0])) text++, length--;
    while (length && strchr(" \t", text[length - 1])) length--;
    return hash_bytes(hash, text, length);
}

static json_t *fingerprint(sarif *s, const ls_finding *finding) {
    const char *rule = ls_rule_get(finding->rule)->name, *kernel = finding->kernel->name;
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), rule, strlen(rule));
    hash = hash_bytes(hash, kernel, strlen(kernel));
    hash = hash_place(s, hash, &finding->place);
    for (const ls_related *r = finding->related; r; r = r->next) hash = hash_place(s, hash, &r->place);
    const char *key = ls_arena_printf(&s->arena, "%016" PRIx64, hash);
    void **times = ls_map_at(&s->seen, key, strlen(key));
    uintptr_t count = (uintptr_t)*times + 1;
    *times = (void *)count;
    json_t *prints = json_object();
    const char *value = ls_arena_printf(&s->arena, "%s:%u", key, (unsigned)count);
    json_object_set_new(prints, "primaryLocationLineHash", json_string(value));
    return prints;
}

static json_t *result_properties(const ls_finding *finding) {
    json_t *properties = json_object();
    json_object_set_new(properties, "kernel", ls_json_text(finding->kernel->demangled));
    json_object_set_new(properties, "count", json_integer((json_int_t)finding->count));
    if (finding->witness) json_object_set_new(properties, "witness", ls_json_fields(finding->witness));
    if (finding->detail) json_object_set_new(properties, "detail", ls_json_fields(finding->detail));
    return properties;
}

/* The message with the kernel, the witness and help. */
static json_t *result_message(const ls_finding *finding) {
    ls_buf text = {0};
    ls_buf_printf(&text, "%s, in kernel '%s'", finding->message, finding->kernel->demangled);
    if (finding->count > 1) ls_buf_printf(&text, " (%" PRIu64 " times)", finding->count);
    ls_buf_putc(&text, '.');
    if (finding->witness && finding->witness->first) {
        ls_buf_puts(&text, "\nWitness: ");
        ls_print_fields(&text, finding->witness);
    }
    if (finding->help) ls_buf_printf(&text, "\nHelp: %s", finding->help);
    json_t *message = text_message(ls_buf_text(&text));
    ls_buf_free(&text);
    return message;
}

static json_t *result_json(sarif *s, const ls_finding *finding) {
    const char *path = finding->kernel->file->path;
    json_t *result = json_object(), *related = json_array();
    json_object_set_new(result, "ruleId", json_string(ls_rule_get(finding->rule)->name));
    json_object_set_new(result, "ruleIndex", json_integer(finding->rule));
    json_object_set_new(result, "level", json_string(ls_severity_name(finding->level)));
    json_object_set_new(result, "message", result_message(finding));
    json_t *logical = json_object();
    json_object_set_new(logical, "fullyQualifiedName", ls_json_text(finding->kernel->demangled));
    json_object_set_new(logical, "kind", json_string("function"));
    json_t *location = json_object();
    json_object_set_new(location, "physicalLocation", physical(s, &finding->place, path));
    json_object_set_new(location, "logicalLocations", json_pack("[o]", logical));
    json_object_set_new(result, "locations", json_pack("[o]", location));
    int id = 0;
    for (const ls_related *r = finding->related; r; r = r->next) {
        json_t *item = json_object();
        json_object_set_new(item, "id", json_integer(++id));
        json_object_set_new(item, "physicalLocation", physical(s, &r->place, path));
        json_object_set_new(item, "message", text_message(r->message));
        json_array_append_new(related, item);
    }
    json_object_set_new(result, "relatedLocations", related);
    json_object_set_new(result, "partialFingerprints", fingerprint(s, finding));
    json_object_set_new(result, "properties", result_properties(finding));
    return result;
}

/* --- The run ------------------------------------------------------------------------------------------- */

static void notify(sarif *s, json_t *list, ls_severity level, const ls_place *place, const char *path,
                   const char *message) {
    json_t *item = json_object();
    json_object_set_new(item, "level", json_string(ls_severity_name(level)));
    json_object_set_new(item, "message", text_message(message));
    if (place->file || path) {
        json_t *location = json_object();
        json_object_set_new(location, "physicalLocation", physical(s, place, path));
        json_object_set_new(item, "locations", json_pack("[o]", location));
    }
    json_array_append_new(list, item);
}

static void notify_file(sarif *s, json_t *list, const ls_report_file *file) {
    for (uint32_t i = 0; i < ls_diags_count(file->diags); i++) {
        const ls_diag *diag = ls_diags_at(file->diags, i);
        notify(s, list, diag->severity, &(ls_place){diag->file, diag->line, diag->column}, file->path,
               diag->message);
    }
    for (const ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next)
        for (const ls_reason *reason = kernel->reasons; reason; reason = reason->next)
            notify(
                s, list, LS_WARNING, &reason->place, file->path,
                ls_arena_printf(&s->arena, "kernel '%s': unknown: %s", kernel->demangled, reason->message));
}

static json_t *driver_json(void) {
    json_t *driver = json_object(), *tool = json_object();
    json_object_set_new(driver, "name", json_string("Lockstep"));
    json_object_set_new(driver, "version", json_string(ls_version()));
    json_object_set_new(driver, "semanticVersion", json_string(ls_version()));
    json_object_set_new(driver, "rules", rules_json());
    json_object_set_new(tool, "driver", driver);
    return tool;
}

static json_t *invocation_json(sarif *s, const ls_report *report) {
    json_t *notifications = json_array(), *invocation = json_object();
    for (const ls_report_file *file = report->files; file; file = file->next)
        notify_file(s, notifications, file);
    bool unreadable = ls_report_summarize(report).diag_errors > 0;
    json_object_set_new(invocation, "executionSuccessful", json_boolean(!unreadable));
    json_object_set_new(invocation, "exitCode", json_integer(ls_report_status(report)));
    json_object_set_new(invocation, "toolExecutionNotifications", notifications);
    return invocation;
}

void ls_print_sarif(ls_printer *printer) {
    sarif s = {.sources = printer->sources};
    ls_arena_init(&s.arena);
    set_root(&s, printer->options->root);
    json_t *results = json_array(), *run = json_object(), *root = json_object();
    for (const ls_report_file *file = printer->report->files; file; file = file->next)
        for (const ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next)
            for (const ls_finding *f = kernel->findings; f; f = f->next)
                json_array_append_new(results, result_json(&s, f));
    json_object_set_new(run, "tool", driver_json());
    json_object_set_new(run, "invocations", json_pack("[o]", invocation_json(&s, printer->report)));
    json_object_set_new(run, "columnKind", json_string("utf16CodeUnits"));
    json_object_set_new(run, "results", results);
    json_object_set_new(root, "$schema", json_string("https://json.schemastore.org/sarif-2.1.0.json"));
    json_object_set_new(root, "version", json_string("2.1.0"));
    json_object_set_new(root, "runs", json_pack("[o]", run));
    ls_json_dump(printer->out, root);
    ls_map_free(&s.seen);
    ls_arena_free(&s.arena);
}
