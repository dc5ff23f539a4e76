/* SARIF 2.1.0 as GitHub code scanning takes it: one run, the rule table as tool.driver.rules, relative
 * URIs, columns in UTF-16 units, and fingerprints that do not change when lines move. What is not known is
 * no result but a notification of the run. */
#include "report/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ls_sources *sources;
    ls_arena arena;
    char root[4096]; /* with a slash at its end; empty: nothing is made relative */
} sarif;

/* --- Positions ----------------------------------------------------------------------------------------- */

/* A path as URI: relative to the root, or file:// where it is absolute. */
static json_t *artifact(const sarif *s, const char *path) {
    ls_buf uri = {0};
    path = ls_path_below(path, s->root);
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

static const char *const suppressions[] = {
    [LS_IN_SOURCE] = "inSource", [LS_IN_CONFIG] = "external", [LS_IN_BASELINE] = NULL};

/* Suppressed in the source or in a file: a suppression; there before: a state of its own. */
static void set_suppression(json_t *result, const ls_finding *finding) {
    if (!finding->suppressed) return;
    if (finding->suppressed == LS_IN_BASELINE) {
        json_object_set_new(result, "baselineState", json_string("unchanged"));
        return;
    }
    json_t *item = json_object();
    json_object_set_new(item, "kind", json_string(suppressions[finding->suppressed]));
    if (finding->reason) json_object_set_new(item, "justification", ls_json_text(finding->reason));
    json_object_set_new(result, "suppressions", json_pack("[o]", item));
}

/* Each thread of the story is a thread flow of its own, as nothing orders them; where the order is known they
 * are steps of one. */
static json_t *code_flow(sarif *s, const ls_finding *finding) {
    json_t *flows = json_array(), *steps = NULL, *flow = json_object();
    for (const ls_actor *actor = finding->story->actors; actor; actor = actor->next) {
        if (!actor->place.file) continue;
        json_t *location = json_object(), *step = json_object();
        ls_buf text = {0};
        ls_print_act(&text, finding, actor);
        json_object_set_new(location, "physicalLocation", physical(s, &actor->place, NULL));
        json_object_set_new(location, "message", text_message(ls_buf_text(&text)));
        ls_buf_free(&text);
        json_object_set_new(step, "location", location);
        if (!steps || !finding->story->in_order) {
            json_t *thread = json_object();
            json_object_set_new(thread, "locations", steps = json_array());
            json_array_append_new(flows, thread);
        }
        json_array_append_new(steps, step);
    }
    json_object_set_new(flow, "threadFlows", flows);
    return flow;
}

static json_t *fix_json(sarif *s, const ls_fix *fix) {
    json_t *object = json_object(), *change = json_object(), *replacement = json_object(),
           *region = json_object(), *content = json_object();
    ls_place end = fix->place;
    end.column += fix->length;
    json_object_set_new(region, "startLine", json_integer(fix->place.line));
    json_object_set_new(region, "startColumn", json_integer(ls_source_utf16_column(s->sources, &fix->place)));
    json_object_set_new(region, "endColumn", json_integer(ls_source_utf16_column(s->sources, &end)));
    json_object_set_new(content, "text", ls_json_text(fix->text));
    json_object_set_new(replacement, "deletedRegion", region);
    json_object_set_new(replacement, "insertedContent", content);
    json_object_set_new(change, "artifactLocation", artifact(s, fix->place.file));
    json_object_set_new(change, "replacements", json_pack("[o]", replacement));
    json_object_set_new(object, "description", text_message(fix->description));
    json_object_set_new(object, "artifactChanges", json_pack("[o]", change));
    return object;
}

static json_t *result_properties(const ls_finding *finding) {
    json_t *properties = json_object();
    json_object_set_new(properties, "kernel", ls_json_text(finding->kernel->demangled));
    json_object_set_new(properties, "count", json_integer((json_int_t)finding->count));
    json_t *witness = ls_json_witness(finding);
    if (witness) json_object_set_new(properties, "witness", witness);
    if (finding->detail) json_object_set_new(properties, "detail", ls_json_fields(finding->detail));
    return properties;
}

/* The message with the kernel, the witness and help. */
static json_t *result_message(const ls_finding *finding) {
    ls_buf text = {0};
    if (finding->kernel->is_host)
        ls_buf_printf(&text, "%s, in the host code", finding->message);
    else
        ls_buf_printf(&text, "%s, in kernel '%s'", finding->message, finding->kernel->demangled);
    if (finding->count > 1) ls_buf_printf(&text, " (%" PRIu64 " times)", finding->count);
    ls_buf_putc(&text, '.');
    for (const ls_actor *a = finding->story ? finding->story->actors : NULL; a; a = a->next) {
        ls_buf_puts(&text, "\n- ");
        ls_print_act(&text, finding, a);
        if (a->place.line) ls_buf_printf(&text, " at line %" PRIu32, a->place.line);
    }
    const ls_fields *values = finding->story ? finding->story->values : NULL;
    if (values) ls_buf_puts(&text, "\nWith ");
    if (values) ls_print_fields(&text, values);
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
    json_t *prints = json_object();
    json_object_set_new(prints, "primaryLocationLineHash", json_string(finding->fingerprint));
    json_object_set_new(result, "partialFingerprints", prints);
    if (finding->story && finding->story->actors)
        json_object_set_new(result, "codeFlows", json_pack("[o]", code_flow(s, finding)));
    if (finding->fix) json_object_set_new(result, "fixes", json_pack("[o]", fix_json(s, finding->fix)));
    set_suppression(result, finding);
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
    json_object_set_new(invocation, "exitCode", json_integer(ls_report_status(report, LS_FAIL_UNKNOWN)));
    json_object_set_new(invocation, "toolExecutionNotifications", notifications);
    return invocation;
}

void ls_print_sarif(ls_printer *printer) {
    sarif s = {.sources = printer->sources};
    ls_arena_init(&s.arena);
    ls_path_folder(s.root, sizeof s.root, printer->options->root);
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
    ls_arena_free(&s.arena);
}
