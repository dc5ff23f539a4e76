/* Trials: a kernel that is neither proved nor refuted is run in the emulator with a launch that satisfies all
 * that is assumed of it (verify/query/sample.c), in several orders of its warps and times of its copies. What
 * the checkers report as an error did happen, and refutes the kernel; a run in which nothing happens says
 * nothing.
 *
 * Not everything that happens with made-up arguments is the kernel's fault. Left out are: runs in which an
 * access leaves its buffer, as the buffers' sizes are made up, or in which something that the program assumes
 * does not hold; races at addresses that depend on the contents of memory, which are made up, too; races in
 * global memory where scalar parameters are smaller than the grid is wide, as such rows would overlap; and,
 * at a launch that a program makes, where data may select the threads that go one way. */
#include "replay/trial.h"
#include "base/recover.h"
#include "finding/store.h"
#include "replay/scene.h"

#include <stdlib.h>
#include <string.h>

static const double SHORTEST = 0.01; /* seconds of a run */

enum { MOST_BLOCKS = 4, MOST_DEPTH = 200, MOST_CONDITIONS = 8, MOST_WALKED = 20000000 };

typedef struct {
    ls_verify_result *result;
    const ls_ir_function *kernel;
    const ls_verify_options *options;
    const ls_verify_execution *sample;
    bool by_data[2];       /* a program's memory may select who does something: threads of a block, blocks */
    uint64_t instructions; /* that are left for further runs */
    const ls_deadline *deadline;
} trial;

/* --- What counts -----------------------------------------------------------------------------------------
 */

/* A walk from a value back to what it is computed from. */
typedef struct {
    const ls_ir_function *f;
    bool *seen; /* by value */
    int whole;  /* of `varies`: LS_PER_BLOCK or LS_PER_GRID */
} walk;

/* A question about a value, which is asked of the values that it is computed from as well. */
typedef bool (*value_test)(const walk *w, const ls_ir_value *v, uint32_t depth);

/* Whether the answer is yes for one of the values that phis, η and instructions compute this one from. */
static bool any_source(const walk *w, const ls_ir_value *v, uint32_t depth, value_test test) {
    if (v->kind == LS_VALUE_ETA) return test(w, v->eta.value, depth + 1);
    bool any = false;
    if (v->kind == LS_VALUE_PHI)
        for (uint32_t i = 0; i < v->phi->block->pred_count && !any; i++)
            any = test(w, v->phi->args[i], depth + 1);
    if (v->kind != LS_VALUE_INSTR) return any;
    for (uint32_t k = 0; k < v->instr->src_count && !any; k++)
        any = test(w, v->instr->src[k].value, depth + 1);
    return any || (v->instr->prior && test(w, v->instr->prior[v->result], depth + 1));
}

/* True where the value was not looked at before; *deep: it is too far away to go on. */
static bool is_first_look(const walk *w, const ls_ir_value *v, uint32_t depth, bool *deep) {
    *deep = depth > MOST_DEPTH;
    if (!v || w->seen[v->id]) return false;
    return w->seen[v->id] = true;
}

/* The value depends on the contents of memory: it is loaded, or computed from something that is. */
static bool is_by_data(const walk *w, const ls_ir_value *v, uint32_t depth) {
    bool deep;
    if (!is_first_look(w, v, depth, &deep)) return false;
    if (deep) return true;
    const ls_ir_instr *i = v->kind == LS_VALUE_INSTR ? v->instr : NULL;
    for (uint32_t k = 0; i && k < i->access_count; k++) {
        const ls_ir_access *a = &i->accesses[k];
        bool parameter = a->base_count == 1 && a->bases[0]->kind == LS_BASE_OBJECT &&
                         w->f->objects[a->bases[0]->object]->kind == LS_OBJECT_PARAM;
        if (!parameter && a->space != LS_SPACE_CONST && a->space != LS_SPACE_PARAM) return true;
    }
    return any_source(w, v, depth, is_by_data);
}

/* The value is not the same for all threads of a block (or of the grid), or may not be. */
static bool varies(const walk *w, const ls_ir_value *v, uint32_t depth) {
    bool deep;
    if (!is_first_look(w, v, depth, &deep)) return false;
    if (deep || v->kind == LS_VALUE_UNDEF) return true;
    if (v->kind == LS_VALUE_SREG) return (int)ls_ptx_sreg_of(v->sreg)->varies < w->whole;
    return any_source(w, v, depth, varies);
}

/* The instruction itself, where it is known which one it was; else any of its line. */
static bool is_at(const ls_ir_instr *i, const ls_place *place) {
    if (i->pos->ptx_line && place->ptx_line) return i->pos->ptx_line == place->ptx_line;
    return i->pos->line == place->line && place->file && !strcmp(i->pos->file, place->file);
}

/* Where in tensor memory is what tcgen05.alloc has written to shared memory, not made up. */
static bool is_in_tensor_memory(const ls_ir_instr *i) {
    return i->form->opcode->tensor == LS_TENSOR_MEMORY;
}

bool ls_replay_hangs_on_data(const ls_ir_function *kernel, const ls_finding *f) {
    LS_SCRATCH(scratch);
    const walk w = {kernel, ls_arena_zalloc(&scratch, (kernel->value_count + 1) * sizeof *w.seen), 0};
    bool by = false;
    for (uint32_t k = 0; k < kernel->access_count && !by; k++) {
        const ls_ir_access *a = kernel->accesses[k];
        if (!is_at(a->instr, &f->place) && !is_at(a->instr, ls_finding_other(f))) continue;
        if (is_in_tensor_memory(a->instr)) continue;
        by = is_by_data(&w, a->instr->src[a->src].value, 0);
    }
    return by;
}

static bool is_any_copy(const ls_ir_instr *i) {
    return i->form->opcode->effects & LS_ASYNC;
}

/* How large the boxes are that it writes to global memory stands in its map, which is made up. */
static bool is_by_map(const ls_ir_instr *i) {
    return i->form->opcode->tensor == LS_TENSOR_MAP;
}

/* A bulk copy or a matrix unit of that kind takes part. */
static bool is_asynchronous(const trial *t, const ls_finding *f, bool (*is)(const ls_ir_instr *)) {
    for (uint32_t k = 0; k < t->kernel->instr_count; k++) {
        const ls_ir_instr *i = t->kernel->instrs[k];
        if (is(i) && (is_at(i, &f->place) || is_at(i, ls_finding_other(f)))) return true;
    }
    return false;
}

/* Walks over values, each from the beginning, as long as there is something left of what they may cost. */
typedef struct {
    walk each;
    uint64_t left; /* 0: the answers from here on mean nothing */
} walks;

static bool pay(walks *w, uint64_t steps) {
    w->left = w->left > steps ? w->left - steps : 0;
    return w->left != 0;
}

static bool asks(walks *w, value_test test, const ls_ir_value *v) {
    const uint32_t count = w->each.f->value_count + 1;
    if (!pay(w, count)) return true;
    memset(w->each.seen, 0, count * sizeof *w->each.seen);
    return test(&w->each, v, 0);
}

/* Loaded from memory that the kernel leaves as it is. */
static bool is_of_program(walks *w, const ls_ir_value *v) {
    const ls_ir_function *f = w->each.f;
    if (!pay(w, f->access_count + 1)) return true;
    const ls_ir_access *a =
        v && v->kind == LS_VALUE_INSTR && v->instr->access_count ? &v->instr->accesses[0] : NULL;
    for (uint32_t i = 0; a && i < f->access_count; i++)
        for (uint32_t b = 0; b < f->accesses[i]->base_count; b++)
            for (uint32_t k = 0; k < a->base_count; k++)
                if (f->accesses[i]->kind != LS_ACCESS_READ && f->accesses[i]->bases[b] == a->bases[k])
                    return false;
    return true;
}

/* Depending on data, only some of the threads may pass the comparison. verify/check/data.c asks the same of
 * the terms of two threads that meet; there is no pair of accesses here yet, so that this rule takes more
 * comparisons: also those of which no side is a thread's own value from memory (`i < n[0]`, `i == n[0]`). */
static bool selects(walks *w, const ls_ir_instr *i) {
    const ls_ir_value *x = i->src[0].value, *y = i->src[1].value;
    const bool data[] = {asks(w, is_by_data, x), asks(w, is_by_data, y)};
    if (!data[0] && !data[1]) return false;
    const bool own[] = {asks(w, varies, x), asks(w, varies, y)};
    const bool equal = i->form->compare == LS_MOD_EQ || i->form->compare == LS_MOD_NE;
    if (equal) return own[data[0] ? 1 : 0] || (data[0] && data[1]);
    return (data[0] && !own[0] && is_of_program(w, x)) || (data[1] && !own[1] && is_of_program(w, y));
}

/* A condition that is made of such comparisons. */
static bool is_selecting(walks *w, const ls_ir_value *v, uint32_t depth) {
    if (!v || !asks(w, is_by_data, v)) return false;
    const ls_ir_instr *i = v->kind == LS_VALUE_INSTR ? v->instr : NULL;
    if (!i || depth > MOST_CONDITIONS) return true;
    if (i->op == LS_OP_SETP && i->src_count == 2) return selects(w, i);
    if (i->op != LS_OP_AND && i->op != LS_OP_OR && i->op != LS_OP_NOT && i->op != LS_OP_XOR) return true;
    for (uint32_t k = 0; k < i->src_count; k++)
        if (is_selecting(w, i->src[k].value, depth + 1)) return true;
    return false;
}

/* The contents of memory may select which threads (of a block, of the grid) do something, or it would take
 * too long to find out. */
static bool data_selects(const ls_ir_function *f, int whole) {
    LS_SCRATCH(scratch);
    bool *seen = ls_arena_zalloc(&scratch, (f->value_count + 1) * sizeof *seen);
    walks w = {{f, seen, whole}, MOST_WALKED};
    bool by = false;
    for (uint32_t i = 0; i < f->instr_count && !by && w.left; i++)
        by = is_selecting(&w, f->instrs[i]->guard.value, 0);
    return by || !w.left;
}

/* The threads that race are of different blocks. */
static bool is_between_blocks(const ls_finding *f) {
    const ls_actor *a = f->story ? f->story->actors : NULL;
    return a && a->next && a->has_block && a->next->has_block &&
           memcmp(a->block, a->next->block, sizeof a->block) != 0;
}

/* Of global memory, only what is not a matter of sizes that were made up. */
static bool counts_globally(const trial *t, const ls_finding *f) {
    if (is_asynchronous(t, f, is_by_map)) return false;
    if (is_asynchronous(t, f, is_any_copy)) return true;
    return t->sample == t->result->roomy && !t->by_data[is_between_blocks(f)];
}

static bool counts(const trial *t, const ls_finding *f) {
    if (f->rule == LS_RULE_RACE_GLOBAL && !counts_globally(t, f)) return false;
    bool wanted = ls_rule_is_race(f->rule) || f->rule == LS_RULE_ASYNC_PROXY ||
                  f->rule == LS_RULE_ASYNC_MBARRIER || f->rule == LS_RULE_ASYNC_UNFINISHED ||
                  f->rule == LS_RULE_ASYNC_REGISTERS;
    return wanted && f->level >= LS_WARNING &&
           !(ls_rule_is_race(f->rule) && ls_replay_hangs_on_data(t->kernel, f));
}

/* --- Runs ------------------------------------------------------------------------------------------------
 */

static ls_emu_result *run(trial *t, const ls_scene *s, ls_emu_schedule schedule) {
    static const uint32_t first[MOST_BLOCKS] = {0, 1, 2, 3};
    const ls_verify_execution *x = t->sample;
    ls_emu_launch launch = {.kernel = t->kernel->name,
                            .params = s->args.params,
                            .params_size = s->args.params_size,
                            .shared_bytes = s->args.shared_bytes};
    memcpy(launch.grid, x->grid, sizeof launch.grid);
    memcpy(launch.block, x->block, sizeof launch.block);
    ls_scene_cluster(t->kernel, &launch);
    uint64_t blocks = (uint64_t)x->grid[0] * x->grid[1] * x->grid[2];
    double left = ls_deadline_left(t->deadline);
    ls_emu_options how = {.checks = ls_replay_checks(),
                          .threads = 1,
                          .schedule = schedule,
                          .seed = 1,
                          .strict_exit = t->options->opencl || t->options->strict_exit,
                          .timeout = left > SHORTEST ? left : SHORTEST,
                          .timeout_in_cpu_time = true,
                          .most_instructions = t->instructions,
                          .only_blocks = first,
                          .only_count = blocks < MOST_BLOCKS ? (uint32_t)blocks : MOST_BLOCKS,
                          .benign_error = t->options->benign_error};
    ls_emu_result *r = ls_emulator_run(s->emulator, &launch, &how);
    if (r && r->status != LS_EMU_INVALID) t->instructions = r->instructions_left;
    return r;
}

static bool is_valid(const ls_emu_result *r) {
    bool ended = r->status == LS_EMU_DONE || r->status == LS_EMU_STUCK;
    return ended && !ls_replay_breaks_assumptions(r) && !ls_replay_strays(r);
}

/* Another run has shown it. */
static bool is_known(const trial *t, const ls_finding *f) {
    for (const ls_finding *k = t->result->findings; k; k = k->next)
        if (k->rule == f->rule && ls_place_same_line(&k->place, &f->place) &&
            ls_place_same_line(ls_finding_other(k), ls_finding_other(f)))
            return true;
    return false;
}

/* The parameter whose buffer it is, under the name that the source has for it. */
static void name_parameter(const trial *t, ls_finding *f) {
    const char *object = f->story ? f->story->object : NULL;
    for (uint32_t i = 0; object && i < t->kernel->base_count; i++) {
        const ls_ir_base *base = t->kernel->bases[i];
        if (base->kind != LS_BASE_PARAM || base->offset || strcmp(base->name, object) != 0) continue;
        uint32_t index = t->kernel->objects[base->object]->index;
        const char *name = index < t->options->parameter_count ? t->options->parameters[index] : NULL;
        if (name) ls_finding_rename(f, name);
        return;
    }
}

/* What happened becomes a finding of the verifier's; true where an error did. */
static bool adopt(const trial *t, const ls_emu_result *r) {
    bool error = false;
    for (uint32_t i = 0; i < r->finding_count; i++) {
        if (!counts(t, &r->findings[i]) || is_known(t, &r->findings[i])) continue;
        ls_finding *f = ls_finding_copy(t->result->store, &r->findings[i]);
        f->replay = LS_REPLAY_CONFIRMED;
        f->next = NULL;
        name_parameter(t, f);
        ls_story_confirmed(f, "found by running the kernel in the emulator with made-up arguments");
        LS_APPEND(ls_finding, t->result->findings, f);
        error |= f->level == LS_ERROR;
    }
    return error;
}

static bool try_schedule(trial *t, ls_emu_schedule schedule, ls_scene_contents contents) {
    ls_scene scene;
    bool found = false;
    ls_scene_set(&scene, t->kernel, t->sample, contents);
    ls_emu_result *r = scene.trouble ? NULL : run(t, &scene, schedule);
    if (r && is_valid(r)) found = adopt(t, r);
    ls_emu_result_free(r);
    ls_scene_free(&scene);
    return found;
}

static const struct {
    ls_emu_schedule schedule;
    ls_scene_contents contents;
    bool roomy;
} runs[] = {{LS_SCHEDULE_RR, LS_SCENE_NUMBERS, false},     {LS_SCHEDULE_REVERSE, LS_SCENE_NUMBERS, false},
            {LS_SCHEDULE_RANDOM, LS_SCENE_NUMBERS, false}, {LS_SCHEDULE_RR, LS_SCENE_NUMBERS, true},
            {LS_SCHEDULE_REVERSE, LS_SCENE_NUMBERS, true}, {LS_SCHEDULE_RR, LS_SCENE_ZEROS, false},
            {LS_SCHEDULE_REVERSE, LS_SCENE_ZEROS, false},  {LS_SCHEDULE_RANDOM, LS_SCENE_ZEROS, false}};

void ls_replay_trial(ls_verify_result *result, const ls_ir_function *kernel, const ls_verify_options *options,
                     uint64_t instructions, const ls_deadline *deadline) {
    trial t = {.result = result,
               .kernel = kernel,
               .options = options,
               .instructions = instructions,
               .deadline = deadline};
    if (options->of_program || options->free_launch) {
        t.by_data[false] = data_selects(kernel, LS_PER_BLOCK);
        t.by_data[true] = data_selects(kernel, LS_PER_GRID);
    }
    bool found = result->mistakes || result->impossible || options->only_divergence;
    for (size_t i = 0; i < sizeof runs / sizeof *runs && !found; i++) {
        if (!t.instructions || ls_deadline_passed(deadline)) return;
        t.sample = runs[i].roomy ? result->roomy : result->sample;
        found = t.sample && try_schedule(&t, runs[i].schedule, runs[i].contents);
    }
}
