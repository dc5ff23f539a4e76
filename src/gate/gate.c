/* The gate (gate.h). For every case (sizes and inputs) the reference runs once for each of two inputs, and
 * the candidate four times, with every output poisoned:
 *
 *     1. first input                                   compared with the reference
 *     2. second input, in the same emulator as 1.      … and shows results that are kept from before
 *     3. first input, blocks and warps in the opposite order    shows what depends on the order
 *     4. first input, other poison, random order       shows what comes from memory that nobody wrote
 *
 * In all of them the emulator's checkers are on; inputs are compared with what they were, and outputs beyond
 * what the reference writes with the poison. The candidate is also verified for exactly these sizes, and any
 * data. */
#include "gate/gate.h"

#include "base/buf.h"
#include "base/clock.h"
#include "check/tell.h"
#include "gate/cases.h"
#include "gate/problems.h"
#include "launch/compare.h"
#include "launch/npy.h"
#include "lockstep/launch.h"
#include "lockstep/replay.h"
#include "lockstep/verify.h"
#include "lockstep/version.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POISON = 0xff, OTHER_POISON = 0x5a };

/* --- Comparing ----------------------------------------------------------------------------------------- */

/* The first element in which two buffers differ; -1: none. worst: the largest difference of numbers. */
static int64_t first_difference(const ls_gate_buffer *a, const char *x, const char *y, double tolerance,
                                double *worst) {
    uint32_t bytes = ls_ptx_type_bits(a->type) / 8;
    int64_t first = -1;
    for (uint64_t i = 0; i < a->count; i++) {
        const char *p = x + i * bytes, *q = y + i * bytes;
        if (!memcmp(p, q, bytes)) continue;
        if (worst) *worst = fmax(*worst, fabs(ls_emu_number(a->type, p) - ls_emu_number(a->type, q)));
        if (first < 0 && !ls_emu_same(a->type, p, q, tolerance, tolerance)) first = (int64_t)i;
        if (first >= 0 && !worst) break;
    }
    return first;
}

static bool is_output(const ls_gate_param *p) {
    return p->role == LS_GATE_OUT || p->role == LS_GATE_INOUT;
}

/* Whether two trials have the same outputs; else which parameter and element is the first that differs. */
static bool same_outputs(const ls_gate_state *g, const ls_gate_trial *a, const ls_gate_trial *b,
                         double tolerance, uint32_t *param, int64_t *element) {
    for (uint32_t i = 0; i < g->spec->params.length; i++) {
        const ls_gate_buffer *x = &a->buffers[i], *y = &b->buffers[i];
        if (!is_output(&g->spec->params.items[i]) || !x->after || !y->after) continue;
        *param = i;
        *element = first_difference(x, x->after, y->after, tolerance, NULL);
        if (*element >= 0) return false;
    }
    return true;
}

static void element_text(const ls_gate_buffer *b, const char *data, int64_t element, char out[64]) {
    ls_emu_element(b->type, data + (uint64_t)element * (ls_ptx_type_bits(b->type) / 8), out, 64);
}

/* --- Judging one run ----------------------------------------------------------------------------------- */

static const struct {
    ls_emu_status status;
    const char *kind;
} ends[] = {{LS_EMU_UNSUPPORTED, "unsupported"},
            {LS_EMU_STUCK, "stuck"},
            {LS_EMU_TRAPPED, "trap"},
            {LS_EMU_CANCELLED, "timeout"},
            {LS_EMU_INVALID, "launch"}};

/* only: NULL, or the kind that counts. */
static void tell_findings(ls_gate_state *g, json_int_t number, const ls_emu_result *r, const char *only) {
    for (uint32_t i = 0; i < r->finding_count; i++) {
        const ls_finding *f = &r->findings[i];
        const char *kind = f->level == LS_NOTE ? NULL : ls_gate_kind(f->rule);
        if (kind && (!only || !strcmp(kind, only)))
            ls_gate_problem(g->problems, number, kind, &f->place, "%s", ls_plain_text(f->message, &g->arena));
    }
}

static void judge_findings(ls_gate_state *g, json_int_t number, const ls_emu_result *r) {
    tell_findings(g, number, r, NULL);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i].status == r->status)
            ls_gate_problem(g->problems, number, ends[i].kind, &r->pos, "%s",
                            r->message ? r->message : "the run did not end");
}

/* Inputs stay as they were. */
static void judge_inputs(ls_gate_state *g, json_int_t number, const ls_gate_trial *t) {
    for (uint32_t i = 0; i < g->spec->params.length; i++) {
        const ls_gate_buffer *b = &t->buffers[i];
        const ls_gate_param *p = &g->spec->params.items[i];
        if (p->role == LS_GATE_IN && b->after && memcmp(b->before, b->after, b->bytes))
            ls_gate_problem(g->problems, number, "input_changed", NULL, "the input '%s' is changed", p->name);
    }
}

/* What the reference leaves alone, the candidate does too. */
static void judge_rest(ls_gate_state *g, json_int_t number, const ls_gate_trial *t,
                       const ls_gate_trial *reference) {
    for (uint32_t i = 0; i < g->spec->params.length; i++) {
        const ls_gate_buffer *b = &t->buffers[i], *r = &reference->buffers[i];
        if (!is_output(&g->spec->params.items[i]) || !b->after || !r->after) continue;
        uint32_t bytes = ls_ptx_type_bits(b->type) / 8;
        for (uint64_t k = 0; k + bytes <= b->bytes; k += bytes) {
            bool untouched = !memcmp(r->before + k, r->after + k, bytes);
            if (!untouched || !memcmp(b->before + k, b->after + k, bytes) ||
                !memcmp(b->after + k, r->after + k, bytes))
                continue;
            ls_gate_problem(g->problems, number, "outside_output", NULL,
                            "element %" PRIu64 " of '%s' is written, which the reference does not write",
                            k / bytes, g->spec->params.items[i].name);
            break;
        }
    }
}

static bool judge_result(ls_gate_state *g, json_int_t number, const char *kind, const char *words,
                         const ls_gate_trial *t, const ls_gate_trial *expected, json_t *entry) {
    bool right = true;
    double worst = 0;
    for (uint32_t i = 0; i < g->spec->params.length; i++) {
        const ls_gate_buffer *b = &t->buffers[i], *e = &expected->buffers[i];
        if (!is_output(&g->spec->params.items[i]) || !b->after || !e->after) continue;
        int64_t first = b->count == e->count ? first_difference(b, b->after, e->after, g->spec->tolerance,
                                                                entry ? &worst : NULL)
                                             : 0;
        if (first < 0) continue;
        char got[64], want[64];
        element_text(b, b->after, first, got);
        element_text(e, e->after, first, want);
        ls_gate_problem(g->problems, number, kind, NULL, "%s: '%s'[%" PRId64 "] is %s, expected %s", words,
                        g->spec->params.items[i].name, first, got, want);
        right = false;
    }
    if (entry && isfinite(worst)) json_object_set_new(entry, "max_error", json_real(worst));
    return right;
}

/* --- One case ------------------------------------------------------------------------------------------ */

/* All runs of a case. */
typedef struct {
    ls_gate_case launch[2], reference[2]; /* by input */
    ls_gate_trial expected[2], candidate[4];
    ls_arena arena;
    ls_emulator *same, *fresh[2], *of_reference[2];
} case_runs;

static bool run_reference(ls_gate_state *g, case_runs *c) {
    for (int k = 0; k < 2; k++) {
        ls_gate_how how = {.poison = POISON, .seconds = g->o->seconds};
        c->of_reference[k] = ls_gate_emulator(&g->reference, g->diags);
        if (!c->of_reference[k] || !ls_gate_run(&g->reference, c->of_reference[k], &c->reference[k], &how,
                                                &c->arena, &c->expected[k], g->diags))
            return false;
        const ls_emu_result *r = c->expected[k].result;
        if (r->status == LS_EMU_DONE) continue;
        ls_diags_add(g->diags, LS_ERROR, g->o->reference, r->pos.line, r->pos.column,
                     "the reference cannot be run: %s", r->message ? r->message : "it did not end");
        return false;
    }
    return true;
}

/* The output of a .npy stands for what a reference gives for the one input that there is. */
static bool use_expected(ls_gate_state *g, case_runs *c) {
    for (int k = 0; k < 2; k++) {
        ls_gate_buffer *buffers = LS_NEW_N(&c->arena, ls_gate_buffer, g->spec->params.length + 1);
        ls_gate_buffer *out = &buffers[g->expected_param];
        *out = c->candidate[0].buffers[g->expected_param];
        if (out->bytes != g->expected.bytes || out->type != g->expected.type) {
            ls_diags_add(g->diags, LS_ERROR, g->o->reference, 0, 0,
                         "it has %zu bytes, but '%s' has %" PRIu64 ", or another type", g->expected.bytes,
                         g->spec->params.items[g->expected_param].name, out->bytes);
            return false;
        }
        out->after = ls_arena_alloc(&c->arena, out->bytes);
        memcpy(out->after, g->expected.data, out->bytes);
        c->expected[k].buffers = buffers;
    }
    return true;
}

static bool run_candidate(ls_gate_state *g, case_runs *c) {
    static const ls_gate_how hows[4] = {{LS_SCHEDULE_RR, 0, POISON, 0},
                                        {LS_SCHEDULE_RR, 0, OTHER_POISON, 0},
                                        {LS_SCHEDULE_REVERSE, 0, POISON, 0},
                                        {LS_SCHEDULE_RANDOM, 1, OTHER_POISON, 0}};
    c->same = ls_gate_emulator(&g->candidate, g->diags);
    c->fresh[0] = ls_gate_emulator(&g->candidate, g->diags);
    c->fresh[1] = ls_gate_emulator(&g->candidate, g->diags);
    ls_emulator *emulators[4] = {c->same, c->same, c->fresh[0], c->fresh[1]};
    for (int k = 0; k < 4; k++) {
        ls_gate_how how = hows[k];
        how.seconds = g->o->seconds;
        how.seed = g->o->seed + 1;
        if (!emulators[k] || !ls_gate_run(&g->candidate, emulators[k], &c->launch[k == 1], &how, &c->arena,
                                          &c->candidate[k], g->diags))
            return false;
    }
    return true;
}

/* Races that the compiler has optimised away are in the source all the same: it is run as it is written, with
 * this case's own data. */
static void run_as_written(ls_gate_state *g, json_int_t number, const ls_gate_case *c, ls_arena *arena) {
    ls_gate_kernel shaped = g->candidate;
    shaped.run = g->candidate.shaped;
    shaped.run_module = g->candidate.shaped_module;
    shaped.function = ls_ptx_find_function(shaped.run_module, shaped.kernel->name);
    ls_diags *ignored = ls_diags_new();
    ls_emulator *emulator = ls_gate_emulator(&shaped, ignored);
    ls_gate_how how = {LS_SCHEDULE_RR, 0, POISON, g->o->seconds};
    ls_gate_trial trial = {0};
    if (emulator && ls_gate_run(&shaped, emulator, c, &how, arena, &trial, ignored))
        tell_findings(g, number, trial.result, "race");
    ls_emu_result_free(trial.result);
    ls_emulator_free(emulator);
    ls_diags_free(ignored);
}

/* Verified for these sizes, with any data. */
static void prove(ls_gate_state *g, json_int_t number, const ls_gate_case *c, const ls_gate_name *names,
                  json_t *entry) {
    if (g->o->no_proofs || !g->candidate.ir) return;
    ls_arena arena;
    ls_arena_init(&arena);
    const ls_gate_kernel *k = &g->candidate;
    const char **assumptions = LS_NEW_N(&arena, const char *, k->param_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < k->param_count && k->names; i++) {
        const ls_gate_param *p = &g->spec->params.items[k->of[i]];
        int64_t value;
        if (p->role == LS_GATE_SCALAR && k->names[i] &&
            ls_gate_evaluate(p->value, names, g->spec->sizes.length, &value))
            assumptions[count++] = ls_arena_printf(&arena, "%s == %" PRId64, k->names[i], value);
    }
    ls_verify_options how = {.opencl = k->shaped.language == LS_LANGUAGE_OPENCL,
                             .parameters = k->names,
                             .parameter_count = k->names ? k->param_count : 0,
                             .assumptions = assumptions,
                             .assumption_count = count,
                             .timeout = g->o->seconds};
    memcpy(how.block, c->block, sizeof how.block);
    memcpy(how.grid, c->grid, sizeof how.grid);
    ls_verify_result *r = ls_verify(k->ir, &how);
    if (r->verdict == LS_REFUTED) ls_replay_findings(r, k->ir, &how, 2);
    json_object_set_new(entry, "verdict", json_string(ls_verdict_name(r->verdict)));
    g->proved += r->verdict == LS_PROVED;
    bool races = false;
    for (const ls_finding *f = r->findings; f && r->verdict == LS_REFUTED; f = f->next) {
        const char *kind = f->level == LS_NOTE ? NULL : ls_gate_kind(f->rule);
        races |= kind && f->replay == LS_REPLAY_CONFIRMED && !strcmp(kind, "race");
        if (kind && f->replay == LS_REPLAY_CONFIRMED)
            ls_gate_problem(g->warnings, number, kind, &f->place, "%s, for some data",
                            ls_plain_text(f->message, &g->arena));
    }
    if (races) run_as_written(g, number, c, &arena);
    ls_verify_free(r);
    ls_arena_free(&arena);
}

static bool judge_case(ls_gate_state *g, json_int_t number, case_runs *c, json_t *entry) {
    json_int_t before = ls_gate_problem_count(g->problems);
    for (int k = 0; k < 4; k++) judge_findings(g, number, c->candidate[k].result);
    for (int k = 0; k < 4; k++)
        if (c->candidate[k].result->status != LS_EMU_DONE) return false;
    for (int k = 0; k < 4; k++) judge_inputs(g, number, &c->candidate[k]);
    uint32_t param = 0;
    int64_t element = 0;
    bool right = judge_result(g, number, "wrong_result", "the result is not the reference's",
                              &c->candidate[0], &c->expected[0], entry);
    if (g->has_reference) {
        judge_rest(g, number, &c->candidate[0], &c->expected[0]);
        bool second = judge_result(g, number, right ? "stale_result" : "wrong_result",
                                   right ? "a second launch, with other inputs, is wrong"
                                         : "the result is not the reference's",
                                   &c->candidate[1], &c->expected[1], NULL);
        if (!second && same_outputs(g, &c->candidate[0], &c->candidate[1], 0, &param, &element) &&
            !same_outputs(g, &c->expected[0], &c->expected[1], g->spec->tolerance, &param, &element))
            ls_gate_problem(g->problems, number, "constant_result", NULL,
                            "the result is the same for different inputs");
        right &= second;
    }
    if (!same_outputs(g, &c->candidate[0], &c->candidate[2], g->spec->tolerance, &param, &element)) {
        ls_gate_problem(g->problems, number, "order_dependent", NULL,
                        "'%s'[%" PRId64 "] depends on the order in which blocks and warps run",
                        g->spec->params.items[param].name, element);
        right = false;
    } else if (!same_outputs(g, &c->candidate[0], &c->candidate[3], g->spec->tolerance, &param, &element)) {
        ls_gate_problem(g->problems, number, "stale_memory", NULL,
                        "'%s'[%" PRId64 "] depends on what the memory held before, or on the order of warps",
                        g->spec->params.items[param].name, element);
        right = false;
    }
    return right && ls_gate_problem_count(g->problems) == before;
}

static json_t *size_json(const uint32_t size[3]) {
    return json_pack("[I, I, I]", (json_int_t)size[0], (json_int_t)size[1], (json_int_t)size[2]);
}

static void free_runs(case_runs *c) {
    for (int k = 0; k < 2; k++) ls_emu_result_free(c->expected[k].result);
    for (int k = 0; k < 4; k++) ls_emu_result_free(c->candidate[k].result);
    ls_emulator *all[] = {c->same, c->fresh[0], c->fresh[1], c->of_reference[0], c->of_reference[1]};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) ls_emulator_free(all[k]);
    ls_arena_free(&c->arena);
}

/* False where the gate itself cannot go on. */
static bool one_case(ls_gate_state *g, uint32_t number) {
    case_runs c = {0};
    ls_arena_init(&c.arena);
    ls_gate_name *names = LS_NEW_N(&c.arena, ls_gate_name, g->spec->sizes.length + 1);
    ls_gate_choose_sizes(g, number, names);
    json_t *entry = json_object(), *sizes = json_object();
    for (uint32_t i = 0; i < g->spec->sizes.length; i++)
        json_object_set_new(sizes, names[i].name, json_integer(names[i].value));
    json_object_set_new(entry, "sizes", sizes);
    json_array_append_new(g->cases, entry);
    bool good = true;
    for (uint32_t k = 0; k < 2 && good; k++) {
        uint64_t seed = ls_gate_mix(g->o->seed + number * 2 + k);
        good = ls_gate_arguments(g, &c.launch[k], names, seed, &c.arena) &&
               ls_gate_launch_of(g, &g->candidate, &c.launch[k], names, true);
        c.reference[k] = c.launch[k];
        memset(c.reference[k].grid, 0, sizeof c.reference[k].grid);
        memset(c.reference[k].block, 0, sizeof c.reference[k].block);
        good =
            good && (!g->has_reference || ls_gate_launch_of(g, &g->reference, &c.reference[k], names, false));
    }
    good = good && (!g->has_reference || run_reference(g, &c)) && run_candidate(g, &c) &&
           (g->has_reference || use_expected(g, &c));
    if (good) {
        json_object_set_new(entry, "grid", size_json(c.launch[0].grid));
        json_object_set_new(entry, "block", size_json(c.launch[0].block));
        bool right = judge_case(g, number, &c, entry);
        json_int_t before = ls_gate_problem_count(g->problems);
        prove(g, number, &c.launch[0], names, entry);
        right &= ls_gate_problem_count(g->problems) == before;
        json_object_set_new(entry, "pass", json_boolean(right));
        g->right += right;
        g->done++;
    }
    free_runs(&c);
    return good;
}

/* --- The whole ----------------------------------------------------------------------------------------- */

static json_t *verdict_of(const char *candidate, const char *reference, double score, bool pass,
                          json_t *problems) {
    return json_pack("{s:s, s:i, s:s, s:s, s:f, s:b, s:o}", "lockstep", ls_version(), "gate", 1, "candidate",
                     candidate, "reference", reference, "score", score, "pass", (int)pass, "problems",
                     problems);
}

json_t *ls_gate_failed(const char *candidate, const char *reference, const char *kind, const char *message) {
    json_t *problems = json_array();
    ls_gate_problem(problems, -1, kind, NULL, "%s", message);
    return verdict_of(candidate, reference, 0, false, problems);
}

static bool has_kind(const json_t *problems, const char *kind) {
    size_t i;
    const json_t *p;
    json_array_foreach(problems, i, p) {
        if (!strcmp(json_string_value(json_object_get(p, "kind")), kind)) return true;
    }
    return false;
}

/* 0: does not compile; up to 0.5: by the share of cases that are right and clean; from 0.9: passes, by the
 * share of cases that are proved. */
static double score_of(const ls_gate_state *g, bool compiled, bool pass) {
    double cases = g->done ? g->done : 1;
    if (!compiled) return 0;
    return pass ? 0.9 + 0.1 * g->proved / cases : 0.1 + 0.4 * g->right / cases;
}

static bool read_npy(ls_gate_state *g) {
    const char *wrong = NULL;
    if (!ls_read_file(g->o->reference, &g->expected_text))
        wrong = strerror(errno);
    else
        wrong = ls_npy_parse(ls_buf_text(&g->expected_text), g->expected_text.length, &g->expected);
    uint32_t outputs = 0;
    for (uint32_t i = 0; i < g->spec->params.length; i++) {
        if (!is_output(&g->spec->params.items[i])) continue;
        g->expected_param = i;
        outputs++;
    }
    if (!wrong && outputs != 1) wrong = "exactly one --out (or --inout) is needed for it";
    if (wrong) ls_diags_add(g->diags, LS_ERROR, g->o->reference, 0, 0, "%s", wrong);
    return !wrong;
}

static bool read_comments(ls_gate_state *g, const char *path, bool is_candidate) {
    ls_buf text = {0};
    bool good = ls_read_file(path, &text);
    if (!good) ls_diags_add(g->diags, LS_ERROR, path, 0, 0, "cannot be read: %s", strerror(errno));
    good = good && ls_gate_comments(g->spec, path, ls_buf_text(&text), is_candidate, g->diags);
    ls_buf_free(&text);
    return good;
}

static bool has_output(const ls_gate_state *g) {
    for (uint32_t i = 0; i < g->spec->params.length; i++)
        if (is_output(&g->spec->params.items[i])) return true;
    ls_diags_add(
        g->diags, LS_ERROR, g->o->reference, 0, 0,
        "no parameter is marked as an output: add '// gate: out y=f32[n]' to the reference, or give --out");
    return false;
}

/* Both, before either is looked at. */
static bool compile(ls_gate_state *g) {
    size_t length = strlen(g->o->reference);
    g->has_reference = length < 4 || strcmp(g->o->reference + length - 4, ".npy") != 0;
    if (g->has_reference) ls_gate_compile(&g->reference, g->o->reference, g->o->frontend, false);
    ls_gate_compile(&g->candidate, g->o->candidate, g->o->frontend, !g->o->no_proofs);
    if (!g->o->seal || g->o->seal()) return true;
    ls_diags_add(g->diags, LS_ERROR, NULL, 0, 0, "the process could not be confined");
    return false;
}

static bool load_reference(ls_gate_state *g) {
    if (!g->has_reference) return has_output(g) && read_npy(g);
    if (!read_comments(g, g->o->reference, false) || !has_output(g) ||
        !ls_gate_load(&g->reference, g->o->reference_kernel, g->diags))
        return false;
    return ls_gate_match_reference(g);
}

/* What is wrong with the candidate's text is a problem of it. */
static bool load_candidate(ls_gate_state *g, const char **by) {
    ls_diags *said = ls_diags_new(), *own = g->diags;
    g->diags = said;
    bool good = read_comments(g, g->o->candidate, true) && ls_gate_load(&g->candidate, g->o->kernel, said);
    g->diags = own;
    for (uint32_t i = 0; i < ls_diags_count(said) && !good; i++) {
        const ls_diag *d = ls_diags_at(said, i);
        if (d->severity == LS_ERROR)
            ls_gate_problem(g->problems, -1, "compile", &(ls_place){d->file, d->line, d->column}, "%s",
                            d->message);
    }
    ls_diags_free(said);
    if (!good) return false;
    g->candidate.launch = g->spec->candidate;
    return ls_gate_match_candidate(g, by);
}

json_t *ls_gate(const ls_gate_options *options, ls_diags *diags) {
    ls_gate_state g = {.o = options, .spec = options->spec, .diags = diags};
    ls_arena_init(&g.arena);
    g.problems = json_array();
    g.cases = json_array();
    g.warnings = json_array();
    double start = ls_clock_seconds(LS_CLOCK_WALL);
    const char *by = NULL;
    json_t *verdict = NULL;
    if (compile(&g) && load_reference(&g)) {
        bool compiled = load_candidate(&g, &by), good = true;
        uint32_t cases = compiled ? ls_gate_count_cases(&g) : 0;
        for (uint32_t i = 0; i < cases && good; i++) good = one_case(&g, i) || json_array_size(g.problems);
        if (!ls_diags_errors(diags)) {
            bool pass = compiled && g.done && g.done == cases && !json_array_size(g.problems);
            bool unknown = has_kind(g.problems, "unsupported");
            verdict = verdict_of(options->candidate, options->reference, score_of(&g, compiled, pass), pass,
                                 json_incref(g.problems));
            json_object_set_new(verdict, "compiled", json_boolean(compiled));
            if (unknown) json_object_set_new(verdict, "unknown", json_true());
            if (by) json_object_set_new(verdict, "matched_by", json_string(by));
            json_object_set_new(verdict, "warnings", json_incref(g.warnings));
            json_object_set_new(verdict, "cases", json_incref(g.cases));
            json_object_set_new(verdict, "seconds", json_real(ls_clock_seconds(LS_CLOCK_WALL) - start));
        }
    }
    json_decref(g.problems);
    json_decref(g.cases);
    json_decref(g.warnings);
    ls_gate_kernel_free(&g.candidate);
    ls_gate_kernel_free(&g.reference);
    ls_buf_free(&g.expected_text);
    ls_arena_free(&g.arena);
    return verdict;
}
