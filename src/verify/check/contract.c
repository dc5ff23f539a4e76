/* What a proof may assume of the accesses of a kernel (that their index arithmetic does not overflow, that
 * they stay in their array). Each assumption is looked at first:
 *
 *   - it holds of every thread that gets there: then it is none;
 *   - it depends on parameters, on the data or on a launch size that is not known, and there are such under
 *     which it holds of threads all over the launch: then it is a part of what the proof is for, its scope;
 *   - it is broken by some thread whatever these are: nothing may be assumed. A hash that wraps around by
 *     design is such a case: under the assumption everything would be proved.
 *
 * Whether there are such values is asked of a few threads at once: the first ones, those at the ends of the
 * block and of the grid, one between, and, where none of these gets there, one that does. A thread that was
 * found to break the assumption must be able to keep it, or not get there, under the same values. */
#include "verify/check/contract.h"
#include "verify/execute/exec.h"
#include "verify/query/query.h"

enum { MOST_SAMPLES = 8, LEAST_BLOCK = 32, LEAST_GRID = 2 };

typedef struct {
    uint64_t thread[3], block[3];
} sample;

typedef struct {
    ls_proof *p;
    bool pinned;                 /* sizes of the launch that are not known are the samples' */
    bool patient;                /* values are worth some time */
    const ls_term *when, *holds; /* of one thread */
    ls_term_list facts;          /* that come with both */
    sample samples[MOST_SAMPLES];
    uint32_t count;
    sample violator; /* a thread that breaks it, for some values */
    bool has_violator;
} assumption;

/* --- Holding everywhere ----------------------------------------------------------------------------------
 */

/* A thread that gets there, and with `breaks` one of which the assumption does not hold. */
static ls_answered ask_thread(const assumption *a, const ls_ir_block *block, bool breaks, sample *found) {
    ls_proof *p = a->p;
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .a = block, .b = block});
    ls_query_add(&q, 1, a->when, a->holds);
    ls_query_launch(&q);
    if (breaks) ls_query_claim(&q, ls_not(&p->terms, ls_query_term(&q, 1, a->holds)));
    ls_answered answer =
        ls_query_ask(&q, (ls_question){.quick = true, .from = breaks ? LS_FROM_ANY : LS_FROM_SMALL});
    for (int i = 0; i < 3 && answer == LS_SAT; i++) {
        found->thread[i] = ls_query_value(&q, ls_query_term(&q, 1, p->tid[i]));
        found->block[i] = ls_query_value(&q, ls_query_term(&q, 1, p->ctaid[i]));
    }
    ls_query_end(&q);
    return answer;
}

/* --- Samples ---------------------------------------------------------------------------------------------
 */

static void add_sample(assumption *a, const uint64_t *thread, const uint64_t *block) {
    sample *s = &a->samples[a->count];
    for (uint32_t k = 0; k < a->count; k++)
        if (!memcmp(a->samples[k].thread, thread, sizeof s->thread) &&
            !memcmp(a->samples[k].block, block, sizeof s->block))
            return;
    memcpy(s->thread, thread, sizeof s->thread);
    memcpy(s->block, block, sizeof s->block);
    a->count++;
}

/* The last index of a dimension that is given; where it is not, so many are taken to be there. */
static uint64_t last_of(const ls_term *size, uint64_t least) {
    if (ls_is_const(size)) return size->value - 1;
    return (size->ulo > least ? size->ulo : size->uhi < least ? size->uhi : least) - 1;
}

static uint64_t last_thread(const ls_proof *p, int axis) {
    return last_of(p->ntid[axis], axis ? 1 : LEAST_BLOCK);
}

static uint64_t last_block(const ls_proof *p, int axis) {
    return last_of(p->nctaid[axis], axis ? 1 : LEAST_GRID);
}

static void choose_samples(assumption *a) {
    const ls_proof *p = a->p;
    uint64_t first[3] = {0}, last[3], middle[3], end[3], second[3] = {0}, third[3] = {0};
    for (int i = 0; i < 3; i++) {
        last[i] = last_thread(p, i);
        end[i] = last_block(p, i);
        middle[i] = last[i] / 2;
    }
    second[0] = last[0] < 1 ? last[0] : 1;
    third[0] = last[0] < 2 ? last[0] : 2;
    add_sample(a, first, first);
    add_sample(a, second, first);
    add_sample(a, third, first);
    add_sample(a, middle, first);
    add_sample(a, last, first);
    add_sample(a, first, end);
    add_sample(a, last, end);
}

/* A term of a sample: its indices are numbers; what else differs from thread to thread is its own. */
typedef struct {
    const assumption *a;
    const sample *s; /* NULL: of the launch */
    ls_intmap own;
} instance;

static const ls_term *own_symbol(instance *of, const ls_term *symbol) {
    ls_proof *p = of->a->p;
    const ls_sym *sym = ls_sym_of(&p->terms, symbol);
    bool is_new;
    uint64_t *place = ls_intmap_at(&of->own, symbol->id, &is_new);
    if (is_new) {
        const char *name = ls_arena_printf(&p->arena, "%.100s@%u", sym->name, p->terms.syms.length);
        const ls_term *made = ls_symbol(&p->terms, name, symbol->width, LS_SCOPE_GRID, (ls_sym_kind)sym->kind,
                                        symbol->ulo, symbol->uhi);
        *place = (uint64_t)(uintptr_t)made;
    }
    return (const ls_term *)(uintptr_t)*place;
}

static const ls_term *instantiate(ls_subst *subst, const ls_term *symbol) {
    instance *of = subst->data;
    ls_proof *p = of->a->p;
    uint32_t width = symbol->width;
    for (int i = 0; i < 3; i++) {
        if (of->s && symbol == p->tid[i]) return ls_const(&p->terms, width, of->s->thread[i]);
        if (of->s && symbol == p->ctaid[i]) return ls_const(&p->terms, width, of->s->block[i]);
        if (of->a->pinned && symbol == p->ntid[i]) return ls_const(&p->terms, width, last_thread(p, i) + 1);
        if (of->a->pinned && symbol == p->nctaid[i]) return ls_const(&p->terms, width, last_block(p, i) + 1);
    }
    return ls_sym_of(&p->terms, symbol)->scope == LS_SCOPE_GRID ? symbol : own_symbol(of, symbol);
}

/* The launch is so large that the thread is in it. */
static const ls_term *is_launched(const assumption *a, const sample *s) {
    ls_proof *p = a->p;
    ls_terms *t = &p->terms;
    const ls_term *there = ls_true(t);
    for (int i = 0; i < 3; i++) {
        there = ls_and(t, there, ls_ult(t, ls_const(t, 32, s->thread[i]), p->ntid[i]));
        there = ls_and(t, there, ls_ult(t, ls_const(t, 32, s->block[i]), p->nctaid[i]));
    }
    return there;
}

typedef enum { GETS_THERE, KEEPS_IT, KEEPS_IT_OR_STAYS_AWAY } behaviour;

/* What a sample does: it gets there, or the assumption holds of it, too, or only if it gets there. False: it
 * never gets there. */
static bool add_instance(const assumption *a, const sample *s, behaviour does, ls_term_list *out) {
    instance of = {.a = a, .s = s};
    ls_subst subst = {.ctx = &a->p->terms, .replace = instantiate, .data = &of};
    const ls_term *when = ls_substitute(&subst, a->when);
    bool gets_there = !ls_is_false(when);
    if (gets_there) {
        bool may_be_away = does == KEEPS_IT_OR_STAYS_AWAY;
        if (!may_be_away) LS_VEC_PUSH(out, when);
        for (uint32_t i = 0; i < a->facts.length; i++) {
            const ls_term *fact = ls_substitute(&subst, a->facts.items[i]);
            if (may_be_away)
                when = ls_and(&a->p->terms, when, fact);
            else
                LS_VEC_PUSH(out, fact);
        }
        const ls_term *claim = ls_substitute(&subst, a->holds);
        if (may_be_away) {
            ls_terms *t = &a->p->terms;
            when = ls_and(t, when, ls_substitute(&subst, is_launched(a, s)));
            claim = ls_or(t, ls_not(t, when), claim);
        }
        if (does != GETS_THERE) LS_VEC_PUSH(out, claim);
    }
    ls_subst_free(&subst);
    ls_intmap_free(&of.own);
    return gets_there;
}

static ls_answered solve(const assumption *a, ls_term_list *conjuncts) {
    ls_proof *p = a->p;
    ls_terms *t = &p->terms;
    instance of = {.a = a};
    ls_subst subst = {.ctx = t, .replace = instantiate, .data = &of};
    const ls_term *launch = ls_substitute(&subst, p->launch);
    ls_subst_free(&subst);
    ls_intmap_free(&of.own);
    LS_VEC_PUSH(conjuncts, launch);
    for (int i = 0; i < 3 && !a->pinned; i++) { /* the samples are there */
        const ls_term *threads = ls_ult(t, ls_const(t, 32, last_thread(p, i)), p->ntid[i]);
        const ls_term *blocks = ls_ult(t, ls_const(t, 32, last_block(p, i)), p->nctaid[i]);
        LS_VEC_PUSH(conjuncts, threads);
        LS_VEC_PUSH(conjuncts, blocks);
    }
    ls_question question = {.quick = !a->patient, .from = LS_FROM_SIZES};
    ls_answered answer = ls_solve(&p->solver, conjuncts->items, conjuncts->length, question);
    conjuncts->length = 0;
    return answer;
}

/* Each sample that can get there at all can do so with the assumption. */
static ls_answered ask_one_by_one(const assumption *a, const bool *there) {
    ls_term_list conjuncts = {0};
    ls_answered all = LS_SAT;
    for (uint32_t k = 0; k < a->count && all == LS_SAT; k++) {
        if (!there[k]) continue;
        add_instance(a, &a->samples[k], KEEPS_IT, &conjuncts);
        all = solve(a, &conjuncts);
    }
    LS_VEC_FREE(&conjuncts);
    return all;
}

/* Nothing is reported if no sample reaches the access. */
static ls_answered ask_together(const assumption *a, const bool *there, behaviour does) {
    ls_term_list conjuncts = {0};
    bool any = false;
    for (uint32_t k = 0; k < a->count; k++)
        if (there[k]) any |= add_instance(a, &a->samples[k], does, &conjuncts);
    if (any && does == KEEPS_IT && a->has_violator)
        add_instance(a, &a->violator, KEEPS_IT_OR_STAYS_AWAY, &conjuncts);
    ls_answered answer = any ? solve(a, &conjuncts) : LS_UNDECIDED;
    LS_VEC_FREE(&conjuncts);
    return answer;
}

/* Which samples can reach the access; if none of them can, one that can is used instead. False if there is
 * none. */
static bool find_there(assumption *a, const ls_ir_block *block, bool *there) {
    ls_term_list conjuncts = {0};
    bool any = false;
    for (uint32_t k = 0; k < a->count; k++) {
        there[k] =
            add_instance(a, &a->samples[k], GETS_THERE, &conjuncts) && solve(a, &conjuncts) != LS_UNSAT;
        conjuncts.length = 0;
        any |= there[k];
    }
    LS_VEC_FREE(&conjuncts);
    if (any) return true;
    a->count = 1;
    return there[0] = ask_thread(a, block, false, &a->samples[0]) == LS_SAT;
}

static ls_standing standing_by(ls_answered answer) {
    return answer == LS_SAT ? LS_CONTRACT : answer == LS_UNSAT ? LS_BROKEN : LS_UNCLEAR;
}

/* There are values under which the assumption holds of all samples that can get there. */
static ls_standing find_consistent(assumption *a, const ls_ir_block *block) {
    bool there[MOST_SAMPLES];
    choose_samples(a);
    for (uint32_t k = 0; k < a->count; k++) there[k] = true;
    a->pinned = a->patient = true;
    bool consistent = ask_together(a, there, KEEPS_IT) == LS_SAT;
    a->pinned = a->patient = false;
    if (consistent || ask_together(a, there, KEEPS_IT) == LS_SAT) return LS_CONTRACT;
    if (!find_there(a, block, there)) return LS_UNCLEAR;
    ls_standing together = standing_by(ask_together(a, there, KEEPS_IT));
    if (together == LS_CONTRACT) return together;
    /* they may never get there all at once: if (threadIdx.x == n) */
    ls_answered all = ask_together(a, there, GETS_THERE);
    if (all == LS_UNSAT) return standing_by(ask_one_by_one(a, there));
    return all == LS_SAT ? together : LS_UNCLEAR;
}

/* --- A small launch, and large numbers -------------------------------------------------------------------
 * Most assumptions are kept where all sizes are small and broken where numbers are large, so that is tried
 * before anything is solved. The small launch has values for all that threads have in common; where
 * conditions then are true by the ranges of what is left, they are true of each of its threads. */

enum { LEAST_NUMBER = 1024 };

typedef struct {
    ls_proof *p;
    uint64_t number;  /* of everything else that is the same for all threads of the small launch */
    ls_subst small;   /* from terms of a thread to those of one in the small launch */
    ls_eval last;     /* values of terms for its last thread … */
    ls_eval large;    /* … and with large numbers */
    bool is_launched; /* what is known of launches holds of it */
} extremes;

static void free_extremes(void *part) {
    ls_subst_free(&((extremes *)part)->small);
    ls_intmap_free(&((extremes *)part)->last.memo);
    ls_intmap_free(&((extremes *)part)->large.memo);
}

static const ls_part EXTREMES = {sizeof(extremes), free_extremes};

static uint64_t within(const ls_term *leaf, uint64_t value) {
    return value < leaf->ulo ? leaf->ulo : value > leaf->uhi ? leaf->uhi : value;
}

static bool is_address(const ls_proof *p, const ls_term *leaf) {
    bool is = false;
    for (uint32_t o = 0; o < p->f->object_count; o++) is |= leaf == p->object_address[o];
    return is;
}

/* An index that is less than a size which is not known. */
static const ls_term *small_index(ls_proof *p, const ls_term *index, const ls_term *size, uint64_t last) {
    if (ls_is_const(size)) return index;
    const ls_sym *sym = ls_sym_of(&p->terms, index);
    return ls_symbol(&p->terms, sym->name, index->width, (ls_scope)sym->scope, (ls_sym_kind)sym->kind, 0,
                     last);
}

static const ls_term *in_small_launch(ls_subst *subst, const ls_term *symbol) {
    const extremes *x = subst->data;
    ls_proof *p = x->p;
    for (int i = 0; i < 3; i++) {
        uint64_t thread = last_thread(p, i), block = last_block(p, i);
        if (symbol == p->tid[i]) return small_index(p, symbol, p->ntid[i], thread);
        if (symbol == p->ctaid[i]) return small_index(p, symbol, p->nctaid[i], block);
        if (symbol == p->ntid[i]) return ls_const(&p->terms, symbol->width, thread + 1);
        if (symbol == p->nctaid[i]) return ls_const(&p->terms, symbol->width, block + 1);
    }
    if (ls_sym_of(&p->terms, symbol)->scope != LS_SCOPE_GRID) return symbol;
    return ls_const(&p->terms, symbol->width, within(symbol, x->number));
}

/* What the last thread of the small launch has, with that for numbers that are not known. */
static uint64_t value_of_last(const extremes *x, const ls_term *leaf, uint64_t number) {
    const ls_proof *p = x->p;
    for (int i = 0; i < 3; i++) {
        if (leaf == p->tid[i]) return last_thread(p, i);
        if (leaf == p->ctaid[i]) return last_block(p, i);
        if (leaf == p->ntid[i]) return last_thread(p, i) + 1;
        if (leaf == p->nctaid[i]) return last_block(p, i) + 1;
    }
    if (is_address(p, leaf)) return within(leaf, x->number); /* no number of the program's */
    bool first = leaf->op == LS_T_SYM && p->terms.syms.items[leaf->value].kind == LS_SYM_COUNT;
    return within(leaf, first ? 0 : number);
}

static uint64_t small_value(void *data, const ls_term *leaf) {
    return value_of_last(data, leaf, ((const extremes *)data)->number);
}

static uint64_t large_value(void *data, const ls_term *leaf) {
    return value_of_last(data, leaf, leaf->width > 32 ? UINT64_C(1) << 32 : INT32_MAX);
}

static extremes *extremes_of(ls_proof *p) {
    extremes *x = ls_part_of(p, &EXTREMES);
    if (x->p) return x;
    *x = (extremes){.p = p, .number = LEAST_NUMBER};
    for (int i = 0; i < 3; i++) /* indices of threads in the grid are less, too */
        while (x->number < (last_thread(p, i) + 1) * (last_block(p, i) + 1)) x->number *= 2;
    x->small = (ls_subst){.ctx = &p->terms, .replace = in_small_launch, .data = x};
    x->last = (ls_eval){.lookup = small_value, .data = x};
    x->large = (ls_eval){.lookup = large_value, .data = x};
    x->is_launched = ls_evaluate(&x->last, p->launch) && ls_evaluate(&x->large, p->launch) &&
                     ls_is_true(ls_substitute(&x->small, p->launch));
    return x;
}

/* Every thread of the small launch gets there, and keeps it. The last one is asked first, which makes no
 * terms. */
static bool is_kept_when_small(const assumption *a) {
    extremes *x = extremes_of(a->p);
    bool kept = x->is_launched && ls_evaluate(&x->last, a->holds) && ls_evaluate(&x->last, a->when) &&
                ls_is_true(ls_substitute(&x->small, a->holds)) &&
                ls_is_true(ls_substitute(&x->small, a->when));
    for (uint32_t i = 0; i < a->facts.length && kept; i++)
        kept = ls_is_true(ls_substitute(&x->small, a->facts.items[i]));
    return kept;
}

/* The last one gets there with large numbers, and breaks it. */
static bool is_broken_when_large(const assumption *a) {
    extremes *x = extremes_of(a->p);
    bool broken = x->is_launched && !ls_evaluate(&x->large, a->holds) && ls_evaluate(&x->large, a->when);
    for (uint32_t i = 0; i < a->facts.length && broken; i++)
        broken = ls_evaluate(&x->large, a->facts.items[i]);
    return broken;
}

/* --- Both ------------------------------------------------------------------------------------------------
 */

/* Given with the launch: indices, counts of iterations, where variables lie. */
static bool is_given(const ls_proof *p, const ls_term *leaf) {
    if (leaf->op != LS_T_SYM) return false;
    for (int i = 0; i < 3; i++)
        if (leaf == p->tid[i] || leaf == p->ctaid[i]) return true;
    return is_address(p, leaf) || p->terms.syms.items[leaf->value].kind == LS_SYM_COUNT;
}

/* Something that the launch does not fix decides on it. */
static bool is_open(const assumption *a) {
    ls_term_list all = {0}, leaves = {0};
    LS_VEC_PUSH(&all, a->when);
    LS_VEC_PUSH(&all, a->holds);
    for (uint32_t i = 0; i < a->facts.length; i++) LS_VEC_PUSH(&all, a->facts.items[i]);
    ls_leaves(all.items, all.length, &leaves);
    bool open = false;
    for (uint32_t i = 0; i < leaves.length; i++) open |= !is_given(a->p, leaves.items[i]);
    LS_VEC_FREE(&all);
    LS_VEC_FREE(&leaves);
    return open;
}

static void find_facts(assumption *a) {
    LS_VEC_PUSH(&a->facts, a->when);
    LS_VEC_PUSH(&a->facts, a->holds);
    ls_collect_facts(a->p, &a->facts);
    a->facts.items[0] = a->facts.items[1] = ls_true(&a->p->terms);
}

static ls_standing find_standing(assumption *a, const ls_ir_block *block) {
    bool kept = is_kept_when_small(a);
    if (kept && is_broken_when_large(a)) return LS_CONTRACT;
    ls_answered violated = ask_thread(a, block, true, &a->violator);
    a->has_violator = violated == LS_SAT;
    if (violated == LS_UNSAT) return LS_DISCHARGED;
    if (violated == LS_SAT && !is_open(a)) return LS_BROKEN;
    return kept ? LS_CONTRACT : find_consistent(a, block);
}

ls_standing ls_standing_of(ls_proof *p, const ls_event *e, const ls_term *holds) {
    if (ls_is_true(holds)) return LS_DISCHARGED;
    assumption a = {.p = p, .when = e->when, .holds = holds};
    find_facts(&a);
    ls_standing standing = find_standing(&a, e->node->block);
    LS_VEC_FREE(&a.facts);
    return standing;
}
