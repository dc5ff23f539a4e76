/* What a model of a query says about an execution: for people (names and values), and for the emulator, which
 * runs it (lockstep/replay.h): launch sizes, the bytes of the parameters, contents of memory that is only
 * read. */
#include "verify/query/witness.h"
#include "ptx/origin.h"
#include "verify/execute/allocations.h"
#include "verify/execute/contents.h"
#include "verify/execute/lower.h"
#include "verify/proof.h"
#include "verify/query/query.h"

#include <stdio.h>

enum { MOST_VALUES = 25 };

/* --- For people ------------------------------------------------------------------------------------------
 */

static void add_actor(ls_finding *f, uint32_t which, const char *does, ls_place place) {
    const ls_verify_execution *x = f->execution;
    ls_actor actor = {.does = does, .place = place, .has_thread = true, .has_block = true};
    memcpy(actor.thread, x->thread[which], sizeof actor.thread);
    memcpy(actor.block, x->group[which], sizeof actor.block);
    ls_story_actor(f, &actor);
}

/* Who takes part: of a race both threads, with what they do (said by who knows); of a barrier the other one,
 * too, which is elsewhere. */
static void add_actors(ls_finding *f) {
    bool race = ls_rule_is_race(f->rule);
    add_actor(f, 0, race ? "accesses" : NULL, f->place);
    if (race) add_actor(f, 1, "accesses", *ls_finding_other(f));
    if (f->rule == LS_RULE_BARRIER_DIVERGENCE) add_actor(f, 1, NULL, (ls_place){0});
}

static void count_name(const ls_finding *f, const ls_sym *sym, char *out, size_t size) {
    const ls_ir_block *header = ((const ls_ir_loop *)sym->key)->header;
    uint32_t line = header->instr_count ? header->instrs[0]->pos->line : 0;
    const uint32_t *t = sym->thread ? f->execution->thread[sym->thread - 1] : NULL;
    const uint32_t *b = f->execution->block;
    if (!t)
        snprintf(out, size, "iterations at line %u", line);
    else if (b[1] <= 1 && b[2] <= 1)
        snprintf(out, size, "loop iterations of thread %u at line %u", t[0], line);
    else
        snprintf(out, size, "loop iterations of thread (%u,%u,%u) at line %u", t[0], t[1], t[2], line);
}

/* The iterations that a thread has made of a loop; a parameter; "n+4:32" are bits of one. */
static void input_name(const ls_query *q, const ls_finding *f, const ls_term *symbol, const ls_sym *sym,
                       char *out, size_t size) {
    if (sym->kind == LS_SYM_COUNT)
        count_name(f, sym, out, size);
    else
        snprintf(out, size, "%s", ls_input_name(q->view.p, symbol));
}

/* An index of the thread or of its block. */
static bool is_index(const ls_proof *p, const ls_sym *sym) {
    for (int i = 0; i < 6; i++) {
        const ls_term *index = i < 3 ? p->tid[i] : p->ctaid[i - 3];
        if (index->op == LS_T_SYM && sym->origin == index->value) return true;
    }
    return false;
}

/* A model that is told after another takes its place. */
static void tell(ls_query *q, ls_finding *f, const ls_term_list *leaves) {
    ls_proof *p = q->view.p;
    uint32_t values = 0;
    char name[300];
    f->story = NULL;
    add_actors(f);
    for (uint32_t i = 0; i < leaves->length; i++) {
        const ls_term *t = leaves->items[i];
        if (t->op != LS_T_SYM) continue;
        const ls_sym *sym = ls_sym_of(&p->terms, t);
        bool told = (sym->kind == LS_SYM_INPUT && !sym->key) || sym->kind == LS_SYM_COUNT ||
                    sym->kind == LS_SYM_UNSET;
        /* a value of the host code, which has no name, or of a thread beside the two */
        bool host = ls_origin_of(sym->name).kind == LS_ORIGIN_HOST || sym->thread > 2;
        if (is_index(p, sym) || host || !told || values > MOST_VALUES || ls_is_object_address(p, t)) continue;
        input_name(q, f, t, sym, name, sizeof name);
        ls_finding_value(f, name, ls_signed(ls_model_value(&p->solver, t), t->width));
        values++;
    }
}

/* --- For the emulator ------------------------------------------------------------------------------------
 */

static void read_sizes(ls_query *q, ls_verify_execution *x) {
    const ls_proof *p = q->view.p;
    for (int i = 0; i < 3; i++) {
        x->block[i] = (uint32_t)ls_query_value(q, ls_query_term(q, 1, p->ntid[i]));
        x->grid[i] = (uint32_t)ls_query_value(q, ls_query_term(q, 1, p->nctaid[i]));
        for (uint32_t thread = 0; thread < 2; thread++) {
            x->thread[thread][i] = (uint32_t)ls_query_value(q, ls_query_term(q, thread + 1, p->tid[i]));
            x->group[thread][i] = (uint32_t)ls_query_value(q, ls_query_term(q, thread + 1, p->ctaid[i]));
        }
    }
}

static void add_parameter(ls_verify_execution *x, uint64_t key, uint64_t value) {
    x->parameters[x->parameter_count++] = (ls_verify_parameter){
        (uint32_t)(key >> 32), (uint32_t)(key >> 8 & 0xffffff), (uint32_t)(key & 255), value, NULL};
}

/* Pointers into the memory of others. */
static void add_inside(ls_query *q, ls_verify_execution *x) {
    ls_proof *p = q->view.p;
    for (uint32_t i = 0; i < p->options->inside_count; i++)
        for (uint32_t o = 0; o < p->f->object_count; o++) {
            const ls_term *distance;
            const ls_argument_inside *in = ls_find_inside(p, o, p->options->inside[i].at, &distance);
            if (in != &p->options->inside[i]) continue;
            uint64_t value = ls_query_value(q, ls_query_term(q, 1, distance));
            x->parameters[x->parameter_count++] = (ls_verify_parameter){o, in->at, 64, value, in};
        }
}

/* Where in its object a load is made, in the state that the symbol for its result belongs to; NULL: not
 * known. */
static const ls_event *load_of(const ls_proof *p, const ls_sym *sym) {
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *e = &p->whole_events.items[i];
        if (e->access == sym->key && e->state->tag == sym->tag) return e;
    }
    for (uint32_t m = 1; m < 4; m++)
        for (uint32_t k = 0; k < p->intervals[m].length; k++)
            for (uint32_t i = 0; i < p->intervals[m].items[k].events.length; i++) {
                const ls_event *e = &p->intervals[m].items[k].events.items[i];
                if (e->access == sym->key && e->state->tag == sym->tag) return e;
            }
    return NULL;
}

static void add_content(ls_query *q, ls_verify_execution *x, const ls_term *leaf) {
    ls_proof *p = q->view.p;
    const ls_ir_base *base = NULL;
    const ls_term *offset = NULL;
    bool read_only = ls_is_uf(&p->terms, leaf, LS_UF_READ_ONLY);
    if (read_only || ls_is_initial(p, leaf, false)) {
        base = ls_function_of(&p->terms, leaf)->of;
        offset = leaf->args[0];
    } else if (leaf->op == LS_T_SYM && ls_sym_of(&p->terms, leaf)->kind == LS_SYM_LOAD) {
        const ls_sym *sym = ls_sym_of(&p->terms, leaf);
        const ls_event *e = load_of(p, sym);
        if (!e || e->access->base_count != 1) return;
        base = e->access->bases[0];
        const ls_term *start = ls_base_address(p, base);
        if (!start) return;
        offset = ls_sub(&p->terms, e->address, ls_resize(&p->terms, start, e->address->width, false));
        offset = ls_query_term(q, sym->thread ? sym->thread : 1, offset);
    }
    if (!base) return;
    x->contents[x->content_count++] =
        (ls_verify_content){base, ls_signed(ls_query_value(q, offset), offset->width), leaf->width,
                            ls_model_value(&p->solver, leaf), !read_only};
}

static void record(ls_query *q, ls_finding *f, const ls_term *offset, const ls_term_list *leaves) {
    ls_proof *p = q->view.p;
    ls_verify_execution *x = LS_NEW(&p->arena, ls_verify_execution);
    f->execution = x;
    read_sizes(q, x);
    x->offset = offset ? ls_signed(ls_query_value(q, offset), offset->width) : 0;
    x->parameters = LS_NEW_N(&p->arena, ls_verify_parameter,
                             leaves->length + p->bound.count + p->options->inside_count + 1);
    x->contents = LS_NEW_N(&p->arena, ls_verify_content, leaves->length + 1);
    const ls_intmap_slot *bound;
    for (uint32_t at = 0; (bound = ls_intmap_next(&p->bound, &at));)
        add_parameter(x, bound->key, bound->value);
    add_inside(q, x);
    for (uint32_t i = 0; i < leaves->length; i++) {
        const ls_term *leaf = leaves->items[i];
        uint64_t key;
        x->undefined |= leaf->op == LS_T_SYM && ls_sym_of(&p->terms, leaf)->kind == LS_SYM_UNSET;
        if (leaf->op == LS_T_SYM && ls_intmap_get(&p->parameter_keys, leaf->value, &key))
            add_parameter(x, key, ls_model_value(&p->solver, leaf));
        else
            add_content(q, x, leaf);
    }
}

void ls_query_witness(ls_query *q, ls_finding *f, const ls_term *offset) {
    ls_term_list leaves = {0};
    ls_leaves(q->conjuncts.items, q->conjuncts.length, &leaves);
    record(q, f, offset, &leaves);
    tell(q, f, &leaves);
    LS_VEC_FREE(&leaves);
}

void ls_witness_object(ls_finding *f, const char *object) {
    ls_story_object(f, object, NULL, (uint64_t)f->execution->offset);
}
