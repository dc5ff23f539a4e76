/* The public face of the kernel language (include/lockstep/model.h): holds a kernel with its predicated and
 * lock-step forms, and puts findings into words. */
#include "lockstep/model.h"

#include "base/buf.h"
#include "base/options.h"
#include "base/recover.h"
#include "model/explore.h"
#include "model/lower.h"
#include "model/normal.h"
#include "model/parse.h"
#include "model/predicate.h"
#include "model/print.h"
#include "model/random.h"

#include <assert.h>
#include <inttypes.h>

struct ls_model {
    ls_kctx *ctx;
    ls_kprog *kernel, *predicated, *lockstep;
    ls_cfg *cfg;
    uint8_t wellness; /* ls_kwellness */
    uint32_t ill_block;
};

/* ---- Models -------------------------------------------------------------------------------------------- */

static ls_model *make(ls_kprog *kernel, ls_diags *diags) {
    if (!kernel) return NULL;
    if (!ls_kernel_normalise(kernel, diags)) {
        ls_kctx_free(kernel->ctx);
        return NULL;
    }
    ls_model *model = ls_xmalloc(sizeof *model);
    *model = (ls_model){.ctx = kernel->ctx, .kernel = kernel, .cfg = ls_kprog_cfg(kernel)};
    model->wellness = (uint8_t)ls_kernel_well_formed(kernel, &model->ill_block);
    model->predicated = ls_kernel_predicate(kernel, model->cfg);
    model->lockstep = ls_kernel_lockstep(model->predicated);
    return model;
}

static ls_model *parse_model(const char *text, size_t length, const char *file, uint32_t threads,
                             ls_diags *diags) {
    return make(ls_kernel_parse(text, length, file, threads, diags), diags);
}

ls_model *ls_model_parse(const char *text, size_t length, const char *file, uint32_t threads,
                         ls_diags *diags) {
    LS_GUARDED((ls_diags_no_memory(diags), NULL), parse_model(text, length, file, threads, diags));
}

ls_model *ls_model_random(uint64_t seed, uint32_t threads) {
    return make(ls_kernel_random(seed, threads), NULL);
}

static ls_model *lower_model(const ls_ir_function *kernel, const ls_model_launch *launch, ls_diags *diags) {
    return make(ls_kernel_lower(kernel, launch, diags), diags);
}

ls_model *ls_model_lower(const ls_ir_function *kernel, const ls_model_launch *launch, ls_diags *diags) {
    LS_GUARDED((ls_diags_no_memory(diags), NULL), lower_model(kernel, launch, diags));
}

void ls_model_free(ls_model *model) {
    if (!model) return;
    ls_cfg_free(model->cfg);
    ls_kctx_free(model->ctx);
    free(model);
}

const char *ls_model_name(const ls_model *model) {
    return model->kernel->name;
}

uint32_t ls_model_threads(const ls_model *model) {
    return model->ctx->threads;
}

ls_model_wellness ls_model_well_formed(const ls_model *model, const char **block) {
    static const ls_model_wellness map[] = {[LS_KWELL_FORMED] = LS_MODEL_WELL_FORMED,
                                            [LS_KILL_FORMED] = LS_MODEL_ILL_FORMED,
                                            [LS_KWELL_UNKNOWN] = LS_MODEL_WELL_FORMED_UNKNOWN};
    if (block && model->wellness != LS_KWELL_FORMED)
        *block = model->kernel->blocks.items[model->ill_block].label;
    return map[model->wellness];
}

static void print_sort_order(ls_buf *out, const ls_model *model) {
    const ls_cfg *cfg = model->cfg;
    for (uint32_t i = 0; i < cfg->rpo_count; i++)
        ls_buf_printf(out, "%s%s", i ? " ≤ " : "", model->kernel->blocks.items[cfg->order[i]].label);
    ls_buf_putc(out, '\n');
    for (uint32_t l = 0; l < cfg->loops.length; l++) {
        const ls_cfg_loop *loop = &cfg->loops.items[l];
        bool first = true;
        ls_buf_printf(out, "loop %s: {", model->kernel->blocks.items[loop->header].label);
        for (uint32_t i = 0; i < cfg->rpo_count; i++) {
            if (!ls_cfg_in_loop(cfg, l, cfg->order[i])) continue;
            ls_buf_printf(out, "%s%s", first ? "" : ", ", model->kernel->blocks.items[cfg->order[i]].label);
            first = false;
        }
        ls_buf_printf(out, "}, last %s\n", model->kernel->blocks.items[loop->last].label);
    }
}

static char *model_text(const ls_model *model, ls_model_form form) {
    ls_buf out = {0};
    ls_buf_reserve(&out, 1);
    switch (form) {
    case LS_MODEL_PRINT_KERNEL: ls_kprog_print(&out, model->kernel); break;
    case LS_MODEL_PRINT_SORT_ORDER: print_sort_order(&out, model); break;
    case LS_MODEL_PRINT_PREDICATED: ls_kprog_print(&out, model->predicated); break;
    case LS_MODEL_PRINT_LOCKSTEP: ls_kprog_print(&out, model->lockstep); break;
    }
    return out.text;
}

char *ls_model_print(const ls_model *model, ls_model_form form) {
    LS_GUARDED((ls_escape_further(), NULL), model_text(model, form));
}

/* ---- Results in words ---------------------------------------------------------------------------------- */

typedef struct {
    ls_model_result public; /* first: a pointer to it is a pointer to this */
    ls_kexplored *explored;
} result;

static const char *const rules[LS_KRULE_COUNT] = {
    [LS_KRULE_NONE] = "",
    [LS_KRULE_ASSERT] = "assert",
    [LS_KRULE_BARRIER] = "barrier.divergence",
    [LS_KRULE_BOUNDS] = "memory.bounds",
    [LS_KRULE_RACE] = "race.shared",
    [LS_KRULE_TERMINATION] = "termination",
};

static const char *statement_text(ls_kexplored *e, const ls_kinstr *instr) {
    ls_buf text = {0};
    if (instr->stmt) {
        ls_kstmt_print(&text, e->machine->prog, instr->stmt);
    } else {
        const ls_kblock *block = &e->machine->prog->blocks.items[instr->block];
        ls_buf_puts(&text, "goto ");
        for (uint32_t k = 0; k < block->targets.length; k++) {
            uint32_t to = block->targets.items[k];
            ls_buf_printf(&text, "%s%s", k ? ", " : "",
                          to == LS_KEND ? "End" : e->machine->prog->blocks.items[to].label);
        }
    }
    const char *copy = ls_arena_strdup(&e->arena, ls_buf_text(&text));
    ls_buf_free(&text);
    return copy;
}

static ls_model_place place_of(ls_kexplored *e, uint32_t instr, uint32_t thread, const char *effect) {
    ls_model_place place = {
        .thread = thread == LS_GRAPH_NONE ? -1 : (int)thread, .text = "", .effect = effect};
    if (instr >= e->machine->done) return place;
    const ls_kinstr *at = &e->machine->code.items[instr];
    const ls_kblock *block = &e->machine->prog->blocks.items[at->block];
    ls_kloc loc = at->stmt ? at->stmt->loc : block->loc;
    place.block = block->label;
    place.line = loc.line;
    place.column = loc.column;
    place.text = statement_text(e, at);
    return place;
}

static const char *divergence_message(ls_kexplored *e, const ls_kfinding *f) {
    const char *label = e->machine->prog->blocks.items[e->machine->code.items[f->instr].block].label;
    if (f->other_instr == LS_GRAPH_NONE)
        return ls_arena_printf(&e->arena,
                               "barrier divergence: some threads are enabled at the barrier of block '%s', "
                               "thread %u is not",
                               label, f->other_thread);
    if (f->other_instr >= e->machine->done)
        return ls_arena_printf(
            &e->arena,
            "barrier divergence: thread %u waits at the barrier of block '%s', thread %u has "
            "ended",
            f->thread, label, f->other_thread);
    if (f->other_instr == f->instr)
        return ls_arena_printf(&e->arena,
                               "barrier divergence: threads %u and %u are at the barrier of block '%s' in "
                               "different iterations of a loop",
                               f->thread, f->other_thread, label);
    const char *other = e->machine->prog->blocks.items[e->machine->code.items[f->other_instr].block].label;
    return ls_arena_printf(
        &e->arena,
        "barrier divergence: thread %u is at the barrier of block '%s', thread %u at that of "
        "block '%s'",
        f->thread, label, f->other_thread, other);
}

static const char *race_message(ls_kexplored *e, const ls_kfinding *f, ls_model_finding *to) {
    const ls_kvar *var = ls_kmachine_var(e->machine, f->cell, &to->index);
    to->variable = var->name;
    to->array = var->array;
    const char *kind = f->write && f->other_write ? "write-write" : f->write ? "read-write" : "write-read";
    if (!var->array)
        return ls_arena_printf(&e->arena, "%s race on '%s' between threads %u and %u", kind, var->name,
                               f->other_thread, f->thread);
    return ls_arena_printf(&e->arena, "%s race on '%s[%" PRIu64 "]' between threads %u and %u", kind,
                           var->name, to->index, f->other_thread, f->thread);
}

static void describe(ls_kexplored *e, const ls_kfinding *f, ls_model_finding *to) {
    to->rule = rules[f->rule];
    to->count = f->count;
    to->initial = f->initial;
    to->place = place_of(e, f->instr, f->thread, NULL);
    if (f->other_instr != LS_GRAPH_NONE) to->other = place_of(e, f->other_instr, f->other_thread, NULL);
    switch ((ls_krule)f->rule) {
    case LS_KRULE_RACE: to->message = race_message(e, f, to); break;
    case LS_KRULE_BARRIER: to->message = divergence_message(e, f); break;
    case LS_KRULE_ASSERT:
        to->message = ls_arena_printf(&e->arena, "assertion fails in thread %u", f->thread);
        break;
    case LS_KRULE_BOUNDS:
        to->message = ls_arena_printf(&e->arena, "array index out of bounds in thread %u", f->thread);
        break;
    default: to->message = "the kernel may run forever";
    }
    ls_model_place *trace = LS_NEW_N(&e->arena, ls_model_place, f->trace.length + 1);
    for (uint32_t i = 0; i < f->trace.length; i++)
        trace[i] = place_of(e, f->trace.items[i].instr, f->trace.items[i].thread, f->trace.items[i].effect);
    to->trace = trace;
    to->trace_length = f->trace.length;
}

static ls_model_result *explore(const ls_model *model, ls_model_semantics semantics,
                                const ls_model_options *options) {
    LS_OWN_OPTIONS(ls_model_options, options);
    const ls_kprog *programs[] = {[LS_MODEL_INTERLEAVING] = model->kernel,
                                  [LS_MODEL_PREDICATED] = model->predicated,
                                  [LS_MODEL_LOCKSTEP] = model->lockstep};
    ls_kexplore_options how = {.reduce = model->wellness == LS_KWELL_FORMED && !options->exhaustive,
                               .first_only = options->first_only,
                               .max_states = options->max_states,
                               .timeout = options->timeout,
                               .cancel = options->cancel};
    result *r = ls_xmalloc(sizeof *r);
    memset(r, 0, sizeof *r);
    ls_kexplored *e = r->explored = ls_kernel_explore(programs[semantics], &how);
    ls_model_finding *findings = LS_NEW_N(&e->arena, ls_model_finding, e->findings.length + 1);
    for (uint32_t i = 0; i < e->findings.length; i++) describe(e, &e->findings.items[i], &findings[i]);
    bool clean = e->race_free && e->terminating;
    r->public = (ls_model_result){
        .verdict = !clean       ? LS_MODEL_INCORRECT
                   : e->unknown ? LS_MODEL_UNKNOWN
                                : LS_MODEL_CORRECT,
        .race_free = e->race_free,
        .error_free = e->error_free,
        .terminating = e->terminating,
        .unknown = e->unknown,
        .states = e->states,
        .steps = e->steps,
        .initial_stores = e->initial_stores,
        .final_stores = e->finals.count,
        .findings = findings,
        .finding_count = e->findings.length,
    };
    return &r->public;
}

ls_model_result *ls_model_explore(const ls_model *model, ls_model_semantics semantics,
                                  const ls_model_options *options) {
    LS_GUARDED((ls_escape_further(), NULL), explore(model, semantics, options));
}

void ls_model_result_free(ls_model_result *public) {
    if (!public) return;
    result *r = (result *)public;
    ls_kexplored_free(r->explored);
    free(r);
}

ls_model_agreement ls_model_compare(const ls_model_result *a, const ls_model_result *b) {
    static const ls_model_agreement map[] = {[LS_KAGREE] = LS_MODEL_AGREE,
                                             [LS_KDISAGREE] = LS_MODEL_DISAGREE,
                                             [LS_KINCONCLUSIVE] = LS_MODEL_INCONCLUSIVE};
    return map[ls_kexplored_compare(((const result *)a)->explored, ((const result *)b)->explored)];
}
