/* Changes that mend a finding, and are told only after they were tried (--suggest). Two kinds:
 *   - a barrier: after a statement between the two accesses of a race, or, as a loop may bring the threads
 *     back, after the later or before the earlier one;
 *   - a row of a shared array that is one element longer, against bank conflicts.
 * A change is tried on a copy of the text, from the compiler on, with the same options. It counts where the
 * kernel is proved with it, or where what was found is gone, nothing new is there and nothing is unknown. */
#include "cli/mend.h"

#include "base/confine.h"
#include "base/scratch.h"
#include "base/vec.h"
#include "report/model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 6, MOST_FINDINGS = 8, TRIAL_SECONDS = 5, MOST_SECONDS = 60 };

typedef struct {
    const ls_cli_job *job;
    void (*look)(const ls_cli_job *job);
    ls_arena arena;
    ls_buf text;
    LS_VEC(size_t) lines; /* where each starts, and the end of the text */
    char *folder;         /* for the texts of trials that are made here */
    ls_trials *trials;    /* or who makes them */
    bool opencl;
} mending;

/* --- The text ------------------------------------------------------------------------------------------ */

static bool read_text(mending *m) {
    const char *text = m->job->common->text;
    if (!ls_read_file(text ? text : m->job->path, &m->text)) return false;
    LS_VEC_PUSH(&m->lines, 0);
    for (size_t i = 0; i < m->text.length; i++)
        if (m->text.text[i] == '\n') LS_VEC_PUSH(&m->lines, i + 1);
    if (m->lines.items[m->lines.length - 1] != m->text.length) LS_VEC_PUSH(&m->lines, m->text.length);
    return true;
}

static uint32_t line_count(const mending *m) {
    return m->lines.length - 1;
}

/* A line (from 1) without comments, blanks around it, and its end. */
static const char *code_of(const mending *m, uint32_t line, size_t *length) {
    const char *start = m->text.text + m->lines.items[line - 1], *end = m->text.text + m->lines.items[line];
    const char *comment = memmem(start, (size_t)(end - start), "//", 2);
    if (comment) end = comment;
    while (start < end && isspace((unsigned char)*start)) start++;
    while (end > start && isspace((unsigned char)end[-1])) end--;
    *length = (size_t)(end - start);
    return start;
}

/* Whether a statement can be put behind the line. */
static bool ends_statement(const mending *m, uint32_t line) {
    if (line < 1 || line >= line_count(m)) return false;
    size_t length, next_length;
    const char *code = code_of(m, line, &length), *next = code_of(m, line + 1, &next_length);
    if (!length || !strchr(";{}", code[length - 1])) return false;
    bool is_else = next_length >= 4 && !strncmp(next, "else", 4);
    return !is_else && !(length >= 8 && !strncmp(code, "#", 1));
}

static int depth_change(const char *code, size_t length) {
    int change = 0;
    for (size_t i = 0; i < length; i++) change += (code[i] == '{') - (code[i] == '}');
    return change;
}

/* The blanks that the line behind starts with, or this one where that closes a block. */
static const char *indent_for(mending *m, uint32_t line) {
    size_t length;
    const char *next = code_of(m, line + 1, &length);
    uint32_t like = length && *next != '}' && *next != '#' ? line + 1 : line;
    const char *start = m->text.text + m->lines.items[like - 1];
    return ls_arena_strndup(&m->arena, start, strspn(start, " \t"));
}

/* --- Trials -------------------------------------------------------------------------------------------- */

typedef struct {
    ls_verdict verdict;                   /* PROVED only where every launch of it is */
    bool is_unknown;                      /* some reason for not knowing */
    uint32_t errors, warnings, conflicts; /* conflicts: of the object that was asked for */
    bool compiled;
} outcome;

static const char *field_text(const ls_fields *fields, const char *key) {
    for (const ls_field *f = fields ? fields->first : NULL; f; f = f->next)
        if (f->key && !strcmp(f->key, key) && f->kind == LS_FIELD_TEXT) return f->value.text;
    return NULL;
}

static bool is_conflict_of(const ls_finding *f, const char *object) {
    const char *of = field_text(f->detail, "object");
    return f->rule == LS_RULE_BANK_CONFLICT && f->level != LS_NOTE && of && object && !strcmp(of, object);
}

static outcome judge(const ls_report_file *file, const char *kernel, const char *object) {
    outcome o = {.compiled = !ls_diags_errors(file->diags)};
    bool any = false;
    for (const ls_report_kernel *k = file->kernels; k; k = k->next) {
        if (strcmp(k->name, kernel)) continue;
        o.verdict = any && o.verdict != k->verdict ? LS_REFUTED : k->verdict;
        any = true;
        o.is_unknown |= k->reasons || k->verdict == LS_UNKNOWN;
        for (const ls_finding *f = k->findings; f; f = f->next) {
            o.errors += f->level == LS_ERROR;
            o.warnings += f->level == LS_WARNING;
            o.conflicts += is_conflict_of(f, object);
        }
    }
    o.compiled &= any;
    return o;
}

static ls_buf changed_text(const mending *m, const ls_fix *fix) {
    size_t at = m->lines.items[fix->place.line - 1] + fix->place.column - 1;
    ls_buf text = {0};
    ls_buf_add(&text, m->text.text, at);
    ls_buf_puts(&text, fix->text);
    ls_buf_add(&text, m->text.text + at + fix->length, m->text.length - at - fix->length);
    return text;
}

/* The options of a trial: the same look, at one kernel of one text, without what is not asked for. */
static ls_verification_cli trial_options(const ls_common *common, const char *text, const char **kernel) {
    ls_verification_cli options = *(const ls_verification_cli *)common;
    options.suggest = options.stats = false;
    options.known_keys = NULL;
    options.known = NULL;
    options.no_replay = true;
    options.common.text = text;
    options.common.kernels = (ls_list){kernel, 1, 1};
    if (options.common.timeout > TRIAL_SECONDS || options.common.timeout <= 0)
        options.common.timeout = TRIAL_SECONDS;
    return options;
}

static outcome look_at(ls_cli *cli, const ls_verification_cli *options, const ls_trial *trial,
                       void (*look)(const ls_cli_job *job)) {
    ls_report *report = ls_report_new("check");
    ls_report_text(report, trial->path, options->common.text);
    ls_cli_job job = {cli, &options->common, trial->path, ls_report_add_file(report, trial->path)};
    look(&job);
    outcome result = judge(job.file, trial->kernel, *trial->object ? trial->object : NULL);
    ls_report_free(report);
    return result;
}

static outcome try_here(mending *m, const ls_trial *trial) {
    const char *path = ls_arena_printf(&m->arena, "%s/text", m->folder);
    const char *kernel = trial->kernel;
    if (!ls_write_file(path, trial->text, trial->length)) return (outcome){0};
    ls_verification_cli options = trial_options(m->job->common, path, &kernel);
    return look_at(m->job->cli, &options, trial, m->look);
}

/* What the same look at the changed text gives. */
static outcome try_change(mending *m, const ls_fix *fix, const char *kernel, const char *object) {
    outcome result = {0};
    ls_buf text = changed_text(m, fix);
    ls_trial trial = {m->job->path, kernel, object ? object : "", text.text, text.length};
    if (m->trials)
        ls_trials_ask(m->trials, &trial, &result);
    else
        result = try_here(m, &trial);
    ls_buf_free(&text);
    return result;
}

/* --- Trials of a process that is sealed ---------------------------------------------------------------- */

typedef struct {
    ls_cli *cli;
    const ls_verification_cli *options;
    void (*look)(const ls_cli_job *job);
} sealed_trials;

/* In a process of its own. */
static void make_trial(void *context, const ls_trial *trial, const char *text, void *out) {
    const sealed_trials *t = context;
    const char *path = trial->path, *kernel = trial->kernel;
    ls_verification_cli options = trial_options(&t->options->common, text, &kernel);
    options.trials = NULL;
    options.common.operands = (ls_list){&path, 1, 1};
    if (ls_verification_ready(t->cli, &options) != LS_EXIT_CLEAN) return;
    ls_frontend_options how = t->cli->command->compiles(&options);
    options.common.prepared = ls_input_prepare(&options.common, &how, &t->cli->arena);
    if (ls_confine_seal()) *(outcome *)out = look_at(t->cli, &options, trial, t->look);
}

void ls_mend_before_seal(ls_cli *cli, ls_verification_cli *options, uint64_t bytes,
                         void (*look)(const ls_cli_job *job)) {
    if (!options->suggest) return;
    sealed_trials *context = LS_NEW(&cli->arena, sealed_trials);
    *context = (sealed_trials){cli, options, look};
    ls_trials_options *how = LS_NEW(&cli->arena, ls_trials_options);
    *how = (ls_trials_options){make_trial, context, sizeof(outcome), bytes, MOST_SECONDS};
    options->trials = ls_trials_start(how, &cli->arena);
}

/* --- Barriers ------------------------------------------------------------------------------------------ */

typedef struct {
    uint32_t lines[MOST_TRIES]; /* to put it behind */
    uint32_t count;
} behind_lines;

static void add_line(const mending *m, behind_lines *to, uint32_t line) {
    if (to->count == MOST_TRIES || !ends_statement(m, line)) return;
    for (uint32_t i = 0; i < to->count; i++)
        if (to->lines[i] == line) return;
    to->lines[to->count++] = line;
}

/* How many more braces are open behind `line` than behind `from`. */
static int depth_between(const mending *m, uint32_t from, uint32_t line) {
    int depth = 0;
    for (uint32_t k = from + 1; k <= line; k++) {
        size_t length;
        const char *code = code_of(m, k, &length);
        depth += depth_change(code, length);
    }
    return depth;
}

static behind_lines barrier_places(const mending *m, uint32_t first, uint32_t second) {
    behind_lines places = {.count = 0};
    for (int inner = 0; inner < 2; inner++) /* outside of loops first: there it costs least */
        for (uint32_t line = second - 1; line >= first && line + 16 >= second; line--)
            if (places.count < 4 && (depth_between(m, first, line) > 0) == inner) add_line(m, &places, line);
    int depth = 0; /* behind the later one, up to where its block ends */
    for (uint32_t line = second; line <= line_count(m) && line < second + 8 && depth >= 0; line++) {
        size_t length;
        const char *code = code_of(m, line, &length);
        depth += depth_change(code, length);
        if (depth == 0) add_line(m, &places, line);
    }
    add_line(m, &places, first - 1);
    if (first < second) add_line(m, &places, first);
    return places;
}

/* A race of two threads of one block, with both lines in this file: those lines in order. */
static bool lines_of_race(const mending *m, const ls_finding *f, uint32_t *first, uint32_t *second) {
    const ls_actor *a = f->story ? f->story->actors : NULL, *b = a ? a->next : NULL;
    bool race = f->rule == LS_RULE_RACE_SHARED || f->rule == LS_RULE_RACE_GLOBAL;
    if (!race || f->level == LS_NOTE || !b || memcmp(a->block, b->block, sizeof a->block)) return false;
    const char *path = m->job->path;
    if (!a->place.file || !b->place.file || strcmp(a->place.file, path) || strcmp(b->place.file, path))
        return false;
    *first = a->place.line < b->place.line ? a->place.line : b->place.line;
    *second = a->place.line < b->place.line ? b->place.line : a->place.line;
    return *first > 0 && *second <= line_count(m);
}

static void mend_race(mending *m, ls_finding *f, const outcome *before) {
    uint32_t first, second;
    if (!lines_of_race(m, f, &first, &second)) return;
    const char *barrier = !m->opencl                       ? "__syncthreads()"
                          : f->rule == LS_RULE_RACE_SHARED ? "barrier(CLK_LOCAL_MEM_FENCE)"
                                                           : "barrier(CLK_GLOBAL_MEM_FENCE)";
    behind_lines places = barrier_places(m, first, second);
    for (uint32_t i = 0; i < places.count; i++) {
        uint32_t line = places.lines[i];
        const char *text = ls_arena_printf(&m->arena, "%s%s;\n", indent_for(m, line), barrier);
        ls_fix fix = {.place = {m->job->path, line + 1, 1}, .text = text, .checked = true};
        outcome after = try_change(m, &fix, f->kernel->name, NULL);
        bool proved = after.compiled && after.verdict == LS_PROVED && !after.errors;
        bool better = after.compiled && !after.is_unknown && after.errors < before->errors;
        if (!proved && !better) continue;
        fix.description = ls_arena_printf(&m->arena,
                                          proved ? "with a `%s` after line %u the kernel is proved"
                                                 : "a `%s` after line %u fixes this; other findings remain",
                                          barrier, line);
        ls_finding_fix(f, &fix);
        return;
    }
}

/* --- Rows ---------------------------------------------------------------------------------------------- */

/* The end of "[…][…]…" at text; NULL where there are not two of them. Nothing but names, numbers and signs
 * stands in them. */
static const char *last_bracket(const char *text, const char *end) {
    const char *last = NULL;
    int count = 0;
    while (text < end && *text == '[') {
        const char *close = memchr(text, ']', (size_t)(end - text));
        if (!close || memchr(text + 1, '[', (size_t)(close - text - 1))) return NULL;
        last = close;
        count++;
        for (text = close + 1; text < end && *text == ' ';) text++;
    }
    return count >= 2 ? last : NULL;
}

/* Where the row's length of the shared array ends, in a declaration at or above the line. */
static bool row_end(const mending *m, const char *object, uint32_t above, uint32_t *line, uint32_t *column) {
    size_t size = strlen(object);
    for (*line = above; *line >= 1; --*line) {
        size_t length;
        const char *code = code_of(m, *line, &length), *end = code + length;
        if (!memmem(code, length, "__shared__", 10) && !memmem(code, length, "local ", 6)) continue;
        for (const char *at = code; (at = memmem(at, (size_t)(end - at), object, size)); at += size) {
            bool starts = at == code || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
            const char *close = starts ? last_bracket(at + size, end) : NULL;
            if (!close) continue;
            *column = (uint32_t)(close - (m->text.text + m->lines.items[*line - 1])) + 1;
            return true;
        }
    }
    return false;
}

static void mend_conflict(mending *m, ls_finding *f, const outcome *before) {
    const char *object = field_text(f->detail, "object");
    uint32_t line, column;
    if (!is_conflict_of(f, object) || f->place.line > line_count(m) || strcmp(f->place.file, m->job->path) ||
        !row_end(m, object, f->place.line, &line, &column))
        return;
    ls_fix fix = {.place = {m->job->path, line, column}, .text = " + 1", .checked = true};
    outcome after = try_change(m, &fix, f->kernel->name, object);
    if (!after.compiled || after.conflicts || after.verdict != before->verdict ||
        after.errors != before->errors || after.warnings >= before->warnings)
        return;
    fix.description = ls_arena_printf(
        &m->arena, "with rows of '%s' that are one element longer (line %u) there is no bank conflict",
        object, line);
    ls_finding_fix(f, &fix);
}

/* --- All ----------------------------------------------------------------------------------------------- */

static void mend_file(mending *m) {
    uint32_t count = 0;
    for (ls_report_kernel *k = m->job->file->kernels; k; k = k->next)
        for (ls_finding *f = k->findings; f && count < MOST_FINDINGS; f = f->next) {
            if (!f->place.file || !f->place.line) continue;
            outcome before = judge(m->job->file, k->name, NULL);
            if (f->rule == LS_RULE_BANK_CONFLICT)
                mend_conflict(m, f, &before);
            else
                mend_race(m, f, &before);
            count += f->level != LS_NOTE;
        }
}

void ls_mend(const ls_cli_job *job, void (*look)(const ls_cli_job *job)) {
    const ls_verification_cli *o = (const ls_verification_cli *)job->common;
    if (!o->suggest || ls_diags_errors(job->file->diags)) return;
    mending m = {.job = job, .look = look, .trials = o->trials};
    if (!m.trials) m.folder = ls_scratch_make();
    ls_arena_init(&m.arena);
    size_t length = strlen(job->path);
    m.opencl = length > 3 && !strcmp(job->path + length - 3, ".cl");
    bool source = m.opencl || (length > 3 && !strcmp(job->path + length - 3, ".cu"));
    if ((m.folder || m.trials) && source && read_text(&m)) mend_file(&m);
    ls_scratch_remove(m.folder);
    LS_VEC_FREE(&m.lines);
    ls_buf_free(&m.text);
    ls_arena_free(&m.arena);
}
