/* Making a report, file by file and kernel by kernel, and joining findings that say the
 * same about the same lines. Texts and entries live in the report's arena and are freed with it. */
#include "report/model.h"
#include "base/recover.h"

#include "base/vec.h"
#include "report/library.h"
#include "report/opencl.h"
#include "report/same.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* --- Files and kernels --------------------------------------------------------------------------------- */

ls_report *ls_report_new(const char *command) {
    ls_report *report = ls_xmalloc(sizeof *report);
    memset(report, 0, sizeof *report);
    ls_store_init(&report->store);
    report->command = ls_store_text(&report->store, command ? command : "");
    return report;
}

void ls_report_free(ls_report *report) {
    if (!report) return;
    for (ls_report_file *file = report->files; file; file = file->next) ls_diags_free(file->diags);
    for (ls_report_lines *lines = report->lines; lines; lines = lines->next) ls_sources_free(lines->sources);
    ls_intmap_free(&report->in_opencl_words);
    ls_store_free(&report->store);
    free(report);
}

void ls_report_text(ls_report *report, const char *path, const char *file) {
    report->text_path = ls_store_text(&report->store, path);
    report->text_file = ls_store_text(&report->store, file);
}

static void leave_folder_out(const ls_report *report, ls_place *place) {
    if (place->file) place->file = ls_path_below(place->file, report->text_folder);
}

void ls_report_text_folder(ls_report *report, const char *folder) {
    char *with_slash = ls_store_take(&report->store, strlen(folder) + 2);
    sprintf(with_slash, "%s/", folder);
    report->text_folder = with_slash;
    for (ls_report_file *file = report->files; file; file = file->next)
        for (ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next)
            for (ls_finding *f = kernel->findings; f; f = f->next) {
                leave_folder_out(report, &f->place);
                for (ls_related *r = f->related; r; r = r->next) leave_folder_out(report, &r->place);
                for (ls_actor *a = f->story ? f->story->actors : NULL; a; a = a->next)
                    leave_folder_out(report, &a->place);
            }
}

ls_sources *ls_report_sources(const ls_report *report, const ls_source_roots *roots) {
    ls_sources *sources = ls_sources_new(roots);
    if (report->text_path) ls_sources_stand_in(sources, report->text_path, report->text_file);
    if (report->text_folder) ls_sources_stand_in_folder(sources, report->text_folder);
    return sources;
}

ls_sources *ls_report_shared_sources(ls_report *report, const ls_source_roots *roots) {
    pthread_mutex_lock(&report->store.lock);
    ls_report_lines *lines = report->lines;
    while (lines && lines->roots != roots) lines = lines->next;
    pthread_mutex_unlock(&report->store.lock);
    if (lines) return lines->sources;
    lines = ls_store_take(&report->store, sizeof *lines);
    *lines = (ls_report_lines){.roots = roots, .sources = ls_report_sources(report, roots)};
    pthread_mutex_lock(&report->store.lock); /* where two came at once, both stay */
    lines->next = report->lines;
    report->lines = lines;
    pthread_mutex_unlock(&report->store.lock);
    return lines->sources;
}

const ls_report_file *ls_report_files(const ls_report *report) {
    return report->files;
}

void ls_report_freeze(ls_report *report, const char *why) {
    pthread_mutex_lock(&report->store.lock);         /* for good: threads that add something wait here */
    nanosleep(&(struct timespec){0, 5000000}, NULL); /* who has been given its memory has put it in place */
    for (ls_report_file *file = report->files; file; file = file->next) {
        if (file->done) continue;
        for (ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next)
            if (kernel->verdict == LS_NO_VERDICT) ls_report_unknown(kernel, (ls_place){0}, NULL, "%s", why);
        ls_diags_add(file->diags, LS_WARNING, file->path, 0, 0, "not everything was done: %s", why);
    }
}

ls_report_file *ls_report_add_file(ls_report *report, const char *path) {
    ls_report_file *file = ls_store_take(&report->store, sizeof *file);
    file->report = report;
    file->path = ls_store_text(&report->store, path);
    file->diags = ls_diags_new();
    ls_lock(&report->store.lock);
    *(report->files ? &report->last_file->next : &report->files) = file;
    report->last_file = file;
    ls_unlock(&report->store.lock);
    return file;
}

ls_report_kernel *ls_report_add_kernel(ls_report_file *file, const char *name, const char *demangled) {
    ls_report *report = file->report;
    ls_report_kernel *kernel = ls_store_take(&report->store, sizeof *kernel);
    kernel->file = file;
    kernel->name = ls_store_text(&report->store, name);
    kernel->demangled = demangled ? ls_store_text(&report->store, demangled) : kernel->name;
    kernel->time_ms = -1;
    ls_lock(&report->store.lock);
    *(file->kernels ? &file->last_kernel->next : &file->kernels) = kernel; /* there may be many */
    file->last_kernel = kernel;
    ls_unlock(&report->store.lock);
    return kernel;
}

void ls_report_place(ls_report_kernel *kernel, ls_place place) {
    kernel->place = ls_store_place(&kernel->file->report->store, place);
}

void ls_report_launch(ls_report_kernel *kernel, const uint32_t block[3], const uint32_t grid[3],
                      const char *from) {
    if (block) memcpy(kernel->block, block, sizeof kernel->block);
    if (grid) memcpy(kernel->grid, grid, sizeof kernel->grid);
    kernel->launch_from = ls_store_text(&kernel->file->report->store, from);
}

void ls_report_runs(ls_report_kernel *kernel, const char *runs) {
    kernel->runs = ls_store_text(&kernel->file->report->store, runs);
}

ls_report_kernel *ls_report_add_host(ls_report_file *file) {
    ls_report_kernel *host = ls_report_add_kernel(file, "host code", NULL);
    host->is_host = true;
    return host;
}

void ls_report_key(ls_report_kernel *kernel, const char *key, bool is_known) {
    kernel->key = ls_store_text(&kernel->file->report->store, key);
    kernel->is_known = is_known;
}

void ls_report_verdict(ls_report_kernel *kernel, ls_verdict verdict) {
    kernel->verdict = verdict;
}

void ls_report_doubt(ls_report_kernel *kernel) {
    kernel->verdict = LS_UNKNOWN;
    for (ls_finding *f = kernel->findings; f; f = f->next) f->level = LS_NOTE;
    kernel->reasons = NULL;
}

void ls_report_contract(ls_report_kernel *kernel, const char *condition, bool accepted) {
    ls_report_doubt(kernel);
    kernel->verdict = LS_PROVED_IF;
    kernel->contract = ls_store_text(&kernel->file->report->store, condition);
    kernel->contract_accepted = accepted;
}

void ls_report_scope(ls_report_kernel *kernel, const char *brief, const char *format, ...) {
    ls_report *report = kernel->file->report;
    ls_scope_item *item = ls_store_take(&report->store, sizeof *item);
    LS_STORE_FORMAT(&report->store, item->text);
    item->brief = ls_store_text(&report->store, brief);
    for (const ls_scope_item *other = kernel->scope; other; other = other->next)
        if (!strcmp(other->text, item->text)) return;
    LS_APPEND(ls_scope_item, kernel->scope, item);
}

void ls_report_help(ls_report_kernel *kernel, const char *format, ...) {
    LS_STORE_FORMAT(&kernel->file->report->store, kernel->help);
}

void ls_report_unknown(ls_report_kernel *kernel, ls_place place, const char *help, const char *format, ...) {
    ls_report *report = kernel->file->report;
    ls_reason *reason = ls_store_take(&report->store, sizeof *reason);
    reason->place = ls_store_place(&report->store, place);
    reason->help = ls_store_text(&report->store, help);
    LS_STORE_FORMAT(&report->store, reason->message);
    LS_APPEND(ls_reason, kernel->reasons, reason);
    if (kernel->verdict != LS_REFUTED) kernel->verdict = LS_UNKNOWN;
}

void ls_report_line(ls_report_kernel *kernel, ls_place place, uint64_t warp_instructions,
                    uint64_t lane_instructions) {
    ls_store *store = &kernel->file->report->store;
    ls_hot_line *line = ls_store_take(store, sizeof *line);
    *line = (ls_hot_line){kernel->lines, ls_store_place(store, place), warp_instructions, lane_instructions};
    kernel->lines = line;
}

void ls_report_time(ls_report_kernel *kernel, double milliseconds) {
    kernel->time_ms = milliseconds;
}

/* --- Findings ------------------------------------------------------------------------------------------ */

ls_finding *ls_report_put(ls_report_kernel *kernel, ls_finding *finding) {
    finding->kernel = kernel;
    finding->next = kernel->findings; /* newest first until ls_report_finish */
    kernel->findings = finding;
    return finding;
}

ls_finding *ls_report_add(ls_report_kernel *kernel, ls_rule rule, ls_severity level, ls_place place,
                          const char *format, ...) {
    ls_report *report = kernel->file->report;
    ls_finding *finding = ls_finding_new(&report->store, rule, level, place, NULL);
    LS_STORE_FORMAT(&report->store, finding->message);
    return ls_report_put(kernel, finding);
}

ls_finding *ls_report_take(ls_report_kernel *kernel, const ls_finding *from) {
    return ls_report_put(kernel, ls_finding_copy(&kernel->file->report->store, from));
}

ls_finding *ls_report_take_aside(ls_report_kernel *kernel, const ls_finding *from) {
    ls_finding *taken = ls_finding_copy(&kernel->file->report->store, from);
    taken->kernel = kernel;
    return taken;
}

ls_fields *ls_report_stats(ls_report_kernel *kernel) {
    if (!kernel->stats) kernel->stats = ls_fields_new(&kernel->file->report->store, false);
    return kernel->stats;
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

/* Errors first, then warnings and notes; those of a level stay in their order. */
static void sort_by_level(ls_report_kernel *kernel) {
    ls_finding *first[LS_ERROR + 1] = {NULL}, **end[LS_ERROR + 1], **last = &kernel->findings;
    for (int level = 0; level <= LS_ERROR; level++) end[level] = &first[level];
    for (ls_finding *f = kernel->findings; f; f = f->next) {
        *end[f->level] = f;
        end[f->level] = &f->next;
    }
    for (int level = LS_ERROR; level >= 0; level--) {
        *end[level] = NULL;
        if (!first[level]) continue;
        *last = first[level];
        last = end[level];
    }
}

static void finish_kernel(ls_report_kernel *kernel) {
    LS_VEC(sort_item) items = {0};
    for (ls_finding *f = kernel->findings; f; f = f->next) ls_tell_same(f);
    ls_tell_at_user(kernel);
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
            LS_APPEND(ls_finding, last->same, finding->same);
            if (finding->level > last->level) last->level = finding->level;
            continue;
        }
        *end = last = finding;
        end = &finding->next;
    }
    *end = NULL;
    LS_VEC_FREE(&items);
    sort_by_level(kernel);
}

void ls_report_finish(ls_report *report) {
    for (ls_report_file *file = report->files; file; file = file->next)
        for (ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next) {
            finish_kernel(kernel);
            if (kernel->opencl) ls_say_in_opencl_words(kernel);
        }
    ls_report_fingerprint(report);
}

/* The launches of a kernel stand one behind the other. */
static uint32_t count_names(const ls_report_file *file) {
    uint32_t count = 0;
    const ls_report_kernel *before = NULL;
    for (const ls_report_kernel *kernel = file->kernels; kernel; before = kernel, kernel = kernel->next)
        count += !kernel->is_host && (!before || strcmp(before->demangled, kernel->demangled) != 0);
    return count;
}

ls_report_summary ls_report_summarize(const ls_report *report) {
    ls_report_summary sum = {0};
    for (const ls_report_file *file = report->files; file; file = file->next) {
        sum.files++;
        sum.diag_errors += ls_diags_errors(file->diags);
        sum.names += count_names(file);
        for (const ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next) {
            sum.kernels += !kernel->is_host;
            sum.hosts += kernel->is_host;
            sum.verdicts[kernel->verdict]++;
            sum.open_contracts += kernel->contract && !kernel->contract_accepted;
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
    return (sum.verdicts[LS_UNKNOWN] || sum.open_contracts) && fail_on == LS_FAIL_UNKNOWN ? 3 : 0;
}
