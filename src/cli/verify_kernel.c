/* One kernel of `lockstep verify`: its proof, findings run in the emulator, launches that nobody makes left
 * out, the contract under which it is proved, and the optimised code where the written one is unknown. */
#include "cli/verify_kernel.h"

#include "base/clock.h"
#include "base/guard.h"
#include "check/tell.h"
#include "cli/performance.h"
#include "lockstep/ir.h"
#include "lockstep/replay.h"
#include "verify/effort.h"
#include "verify/query/contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For all that is run of a kernel in the emulator, and no more than --timeout: at first, and once more where
 * a part of it is looked at again. */
static const double REPLAY_SECONDS = 2, AGAIN_SECONDS = 0.5;

static void note_used(const ls_verify_options *how, const ls_verify_result *r,
                      const ls_verification_extras *extras) {
    for (uint32_t i = 0; i < how->assumption_count; i++)
        if (r->assumed && r->assumed[i]) extras->assumed[i] = true;
    for (uint32_t i = 0; i < how->size_count; i++)
        if (r->sized && r->sized[i]) extras->sized[i] = true;
    for (uint32_t i = 0; i < how->array_count; i++)
        if (r->arrays && r->arrays[i]) extras->named[i] = true;
}

static const char *parameter_name(const ls_ptx_function *function, const ls_verify_options *how, uint32_t i) {
    const char *name = i < how->parameter_count ? how->parameters[i] : NULL;
    return name ? name : function->params[i]->symbol->name;
}

/* A proof takes it that different pointers do not meet, which is not so where they are one plus something
 * that is not known. */
static void doubt_overlaps(ls_report_kernel *entry, const ls_kernel_launch *launch,
                           const ls_ptx_function *function, const ls_verify_options *how) {
    for (uint32_t i = 0; i < launch->inside_count; i++) {
        const ls_argument_inside *in = &launch->inside[i];
        if (in->bytes) continue;
        ls_report_verdict(entry, LS_UNKNOWN);
        ls_report_unknown(entry, (ls_place){launch->file, launch->line, launch->column}, NULL,
                          "the launch gives the parameters '%s' and '%s' pointers into the same memory, and "
                          "it is not known whether their accesses overlap",
                          parameter_name(function, how, in->of),
                          parameter_name(function, how, in->parameter));
    }
}

static ls_verify_result *verify_within(const ls_ir_function *ir, const ls_verify_options *how,
                                       const ls_verification_extras *extras, double replay_seconds) {
    ls_verify_result *result = ls_verify(ir, how);
    double most = how->timeout > 0 && how->timeout < replay_seconds ? how->timeout : replay_seconds;
    ls_guard_begin(1 + 5 * most, 0);
    if (!extras->no_replay && !how->promises_only) ls_replay_findings(result, ir, how, most);
    ls_guard_end();
    return result;
}

static ls_verify_result *verify(const ls_ir_function *ir, const ls_verify_options *how,
                                const ls_verification_extras *extras) {
    return verify_within(ir, how, extras, REPLAY_SECONDS);
}

/* The same kernel, or its optimised code, for other launches or with other assumptions. */
static ls_verify_result *verify_again(const ls_ir_function *ir, const ls_verify_options *how,
                                      const ls_verification_extras *extras) {
    return verify_within(ir, how, extras, AGAIN_SECONDS);
}

/* A launch nobody makes is no reason to call a kernel wrong. */
typedef struct {
    ls_verify_result *shown; /* what is told */
    ls_verify_result *rest;  /* NULL: that is all; else there are no errors, nor a proof, where … */
    bool is_excused;         /* nobody is seen to launch it, and nothing that was found happens where … */
    char condition[512];     /* … this holds */
} plausible;

enum { MOST_ROUNDS = 4, SHARE = 3 /* of the time for a kernel that a round may take */ };

/* The same for a part of the time, with room for one more fact; its list is freed. */
static ls_verify_options with_room(const ls_verify_options *how) {
    const char **facts = ls_xmalloc(sizeof *facts * (how->fact_count + 1));
    for (uint32_t i = 0; i < how->fact_count; i++) facts[i] = how->facts[i];
    ls_verify_options out = *how;
    out.facts = facts;
    out.timeout = (how->timeout > 0 ? how->timeout : 10) / SHARE;
    return out;
}

static void narrow(const ls_verify_options *how, const char *condition, ls_verify_options *narrower) {
    const char **facts = (const char **)(uintptr_t)narrower->facts;
    facts[how->fact_count] = condition;
    narrower->fact_count = how->fact_count + 1;
}

/* What goes wrong in all of some results, as that of one: copies that end with the arena. */
static ls_verify_result joined(ls_arena *arena, ls_verify_result *const *results, uint32_t count) {
    ls_verify_result all = {.verdict = LS_REFUTED};
    for (uint32_t i = 0; i < count; i++)
        for (const ls_finding *f = results[i]->findings; f; f = f->next) {
            ls_finding *copy = LS_NEW(arena, ls_finding);
            *copy = *f;
            copy->next = all.findings;
            all.findings = copy;
        }
    return all;
}

/* What is left of the errors where each that hangs on a stride, which callers who are not seen give, is
 * none: the result for any layout, if it is not refuted. */
static void prefer_layouts(const ls_ir_function *ir, const ls_verify_options *how,
                           const ls_verification_extras *extras, plausible *out) {
    ls_verify_options any = *how;
    any.any_layout = true;
    ls_verify_result *other = verify_again(ir, &any, extras);
    bool tells = other->verdict == LS_UNKNOWN && !other->impossible && other->reasons;
    ls_verify_free(tells ? out->shown : other);
    if (tells) out->shown = other;
}

/* Where the host code leaves the launch open, what goes wrong in a plausible one is told rather than what
 * goes wrong in any; where only others go wrong, that is said. Each round leaves out all that the rounds
 * before it have found. */
static plausible prefer_plausible(const ls_ir_function *ir, const ls_verify_options *how,
                                  const ls_verification_extras *extras, ls_verify_result *result) {
    plausible out = {.shown = result};
    ls_verify_options narrower = with_room(how);
    ls_verify_result *wrong[MOST_ROUNDS + 1];
    char in_force[sizeof out.condition] = ""; /* of what is shown */
    uint32_t count = 0;
    ls_arena arena;
    ls_arena_init(&arena);
    while (!out.rest && out.shown->verdict == LS_REFUTED && count < MOST_ROUNDS) {
        wrong[count++] = out.shown;
        ls_verify_result all = joined(&arena, wrong, count);
        if (!ls_verify_plausible(ir, how, &all, out.condition, sizeof out.condition)) break;
        narrow(how, out.condition, &narrower);
        ls_verify_result *other = verify_again(ir, &narrower, extras);
        if (other->impossible) {
            ls_verify_free(other);
            break;
        }
        *(other->verdict == LS_REFUTED ? &out.shown : &out.rest) = other;
        memcpy(in_force, out.condition, sizeof in_force);
    }
    if (count == MOST_ROUNDS && out.shown->verdict == LS_REFUTED && !extras->launch) {
        wrong[count++] = out.shown;
        ls_verify_result all = joined(&arena, wrong, count);
        out.is_excused = ls_verify_plausible(ir, how, &all, out.condition, sizeof out.condition);
    }
    for (uint32_t i = 0; i < count; i++)
        if (wrong[i] != out.shown) ls_verify_free(wrong[i]);
    if (out.shown->verdict == LS_REFUTED && !out.rest && !out.is_excused) {
        narrower.fact_count = how->fact_count;
        if (*in_force) narrow(how, in_force, &narrower);
        prefer_layouts(ir, &narrower, extras, &out);
    }
    ls_arena_free(&arena);
    free((void *)(uintptr_t)narrower.facts);
    return out;
}

static void tell_rest(ls_report_kernel *entry, const plausible *p) {
    if (!p->rest && !p->is_excused) return;
    ls_report_doubt(entry);
    ls_report_unknown(entry, (ls_place){0}, "the notes say what goes wrong in other launches",
                      "there is no proof for launches with %s, where nothing is known to go wrong",
                      p->condition);
    if (p->rest) ls_tell_reasons(entry, p->rest->reasons);
}

static bool has_overlaps(const ls_kernel_launch *launch) {
    for (uint32_t i = 0; i < launch->inside_count; i++)
        if (!launch->inside[i].bytes) return true;
    return false;
}

/* Of a file with one form, the one that was verified. */
static void add_costs(const ls_input *input, const ls_compiled_kernel *kernel, const ls_ir_function *ir,
                      ls_report_kernel *entry, const ls_cli_job *job, ls_diags *diags) {
    const ls_verification_cli *o = (const ls_verification_cli *)job->common;
    ls_performance_options how = {.degree = 2, .verdict_stays = true, .all = o->all};
    ls_performance(job, input, kernel, input->as_run ? NULL : ir, entry, &how, diags);
}

/* CPU seconds for a step around the proofs that looks at no clock. */
static double backstop(const ls_verify_options *how) {
    return 1 + 5 * (how->timeout > 0 ? how->timeout : 10);
}

static ls_ir_function *build(const ls_ptx_module *module, const ls_ptx_function *function,
                             const ls_kernel_launch *launch, const ls_verify_options *how, ls_diags *diags) {
    bool known = launch && launch->argument_count == function->param_count;
    ls_guard_begin(backstop(how), 0);
    ls_ir_function *ir = ls_ir_build(module, function,
                                     &(ls_ir_options){.quiet = true,
                                                      .keep_results = how->promises_only,
                                                      .same = known ? launch->same : NULL,
                                                      .inside = how->inside,
                                                      .inside_count = how->inside_count},
                                     diags);
    ls_guard_end();
    return ir;
}

/* A proof of optimised code is none of the written code where threads write equal values to one place: of
 * several writes of a thread, with other values, the compiler may have left the last one. */
static bool is_of_equal_values(const ls_verify_result *result) {
    for (const ls_finding *f = result->findings; f; f = f->next)
        if (ls_rule_is_race(f->rule)) return result->verdict == LS_PROVED;
    return false;
}

/* Where launches that nobody makes are left out, the optimised code stays unknown as well: it is not asked
 * about the others. */
static bool stays_open(const ls_ir_function *ir, const ls_verify_options *how,
                       const ls_verification_extras *extras, const plausible *written) {
    if (!written->rest) return false;
    ls_verify_options narrower = with_room(how);
    narrow(how, written->condition, &narrower);
    narrower.timeout = how->timeout;
    ls_verify_result *result = verify_again(ir, &narrower, extras);
    bool open = result->verdict == LS_UNKNOWN;
    ls_verify_free(result);
    free((void *)(uintptr_t)narrower.facts);
    return open;
}

/* All that is open depends on what the program has put into memory: the optimised code reads it as well. */
static bool is_up_to_data(const plausible *written) {
    const ls_verify_result *result = written->rest ? written->rest : written->shown;
    for (const ls_verify_note *n = result->reasons; n; n = n->next)
        if (!n->by_data) return false;
    return result->verdict == LS_UNKNOWN && result->reasons;
}

/* The optimised code is given no more time than the written one took: of what is proved of it, little takes
 * longer. */
static double time_as_run(const ls_verify_options *how, const plausible *written) {
    static const double LEAST = 1;
    double most = (how->timeout > 0 ? how->timeout : 10) / SHARE, took = ls_verify_effort(written->shown);
    if (written->rest) took += ls_verify_effort(written->rest);
    return took < LEAST && LEAST < most ? LEAST : took < most ? took : most;
}

/* Of a kernel that stays unknown as it is written, the code that the compiler makes of it is tried. What
 * annotations and the fences of OpenCL say is not in that any more. True where that tells more, and is told.
 * Where ways meet is not what was written, either: threads that may part before a barrier, as it is
 * `written`, count as gone in no proof. */
static bool verify_as_run(const ls_input *input, ls_report_kernel *entry, const ls_verify_options *how,
                          const ls_verification_extras *extras, bool is_open, const plausible *written) {
    const ls_ptx_function *function = input->as_run ? ls_ptx_find_function(input->as_run, entry->name) : NULL;
    if (!function || !function->body || how->opencl || input->compiled.uses_annotations ||
        extras->as_written || is_up_to_data(written))
        return false;
    ls_verify_options shorter = *how;
    shorter.timeout = time_as_run(how, written);
    ls_diags *ignored = ls_diags_new();
    ls_ir_function *ir = build(input->as_run, function, extras->launch, &shorter, ignored);
    bool asked = ir && !stays_open(ir, &shorter, extras, written);
    ls_verify_result *result = asked ? verify_again(ir, &shorter, extras) : NULL;
    if (result && result->verdict == LS_PROVED && written->shown->apart && !shorter.strict_exit) {
        ls_verify_free(result);
        shorter.strict_exit = true;
        result = verify_again(ir, &shorter, extras);
    }
    plausible p = {.shown = result};
    if (result && is_open && result->verdict == LS_REFUTED)
        p = prefer_plausible(ir, &shorter, extras, result);
    result = p.shown;
    bool tells = result && result->verdict != LS_UNKNOWN && !result->mistakes && !p.rest && !p.is_excused &&
                 !is_of_equal_values(result) &&
                 (result->verdict == LS_PROVED || shorter.strict_exit == how->strict_exit);
    if (tells) {
        ls_tell_verification(entry, result, extras->stats);
        ls_report_scope(entry, "of the optimised code (-O3)",
                        "this verdict is for the code that the compiler generates with -O3; for the code as "
                        "written it is unknown");
    }
    if (p.rest) ls_verify_free(p.rest);
    if (result) ls_verify_free(result);
    if (ir) ls_ir_free(ir);
    ls_diags_free(ignored);
    return tells;
}

/* The contract that the file of contracts has for the kernel. Where the launch satisfies it, the proof takes
 * the place of the result; where it may, it is the verdict: true, and it is in `contract`. */
static bool hold_against(const ls_ir_function *ir, const ls_verify_options *how,
                         const ls_verification_extras *extras, ls_report_kernel *entry,
                         ls_verify_result **result, char *contract, size_t size) {
    const char *given = ls_contracts_find(extras->contracts, entry->name);
    ls_verify_result *proof = NULL;
    if (!given) return false;
    ls_contract_state state = ls_contract_check(ir, how, given, &proof);
    if (state == LS_CONTRACT_MET) {
        ls_verify_free(*result);
        *result = proof;
        ls_report_scope(entry, NULL, "the launch satisfies the contract '%s'", given);
        return false;
    }
    if (proof) ls_verify_free(proof);
    if (state == LS_CONTRACT_BROKEN)
        ls_report_help(entry, "the launch does not satisfy the contract '%s'", given);
    if (state == LS_CONTRACT_USELESS)
        ls_report_help(entry, "it is not proved for launches that satisfy its contract '%s'", given);
    snprintf(contract, size, "%s", given);
    return state == LS_CONTRACT_OPEN;
}

/* What the proof under the contract takes for granted beside it. The contract itself, of which the scope has
 * a line where it is an assumption, is the verdict. */
static void tell_scope_of(const ls_verify_result *proof, ls_report_kernel *entry) {
    for (const ls_verify_note *n = proof ? proof->scope : NULL; n; n = n->next)
        if (n->brief && !strstr(n->text, "(--assume)")) ls_report_scope(entry, n->brief, "%s", n->text);
}

/* Of memory that is not known to belong to these parameters, only the dynamic shared memory counts, which
 * comes first. */
static void keep_shared(ls_verify_options *how) {
    bool first = how->allocation_count && how->allocations->parameter == LS_DYNAMIC_SHARED;
    how->allocation_count = first ? 1 : 0;
}

/* An access that leaves its memory: a contract must exclude it, not only make it hard to find. */
static bool has_bounds(const ls_verify_result *result) {
    for (const ls_finding *f = result->findings; f; f = f->next)
        if (f->rule == LS_RULE_MEMORY_BOUNDS && f->level == LS_ERROR) return true;
    return false;
}

/* The kernels that are launched between, by their names in the PTX; one that is not there keeps its own. */
static const ls_launch_again *with_kernels(const ls_launch_again *again, const ls_compiled *compiled,
                                           ls_arena *arena) {
    ls_launch_again *named = LS_NEW(arena, ls_launch_again);
    const char **kernels = LS_NEW_N(arena, const char *, again->kernel_count + 1);
    for (uint32_t i = 0; i < again->kernel_count; i++) {
        kernels[i] = again->kernels[i];
        for (uint32_t k = 0; k < compiled->kernel_count; k++)
            if (!strcmp(compiled->kernels[k].demangled, again->kernels[i]))
                kernels[i] = compiled->kernels[k].name;
    }
    *named = *again;
    named->kernels = kernels;
    return named;
}

/* proof: where the contract holds, or a place for it; NULL: the launch is given, and the contract no verdict.
 */
static void tell_contract(const ls_ir_function *ir, const ls_verify_options *how,
                          const ls_verification_extras *extras, ls_report_kernel *entry,
                          ls_verify_result **proof, const char *contract) {
    if (!proof) {
        ls_report_help(entry, "it is proved for launches that satisfy this condition: --assume '%s'",
                       contract);
        return;
    }
    if (!*proof) ls_contract_check(ir, how, contract, proof);
    tell_scope_of(*proof, entry);
    ls_report_contract(entry, contract, extras->accept_contracts);
    ls_contracts_keep(extras->contracts, entry->name, contract);
}

/* It is proved where nothing that was found happens: that is its contract. */
static bool is_proved_otherwise(const ls_ir_function *ir, const ls_verify_options *how, const plausible *p,
                                char *contract, size_t size) {
    if (!p->rest || p->rest->verdict != LS_PROVED) return false;
    snprintf(contract, size, "%s", p->condition);
    ls_verify_shorten(ir, how, contract, size);
    return true;
}

static void tell_needs(const ls_ir_function *ir, const ls_verify_options *how, ls_report_kernel *entry) {
    char needed[1024];
    if (ls_verify_needs(ir, how, needed, sizeof needed))
        ls_report_scope(entry, NULL,
                        *needed ? "proved as well for every launch with %s" : "proved for every launch%s",
                        needed);
}

void ls_verify_kernel(const ls_input *input, const ls_compiled_kernel *kernel, ls_report_kernel *entry,
                      const ls_verify_options *asked, ls_verification_extras extras, ls_diags *diags) {
    const double start = ls_clock_ms(LS_CLOCK_WORK);
    const ls_ptx_function *function = ls_ptx_find_function(input->module, entry->name);
    if (!function || !function->body) return;
    const ls_kernel_launch *launch = extras.launch;
    bool known = launch && launch->argument_count == function->param_count;
    ls_verify_options own = *asked, *how = &own;
    own.open_arguments = launch && !known; /* as with structures that are passed in parts */
    own.inside = known ? launch->inside : NULL;
    own.inside_count = known ? launch->inside_count : 0;
    if (own.open_arguments) keep_shared(&own);
    ls_ir_function *ir = build(input->module, function, launch, how, diags);
    if (!ir) return;
    ls_arena names;
    ls_arena_init(&names);
    own.again = launch && launch->again ? with_kernels(launch->again, &input->compiled, &names) : NULL;
    own.recall = ls_verify_recall();
    ls_verify_result *result = verify(ir, how, &extras);
    own.prove_inside = has_bounds(result);
    own.one_attempt = ls_verify_in_vain(result);
    bool open = result->verdict != LS_PROVED && !result->mistakes && !how->promises_only;
    /* The launch is given in all its parts, or the host code leaves some of them open: then what excludes the
     * errors is for those who make it. */
    bool is_open = launch ? !launch->is_recorded : how->free_launch;
    char contract[512];
    bool doubtful = known && has_overlaps(launch);
    bool has_contract =
        open && !doubtful && hold_against(ir, how, &extras, entry, &result, contract, sizeof contract);
    open &= result->verdict != LS_PROVED;
    ls_verify_result *proof = NULL; /* where the contract holds */
    own.doubts = result->reasons;
    if (open && !doubtful && !has_contract)
        has_contract = ls_prove_contract(ir, how, result, contract, sizeof contract, &proof);
    own.doubts = NULL;
    plausible p = {.shown = result};
    if (open && is_open && !has_contract && !doubtful) p = prefer_plausible(ir, how, &extras, result);
    result = p.shown;
    has_contract |= is_proved_otherwise(ir, how, &p, contract, sizeof contract);
    for (const ls_verify_note *n = result->mistakes; n; n = n->next)
        ls_diags_add(diags, LS_ERROR, n->place.file, n->place.line, n->place.column, "%s", n->text);
    bool unknown = open && !has_contract && !doubtful && (p.rest || result->verdict == LS_UNKNOWN);
    bool told = unknown && !result->mistakes && verify_as_run(input, entry, how, &extras, is_open, &p);
    ls_guard_begin(backstop(how), 0);
    if (!told) ls_tell_verification(entry, result, extras.stats);
    if (!told && !has_contract) tell_rest(entry, &p);
    if (doubtful && result->verdict == LS_PROVED) doubt_overlaps(entry, launch, function, how);
    if (launch && launch->is_recorded && result->verdict == LS_PROVED) tell_needs(ir, how, entry);
    if (has_contract) tell_contract(ir, how, &extras, entry, is_open ? &proof : NULL, contract);
    note_used(how, result, &extras);
    ls_report_time(entry, ls_clock_ms(LS_CLOCK_WORK) - start);
    if (extras.costs && !result->mistakes) add_costs(input, kernel, ir, entry, extras.costs, diags);
    ls_guard_end();
    ls_verify_free(proof);
    ls_verify_free(p.rest);
    ls_verify_free(result);
    ls_ir_free(ir);
    ls_verify_forget(own.recall);
    ls_arena_free(&names);
}
