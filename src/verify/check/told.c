/* What the first thread of a block tells the others through shared memory: where a block's part of a list
 * begins, for which one thread has drawn numbers for all (counters.c).
 *
 *     if (threadIdx.x == 0) base = atomicAdd(count, kept);
 *     __syncthreads();
 *     if (threadIdx.x < kept) list[base + threadIdx.x] = …
 *
 * The first thread becomes one more thread of the query (3 for 1, 4 for 2), whose value is the one that was
 * read. Variables that nobody writes behind a barrier (`kept`) are the same for it and the others there.
 *
 * What the first thread has told matters where blocks are compared: within a block it is the same value. */
#include "verify/check/told.h"
#include "verify/check/signals.h"
#include "verify/check/ways.h"
#include "verify/execute/roots.h"

static const ls_term *first_thread(ls_subst *subst, const ls_term *symbol) {
    const ls_proof *p = subst->data;
    for (int i = 0; i < 3; i++)
        if (symbol == p->tid[i]) return ls_const(subst->ctx, symbol->width, 0);
    return symbol;
}

const ls_term *ls_for_first(ls_proof *p, const ls_term *term) {
    ls_subst subst = {.ctx = &p->terms, .replace = first_thread, .data = p};
    const ls_term *now = ls_substitute(&subst, term);
    ls_subst_free(&subst);
    return now;
}

bool ls_is_once_a_block(ls_proof *p, const ls_event *e) {
    if (e->node->block->loop) return false;
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .a = e->node->block, .b = e->node->block});
    ls_query_add(&q, 1, e->when, NULL);
    ls_query_add(&q, 2, e->when, NULL);
    ls_query_distinct(&q);
    bool once = ls_query_ask(&q, (ls_question){LS_AIM_PROOF}) == LS_UNSAT;
    ls_query_end(&q);
    return once;
}

/* One place for all threads of a block. */
static bool is_one_place(ls_proof *p, const ls_term *address) {
    return ls_is_of_inputs(p, address) && ls_for_first(p, address) == address;
}

bool ls_is_told(ls_proof *p, const ls_event *load, ls_told *out) {
    uint64_t ignored;
    const ls_event *store = NULL;
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *w = &p->whole_events.items[i];
        if (w->access->kind == LS_ACCESS_READ || ls_flag_access(p, w, load, &ignored) == LS_FLAG_APART)
            continue;
        if (store || w->access->kind != LS_ACCESS_WRITE || w->value_count != 1) return false;
        store = w;
    }
    if (!store || store->address != load->address || store->size != load->size) return false;
    if (!is_one_place(p, load->address)) return false;
    const ls_ir_instr *bar = ls_barrier_between(p, store->access->instr, load->access->instr);
    if (!bar || !ls_is_once_a_block(p, store)) return false;
    const ls_term *needed = ls_needed(p, store->access->instr);
    *out = (ls_told){store, bar};
    return needed && ls_is_true(ls_for_first(p, needed));
}

/* --- In queries ------------------------------------------------------------------------------------------
 */

typedef struct { /* a value of a query that a thread has loaded */
    const ls_term *leaf;
    uint32_t thread;
    const ls_event *event; /* in the kernel as a whole */
} load;

typedef LS_VEC(load) loads;

/* All of them that are from shared memory; `whole`: in the execution of the kernel as a whole. */
static void find_loads(ls_query *q, bool whole, loads *out) {
    ls_proof *p = q->view.p;
    ls_term_list leaves = {0};
    ls_leaves(q->conjuncts.items, q->conjuncts.length, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        const ls_sym *sym = leaf->op == LS_T_SYM ? ls_sym_of(&p->terms, leaf) : NULL;
        if (!sym || sym->kind != LS_SYM_LOAD || !sym->thread) continue;
        if (whole && sym->tag != p->whole->tag) continue;
        const ls_ir_access *a = sym->key;
        if (a->space != LS_SPACE_SHARED || a->base_count != 1 || a->other_bases || a->count != 1) continue;
        const ls_event *event = ls_whole_event(p, &(ls_event){.access = a});
        if (event) LS_VEC_PUSH(out, ((load){leaf, sym->thread, event}));
    }
    LS_VEC_FREE(&leaves);
}

typedef struct { /* answers, by access */
    ls_intmap by;
    LS_VEC(ls_told) all;
    LS_VEC(const ls_ir_instr *) settled;
} answers;

static void free_answers(void *part) {
    answers *known = part;
    ls_intmap_free(&known->by);
    LS_VEC_FREE(&known->all);
    LS_VEC_FREE(&known->settled);
}

static const ls_part ANSWERS = {sizeof(answers), free_answers};

/* The first barrier behind which nobody writes what is loaded, and which all pass before they load it. */
static const ls_ir_instr *settled_since(ls_proof *p, const ls_event *event) {
    for (uint32_t n = 0; n < p->node_count && is_one_place(p, event->address); n++) {
        const ls_ir_instr *bar = ls_block_barrier(p, p->nodes[n]);
        bool settled = bar && ls_instr_dominates(bar, event->access->instr);
        for (uint32_t i = 0; settled && i < p->whole_events.length; i++) {
            const ls_event *w = &p->whole_events.items[i];
            uint64_t ignored;
            if (w->access->kind == LS_ACCESS_READ || ls_flag_access(p, w, event, &ignored) == LS_FLAG_APART)
                continue;
            settled = !w->in_flight && !ls_way_exists(p, bar, w->access->instr, NULL);
        }
        if (settled) return bar;
    }
    return NULL;
}

/* The index of its answers. */
static uint64_t look_up(ls_proof *p, const ls_event *event) {
    answers *known = ls_part_of(p, &ANSWERS);
    bool is_new;
    uint64_t *index = ls_intmap_at(&known->by, event->access->id, &is_new);
    if (!is_new) return *index;
    const uint64_t at = *index = known->all.length;
    ls_told told;
    LS_VEC_PUSH(&known->all, (ls_told){0});
    LS_VEC_PUSH(&known->settled, NULL);
    if (ls_is_told(p, event, &told)) known->all.items[at] = told;
    known->settled.items[at] = settled_since(p, event);
    return at;
}

/* Thread 3 (4) is the first of the block of thread 1 (2), and has stored what that one has read. */
static void claim_told(ls_query *q, const load *l, const ls_event *store) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    const uint32_t source = l->thread + 2;
    for (int k = 0; k < 3; k++) {
        ls_query_add(q, source, ls_true(t), p->tid[k]);
        const ls_term *index = ls_query_term(q, source, p->tid[k]);
        ls_query_claim(q, ls_eq(t, index, ls_const(t, index->width, 0)));
    }
    ls_query_add(q, source, store->when, store->values[0]);
    const ls_term *value = ls_query_term(q, source, store->values[0]);
    if (value->width >= l->leaf->width)
        ls_query_claim(q, ls_eq(t, l->leaf, ls_resize(t, value, l->leaf->width, false)));
}

void ls_query_told(ls_query *q, const bool *taken) {
    ls_proof *p = q->view.p;
    if (q->view.same_block || p->racy_barriers) return;
    const answers *known = ls_part_of(p, &ANSWERS);
    loads all = {0};
    find_loads(q, true, &all);
    for (uint32_t i = 0; i < all.length; i++) {
        const load *l = &all.items[i];
        if (l->thread > 2 || taken[l->thread]) continue;
        const uint64_t at = look_up(p, l->event);
        if (known->all.items[at].store) claim_told(q, l, known->all.items[at].store);
    }
    LS_VEC_FREE(&all);
}

void ls_query_settled(ls_query *q) {
    ls_proof *p = q->view.p;
    if (p->racy_barriers) return;
    const answers *known = ls_part_of(p, &ANSWERS);
    loads all = {0};
    find_loads(q, false, &all);
    for (uint32_t i = 0; i < all.length; i++)
        for (uint32_t k = i + 1; k < all.length; k++) {
            const load *x = &all.items[i], *y = &all.items[k];
            bool one_place = x->event->address == y->event->address && x->event->size == y->event->size &&
                             x->leaf->width == y->leaf->width;
            if (!one_place || (!q->view.same_block && x->thread % 2 != y->thread % 2)) continue;
            const uint64_t one = look_up(p, x->event), two = look_up(p, y->event);
            const ls_ir_instr *since = known->settled.items[one];
            if (since && since == known->settled.items[two])
                ls_query_claim(q, ls_eq(&p->terms, x->leaf, y->leaf));
        }
    LS_VEC_FREE(&all);
}
