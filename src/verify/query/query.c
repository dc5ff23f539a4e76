/* Queries about two threads: instantiation of their symbols, the facts that come with them, and what a model
 * says. Symbols of the launch are shared by both; block ids by threads of one block; a loop's counter and
 * the loop-carried values that threads agree on are shared where both are in the same iteration of it (they
 * passed the same barrier in it) or have left it together. */
#include "verify/query/query.h"
#include "solve/normal.h"
#include "verify/execute/clusters.h"
#include "verify/execute/contents.h"
#include "verify/execute/exec.h"
#include "verify/execute/nodes.h"
#include "verify/proof.h"

/* --- Sharing ---------------------------------------------------------------------------------------------
 */

static bool contains(const ls_ir_loop *loop, const ls_ir_block *block) {
    return block && ls_ir_loop_contains(loop, block);
}

/* Both threads are in the same iteration of the loop, or left it after the same one. */
static bool in_step(const ls_view *v, const ls_ir_loop *loop, uint32_t tag) {
    const ls_proof *p = v->p;
    if (tag == p->whole->tag && v->anchor && contains(loop, v->anchor->block)) return true;
    if (v->together && contains(loop, v->a)) return true;
    if (tag != p->whole->tag && v->anchor && contains(loop, v->anchor->block)) return false;
    if (contains(loop, v->a) || contains(loop, v->b)) return false;
    if (!p->uniform_loop[loop->id]) return false;
    if (!loop->parent) return true;
    if (tag != p->whole->tag && v->anchor && contains(loop->parent, v->anchor->block)) return true;
    return in_step(v, loop->parent, tag);
}

/* One thread at two times: what it computed in a loop that it was in then may have been in another iteration.
 */
static bool is_unchanged(const ls_view *v, const ls_sym *sym) {
    const ls_ir_loop *loop = NULL;
    switch ((ls_sym_kind)sym->kind) {
    case LS_SYM_INPUT: return !sym->key;
    case LS_SYM_COUNT: loop = sym->key; break;
    case LS_SYM_STATE: loop = ((const ls_ir_phi *)sym->key)->block->loop; break;
    case LS_SYM_LOAD: loop = ((const ls_ir_access *)sym->key)->instr->block->loop; break;
    default: return false;
    }
    for (; loop; loop = loop->parent)
        if (contains(loop, v->b) && (v->earlier || !contains(loop, v->a))) return false;
    return sym->kind == LS_SYM_COUNT || sym->kind == LS_SYM_STATE || sym->kind == LS_SYM_LOAD;
}

static bool is_shared(const ls_view *v, const ls_sym *sym) {
    if (v->self) return is_unchanged(v, sym);
    if (v->together && sym->kind == LS_SYM_COUNT && contains(sym->key, v->a)) return true;
    if (!v->same_block) { /* the last barrier of the grid was passed by all in the same iteration */
        uint8_t all = v->cluster ? LS_ORDERS_CLUSTER : LS_ORDERS_GRID;
        bool grid = v->anchor && (v->anchor->orders & all) && sym->kind == LS_SYM_COUNT;
        return grid && sym->tag == v->p->whole->tag && contains(sym->key, v->anchor->block);
    }
    if (sym->scope == LS_SCOPE_BLOCK) return true;
    if (v->p->racy_barriers) return false;
    if (sym->kind == LS_SYM_COUNT) return in_step(v, sym->key, sym->tag);
    if (sym->kind == LS_SYM_LOAD) { /* the same address at the same time (uniform.c) */
        const ls_ir_access *access = sym->key;
        const ls_ir_instr *i = access->instr;
        if (i->dst_count != 1 || !i->dst[0].value || v->p->divergent[i->dst[0].value->id]) return false;
        return !i->block->loop || in_step(v, i->block->loop, sym->tag);
    }
    if (sym->kind == LS_SYM_CHOICE && sym->key) { /* what a barrier has computed for all */
        const ls_ir_instr *i = sym->key;
        return ls_is_barrier(i) && (!i->block->loop || in_step(v, i->block->loop, sym->tag));
    }
    if (sym->kind == LS_SYM_EPOCH) {
        const ls_ir_block *block = sym->key;
        return !block || !block->loop || in_step(v, block->loop, sym->tag);
    }
    if (sym->kind != LS_SYM_STATE) return false;
    const ls_ir_phi *phi = sym->key;
    return !v->p->divergent[phi->value->id] && in_step(v, phi->block->loop, sym->tag);
}

static const ls_term *not_there(ls_subst *subst, const ls_term *symbol) {
    bool enabled = ls_sym_of(subst->ctx, symbol)->kind == LS_SYM_ENABLED;
    return enabled ? ls_const(subst->ctx, symbol->width, 0) : symbol;
}

/* What a thread that is not there has: it is not enabled; else anything, as it may never have computed it. */
static const ls_term *absent_value(ls_terms *t, const ls_term *other) {
    ls_subst subst = {.ctx = t, .replace = not_there};
    const ls_term *known = ls_sym_of(t, other)->key, *value = ls_substitute(&subst, known);
    ls_subst_free(&subst);
    bool decided = value != known && ls_is_const(value);
    return decided ? ls_resize(t, value, other->width, false) : ls_instance(t, other, 2);
}

static const ls_term *instantiate(ls_subst *subst, const ls_term *symbol) {
    ls_query *q = subst->data;
    uint32_t thread = (uint32_t)(subst - q->threads) + 1;
    const ls_sym *sym = ls_sym_of(subst->ctx, symbol);
    if (sym->scope == LS_SCOPE_GRID) return symbol;
    if (thread > 2 && sym->scope == LS_SCOPE_BLOCK) return ls_query_term(q, thread - 2, symbol);
    if (thread > 2) return ls_instance(subst->ctx, symbol, thread);
    if (sym->kind == LS_SYM_OTHER && q->view.absent) return absent_value(subst->ctx, symbol);
    if (sym->kind == LS_SYM_OTHER) return ls_substitute(&q->threads[2 - thread], sym->key);
    return ls_instance(subst->ctx, symbol, is_shared(&q->view, sym) ? 0 : thread);
}

/* --- Building --------------------------------------------------------------------------------------------
 */

void ls_query_begin(ls_query *q, ls_view view) {
    *q = (ls_query){.view = view};
    for (int i = 0; i < LS_QUERY_THREADS; i++)
        q->threads[i] = (ls_subst){.ctx = &view.p->terms, .replace = instantiate, .data = q};
}

void ls_query_end(ls_query *q) {
    LS_VEC_FREE(&q->conjuncts);
    ls_intmap_free(&q->others);
    for (int i = 0; i < LS_QUERY_THREADS; i++) ls_subst_free(&q->threads[i]);
}

const ls_term *ls_query_term(ls_query *q, uint32_t thread, const ls_term *term) {
    return ls_substitute(&q->threads[thread - 1], term);
}

void ls_query_claim(ls_query *q, const ls_term *instantiated) {
    LS_VEC_PUSH(&q->conjuncts, instantiated);
}

/* What is known of the other thread's values that a thread mentions. */
static void add_others(ls_query *q, uint32_t thread, const ls_term_list *all) {
    ls_terms *t = &q->view.p->terms;
    ls_term_list leaves = {0};
    if (q->view.absent || thread > 2) return;
    ls_leaves(all->items, all->length, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        bool is_new = leaf->op == LS_T_SYM && ls_sym_of(t, leaf)->kind == LS_SYM_OTHER;
        if (is_new) ls_intmap_at(&q->others, leaf->value * 4 + thread, &is_new);
        if (is_new) ls_query_add(q, 3 - thread, ls_true(t), ls_sym_of(t, leaf)->key);
    }
    LS_VEC_FREE(&leaves);
}

void ls_query_add(ls_query *q, uint32_t thread, const ls_term *predicate, const ls_term *with) {
    ls_term_list all = {0};
    LS_VEC_PUSH(&all, predicate);
    uint32_t given = 1;
    if (with) {
        LS_VEC_PUSH(&all, with);
        given = 2;
    }
    ls_collect_facts(q->view.p, &all);
    add_others(q, thread, &all);
    ls_query_claim(q, ls_query_term(q, thread, predicate));
    for (uint32_t i = given; i < all.length; i++) ls_query_claim(q, ls_query_term(q, thread, all.items[i]));
    LS_VEC_FREE(&all);
}

void ls_query_launch(ls_query *q) {
    ls_proof *p = q->view.p;
    for (int i = 0; i < 3; i++) {
        ls_query_add(q, 1, ls_true(&p->terms), p->tid[i]);
        ls_query_add(q, 1, ls_true(&p->terms), p->ctaid[i]);
    }
    ls_query_claim(q, p->launch);
}

void ls_query_distinct(ls_query *q) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    const ls_term *const *ids = q->view.same_block ? p->tid : p->ctaid;
    const ls_term *differ = ls_false(t);
    for (int i = 0; i < 3; i++) {
        const ls_term *one = ls_query_term(q, 1, ids[i]), *two = ls_query_term(q, 2, ids[i]);
        differ = ls_or(t, differ, ls_not(t, ls_eq(t, one, two)));
        for (uint32_t thread = 1; thread < 3; thread++) {
            ls_query_add(q, thread, ls_true(t), p->tid[i]);
            ls_query_add(q, thread, ls_true(t), p->ctaid[i]);
        }
    }
    ls_query_claim(q, differ);
    ls_query_claim(q, p->launch);
    for (int i = 0; i < 3 && q->view.cluster; i++) {
        const ls_term *cluster = ls_cluster_register(p, LS_SREG_CLUSTERID, i);
        ls_query_claim(q, ls_eq(t, ls_query_term(q, 1, cluster), ls_query_term(q, 2, cluster)));
    }
}

/* Contents of memory at two times have nothing to do with each other. */
static bool at_other_times(ls_terms *t, const ls_term *a, const ls_term *b) {
    for (uint32_t k = 0; k < a->count; k++) {
        const ls_term *x = a->args[k], *y = b->args[k];
        if (x != y && x->op == LS_T_SYM && ls_sym_of(t, x)->kind == LS_SYM_EPOCH) return true;
    }
    return false;
}

/* Equal arguments give equal results: for each two applications of a function. */
static void add_congruence(ls_query *q) {
    ls_terms *t = &q->view.p->terms;
    ls_term_list leaves = {0};
    ls_leaves(q->conjuncts.items, q->conjuncts.length, &leaves);
    uint32_t added = 0;
    for (uint32_t i = 0; i < leaves.length; i++)
        for (uint32_t j = i + 1; j < leaves.length && added < 200; j++) {
            const ls_term *a = leaves.items[i], *b = leaves.items[j];
            if (a->op != LS_T_UF || b->op != LS_T_UF || a->value != b->value || a->width != b->width ||
                a->count != b->count || at_other_times(t, a, b))
                continue;
            const ls_term *same = ls_true(t);
            for (uint32_t k = 0; k < a->count; k++)
                same = a->args[k]->width == b->args[k]->width
                           ? ls_and(t, same, ls_eq(t, a->args[k], b->args[k]))
                           : ls_false(t);
            ls_query_claim(q, ls_implies(t, same, ls_eq(t, a, b)));
            added++;
        }
    LS_VEC_FREE(&leaves);
}

/* What was not proved mentions a loop-carried value of which more could be known (houdini.c). */
static void look_for_state(ls_query *q) {
    ls_proof *p = q->view.p;
    ls_term_list leaves = {0};
    if (p->effort.invariants || p->wants_invariants) return;
    ls_leaves(q->conjuncts.items, q->conjuncts.length, &leaves);
    for (uint32_t i = 0; i < leaves.length && !p->wants_invariants; i++)
        p->wants_invariants = leaves.items[i]->op == LS_T_SYM && leaves.items[i]->width > 1 &&
                              ls_sym_of(&p->terms, leaves.items[i])->kind == LS_SYM_STATE;
    LS_VEC_FREE(&leaves);
}

bool ls_has_products(const ls_term *term) {
    ls_term_walk walk = {0};
    bool found = false;
    ls_walk_add(&walk, &term, 1);
    for (const ls_term *t = ls_walk_down(&walk); t && !found; t = ls_walk_down(&walk)) {
        bool divides = t->op >= LS_T_UDIV && t->op <= LS_T_SREM;
        found = t->op == LS_T_MUL || (divides && !ls_is_const(t->args[1]));
    }
    ls_walk_free(&walk);
    return found;
}

bool ls_query_excludes(ls_query *q) {
    ls_term_list all = {0}, simple = {0};
    bool possible = true;
    for (uint32_t i = 0; i < q->conjuncts.length && possible; i++)
        possible = ls_add_conjunct(&all, q->conjuncts.items[i]);
    for (uint32_t i = 0; i < all.length && possible; i++)
        if (!ls_has_products(all.items[i])) LS_VEC_PUSH(&simple, all.items[i]);
    ls_question question = {.quick = true, .aim = LS_AIM_PROOF};
    bool excluded =
        !possible || (simple.length < all.length &&
                      ls_solve(&q->view.p->solver, simple.items, simple.length, question) == LS_UNSAT);
    LS_VEC_FREE(&all);
    LS_VEC_FREE(&simple);
    return excluded;
}

ls_answered ls_query_ask(ls_query *q, ls_question question) {
    for (uint32_t i = 0; i < q->conjuncts.length; i++)
        if (ls_is_false(q->conjuncts.items[i])) {
            q->view.p->solver.stats.queries++;
            q->view.p->solver.stats.by_terms++;
            return LS_UNSAT;
        }
    add_congruence(q);
    ls_answered answer = ls_solve(&q->view.p->solver, q->conjuncts.items, q->conjuncts.length, question);
    bool of_proof =
        question.aim != LS_AIM_MODEL && question.aim != LS_AIM_FORM && question.aim != LS_AIM_SOON;
    if (answer != LS_UNSAT && of_proof) look_for_state(q);
    return answer;
}

ls_answered ls_query_solve(ls_query *q) {
    return ls_query_ask(q, (ls_question){0});
}

/* --- Models ----------------------------------------------------------------------------------------------
 */

typedef struct {
    ls_solver *solver;
    const ls_term *symbol; /* taken to be `value` instead */
    uint64_t value;
} reading;

static uint64_t read_leaf(void *data, const ls_term *leaf) {
    const reading *r = data;
    return leaf == r->symbol ? r->value : ls_model_value(r->solver, leaf);
}

uint64_t ls_query_value(ls_query *q, const ls_term *instantiated) {
    reading r = {&q->view.p->solver, NULL, 0};
    ls_eval eval = {.lookup = read_leaf, .data = &r};
    uint64_t v = ls_evaluate(&eval, instantiated);
    ls_intmap_free(&eval.memo);
    return v;
}

/* Every iteration up to the model's one went round: the loop's facts hold for each smaller count. */
static bool iterations_hold(ls_query *q, const ls_term *count) {
    ls_proof *p = q->view.p;
    const ls_sym *sym = ls_sym_of(&p->terms, count);
    uint64_t k = ls_model_value(&p->solver, count);
    const ls_term_list *facts = ls_facts_of(p, sym->origin);
    if (!facts) return true; /* each count in its range is possible */
    if (k > 5000) return false;
    bool all = true;
    const ls_term_list list = *facts;
    for (uint32_t f = 0; f < list.length && all; f++) {
        const ls_term *fact = ls_query_term(q, sym->thread ? sym->thread : 1, list.items[f]);
        for (uint64_t j = 1; j <= k && all; j++) {
            reading r = {&p->solver, count, j};
            ls_eval eval = {.lookup = read_leaf, .data = &r};
            all = ls_evaluate(&eval, fact) == 1;
            ls_intmap_free(&eval.memo);
        }
    }
    return all;
}

static bool is_grid_size(const ls_proof *p, const ls_sym *sym) {
    bool is = false;
    for (int i = 0; i < 3; i++) is |= p->nctaid[i]->op == LS_T_SYM && p->nctaid[i]->value == sym->origin;
    return is;
}

/* The key is that of a parameter through which memory is accessed. */
static bool is_pointer(const ls_proof *p, uint64_t key) {
    uint32_t object = (uint32_t)(key >> 32), offset = (uint32_t)(key >> 8 & 0xffffff);
    bool is = false;
    for (uint32_t i = 0; i < p->f->base_count; i++) {
        const ls_ir_base *base = p->f->bases[i];
        is |= base->kind == LS_BASE_PARAM && base->object == object && base->offset == offset;
    }
    return is;
}

/* Where memory can be: not so close to the ends of the address space that what is added comes around. */
static const ls_term *in_memory(ls_terms *t, const ls_term *pointer) {
    const uint64_t first = UINT64_C(1) << 32, last = UINT64_C(1) << 47;
    return ls_ult(t, ls_sub(t, pointer, ls_const(t, 64, first)), ls_const(t, 64, last - first));
}

/* What a model that people can follow and an emulator can run has for a leaf: few iterations, few blocks,
 * small numbers in parameters and memory, pointers into memory. NULL: nothing is asked of it. */
static const ls_term *small(ls_query *q, const ls_term *leaf, bool numbers) {
    ls_proof *p = q->view.p;
    ls_terms *t = &p->terms;
    const ls_sym *sym = leaf->op == LS_T_SYM ? ls_sym_of(t, leaf) : NULL;
    uint64_t most, key;
    if (sym && sym->kind == LS_SYM_COUNT)
        most = 4;
    else if (!numbers || leaf->width < 16)
        return NULL;
    else if (!sym || sym->kind == LS_SYM_LOAD)
        most = 1000;
    else if (leaf->width <= 32 && ls_intmap_get(&p->parameter_keys, leaf->value, &key))
        most = 10000;
    else if (is_grid_size(p, sym))
        most = 100;
    else if (leaf->width == 64 && ls_intmap_get(&p->parameter_keys, leaf->value, &key) && is_pointer(p, key))
        return in_memory(t, leaf);
    else
        return NULL;
    return ls_ult(t, leaf, ls_const(t, leaf->width, most));
}

/* Asks for a small model; the one that is there stays where there is none. */
static bool prefer_small(ls_query *q, const ls_term_list *leaves, bool numbers) {
    ls_solver *solver = &q->view.p->solver;
    uint32_t given = q->conjuncts.length;
    bool large = false;
    for (uint32_t i = 0; i < leaves->length; i++) {
        const ls_term *wish = small(q, leaves->items[i], numbers);
        if (!wish) continue;
        large |= !ls_query_value(q, wish);
        ls_query_claim(q, wish);
    }
    if (large) {
        ls_intmap before = solver->model;
        solver->model = (ls_intmap){0};
        ls_question question = {.quick = true};
        large = ls_solve(solver, q->conjuncts.items, q->conjuncts.length, question) != LS_SAT;
        if (large) {
            ls_intmap_free(&solver->model);
            solver->model = before;
        } else {
            ls_intmap_free(&before);
        }
    }
    q->conjuncts.length = given;
    return !large;
}

static void prefer_small_model(ls_query *q) {
    ls_term_list leaves = {0};
    ls_leaves(q->conjuncts.items, q->conjuncts.length, &leaves);
    if (!prefer_small(q, &leaves, true)) prefer_small(q, &leaves, false);
    LS_VEC_FREE(&leaves);
}

static bool leaf_confirmed(ls_query *q, const ls_term *leaf) {
    ls_proof *p = q->view.p;
    if (leaf->op == LS_T_UF) /* contents of memory that nobody writes, or has written yet */
        return ls_is_uf(&p->terms, leaf, LS_UF_READ_ONLY) || ls_is_initial(p, leaf, false);
    const ls_sym *sym = ls_sym_of(&p->terms, leaf);
    if (sym->kind == LS_SYM_INPUT || sym->kind == LS_SYM_ENABLED || sym->kind == LS_SYM_EPOCH ||
        sym->kind == LS_SYM_UNSET)
        return true;
    return sym->kind == LS_SYM_COUNT && iterations_hold(q, leaf);
}

static bool may_be_ordered(const ls_query *q) {
    uint8_t sync = q->view.p->unmodelled_sync;
    return q->view.before_calls ? sync & LS_SYNC_ANYWHERE : sync;
}

bool ls_query_confirmed(ls_query *q) {
    if (may_be_ordered(q) || q->view.doubtful) return false;
    prefer_small_model(q);
    ls_term_list leaves = {0};
    ls_leaves(q->conjuncts.items, q->conjuncts.length, &leaves);
    bool confirmed = true;
    for (uint32_t i = 0; i < leaves.length && confirmed; i++) {
        confirmed = leaf_confirmed(q, leaves.items[i]);
        if (!confirmed) q->doubt = leaves.items[i];
    }
    LS_VEC_FREE(&leaves);
    return confirmed;
}

static uint32_t line_of(const ls_ir_block *block) {
    return block->instr_count ? block->instrs[0]->pos->line : 0;
}

/* What a symbol is that is only known by what was proved of it, and where. */
static const char *doubtful_symbol(ls_proof *p, const ls_sym *sym) {
    char name[128];
    switch ((ls_sym_kind)sym->kind) {
    case LS_SYM_LOAD: {
        const ls_ir_access *access = sym->key;
        if (!access) return "a value loaded from memory that the kernel writes";
        return ls_arena_printf(&p->arena, "a value loaded from memory that the kernel writes (line %u)",
                               access->instr->pos->line);
    }
    case LS_SYM_STATE: {
        const ls_ir_phi *phi = sym->key;
        ls_ir_source_name(p->f, phi->value, name, sizeof name);
        return ls_arena_printf(
            &p->arena, "a loop-carried value for which no invariant was found ('%s', loop at line %u)", name,
            line_of(phi->block));
    }
    case LS_SYM_COUNT:
        return ls_arena_printf(&p->arena, "a number of iterations that was not confirmed (loop at line %u)",
                               line_of(((const ls_ir_loop *)sym->key)->header));
    default: return "the result of an operation that is not modelled";
    }
}

const char *ls_query_doubt(ls_query *q) {
    if (q->view.doubtful) return q->view.doubtful;
    if (!q->doubt || may_be_ordered(q)) return "synchronisation that is not modelled";
    if (ls_is_uf(&q->view.p->terms, q->doubt, LS_UF_CONTENTS))
        return "a value loaded from memory that the kernel writes";
    if (q->doubt->op == LS_T_UF)
        return "the result of a floating-point or other operation that is not modelled";
    return doubtful_symbol(q->view.p, ls_sym_of(&q->view.p->terms, q->doubt));
}
