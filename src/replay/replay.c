/* Replay of what the verifier found (lockstep/replay.h). The blocks of the witness are run, the others are
 * not: blocks run in any order, so that this is how an execution of the whole grid may begin. Each run may
 * show other findings too; whatever the checkers report for the same pair of lines is confirmed. */
#include "lockstep/replay.h"

#include "base/clock.h"
#include "base/options.h"
#include "base/recover.h"
#include "isa/order.h"
#include "ptx/uses.h"
#include "replay/scene.h"
#include "replay/trial.h"

#include <string.h>

enum { MOST_RUNS = 32 };
/* A second is so many instructions of warps, about: what is counted is the same in every run, on every
 * machine. The clock ends only what takes far longer than that. */
static const double INSTRUCTIONS = 2e6, PATIENCE = 4;
static const double SHORTEST = 0.01; /* seconds of a run */

typedef struct {
    ls_verify_result *result;
    const ls_ir_function *kernel;
    const ls_verify_options *options;
    uint64_t instructions; /* that are left for further runs … */
    uint64_t few;          /* … and for one that may wait for ever */
    ls_deadline deadline;  /* in CPU time of this thread */
    uint32_t runs;
} replay;

/* --- What was seen ---------------------------------------------------------------------------------------
 */

uint32_t ls_replay_checks(void) {
    uint32_t checks = 0;
    for (uint32_t i = 0; i < LS_CHECKER_COUNT; i++) {
        const ls_emu_checker *c = &ls_emu_checkers()[i];
        if (ls_rule_get(c->rule)->level == LS_ERROR) checks |= c->bit;
    }
    return checks;
}

/* Assertions are looked at in any run. */
static bool is_checked(ls_rule rule) {
    bool checked = rule == LS_RULE_ASSERT;
    for (uint32_t i = 0; i < LS_CHECKER_COUNT && !checked; i++) {
        const ls_emu_checker *c = &ls_emu_checkers()[i];
        bool same = c->rule == rule || (ls_rule_is_race(c->rule) && ls_rule_is_race(rule));
        checked = same && (ls_replay_checks() & c->bit);
    }
    return checked;
}

/* The same instruction, as far as lines and columns tell. */
static bool is_place(const ls_place *a, const ls_place *b) {
    return ls_place_same_line(a, b) && (!a->column || !b->column || a->column == b->column);
}

/* The emulator names the variable, or the buffer by what the scene called it. */
static bool is_object(const ls_finding *f, const ls_finding *e) {
    const ls_ir_base *base = f->execution ? f->execution->base : NULL;
    const char *object = e->story ? e->story->object : NULL;
    return !base || !base->name || !object || !strcmp(base->name, object);
}

/* The same accesses race, both of them, on the same object: of one block or of two, as the finding says. */
static bool is_same_race(const ls_finding *f, const ls_finding *e) {
    const ls_actor *actors = e->story ? e->story->actors : NULL;
    if (actors && actors->next && f->execution) {
        const ls_verify_execution *x = f->execution;
        bool one = !memcmp(x->group[0], x->group[1], sizeof x->group[0]);
        bool seen = !memcmp(actors->block, actors->next->block, sizeof actors->block);
        if (one != seen) return false;
    }
    if (!f->related) return false;
    const ls_place *there = ls_finding_other(e), *other = ls_finding_other(f);
    return is_object(f, e) && ((is_place(&e->place, &f->place) && is_place(there, other)) ||
                               (is_place(&e->place, other) && is_place(there, &f->place)));
}

static bool is_same(const ls_finding *f, const ls_finding *e) {
    if (f->rule != e->rule) return false;
    if (ls_rule_is_race(f->rule)) return is_same_race(f, e);
    return is_place(&e->place, &f->place) || is_place(ls_finding_other(e), &f->place);
}

/* The run ended at the trap that the finding is of. */
static bool ends_there(const ls_emu_result *run, const ls_finding *f) {
    return f->rule == LS_RULE_ASSERT && run->status == LS_EMU_TRAPPED &&
           ls_place_same_line(&run->pos, &f->place);
}

/* What was seen until then did happen; but a run that was cut off, by the clock or by what cannot be run, may
 * be cut off elsewhere the next time, and shows nothing. */
static bool is_cut_off(const ls_emu_result *run) {
    return run->status != LS_EMU_DONE && run->status != LS_EMU_STUCK && run->status != LS_EMU_TRAPPED;
}

static const ls_finding *seen_in(const ls_emu_result *r, const ls_finding *f) {
    const ls_finding *seen = NULL;
    if (is_cut_off(r) || !is_checked(f->rule)) return NULL;
    for (uint32_t i = 0; i < r->finding_count; i++)
        if (is_same(f, &r->findings[i]) && (!seen || r->findings[i].level > seen->level))
            seen = &r->findings[i];
    return seen;
}

static void settled(ls_finding *f, ls_replay what, const char *note) {
    f->replay = what;
    if (note) ls_story_confirmed(f, note);
}

static void confirm(ls_finding *f, const ls_finding *e) {
    if (f->execution && f->execution->of_values &&
        e->level == LS_NOTE) { /* what was in doubt has not been seen */
        f->replay = LS_REPLAY_IMPOSSIBLE;
        return;
    }
    bool equal = ls_rule_is_race(f->rule) && e->level == LS_NOTE;
    if (equal && f->execution && f->execution->undefined) {
        settled(f, LS_REPLAY_IMPOSSIBLE, "not replayed: it depends on a value that was never set");
    } else if (equal && f->execution && f->execution->compared) {
        /* Memory that the verifier leaves open is filled with numbers that differ: where the values are equal
         * all the same, it is wrong about them. */
        f->replay = LS_REPLAY_NOT_SEEN;
    } else {
        settled(f, LS_REPLAY_CONFIRMED,
                equal ? "confirmed in the emulator (with equal values there)" : "confirmed in the emulator");
    }
}

/* --- What the emulator cannot show -----------------------------------------------------------------------
 */

static bool at_place(const ls_ir_instr *i, const ls_finding *f) {
    return (i->pos->line == f->place.line && !strcmp(i->pos->file, f->place.file)) ||
           (f->related && i->pos->line == f->related->place.line &&
            !strcmp(i->pos->file, f->related->place.file));
}

/* What OpenCL C has no rule for (races.c). */
static bool is_volatile_opencl(const replay *r, const ls_finding *f) {
    for (uint32_t i = 0; i < r->kernel->access_count && r->options->opencl; i++) {
        const ls_ir_access *a = r->kernel->accesses[i];
        if (a->is_volatile && at_place(a->instr, f)) return true;
    }
    return false;
}

/* An access to what a parameter points to, of which the verifier knows the size. */
static bool is_of_parameter(const replay *r, const ls_finding *f) {
    for (uint32_t i = 0; i < r->kernel->access_count; i++) {
        const ls_ir_access *a = r->kernel->accesses[i];
        for (uint32_t b = 0; b < a->base_count && at_place(a->instr, f); b++)
            if (a->bases[b]->kind == LS_BASE_PARAM) return true;
    }
    return false;
}

/* OpenCL's barriers that order one kind of memory only. */
static bool has_partial_fences(const replay *r) {
    for (uint32_t i = 0; i < r->kernel->instr_count; i++) {
        const ls_ir_instr *instr = r->kernel->instrs[i];
        if (ls_ir_builtin(instr) != LS_BUILTIN_BARRIER) continue;
        ls_ir_value *flags = ls_ir_argument_value(instr, 0, 0);
        uint64_t bits;
        if (!flags || !ls_ir_constant(flags, &bits) || (bits & 3) != 3) return true;
    }
    return false;
}

/* An access of less than a word to the object: there the emulator keeps one thread for each word, and forgets
 * the others. */
static bool is_narrow(const replay *r, const ls_finding *f) {
    for (uint32_t i = 0; i < r->kernel->access_count; i++) {
        const ls_ir_access *a = r->kernel->accesses[i];
        for (uint32_t b = 0; b < a->base_count && a->bytes < 4; b++)
            if (a->bases[b] == f->execution->base) return true;
    }
    return false;
}

/* An assertion that the emulator passes over. */
static bool is_unchecked_claim(const replay *r, const ls_finding *f) {
    for (uint32_t i = 0; i < r->kernel->instr_count; i++) {
        const ls_ir_instr *instr = r->kernel->instrs[i];
        if (ls_ir_builtin(instr) == LS_BUILTIN_ASSERT && at_place(instr, f)) return false;
    }
    return true;
}

/* The run ended as it should, and nothing like the finding was reported: why that says nothing of it; NULL
 * where it does. */
static const char *excuse(const replay *r, const ls_finding *f, const ls_emu_result *run) {
    const ls_verify_execution *x = f->execution;
    if (f->rule == LS_RULE_BARRIER_DIVERGENCE && memcmp(x->group[0], x->group[1], sizeof x->group[0]) != 0)
        return "not replayed: a replay runs a single block, and this is a barrier of the grid";
    if (x->undefined) return "not replayed: it depends on a value that was never set";
    for (uint32_t i = 0; i < run->finding_count; i++) {
        const ls_finding *e = &run->findings[i];
        if (e->rule == LS_RULE_MEMORY_BOUNDS &&
            (ls_place_same_line(&e->place, &f->place) || ls_place_same_line(&e->place, ls_finding_other(f))))
            return "not replayed: an access goes outside of the memory that the replay allocated for it";
        if (e->rule == LS_RULE_MEMORY_MISALIGNED)
            return "not replayed: an address is not a multiple of the access's size";
        if (e->rule == LS_RULE_BARRIER_DIVERGENCE)
            return "not replayed: threads of the block reach a barrier differently";
        if (ls_rule_is_race(f->rule) && f->rule == e->rule &&
            (ls_place_same_line(&e->place, &f->place) || ls_place_same_line(&e->place, ls_finding_other(f))))
            return "replayed in the emulator, which reports a race of one of these lines with another line";
    }
    if (run->note_count) return "not replayed: the emulator ended its race check early";
    if (ls_rule_is_race(f->rule) && is_volatile_opencl(r, f))
        return "not replayed: the emulator, like CUDA, lets volatile accesses touch the same memory";
    if (ls_rule_is_race(f->rule) && is_narrow(r, f))
        return "not replayed: the emulator may miss races between parts of a word";
    if (ls_rule_is_race(f->rule) && has_partial_fences(r))
        return "not replayed: in the emulator every barrier orders all memory";
    if (f->rule == LS_RULE_ASSERT && is_unchecked_claim(r, f))
        return "not replayed: the emulator does not check it";
    if (f->rule == LS_RULE_MEMORY_BOUNDS && is_of_parameter(r, f))
        return "not replayed: the emulator's buffers have other sizes";
    if (!is_checked(f->rule)) return "not replayed: the emulator does not check it";
    return NULL;
}

/* --- Runs ------------------------------------------------------------------------------------------------
 */

/* Threads of different blocks, in a kernel in which they may wait for each other. */
static bool may_wait(const replay *r, const ls_finding *f) {
    const ls_verify_execution *x = f->execution;
    if (!ls_rule_is_race(f->rule) || !memcmp(x->group[0], x->group[1], sizeof x->group[0])) return false;
    for (uint32_t i = 0; i < r->kernel->access_count; i++) {
        const ls_ir_access *a = r->kernel->accesses[i];
        if (a->kind != LS_ACCESS_WRITE && ls_order_of(a->instr->form).strong) return true;
    }
    return false;
}

/* Blocks that are not run do not reach the barrier of the grid. */
static bool waits_for_grid(const replay *r) {
    for (uint32_t i = 0; i < r->kernel->instr_count; i++)
        if (ls_ir_builtin(r->kernel->instrs[i]) == LS_BUILTIN_GRID_SYNC) return true;
    return false;
}

/* How the blocks of a witness are run: where threads wait for each other, what they do depends on who comes
 * first, or on all of the grid. */
typedef enum { AS_TOLD, REVERSED, WHOLE_GRID } manner;

static ls_emu_result *run_scene(replay *r, ls_scene *s, const ls_finding *f, manner how_run) {
    const ls_verify_execution *x = f->execution;
    uint32_t blocks[2], count = 0;
    for (int i = 0; i < (ls_rule_is_race(f->rule) ? 2 : 1); i++) {
        const uint32_t *g = x->group[how_run == REVERSED ? 1 - i : i];
        uint64_t number = g[0] + (uint64_t)x->grid[0] * (g[1] + (uint64_t)x->grid[1] * g[2]);
        if (!count || blocks[0] != number) blocks[count++] = (uint32_t)number;
    }
    ls_emu_launch launch = {.kernel = r->kernel->name,
                            .params = s->args.params,
                            .params_size = s->args.params_size,
                            .shared_bytes = s->args.shared_bytes};
    memcpy(launch.grid, x->grid, sizeof launch.grid);
    memcpy(launch.block, x->block, sizeof launch.block);
    ls_scene_cluster(r->kernel, &launch);
    uint32_t warp = r->options->warp_sync <= 64 ? r->options->warp_sync : 64;
    double left = ls_deadline_left(&r->deadline);
    ls_emu_options how = {.checks = ls_replay_checks(),
                          .threads = 1,
                          .warp_size = warp,
                          .warp_synchronous = warp != 0,
                          .strict_exit = r->options->opencl || r->options->strict_exit,
                          .timeout = left > SHORTEST ? left : SHORTEST,
                          .timeout_in_cpu_time = true,
                          .most_instructions = r->instructions,
                          .only_blocks = how_run == WHOLE_GRID ? NULL : blocks,
                          .only_count = how_run == WHOLE_GRID ? 0 : count,
                          .benign_error = r->options->benign_error};
    if ((may_wait(r, f) || waits_for_grid(r)) && r->few && r->few < how.most_instructions)
        how.most_instructions = r->few;
    ls_emu_result *run = ls_emulator_run(s->emulator, &launch, &how);
    if (run && run->status != LS_EMU_INVALID)
        r->instructions -= how.most_instructions - run->instructions_left;
    return run;
}

static void settle(const replay *r, ls_finding *f, const ls_emu_result *run) {
    static const char *const endings[] = {[LS_EMU_UNSUPPORTED] = "the emulator does not run it",
                                          [LS_EMU_STUCK] = "it gets stuck",
                                          [LS_EMU_TRAPPED] = "it traps",
                                          [LS_EMU_CANCELLED] = "it takes too long",
                                          [LS_EMU_INVALID] = "the launch is too large"};
    if (run->status == LS_EMU_DONE) {
        const char *why = excuse(r, f, run);
        settled(f, why ? LS_REPLAY_IMPOSSIBLE : LS_REPLAY_NOT_SEEN, why);
        return;
    }
    bool told = run->status == LS_EMU_UNSUPPORTED && run->message;
    settled(
        f, LS_REPLAY_IMPOSSIBLE,
        ls_arena_printf(r->result->memory, "not replayed: %s", told ? run->message : endings[run->status]));
}

/* What else the run has shown. */
static void share(const replay *r, const ls_emu_result *run) {
    for (ls_finding *f = r->result->findings; f; f = f->next) {
        bool open = f->replay != LS_REPLAY_CONFIRMED && f->level == LS_ERROR;
        const ls_finding *e = open ? seen_in(run, f) : NULL;
        if (e) confirm(f, e);
    }
}

bool ls_replay_breaks_assumptions(const ls_emu_result *run) {
    for (uint32_t i = 0; i < run->finding_count; i++)
        if (ls_emu_is_assumption(&run->findings[i])) return true;
    return false;
}

/* Something went out of its buffer, and maybe into another's: what is seen then need not be what was meant.
 */
bool ls_replay_strays(const ls_emu_result *run) {
    for (uint32_t i = 0; i < run->finding_count; i++)
        if (run->findings[i].rule == LS_RULE_MEMORY_BOUNDS) return true;
    return false;
}

static bool is_small(const ls_verify_execution *x) {
    enum { MOST_BLOCKS = 64 };
    return (uint64_t)x->grid[0] * x->grid[1] * x->grid[2] <= MOST_BLOCKS;
}

static void run_once(replay *r, ls_finding *f, bool suspicion, manner how, ls_scene_contents contents) {
    ls_scene scene;
    if (how != AS_TOLD) f->execution->of_order = true; /* nothing that is waited for is there already */
    ls_scene_set(&scene, r->kernel, f->execution, contents);
    if (scene.trouble) {
        settled(f, scene.contradiction ? LS_REPLAY_NOT_SEEN : LS_REPLAY_IMPOSSIBLE,
                ls_arena_printf(r->result->memory, "not replayed: %s", scene.trouble));
    } else {
        f->execution->undefined |= scene.left_out;
        ls_emu_result *run = run_scene(r, &scene, f, how);
        bool allowed = run && !ls_replay_breaks_assumptions(run);
        const ls_finding *e = allowed ? seen_in(run, f) : NULL;
        if (allowed && !e && ends_there(run, f))
            settled(f, LS_REPLAY_CONFIRMED, "confirmed in the emulator");
        else if (e && !(suspicion && ls_rule_is_race(f->rule) && ls_replay_strays(run)))
            confirm(f, e);
        else if (allowed)
            settle(r, f, run);
        else if (run)
            settled(f, LS_REPLAY_IMPOSSIBLE,
                    "not replayed: something that is assumed does not hold in the emulator's run");
        if (allowed) share(r, run);
        ls_emu_result_free(run);
    }
    ls_scene_free(&scene);
}

static bool may_run(replay *r) {
    return r->runs++ < MOST_RUNS && r->instructions && !ls_deadline_passed(&r->deadline);
}

static void try_out(replay *r, ls_finding *f, bool suspicion) {
    if (!f->execution || f->replay != LS_REPLAY_NONE) return;
    const bool more = suspicion && may_wait(r, f);
    const manner last = !more ? AS_TOLD : is_small(f->execution) ? WHOLE_GRID : REVERSED;
    for (manner how = AS_TOLD; how <= last && f->replay != LS_REPLAY_CONFIRMED; how++) {
        if (!may_run(r)) {
            if (f->replay == LS_REPLAY_NONE)
                settled(f, LS_REPLAY_IMPOSSIBLE, "not replayed: the time for replays was used up");
            return;
        }
        run_once(r, f, suspicion, how, LS_SCENE_NUMBERS);
    }
    /* What is multiplied by a parameter that the witness leaves at 0 is equal by accident. */
    if (f->replay == LS_REPLAY_NOT_SEEN && f->execution->compared && may_run(r))
        run_once(r, f, suspicion, AS_TOLD, LS_SCENE_FACTORS);
}

/* --- Verdicts --------------------------------------------------------------------------------------------
 */

/* A finding that did not happen is a reason for "unknown". */
static void doubt(replay *r, ls_finding *f) {
    ls_verify_note *n = LS_NEW((ls_arena *)r->result->memory, ls_verify_note);
    n->place = f->place;
    n->text = ls_arena_printf(r->result->memory,
                              "possible %s: it did not happen when its witness was run in the emulator",
                              f->message);
    n->help =
        "run the kernel with the program's own arguments ('lockstep run') to see whether it happens there";
    ls_verify_note **at = &r->result->reasons;
    while (*at) at = &(*at)->next;
    *at = n;
}

static void judge_findings(replay *r) {
    for (ls_finding *f = r->result->findings; f; f = f->next)
        if (f->level == LS_ERROR) try_out(r, f, false);
    for (ls_finding **at = &r->result->findings; *at;) {
        ls_finding *f = *at;
        if (f->replay != LS_REPLAY_NOT_SEEN) {
            at = &f->next;
            continue;
        }
        doubt(r, f);
        *at = f->next;
    }
}

/* A program's own memory may keep it from happening. */
static bool is_made_up(const replay *r, const ls_finding *f) {
    const bool of_program = r->options->of_program || r->options->free_launch;
    return of_program && f->rule == LS_RULE_RACE_GLOBAL && ls_replay_hangs_on_data(r->kernel, f);
}

/* Suspicions that do happen. */
static void judge_suspicions(replay *r) {
    if (ls_ptx_has_axioms(r->kernel->module)) return; /* nobody looks after them in the emulator */
    for (ls_verify_note **at = &r->result->reasons; *at;) {
        ls_verify_note *n = *at;
        if (n->candidate && !is_made_up(r, n->candidate)) try_out(r, n->candidate, true);
        if (!n->candidate || n->candidate->replay != LS_REPLAY_CONFIRMED) {
            at = &n->next;
            continue;
        }
        n->candidate->next = r->result->findings;
        r->result->findings = n->candidate;
        *at = n->next;
    }
}

static bool has_errors(const ls_verify_result *result) {
    bool found = false;
    for (const ls_finding *f = result->findings; f; f = f->next) found |= f->level == LS_ERROR;
    return found;
}

/* Where memory runs out, what was not tried yet stays as it is. */
static void judge(void *context) {
    replay *r = context;
    judge_findings(r);
    judge_suspicions(r);
    if (r->result->verdict == LS_UNKNOWN && !has_errors(r->result) && !ls_ptx_has_axioms(r->kernel->module))
        ls_replay_trial(r->result, r->kernel, r->options, r->instructions, &r->deadline);
}

void ls_replay_findings(ls_verify_result *result, const ls_ir_function *kernel,
                        const ls_verify_options *options, double seconds) {
    LS_OWN_OPTIONS(ls_verify_options, options);
    replay r = {.result = result,
                .kernel = kernel,
                .options = options,
                .instructions = (uint64_t)(seconds * INSTRUCTIONS),
                .few = (uint64_t)(seconds * INSTRUCTIONS / 8),
                .deadline = ls_deadline_in(LS_CLOCK_THREAD, PATIENCE * seconds)};
    ls_try(judge, &r);
    if (has_errors(result))
        result->verdict = LS_REFUTED;
    else if (result->verdict == LS_REFUTED)
        result->verdict = LS_UNKNOWN;
}
