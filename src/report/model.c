/* The finding model: making a report, file by file and kernel by kernel, and joining findings that say the
 * same about the same lines. Texts and entries live in the report's arena and are freed with it. */
#include "report/model.h"

#include "base/vec.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Appends to a singly linked list whose links are called next. */
#define APPEND(T, list, item)                                                                                \
    do {                                                                                                     \
        T **end_ = &(list);                                                                                  \
        while (*end_) end_ = &(*end_)->next;                                                                 \
        *end_ = (item);                                                                                      \
    } while (0)

static void *take(ls_report *report, size_t size) {
    pthread_mutex_lock(&report->lock);
    void *memory = ls_arena_zalloc(&report->arena, size);
    pthread_mutex_unlock(&report->lock);
    return memory;
}

static const char *keep(ls_report *report, const char *text) {
    if (!text) return NULL;
    size_t size = strlen(text) + 1;
    return memcpy(take(report, size), text, size);
}

static const char *keep_format(ls_report *report, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    assert(length >= 0);
    char *text = take(report, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

#define KEEP_FORMAT(report, out)                                                                             \
    do {                                                                                                     \
        va_list args_;                                                                                       \
        va_start(args_, format);                                                                             \
        (out) = keep_format((report), format, args_);                                                        \
        va_end(args_);                                                                                       \
    } while (0)

static ls_place keep_place(ls_report *report, ls_place place) {
    place.file = keep(report, place.file);
    return place;
}

/* --- Rules and names ----------------------------------------------------------------------------------- */

static const ls_rule_info rules[] = {
#define RULE_ROW(id, name, level, title, help) {name, level, title, help},
    LS_RULES(RULE_ROW)
#undef RULE_ROW
};

const ls_rule_info *ls_rule_get(ls_rule rule) {
    assert(rule < LS_RULE_COUNT);
    return &rules[rule];
}

ls_rule ls_rule_find(const char *name) {
    for (int i = 0; i < LS_RULE_COUNT; i++)
        if (!strcmp(rules[i].name, name)) return (ls_rule)i;
    return LS_RULE_COUNT;
}

const char *ls_severity_name(ls_severity severity) {
    static const char *const names[] = {[LS_NOTE] = "note", [LS_WARNING] = "warning", [LS_ERROR] = "error"};
    return names[severity];
}

const char *ls_verdict_name(ls_verdict verdict) {
    static const char *const names[] = {
        [LS_NO_VERDICT] = "none", [LS_PROVED] = "proved", [LS_REFUTED] = "refuted", [LS_UNKNOWN] = "unknown"};
    return names[verdict];
}

const char *ls_version(void) {
    return LOCKSTEP_VERSION;
}

/* --- Files and kernels --------------------------------------------------------------------------------- */

ls_report *ls_report_new(const char *command) {
    ls_report *report = ls_xmalloc(sizeof *report);
    memset(report, 0, sizeof *report);
    ls_arena_init(&report->arena);
    pthread_mutex_init(&report->lock, NULL);
    report->command = keep(report, command ? command : "");
    return report;
}

void ls_report_free(ls_report *report) {
    if (!report) return;
    for (ls_report_file *file = report->files; file; file = file->next) ls_diags_free(file->diags);
    pthread_mutex_destroy(&report->lock);
    ls_arena_free(&report->arena);
    free(report);
}

const ls_report_file *ls_report_files(const ls_report *report) {
    return report->files;
}

ls_report_file *ls_report_add_file(ls_report *report, const char *path) {
    ls_report_file *file = take(report, sizeof *file);
    file->report = report;
    file->path = keep(report, path);
    file->diags = ls_diags_new();
    pthread_mutex_lock(&report->lock);
    APPEND(ls_report_file, report->files, file);
    pthread_mutex_unlock(&report->lock);
    return file;
}

ls_report_kernel *ls_report_add_kernel(ls_report_file *file, const char *name, const char *demangled) {
    ls_report *report = file->report;
    ls_report_kernel *kernel = take(report, sizeof *kernel);
    kernel->file = file;
    kernel->name = keep(report, name);
    kernel->demangled = demangled ? keep(report, demangled) : kernel->name;
    kernel->time_ms = -1;
    pthread_mutex_lock(&report->lock);
    APPEND(ls_report_kernel, file->kernels, kernel);
    pthread_mutex_unlock(&report->lock);
    return kernel;
}

void ls_report_place(ls_report_kernel *kernel, ls_place place) {
    kernel->place = keep_place(kernel->file->report, place);
}

void ls_report_launch(ls_report_kernel *kernel, const uint32_t block[3], const uint32_t grid[3],
                      const char *from) {
    if (block) memcpy(kernel->block, block, sizeof kernel->block);
    if (grid) memcpy(kernel->grid, grid, sizeof kernel->grid);
    kernel->launch_from = keep(kernel->file->report, from);
}

void ls_report_verdict(ls_report_kernel *kernel, ls_verdict verdict) {
    kernel->verdict = verdict;
}

void ls_report_scope(ls_report_kernel *kernel, const char *brief, const char *format, ...) {
    ls_report *report = kernel->file->report;
    ls_scope_item *item = take(report, sizeof *item);
    KEEP_FORMAT(report, item->text);
    item->brief = keep(report, brief);
    for (const ls_scope_item *other = kernel->scope; other; other = other->next)
        if (!strcmp(other->text, item->text)) return;
    APPEND(ls_scope_item, kernel->scope, item);
}

void ls_report_help(ls_report_kernel *kernel, const char *format, ...) {
    KEEP_FORMAT(kernel->file->report, kernel->help);
}

void ls_report_unknown(ls_report_kernel *kernel, ls_place place, const char *help, const char *format, ...) {
    ls_report *report = kernel->file->report;
    ls_reason *reason = take(report, sizeof *reason);
    reason->place = keep_place(report, place);
    reason->help = keep(report, help);
    KEEP_FORMAT(report, reason->message);
    APPEND(ls_reason, kernel->reasons, reason);
    if (kernel->verdict != LS_REFUTED) kernel->verdict = LS_UNKNOWN;
}

void ls_report_time(ls_report_kernel *kernel, double milliseconds) {
    kernel->time_ms = milliseconds;
}

/* --- Findings ------------------------------------------------------------------------------------------ */

ls_finding *ls_report_add(ls_report_kernel *kernel, ls_rule rule, ls_severity level, ls_place place,
                          const char *format, ...) {
    assert(rule < LS_RULE_COUNT);
    ls_report *report = kernel->file->report;
    ls_finding *finding = take(report, sizeof *finding);
    finding->kernel = kernel;
    finding->rule = rule;
    finding->level = level;
    finding->place = keep_place(report, place);
    finding->count = 1;
    KEEP_FORMAT(report, finding->message);
    finding->next = kernel->findings; /* newest first until ls_report_finish */
    kernel->findings = finding;
    return finding;
}

void ls_finding_relate(ls_finding *finding, ls_place place, const char *format, ...) {
    ls_report *report = finding->kernel->file->report;
    ls_related *related = take(report, sizeof *related);
    related->place = keep_place(report, place);
    KEEP_FORMAT(report, related->message);
    APPEND(ls_related, finding->related, related);
}

void ls_finding_count(ls_finding *finding, uint64_t count) {
    finding->count = count;
}

void ls_finding_help(ls_finding *finding, const char *format, ...) {
    KEEP_FORMAT(finding->kernel->file->report, finding->help);
}

static ls_fields *fields_new(ls_report *report, bool is_list) {
    ls_fields *fields = take(report, sizeof *fields);
    fields->report = report;
    fields->is_list = is_list;
    return fields;
}

ls_story *ls_finding_story(ls_finding *finding) {
    if (!finding->story) finding->story = take(finding->kernel->file->report, sizeof *finding->story);
    return finding->story;
}

void ls_story_actor(ls_finding *finding, const ls_actor *actor) {
    ls_report *report = finding->kernel->file->report;
    ls_actor *kept = take(report, sizeof *kept);
    *kept = *actor;
    kept->next = NULL;
    kept->does = keep(report, actor->does);
    kept->place = keep_place(report, actor->place);
    APPEND(ls_actor, ls_finding_story(finding)->actors, kept);
}

void ls_story_object(ls_finding *finding, const char *object, const char *element, uint64_t byte) {
    ls_story *story = ls_finding_story(finding);
    story->object = keep(finding->kernel->file->report, object);
    story->element = keep(finding->kernel->file->report, element);
    story->byte = byte;
    story->has_byte = true;
}

void ls_finding_value(ls_finding *finding, const char *name, int64_t value) {
    ls_story *story = ls_finding_story(finding);
    if (!story->values) story->values = fields_new(finding->kernel->file->report, false);
    ls_fields_int(story->values, name, value);
}

void ls_finding_fix(ls_finding *finding, const ls_fix *fix) {
    ls_report *report = finding->kernel->file->report;
    finding->fix = take(report, sizeof *finding->fix);
    *finding->fix = (ls_fix){keep(report, fix->description), keep_place(report, fix->place), fix->length,
                             keep(report, fix->text), fix->checked};
}

void ls_finding_suppress(ls_finding *finding, ls_suppression how, const char *reason) {
    finding->suppressed = how;
    finding->reason = keep(finding->kernel->file->report, reason);
}

void ls_story_confirmed(ls_finding *finding, const char *what) {
    ls_finding_story(finding)->confirmed = keep(finding->kernel->file->report, what);
}

/* --- Fields -------------------------------------------------------------------------------------------- */

ls_fields *ls_report_stats(ls_report_kernel *kernel) {
    if (!kernel->stats) kernel->stats = fields_new(kernel->file->report, false);
    return kernel->stats;
}

void ls_finding_key(ls_finding *finding, const char *format, ...) {
    KEEP_FORMAT(finding->kernel->file->report, finding->key);
}

ls_fields *ls_finding_witness(ls_finding *finding) {
    if (!finding->witness) finding->witness = fields_new(finding->kernel->file->report, false);
    return finding->witness;
}

ls_fields *ls_finding_detail(ls_finding *finding) {
    if (!finding->detail) finding->detail = fields_new(finding->kernel->file->report, false);
    return finding->detail;
}

static ls_field *field_at(ls_fields *fields, const char *key, ls_field_kind kind) {
    assert(fields->is_list || key);
    ls_field *field = NULL;
    if (!fields->is_list)
        for (field = fields->first; field && strcmp(field->key, key); field = field->next) {
        }
    if (!field) {
        field = take(fields->report, sizeof *field);
        field->key = fields->is_list ? NULL : keep(fields->report, key);
        if (fields->last)
            fields->last->next = field;
        else
            fields->first = field;
        fields->last = field;
    }
    field->kind = kind;
    return field;
}

void ls_fields_int(ls_fields *fields, const char *key, int64_t value) {
    field_at(fields, key, LS_FIELD_INT)->value.integer = value;
}

void ls_fields_uint(ls_fields *fields, const char *key, uint64_t value) {
    field_at(fields, key, LS_FIELD_UINT)->value.natural = value;
}

void ls_fields_real(ls_fields *fields, const char *key, double value) {
    field_at(fields, key, LS_FIELD_REAL)->value.real = value;
}

void ls_fields_bool(ls_fields *fields, const char *key, bool value) {
    field_at(fields, key, LS_FIELD_BOOL)->value.truth = value;
}

void ls_fields_text(ls_fields *fields, const char *key, const char *format, ...) {
    const char *text;
    KEEP_FORMAT(fields->report, text);
    field_at(fields, key, LS_FIELD_TEXT)->value.text = text;
}

ls_fields *ls_fields_object(ls_fields *fields, const char *key) {
    ls_field *field = field_at(fields, key, LS_FIELD_NEST);
    return field->value.nest = fields_new(fields->report, false);
}

ls_fields *ls_fields_list(ls_fields *fields, const char *key) {
    ls_field *field = field_at(fields, key, LS_FIELD_NEST);
    return field->value.nest = fields_new(fields->report, true);
}

/* --- The whole run ------------------------------------------------------------------------------------- */

static int compare_text(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_number(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int compare_lines(const ls_place *a, const ls_place *b) {
    int order = compare_text(a->file, b->file);
    return order ? order : compare_number(a->line, b->line);
}

/* By line, rule, key and the lines of related places: 0 for findings that are to be one. */
static int compare_keys(const ls_finding *a, const ls_finding *b) {
    int order = compare_lines(&a->place, &b->place);
    if (!order) order = compare_number(a->rule, b->rule);
    if (!order) order = compare_text(a->key, b->key);
    const ls_related *x = a->related, *y = b->related;
    for (; !order && x && y; x = x->next, y = y->next) order = compare_lines(&x->place, &y->place);
    return order ? order : !!x - !!y;
}

typedef struct {
    ls_finding *finding;
    uint32_t index;
} sort_item;

static int compare_items(const void *a, const void *b) {
    const sort_item *x = a, *y = b;
    int order = compare_keys(x->finding, y->finding);
    return order ? order : compare_number(x->index, y->index);
}

static void finish_kernel(ls_report_kernel *kernel) {
    LS_VEC(sort_item) items = {0};
    for (ls_finding *f = kernel->findings; f; f = f->next) LS_VEC_PUSH(&items, ((sort_item){f, 0}));
    if (!items.length) return;
    /* The list is newest first: the oldest gets the lowest index. */
    for (uint32_t i = 0; i < items.length; i++) items.items[i].index = items.length - i;
    qsort(items.items, items.length, sizeof *items.items, compare_items);
    ls_finding **end = &kernel->findings, *last = NULL;
    for (uint32_t i = 0; i < items.length; i++) {
        ls_finding *finding = items.items[i].finding;
        if (last && !compare_keys(last, finding)) {
            last->count += finding->count;
            if (finding->level > last->level) last->level = finding->level;
            continue;
        }
        *end = last = finding;
        end = &finding->next;
    }
    *end = NULL;
    LS_VEC_FREE(&items);
}

void ls_report_finish(ls_report *report) {
    for (ls_report_file *file = report->files; file; file = file->next)
        for (ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next) finish_kernel(kernel);
    ls_report_fingerprint(report);
}

ls_report_summary ls_report_summarize(const ls_report *report) {
    ls_report_summary sum = {0};
    for (const ls_report_file *file = report->files; file; file = file->next) {
        sum.files++;
        sum.diag_errors += ls_diags_errors(file->diags);
        for (const ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next) {
            sum.kernels++;
            sum.verdicts[kernel->verdict]++;
            bool counts = !kernel->findings;
            for (const ls_finding *f = kernel->findings; f; f = f->next) {
                sum.suppressed += f->suppressed != LS_NOT_SUPPRESSED;
                if (f->suppressed) continue;
                sum.levels[f->level]++;
                counts |= f->level == LS_ERROR;
            }
            sum.refuted += kernel->verdict == LS_REFUTED && counts;
        }
    }
    return sum;
}

int ls_report_status(const ls_report *report, ls_fail_on fail_on) {
    ls_report_summary sum = ls_report_summarize(report);
    if (sum.diag_errors) return 2;
    if (fail_on == LS_FAIL_NEVER) return 0;
    if (sum.levels[LS_ERROR] || sum.refuted) return 1;
    if (sum.levels[LS_WARNING] && fail_on != LS_FAIL_ERROR) return 1;
    return sum.verdicts[LS_UNKNOWN] && fail_on == LS_FAIL_UNKNOWN ? 3 : 0;
}
