/* Divergence-aware register allocation (003 §4): the pipeline. For each function the passes of private.h run
 * one after another; the scan is repeated with other reservations until it fits:
 *
 *     1. nothing reserved: where nothing has to be spilled, that is all;
 *     2. a word for the base of the warp's slots, and (AFF) with or without one for threadIdx.x, whichever
 *        costs less;
 *     3. no shared memory;
 *     4. more words than were asked for, as instructions need some at once. */
#include "allocate/private.h"

#include "base/clock.h"
#include "base/options.h"
#include "base/recover.h"

#include <stdlib.h>

struct ls_allocation_private {
    ls_arena arena;
};

enum { LEAST_WORDS = 4, MOST_ASKED = 255 };

#define STATE_TEXT(id, text)       [LS_STATE_##id] = text,
#define PLACE_NAME(id, name, text) [LS_PLACE_##id] = name,

const char *ls_allocate_state_text(ls_allocate_state state) {
    static const char *const texts[] = {LS_ALLOCATE_STATES(STATE_TEXT)};
    return texts[state];
}

const char *ls_allocate_place_name(ls_allocate_place place) {
    static const char *const names[] = {LS_ALLOCATE_PLACES(PLACE_NAME)};
    return names[place];
}

const char *ls_allocator_name(ls_allocator allocator) {
    static const char *const names[] = {"linear", "div", "aff"};
    return names[allocator];
}

/* --- Fitting ---------------------------------------------------------------------------------------------
 */
static void reset(job *j) {
    for (uint32_t w = 0; w < j->web_count; w++) j->webs[w].spilled = j->webs[w].has_place = false;
}

static bool attempt(job *j, bool use_shared, bool pin_tid) {
    reset(j);
    j->use_shared = use_shared;
    j->pin_tid = pin_tid;
    return ls_scan(j);
}

static bool any_spilled(const job *j, bool shared_only) {
    for (uint32_t w = 0; w < j->web_count; w++)
        if (j->webs[w].spilled && (!shared_only || ls_in_shared(&j->webs[w]))) return true;
    return false;
}

static bool wants_tid(const job *j) {
    for (uint32_t w = 0; w < j->web_count; w++)
        if (j->webs[w].spilled && j->webs[w].place >= LS_PLACE_AFFINE && j->webs[w].poly.count) return true;
    return false;
}

/* What a scan leaves, so that the better of two can be taken. */
typedef struct {
    job head;
    web *webs;
    reference *refs;
    helpers *before, *after;
    uint32_t pressure, predicates;
} snapshot;

static void *copied(ls_arena *arena, const void *items, size_t size) {
    return memcpy(ls_arena_alloc(arena, size + 1), items, size);
}

static snapshot save(const job *j) {
    return (snapshot){*j,
                      copied(j->arena, j->webs, j->web_count * sizeof *j->webs),
                      copied(j->arena, j->refs, j->ref_start[j->length] * sizeof *j->refs),
                      copied(j->arena, j->before, j->length * sizeof *j->before),
                      copied(j->arena, j->after, j->length * sizeof *j->after),
                      j->out->pressure_after,
                      j->out->predicates_after};
}

static void restore(job *j, const snapshot *s) {
    j->use_shared = s->head.use_shared;
    j->pin_tid = s->head.pin_tid;
    j->base_word = s->head.base_word;
    j->tid_word = s->head.tid_word;
    memcpy(j->webs, s->webs, j->web_count * sizeof *j->webs);
    memcpy(j->refs, s->refs, j->ref_start[j->length] * sizeof *j->refs);
    memcpy(j->before, s->before, j->length * sizeof *j->before);
    memcpy(j->after, s->after, j->length * sizeof *j->after);
    j->out->pressure_after = s->pressure;
    j->out->predicates_after = s->predicates;
}

/* With and without a word for threadIdx.x, the cheaper one. */
static bool attempt_tid(job *j, bool use_shared) {
    if (!attempt(j, use_shared, false)) return false;
    if (!wants_tid(j)) return true;
    double without = ls_spill_cost(j);
    snapshot plain = save(j);
    if (!attempt(j, use_shared, true) || ls_spill_cost(j) >= without) restore(j, &plain);
    return true;
}

static bool fit_into(job *j) {
    bool plain = j->options->allocator == LS_ALLOCATE_LINEAR || !j->analysis;
    if (plain) return attempt(j, false, false);
    j->one_round = true; /* enough to see whether anything must be spilled */
    bool easy = attempt(j, false, false) && !any_spilled(j, false);
    j->one_round = false;
    if (easy) return true;
    if (attempt_tid(j, true)) {
        if (any_spilled(j, true)) return true;
        return attempt_tid(j, false); /* the base is of no use */
    }
    if (!attempt(j, false, false)) return false;
    ls_allocate_note(j,
                     "no shared memory was used: %u registers are too few when one of them holds its address",
                     j->words);
    return true;
}

static bool fit(job *j) {
    uint32_t asked = j->words;
    for (; j->words <= MAX_WORDS; j->words += j->words < MOST_ASKED ? 1 : 256)
        if (fit_into(j)) {
            if (j->words != asked)
                ls_allocate_note(
                    j, "%u registers are too few for the instruction at line %u of the PTX: %u were used",
                    asked, j->order[j->failed_at]->pos->ptx_line, j->words);
            return true;
        }
    return false;
}

/* --- One function ----------------------------------------------------------------------------------------
 */
static void fill_report(job *j) {
    ls_allocate_kernel *out = j->out;
    for (uint32_t w = 0; w < j->web_count; w++) {
        if (!j->webs[w].spilled) continue;
        out->spilled_variables++;
        out->spilled_states[j->webs[w].state]++;
    }
    out->registers = j->words;
    out->rounds = j->rounds;
    out->local_bytes = j->local_bytes;
    out->shared_bytes = j->shared_stride * j->warps;
    out->base_reserved = j->base_word != NONE;
    out->tid_reserved = j->tid_word != NONE;
    uint32_t threads = j->warps * LS_WARP_LANES, own = out->shared_static + j->options->dynamic_shared;
    out->before = ls_occupancy_of(j->arch, threads, out->pressure, own);
    out->after = ls_occupancy_of(j->arch, threads, out->pressure_after, own + out->shared_bytes);
    bool rests = any_spilled(j, true) || out->loads[LS_PLACE_AFFINE];
    for (uint32_t i = 0; rests && i < j->analysis->scope_count; i++)
        ls_allocate_note(j, "assumed: %s", j->analysis->scope[i]);
}

static ls_ptx_function *run_passes(job *j) {
    double start = ls_clock_ms(LS_CLOCK_THREAD);
    ls_fill_webs(j);
    ls_fill_liveness(j);
    ls_fill_states(j);
    ls_ptx_function *function = NULL;
    if (fit(j)) {
        ls_fill_slots(j);
        function = ls_rewrite(j, j->out_arena);
        if (!function) j->out->reason = "an operand was not understood";
    } else {
        j->out->reason = "it does not fit into any number of registers";
    }
    j->out->scan_ms = ls_clock_ms(LS_CLOCK_THREAD) - start;
    if (function) fill_report(j);
    return function;
}

static ls_ptx_function *allocate_function(const ls_ptx_module *module, const ls_ptx_function *ptx,
                                          const ls_allocate_options *options, const uint32_t block[3],
                                          ls_allocate_kernel *out, ls_arena *out_arena, ls_diags *diags) {
    job *j = ls_job_new(module, ptx, options, out, out_arena);
    ls_ptx_function *function = ls_job_fill(j, block, diags) ? run_passes(j) : NULL;
    out->rewritten = function != NULL;
    ls_job_free(j);
    return function;
}

/* --- The module ------------------------------------------------------------------------------------------
 */
static bool check_options(const ls_ptx_module *module, const ls_allocate_options *o, ls_diags *diags) {
    const char *wrong = NULL;
    if (o->registers && (o->registers < LEAST_WORDS || o->registers > MOST_ASKED))
        wrong = "the number of registers must be between 4 and 255";
    if (o->predicates && (o->predicates < 2 || o->predicates > MOST_ASKED))
        wrong = "the number of predicates must be between 2 and 255";
    if (wrong) ls_diags_add(diags, LS_ERROR, module->filename, 0, 0, "%s", wrong);
    return !wrong;
}

typedef struct {
    const ls_ptx_module *module;
    const ls_allocate_options *options;
    ls_diags *diags;
    ls_allocation *out;
} allocating;

static void allocate(void *context) {
    const allocating *all = context;
    const ls_ptx_module *module = all->module;
    const ls_allocate_options *options = all->options;
    ls_allocation *out = all->out;
    ls_arena *arena = &out->hidden->arena;
    out->kernels = LS_NEW_N(arena, ls_allocate_kernel, module->function_count + 1);
    ls_ptx_function **replaced = LS_NEW_N(arena, ls_ptx_function *, module->function_count + 1);
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ls_ptx_function *function = module->functions[i];
        uint32_t block[3] = {0};
        if (!function->body) continue;
        if (options->wants && !options->wants(options->context, function->symbol->name, block)) continue;
        ls_allocate_kernel *kernel = &out->kernels[out->kernel_count++];
        *kernel = (ls_allocate_kernel){.name = ls_arena_strdup(arena, function->symbol->name),
                                       .is_entry = function->is_entry,
                                       .allocator = options->allocator,
                                       .asked = options->registers};
        replaced[i] = allocate_function(module, function, options, block, kernel, arena, all->diags);
    }
    out->ptx = ls_print_with(module, arena, replaced, &out->length);
}

ls_allocation *ls_allocate(const ls_ptx_module *module, const ls_allocate_options *options, ls_diags *diags) {
    LS_OWN_OPTIONS(ls_allocate_options, options);
    if (!check_options(module, options, diags)) return NULL;
    ls_allocation *out = calloc(1, sizeof *out);
    if (out) out->hidden = calloc(1, sizeof *out->hidden);
    if (out && out->hidden && ls_try(allocate, &(allocating){module, options, diags, out})) return out;
    ls_allocation_free(out);
    ls_diags_no_memory(diags);
    return NULL;
}

void ls_allocation_free(ls_allocation *allocation) {
    if (!allocation) return;
    if (allocation->hidden) ls_arena_free(&allocation->hidden->arena);
    free(allocation->hidden);
    free(allocation->ptx);
    free(allocation);
}
