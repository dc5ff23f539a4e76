/* lockstep model: the papers' own languages, executable. Files are told apart by their ending; *.kernel is
 * the kernel language of paper 000 (include/lockstep/model.h), explored exhaustively by interleaving and in
 * lock-step; *.simd is the µ-SIMD of paper 003 (model_simd.c). --random checks Theorem 5.2 of paper 000 on
 * random kernels. */
#include "cli/model_simd.h"

#include "base/clock.h"
#include "base/guard.h"
#include "base/pool.h"
#include "lockstep/model.h"
#include "report/print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ls_common common;
    uint32_t threads, max_states, count;
    int semantics, print;
    const char *random;
    bool trace, exhaustive;
} model_options;

#define FIELD(name) offsetof(model_options, name)

enum { BOTH, INTERLEAVING, LOCKSTEP, PREDICATED };
enum { PRINT_NOTHING, PRINT_KERNEL, PRINT_SORT_ORDER, PRINT_PREDICATED, PRINT_LOCKSTEP, PRINT_SIMD };
#define PRINT_WORDS "nothing|kernel|sort-order|predicated|lockstep|program|ptx|gated|divergence|dependences"

static const ls_option options[] = {
    {LS_OPT_NUMBER, "threads", 't', FIELD(threads), "N", "0",
     "number of threads: 1 to 16, for .simd files 1 to 32 (0: what the file says, else 2, for .simd files "
     "4)"},
    {LS_OPT_CHOICE, "semantics", 0, FIELD(semantics), "both|interleaving|lockstep|predicated", "both",
     "explore interleaved threads, the lock-step program, both, or interleaved predicated threads"},
    {LS_OPT_CHOICE, "print", 0, FIELD(print), PRINT_WORDS, "nothing",
     "print this instead of exploring (kernel, sort-order, predicated, lockstep) or running (the other "
     "words: "
     ".simd)"},
    {LS_OPT_NUMBER, "max-states", 0, FIELD(max_states), "N", "2000000",
     "give up after N states (.simd: cycles)"},
    {LS_OPT_SECONDS, "timeout", 0, LS_COMMON(timeout), "S", "60",
     "CPU time for each semantics of a kernel; for the run of a .simd program in the emulator (0: any)"},
    {LS_OPT_FLAG, "exhaustive", 0, FIELD(exhaustive), NULL, NULL,
     "interleave every single step, even where the order makes no difference"},
    {LS_OPT_FLAG, "trace", 0, FIELD(trace), NULL, NULL,
     "show how each finding comes about, step by step (text only); .simd: show which PEs execute what in "
     "each cycle"},
    {LS_OPT_HEADING, .help = "Self-check"},
    {LS_OPT_TEXT, "random", 0, FIELD(random), "SEED", NULL,
     "instead of files: random kernels, on which both semantics must agree"},
    {LS_OPT_NUMBER, "count", 0, FIELD(count), "N", "1",
     "how many random kernels, with seeds SEED, SEED+1, …"},
    LS_RUN_OPTIONS,
    LS_REPORT_OPTIONS,
    {LS_OPT_END}};

/* ---- One kernel ---------------------------------------------------------------------------------------- */

static const char *const semantics_names[] = {[LS_MODEL_INTERLEAVING] = "interleaving",
                                              [LS_MODEL_PREDICATED] = "predicated",
                                              [LS_MODEL_LOCKSTEP] = "lock-step"};

static void add_step(ls_fields *fields, const ls_model_place *step) {
    if (step->thread >= 0)
        ls_fields_int(fields, "thread", step->thread);
    else
        ls_fields_text(fields, "thread", "all");
    if (step->block) ls_fields_text(fields, "block", "%s", step->block);
    if (step->line) ls_fields_uint(fields, "line", step->line);
    ls_fields_text(fields, "statement", "%s", step->text);
    if (step->effect) ls_fields_text(fields, "effect", "%s", step->effect);
}

static void add_witness(ls_finding *to, const ls_model_finding *from, const model_options *o) {
    ls_fields *witness = ls_finding_witness(to);
    if (from->place.thread >= 0) ls_fields_int(witness, "thread", from->place.thread);
    if (from->other.text && from->other.thread >= 0)
        ls_fields_int(witness, "other_thread", from->other.thread);
    if (from->initial[0]) ls_fields_text(witness, "initially", "%s", from->initial);
    ls_fields_uint(witness, "steps", from->trace_length);
    if (o->common.format == LS_FORMAT_TEXT) {
        for (uint32_t i = 0; i < from->trace_length && o->trace; i++) {
            char number[16];
            snprintf(number, sizeof number, "%3u", i + 1);
            add_step(ls_fields_object(witness, number), &from->trace[i]);
        }
    } else {
        ls_fields *trace = ls_fields_list(witness, "trace");
        for (uint32_t i = 0; i < from->trace_length; i++)
            add_step(ls_fields_object(trace, NULL), &from->trace[i]);
    }
}

static ls_place place_in(const ls_cli_job *job, const ls_model_place *place) {
    return place->line ? (ls_place){job->path, place->line, place->column} : (ls_place){0};
}

static void add_finding(const ls_cli_job *job, ls_report_kernel *kernel, const ls_model_finding *from,
                        const char *semantics) {
    ls_finding *to = ls_report_add(kernel, ls_rule_find(from->rule), LS_ERROR, place_in(job, &from->place),
                                   "%s", from->message);
    ls_finding_count(to, from->count);
    ls_fields_text(ls_finding_detail(to), "semantics", "%s", semantics);
    if (from->variable) ls_fields_text(ls_finding_detail(to), "variable", "%s", from->variable);
    if (from->variable && from->array) ls_fields_uint(ls_finding_detail(to), "index", from->index);
    if (from->other.line &&
        (from->other.line != from->place.line || from->other.column != from->place.column))
        ls_finding_relate(to, place_in(job, &from->other), "thread %d is at: %s", from->other.thread,
                          from->other.text);
    add_witness(to, from, (const model_options *)job->common);
}

static bool same_line(const ls_model_finding *a, const ls_model_finding *b) {
    if (strcmp(a->rule, b->rule) != 0) return false;
    if (strcmp(a->rule, "barrier.divergence") == 0 || strcmp(a->rule, "termination") == 0) return true;
    bool same = a->place.line == b->place.line && a->other.line == b->other.line;
    return same || (a->place.line == b->other.line && a->other.line == b->place.line);
}

/* Findings of the second result only where the first has none of the kind on the same lines. */
static void add_findings(const ls_cli_job *job, ls_report_kernel *kernel, const ls_model_result *result,
                         const ls_model_result *before, const char *semantics) {
    for (uint32_t i = 0; i < result->finding_count; i++) {
        bool known = false;
        for (uint32_t k = 0; before && k < before->finding_count; k++)
            known |= same_line(&result->findings[i], &before->findings[k]);
        if (!known) add_finding(job, kernel, &result->findings[i], semantics);
    }
}

static ls_model_result *explore(const ls_cli_job *job, ls_report_kernel *kernel, const ls_model *model,
                                ls_model_semantics semantics, const ls_model_result *before) {
    const model_options *o = (const model_options *)job->common;
    ls_model_options how = {.max_states = o->max_states,
                            .exhaustive = o->exhaustive,
                            .timeout = o->common.timeout,
                            .cancel = ls_guard_flag()};
    double start = ls_clock_ms(LS_CLOCK_WALL);
    ls_model_result *r = ls_model_explore(model, semantics, &how);
    const char *name = semantics_names[semantics];
    add_findings(job, kernel, r, before, name);
    ls_report_scope(kernel, NULL,
                    "%s: %" PRIu64 " states, %" PRIu64 " steps from %" PRIu64 " initial stores, %" PRIu64
                    " final stores%s",
                    name, r->states, r->steps, r->initial_stores, r->final_stores,
                    r->unknown ? ", not all explored" : "");
    if (r->verdict == LS_MODEL_CORRECT && r->final_stores == 0)
        ls_report_scope(kernel, NULL, "%s: every reduction is infeasible, nothing is ever reached", name);
    ls_fields *stats = ls_fields_object(ls_report_stats(kernel), name);
    ls_fields_bool(stats, "race_free", r->race_free);
    ls_fields_bool(stats, "error_free", r->error_free);
    ls_fields_bool(stats, "terminating", r->terminating);
    ls_fields_uint(stats, "states", r->states);
    ls_fields_uint(stats, "steps", r->steps);
    ls_fields_uint(stats, "initial_stores", r->initial_stores);
    ls_fields_uint(stats, "final_stores", r->final_stores);
    ls_fields_real(stats, "time_ms", ls_clock_ms(LS_CLOCK_WALL) - start);
    if (r->unknown)
        ls_report_unknown(kernel, (ls_place){0}, "raise --max-states and --timeout, or make domains smaller",
                          "%s: %s", name, r->unknown);
    return r;
}

/* What Theorem 5.2 says about the two results. */
static void check_theorem(ls_report_kernel *kernel, const ls_model *model, const ls_model_result *a,
                          const ls_model_result *b) {
    const char *block = NULL;
    if (ls_model_well_formed(model, &block) != LS_MODEL_WELL_FORMED) {
        ls_report_scope(kernel, NULL,
                        "not known to be well-formed (after block '%s' no guard may hold): the semantics "
                        "need not agree",
                        block);
        return;
    }
    switch (ls_model_compare(a, b)) {
    case LS_MODEL_AGREE:
        ls_report_scope(kernel, "both semantics agree (Theorem 5.2)", "both semantics agree (Theorem 5.2)");
        break;
    case LS_MODEL_INCONCLUSIVE: break;
    case LS_MODEL_DISAGREE:
        ls_report_unknown(kernel, (ls_place){0}, "please report this kernel",
                          "the semantics disagree: a fault in Lockstep");
    }
}

static void explore_kernel(const ls_cli_job *job, const ls_model *model) {
    const model_options *o = (const model_options *)job->common;
    ls_report_kernel *kernel = ls_report_add_kernel(job->file, ls_model_name(model), NULL);
    uint32_t threads = ls_model_threads(model);
    ls_report_launch(kernel, (uint32_t[3]){threads, 1, 1}, (uint32_t[3]){1, 1, 1},
                     o->threads ? "--threads" : NULL);
    double start = ls_clock_ms(LS_CLOCK_WALL);
    ls_model_result *first = NULL, *second = NULL;
    if (o->common.timeout > 0) ls_guard_begin(1 + 5 * o->common.timeout, 0);
    if (o->semantics == BOTH || o->semantics == INTERLEAVING)
        first = explore(job, kernel, model, LS_MODEL_INTERLEAVING, NULL);
    if (o->semantics == PREDICATED) first = explore(job, kernel, model, LS_MODEL_PREDICATED, NULL);
    if (o->semantics == BOTH || o->semantics == LOCKSTEP)
        second = explore(job, kernel, model, LS_MODEL_LOCKSTEP, first);
    bool refuted =
        (first && first->verdict == LS_MODEL_INCORRECT) || (second && second->verdict == LS_MODEL_INCORRECT);
    bool unknown = (first && first->unknown) || (second && second->unknown);
    ls_report_verdict(kernel, refuted ? LS_REFUTED : unknown ? LS_UNKNOWN : LS_PROVED);
    if (first && second) check_theorem(kernel, model, first, second);
    ls_report_time(kernel, ls_clock_ms(LS_CLOCK_WALL) - start);
    ls_guard_end();
    ls_model_result_free(first);
    ls_model_result_free(second);
}

/* ---- Files --------------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), n = strlen(end);
    return length >= n && strcmp(text + length - n, end) == 0;
}

/* The model in the file, or NULL with an error in diags. */
static ls_model *load(const model_options *o, const char *path, ls_diags *diags) {
    if (!ends_with(path, ".kernel") && strcmp(path, "-") != 0) {
        ls_diags_add(diags, LS_ERROR, path, 0, 0,
                     "unknown kind of file: expected a name that ends in .kernel or .simd");
        return NULL;
    }
    ls_buf text = {0};
    ls_model *model = NULL;
    if (ls_read_file(path, &text))
        model = ls_model_parse(ls_buf_text(&text), text.length, path, o->threads, diags);
    else
        ls_diags_add(diags, LS_ERROR, path, 0, 0, "cannot read: %s", strerror(errno));
    ls_buf_free(&text);
    return model;
}

static void one_file(const ls_cli_job *job) {
    ls_model *model = load((const model_options *)job->common, job->path, job->file->diags);
    if (model) explore_kernel(job, model);
    ls_model_free(model);
}

static void print_model(const model_options *o, const ls_model *model, ls_buf *out) {
    static const ls_model_form forms[] = {[PRINT_KERNEL] = LS_MODEL_PRINT_KERNEL,
                                          [PRINT_SORT_ORDER] = LS_MODEL_PRINT_SORT_ORDER,
                                          [PRINT_PREDICATED] = LS_MODEL_PRINT_PREDICATED,
                                          [PRINT_LOCKSTEP] = LS_MODEL_PRINT_LOCKSTEP};
    ls_buf_take(out, ls_model_print(model, forms[o->print]));
}

static int print_files(ls_cli *cli, const model_options *o) {
    ls_buf out = {0};
    bool good = true;
    for (uint32_t i = 0; i < o->common.operands.count; i++) {
        ls_diags *diags = ls_diags_new();
        ls_model *model = load(o, o->common.operands.items[i], diags);
        ls_cli_show_diags(cli, &o->common, diags);
        ls_diags_free(diags);
        if (model)
            print_model(o, model, &out);
        else
            good = false;
        ls_model_free(model);
    }
    int status = ls_cli_write(cli, &o->common, ls_buf_text(&out), out.length);
    ls_buf_free(&out);
    return good ? status : LS_EXIT_USAGE;
}

/* ---- Random kernels ------------------------------------------------------------------------------------ */

typedef struct {
    const model_options *options;
    uint64_t seed;
    atomic_ullong correct, incorrect, inconclusive, disagree, states;
    atomic_ullong first_bad; /* seed of a disagreement + 1 */
} self_check;

static void check_one(void *context, uint32_t index) {
    self_check *c = context;
    const model_options *o = c->options;
    ls_model *model = ls_model_random(c->seed + index, o->threads);
    ls_model_options how = {.max_states = o->max_states,
                            .first_only = true,
                            .exhaustive = o->exhaustive,
                            .timeout = o->common.timeout,
                            .cancel = ls_guard_flag()};
    ls_model_result *a = ls_model_explore(model, LS_MODEL_INTERLEAVING, &how);
    ls_model_result *b = ls_model_explore(model, LS_MODEL_LOCKSTEP, &how);
    atomic_fetch_add(&c->states, a->states + b->states);
    switch (ls_model_compare(a, b)) {
    case LS_MODEL_AGREE:
        atomic_fetch_add(a->verdict == LS_MODEL_CORRECT ? &c->correct : &c->incorrect, 1);
        break;
    case LS_MODEL_INCONCLUSIVE: atomic_fetch_add(&c->inconclusive, 1); break;
    case LS_MODEL_DISAGREE:
        atomic_fetch_add(&c->disagree, 1);
        atomic_store(&c->first_bad, c->seed + index + 1);
    }
    ls_model_result_free(a);
    ls_model_result_free(b);
    ls_model_free(model);
}

static void print_check(const self_check *c, ls_buf *out) {
    uint64_t correct = c->correct, incorrect = c->incorrect, inconclusive = c->inconclusive;
    uint64_t disagree = c->disagree, states = c->states, count = c->options->count;
    if (c->options->common.format == LS_FORMAT_JSON) {
        json_t *root = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "lockstep", ls_version(),
                                 "command", "model", "seed", (json_int_t)c->seed, "kernels",
                                 (json_int_t)count, "both_correct", (json_int_t)correct, "both_incorrect",
                                 (json_int_t)incorrect, "inconclusive", (json_int_t)inconclusive, "disagree",
                                 (json_int_t)disagree, "states", (json_int_t)states);
        ls_json_dump(out, root);
        return;
    }
    ls_buf_printf(out,
                  "%" PRIu64 " random kernels from seed %" PRIu64 ": both semantics correct on %" PRIu64
                  ", both incorrect on %" PRIu64 ", inconclusive %" PRIu64 ", disagree on %" PRIu64
                  " (%" PRIu64 " states)\n",
                  count, c->seed, correct, incorrect, inconclusive, disagree, states);
    if (c->first_bad)
        ls_buf_printf(out,
                      "a kernel on which they disagree: lockstep model --random %" PRIu64 " --print kernel\n",
                      (uint64_t)c->first_bad - 1);
}

static int run_random(ls_cli *cli, const model_options *o) {
    char *end;
    errno = 0;
    uint64_t seed = strtoull(o->random, &end, 0);
    if (end == o->random || *end || errno || o->random[0] == '-')
        return ls_cli_error(cli, "--random expects a number, not '%s'", o->random);
    if (o->common.operands.count) return ls_cli_error(cli, "--random takes no files");
    ls_buf out = {0};
    self_check check = {.options = o, .seed = seed};
    for (uint32_t i = 0; i < o->count && o->print != PRINT_NOTHING; i++) {
        ls_model *model = ls_model_random(seed + i, o->threads);
        print_model(o, model, &out);
        ls_model_free(model);
    }
    if (o->print == PRINT_NOTHING) {
        ls_parallel_for(o->common.jobs, o->count, check_one, &check);
        print_check(&check, &out);
    }
    int status = ls_cli_write(cli, &o->common, ls_buf_text(&out), out.length);
    ls_buf_free(&out);
    if (status != LS_EXIT_CLEAN) return status;
    return check.disagree ? LS_EXIT_FOUND : check.inconclusive ? LS_EXIT_UNKNOWN : LS_EXIT_CLEAN;
}

static uint32_t count_simd(const model_options *o) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->common.operands.count; i++)
        count += ends_with(o->common.operands.items[i], ".simd");
    return count;
}

static int run_simd(ls_cli *cli, const model_options *o) {
    bool own = o->print == PRINT_NOTHING || o->print >= PRINT_SIMD;
    if (count_simd(o) < o->common.operands.count)
        return ls_cli_error(cli, "expected either .simd files or .kernel files, not both");
    if (!own || o->semantics != BOTH || o->exhaustive || o->random)
        return ls_cli_error(cli,
                            "--semantics, --exhaustive, --random and this --print are not for .simd files");
    if (o->threads > 32) return ls_cli_error(cli, "--threads expects 1 to 32");
    simd_task task = o->print == PRINT_NOTHING ? SIMD_RUN : (simd_task)(o->print - PRINT_SIMD + SIMD_PROGRAM);
    return model_simd(cli, &(simd_options){&o->common, o->threads, o->max_states, task, o->trace});
}

static int run(ls_cli *cli, const void *parsed) {
    const model_options *o = parsed;
    if (o->max_states && count_simd(o)) return run_simd(cli, o);
    if (o->print >= PRINT_SIMD) return ls_cli_error(cli, "this --print is for .simd files");
    if (o->threads > 16) return ls_cli_error(cli, "--threads expects 1 to 16");
    if (o->max_states == 0) return ls_cli_error(cli, "--max-states expects at least 1");
    if (o->random) return run_random(cli, o);
    if (o->print != PRINT_NOTHING && o->common.operands.count) return print_files(cli, o);
    return ls_cli_report(cli, &o->common, one_file);
}

const ls_command ls_cmd_model = {
    .name = "model",
    .operands = "FILE.kernel…|FILE.simd…",
    .summary = "explore small kernels written in the languages of the papers",
    .about =
        "Explores kernels of the kernel language (paper 000, §3.1) exhaustively over their small domains, "
        "by interleaving the threads and in lock-step, and reports data races, barrier divergence, failed "
        "assertions, accesses out of bounds and non-termination, or that there are none. --print shows "
        "the sort order, the predicated or the lock-step program instead. A µ-SIMD program (paper 003, §3.1) "
        "is run in the emulator and by the paper's rules, which must agree, and its variables and memory are "
        "shown; --trace shows every cycle (Figure 8), --print its gated form (Figure 9) and what the "
        "divergence analyses say (Figures 10 to 15). Exit status: 0 all correct, 1 "
        "something found, 2 wrong usage or input, 3 nothing found but not everything explored.",
    .examples = "scan.kernel\tone kernel in both semantics\n",
    .options = options,
    .options_size = sizeof(model_options),
    .run = run};
