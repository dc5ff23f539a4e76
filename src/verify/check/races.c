/* Data races (000, Definition 4.1): two different threads access the same bytes, at least one of them writes,
 * and no barrier lies between. Pairs of accesses are taken within each barrier interval for threads of one
 * block, and over the whole kernel for threads of different blocks; they are told apart by memory object
 * first, by their normal forms next, and only then by a solver. */
#include "verify/check/races.h"
#include "verify/check/cells.h"
#include "verify/check/crew.h"
#include "verify/check/data.h"
#include "verify/check/fences.h"
#include "verify/check/flags.h"
#include "verify/check/handoff.h"
#include "verify/check/modelled.h"
#include "verify/check/overflow.h"
#include "verify/check/overlap.h"
#include "verify/check/partners.h"
#include "verify/check/quotients.h"
#include "verify/check/radix.h"
#include "verify/check/signals.h"
#include "verify/check/strides.h"
#include "verify/check/tickets.h"
#include "verify/check/values.h"
#include "verify/check/warps.h"
#include "verify/execute/cluster_halves.h"
#include "verify/execute/clusters.h"
#include "verify/execute/contents.h"
#include "verify/execute/lower.h"
#include "verify/execute/roots.h"
#include "verify/query/query.h"
#include "verify/query/witness.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct {
    ls_proof *p;
    ls_intmap done;       /* pairs of accesses that were reported already */
    ls_intmap noted;      /* … as writes of equal values */
    ls_intmap open;       /* pairs of source lines of which it is not known whether they are apart */
    ls_intmap found;      /* … and of which it is known that they are not: one finding is enough */
    uint32_t searches;    /* for races, in vain, since the solver is not asked any more … */
    uint32_t looks;       /* … and pairs that were looked at since then */
    uint64_t key;         /* of the current interval, for the crew */
    uint32_t obligations; /* pairs that a solver is needed for, so far … */
    uint32_t enough;      /* … and the number at which counting can stop; 0: pairs are checked, not counted */
    bool doubtful_only;   /* pairs with an access that is in doubt */
} races;

/* --- Reports ---------------------------------------------------------------------------------------------
 */

static const char *kind_name(const ls_event *e) {
    static const char *const names[] = {
        [LS_ACCESS_READ] = "read", [LS_ACCESS_WRITE] = "write", [LS_ACCESS_ATOMIC] = "atomic access"};
    return names[e->access->kind];
}

static const char *verb_of(const ls_event *e) {
    static const char *const verbs[] = {
        [LS_ACCESS_READ] = "reads", [LS_ACCESS_WRITE] = "writes", [LS_ACCESS_ATOMIC] = "updates"};
    return verbs[e->access->kind];
}

static const char *between(const ls_query *q) {
    return q->view.same_block ? "threads of one block"
           : q->view.cluster  ? "threads of one cluster"
                              : "threads of different blocks";
}

/* What it writes was never set. */
static bool writes_unset(ls_proof *p, const ls_event *e) {
    ls_term_list leaves = {0};
    ls_leaves(e->values, e->value_count, &leaves);
    bool unset = false;
    for (uint32_t i = 0; i < leaves.length; i++)
        unset |=
            leaves.items[i]->op == LS_T_SYM && ls_sym_of(&p->terms, leaves.items[i])->kind == LS_SYM_UNSET;
    LS_VEC_FREE(&leaves);
    return unset;
}

static ls_finding *suspect(races *r, ls_query *q, const ls_event *a, const ls_event *b,
                           const ls_ir_base *base, bool benign) {
    ls_proof *p = r->p;
    bool shared = ls_memory_of(a, base) == LS_ORDERS_SHARED;
    const ls_place *first = a->access->instr->pos, *second = b->access->instr->pos;
    ls_finding *f =
        ls_suspect(p, shared ? LS_RULE_RACE_SHARED : LS_RULE_RACE_GLOBAL, benign ? LS_NOTE : LS_ERROR, first,
                   "%s-%s race %son '%s' between %s", kind_name(a), kind_name(b),
                   benign ? "of equal values " : "", ls_base_name(p, base), between(q));
    ls_finding_relate(f, *second, "%s here", kind_name(b));
    const ls_term *start = ls_base_address(p, base);
    const ls_term *address = ls_query_term(q, 1, a->address), *offset = NULL;
    if (start && a->access->base_count == 1)
        offset = ls_sub(&p->terms, address, ls_resize(&p->terms, start, address->width, false));
    ls_query_witness(q, f, offset);
    f->execution->base = base;
    f->execution->undefined |= writes_unset(p, a) || writes_unset(p, b);
    f->story->actors->does = verb_of(a);
    f->story->actors->next->does = verb_of(b);
    ls_witness_object(f, ls_base_name(p, base));
    return f;
}

/* A pair of source lines, and which accesses there. */
static uint64_t lines_of(const ls_event *a, const ls_event *b) {
    const ls_place *x = a->access->instr->pos, *y = b->access->instr->pos;
    uint64_t line1 = x->line & 0xffffff, line2 = y->line & 0xffffff;
    return line1 << 40 | line2 << 16 | (x->column & 0xff) << 8 | (y->column & 0xff);
}

static void report_undecided(races *r, ls_query *q, const ls_event *a, const ls_event *b,
                             const ls_ir_base *base) {
    const ls_place *first = a->access->instr->pos;
    if (ls_solver_tired(&r->p->solver) && r->open.count) { /* one at least is named */
        ls_unknown(r->p, NULL, "give a longer --timeout",
                   "further pairs of accesses were not decided: the time limit was reached")
            ->undecided = true;
        return;
    }
    ls_verify_note *note = ls_unknown(
        r->p, first, "give launch sizes, a condition (--assume, __requires) or a longer --timeout",
        "no proof that %s (line %u) and %s (line %u) of '%s' by %s never touch the same bytes", kind_name(a),
        first->line, kind_name(b), b->access->instr->pos->line, ls_base_name(r->p, base), between(q));
    note->undecided = true;
    bool is_new;
    ls_intmap_at(&r->open, lines_of(a, b), &is_new);
}

static ls_finding *find(races *r, ls_query *q, const ls_event *a, const ls_event *b, const ls_ir_base *base,
                        bool benign) {
    ls_finding *f = suspect(r, q, a, b, base, benign);
    ls_accuse(r->p, f);
    bool is_new;
    if (!benign) ls_intmap_at(&r->found, lines_of(a, b), &is_new);
    return f;
}

static const char order_doubt[] = "order by fences and atomics, which is not proved";

/* The fences that are missing for a proof, or what else would help. */
static const char *help_with_order(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block) {
    ls_lacking lacking;
    if (!ls_is_handed_over_with(p, a, b, same_block, &lacking))
        return "write it as a flag, a lock or a ticket with fences, as docs/verify.md has them";
    const ls_ir_instr *at = lacking.before ? lacking.before : lacking.behind;
    const bool both = lacking.before && lacking.behind;
    return ls_arena_printf(
        &p->arena, "the thread needs a %s %s line %u, by the PTX memory model: with it the two are ordered",
        same_block ? "__threadfence_block()" : "__threadfence()",
        both ? ls_arena_printf(&p->arena, "behind line %u, and one before", lacking.behind->pos->line)
        : lacking.before ? "before"
                         : "behind",
        at->pos->line);
}

/* After a model: the execution may show it, if only the values differ there where that is open. */
static void report_possible(races *r, ls_query *q, const ls_event *a, const ls_event *b,
                            const ls_ir_base *base, ls_comparison values) {
    bool of_values = values == LS_VALUES_OPEN && ls_query_confirmed(q);
    const char *on = of_values ? "values that may or may not differ" : ls_query_doubt(q);
    ls_finding *f = suspect(r, q, a, b, base, false);
    f->execution->of_values = values == LS_VALUES_OPEN;
    f->execution->of_order = q->view.doubtful == order_doubt;
    f->execution->compared = values == LS_VALUES_DIFFER && ls_both_write(a, b) && ls_are_comparable(a, b);
    const char *help = strstr(on, "loop")
                           ? "state an invariant of the loop (__invariant), or a precondition on the data"
                           : "state a precondition on the data (__requires)";
    if (f->execution->of_order) help = help_with_order(r->p, a, b, q->view.same_block);
    ls_verify_note *note = ls_unknown(
        r->p, a->access->instr->pos, help, "possible %s-%s race on '%s' with line %u by %s: it depends on %s",
        kind_name(a), kind_name(b), ls_base_name(r->p, base), b->access->instr->pos->line, between(q), on);
    note->by_data = q->view.by_data;
    if (!note->candidate && !q->view.by_data) note->candidate = f;
}

/* --- Writes of equal values ------------------------------------------------------------------------------
 */

/* What people should know all the same. */
static void note_equal(races *r, ls_query *q, const ls_event *a, const ls_event *b, const ls_ir_base *base,
                       uint64_t key) {
    uint64_t ignored;
    bool is_new;
    if (ls_intmap_get(&r->noted, key, &ignored) || ls_query_solve(q) != LS_SAT || !ls_query_confirmed(q))
        return;
    ls_intmap_at(&r->noted, key, &is_new);
    find(r, q, a, b, base, true);
}

/* The overlap was found: it is a race only where the values differ. */
static void report_writes(races *r, ls_query *q, const ls_event *a, const ls_event *b, const ls_ir_base *base,
                          ls_answered answer, uint64_t key) {
    bool is_new, confirmed = answer == LS_SAT && ls_query_confirmed(q);
    uint32_t given = q->conjuncts.length;
    ls_comparison values = ls_compare_values(q, a, b, confirmed);
    if (values == LS_VALUES_EQUAL) q->conjuncts.length = given;
    if (values == LS_VALUES_EQUAL && ls_is_tolerated(q, a, b)) {
        if (!r->p->options->exact_overflow && ls_stands(r->p, a, b, LS_CONTRACT))
            r->p->assumed |= LS_ASSUMED_NO_OVERFLOW;
        if (confirmed) note_equal(r, q, a, b, base, key);
        return;
    }
    ls_intmap_at(&r->done, key, &is_new);
    if (confirmed && values == LS_VALUES_EQUAL)
        confirmed = ls_query_solve(q) == LS_SAT && ls_query_confirmed(q);
    if (confirmed && values != LS_VALUES_OPEN) {
        ls_finding *f = find(r, q, a, b, base, false);
        f->execution->compared = values == LS_VALUES_DIFFER && ls_are_comparable(a, b);
        return;
    }
    q->conjuncts.length = given;
    if (answer == LS_UNDECIDED || ls_query_solve(q) != LS_SAT)
        report_undecided(r, q, a, b, base);
    else
        report_possible(r, q, a, b, base, values);
}

/* --- One pair --------------------------------------------------------------------------------------------
 */

static void report(races *r, ls_query *q, const ls_event *a, const ls_event *b, const ls_ir_base *base,
                   ls_answered answer, uint64_t key) {
    if (ls_both_write(a, b) && !r->p->options->benign_error) {
        report_writes(r, q, a, b, base, answer, key);
        return;
    }
    bool is_new;
    ls_intmap_at(&r->done, key, &is_new);
    if (answer == LS_UNDECIDED)
        report_undecided(r, q, a, b, base);
    else if (!ls_query_confirmed(q))
        report_possible(r, q, a, b, base, LS_VALUES_EQUAL);
    else
        find(r, q, a, b, base, false);
}

/* Whether the two can be apart, in exact arithmetic or, where that does not tell, without overflow. */
static ls_answered decide(ls_query *q, const ls_event *a, const ls_event *b, const ls_term *when, bool open) {
    ls_proof *p = q->view.p;
    ls_build_pair(q, a, b, when);
    if (p->options->exact_overflow)
        return ls_solve_overlap(q, a, b, ls_distance_of(q, a, b), (ls_question){0});
    ls_answered answer = ls_ask_cells(q, a, b, when);
    if (answer != LS_UNDECIDED) return answer;
    return ls_solve_in_turn(q, a, b, open || ls_solver_tired(&p->solver));
}

/* For the crew: decides only whether the two accesses are apart, unless another member is deciding it. */
static void survey(races *r, ls_query *q, const ls_event *a, const ls_event *b, const ls_term *when,
                   uint64_t key) {
    ls_proof *p = r->p;
    ls_crew *crew = ls_turn_of(p)->crew;
    if (!ls_crew_take(crew, key)) return;
    ls_obligation before = ls_obligation_begin(p), done;
    ls_obligation_end(p, &before, decide(q, a, b, when, false), &done);
    p->solver.stats = before.stats;
    ls_crew_give(crew, key, &done);
}

/* Numbers that callers give, and that only lay memory out, are no reason to call the kernel wrong. */
static void doubt_layout(ls_proof *p, ls_query *q, const ls_event *a, const ls_event *b) {
    const char *stride = ls_meet_by_strides(q, a, b), *offset = stride ? NULL : ls_meet_by_offset(q, a, b);
    if (!stride && !offset) return;
    q->view.by_data = p->by_layout = true;
    q->view.doubtful = ls_arena_printf(&p->arena,
                                       stride ? "strides that the caller chooses ('%s')"
                                              : "an offset that the caller chooses ('%s')",
                                       stride ? stride : offset);
}

enum { MOST_SEARCHES = 300, MOST_LOOKS = 1500 };

static void settle(races *r, ls_query *q, const ls_event *a, const ls_event *b, const ls_term *when,
                   const ls_ir_base *base, uint64_t pair) {
    uint64_t ignored;
    bool open = ls_intmap_get(&r->open, lines_of(a, b), &ignored); /* this was reported before */
    bool tired = ls_solver_tired(&r->p->solver);
    if (tired && (r->searches >= MOST_SEARCHES || r->looks >= MOST_LOOKS)) {
        report_undecided(r, q, a, b, base);
        return;
    }
    ls_answered answer = decide(q, a, b, when, open);
    r->looks += tired;
    r->searches += tired && answer == LS_UNDECIDED;
    if (answer == LS_UNSAT || (answer == LS_UNDECIDED && open)) return;
    if (ls_has_fences(r->p)) {
        if (ls_is_handed_over(r->p, a, b, q->view.same_block)) return;
        const ls_view view = q->view; /* the solver has a model of another question now */
        ls_query_end(q);
        ls_query_begin(q, view);
        answer = decide(q, a, b, when, open);
        if (answer == LS_UNSAT || (answer == LS_UNDECIDED && open)) return;
    }
    if (!q->view.doubtful && ls_may_be_ordered(r->p, a->access->instr, b->access->instr, q->view.same_block))
        q->view.doubtful = order_doubt;
    if (answer == LS_SAT) ls_query_past_flags(q, a, b, ls_memory_of(a, base));
    if (a->in_flight || b->in_flight) q->view.doubtful = "whether this path has waited for the copy";
    const ls_ir_base *data = q->view.doubtful ? NULL : ls_meet_by_data(r->p, a, b, q->view.same_block);
    if (data) {
        q->view.by_data = true;
        q->view.doubtful = ls_name_of_data(r->p, data);
    }
    if (!q->view.doubtful && answer == LS_SAT) doubt_layout(r->p, q, a, b);
    report(r, q, a, b, base, answer, pair);
}

/* Takes over what the crew found out; false if there is no crew. */
static bool is_settled(races *r, uint64_t key) {
    ls_proof *p = r->p;
    ls_turn *turn = ls_turn_of(p);
    if (!turn->crew) return false;
    ls_obligation known = ls_crew_look(turn->crew, key);
    if (known.outcome == LS_HOLDS) ls_obligation_adopt(p, &known);
    turn->again |= known.outcome != LS_HOLDS;
    return true;
}

/* Apart by their normal forms. */
static bool plainly_apart(races *r, const ls_event *a, const ls_event *b, bool same_block) {
    if (!ls_apart_by_radix(r->p, a, b, same_block) && !ls_apart_by_rows(r->p, a, b, same_block) &&
        !ls_apart_by_quotients(r->p, a, b, same_block))
        return false;
    bool counts = !r->enough && !ls_turn_of(r->p)->survey;
    r->p->solver.stats.queries += counts;
    r->p->solver.stats.by_radix += counts;
    return true;
}

/* The parts of matrices that were given to a second lane matter to other instructions of the same warp. */
static bool is_met_before(const ls_event *a, const ls_event *b, bool same_block) {
    if (!a->part_of_neighbour && !b->part_of_neighbour) return false;
    return !same_block || (a->access->opaque && b->access->opaque);
}

/* Another proof of the kernel has found no answer there. */
static bool is_in_doubt(const ls_proof *p, const ls_event *e) {
    const ls_place *pos = e->access->instr->pos;
    for (const ls_verify_note *n = p->options->doubts; pos && n; n = n->next)
        if (n->place.line && n->place.line == pos->line) return true;
    return false;
}

static void check_pair(races *r, const ls_event *a, const ls_event *b, ls_view view, const ls_term *when,
                       uint8_t memory, uint64_t place) {
    if (r->doubtful_only && !is_in_doubt(r->p, a) && !is_in_doubt(r->p, b)) return;
    const ls_ir_base *base = ls_common_base_in(r->p, a, b, memory);
    if (!base) return;
    if (view.between_halves && !ls_is_between_halves(r->p, a->access->instr) &&
        !ls_is_between_halves(r->p, b->access->instr))
        return;
    ls_meeting met = ls_meet(r->p, a, b, view.same_block, ls_memory_of(a, base) == LS_ORDERS_SHARED);
    if (met == LS_MEET_NEVER ||
        (r->p->ticketed && view.same_block && ls_memory_of(a, base) == LS_ORDERS_SHARED))
        return;
    view.one_warp = met == LS_MEET_WITHIN_WARP;
    if (a->collective && a->access->instr == b->access->instr && view.same_block) return; /* it is one */
    if (is_met_before(a, b, view.same_block)) return;
    if (plainly_apart(r, a, b, view.same_block)) return;
    uint32_t lo = a->access->id < b->access->id ? a->access->id : b->access->id;
    uint32_t hi = a->access->id < b->access->id ? b->access->id : a->access->id;
    uint64_t pair = (uint64_t)lo << 32 | hi, ignored, key = ls_crew_key(r->key, place);
    r->obligations++;
    if (r->enough || ls_intmap_get(&r->done, pair, &ignored)) return;
    if (ls_intmap_get(&r->found, lines_of(a, b), &ignored)) return;
    view.a = a->node->block;
    view.b = b->node->block;
    view.before_calls =
        ls_is_before_calls(r->p, a->access->instr) && ls_is_before_calls(r->p, b->access->instr);
    ls_query q;
    ls_query_begin(&q, view);
    if (ls_turn_of(r->p)->survey)
        survey(r, &q, a, b, when, key);
    else if (!is_settled(r, key))
        settle(r, &q, a, b, when, base, pair);
    ls_query_end(&q);
}

/* --- All pairs -------------------------------------------------------------------------------------------
 */

static bool known_base(const ls_event *e) {
    const ls_ir_access *a = e->access;
    if (!a->base_count || a->other_bases || !e->size) return false;
    for (uint32_t i = 0; i < a->base_count; i++)
        if (a->bases[i]->kind != LS_BASE_OBJECT && a->bases[i]->kind != LS_BASE_PARAM)
            return e->place_count > 0;
    return true;
}

/* A texture is not written by the kernel that reads it, or the reads are undefined (CUDA C++ Programming
 * Guide). */
static bool reads_texture(const ls_event *e) {
    return e->access->instr->form->opcode->class == LS_CLASS_TEXTURE;
}

/* Accesses whose object is not known: nothing can be said of them, unless nothing at all is written. */
static void report_unknown_bases(ls_proof *p) {
    bool writes = false;
    for (uint32_t i = 0; i < p->whole_events.length; i++)
        writes |= p->whole_events.items[i].access->kind != LS_ACCESS_READ;
    for (uint32_t i = 0; i < p->whole_events.length && writes; i++) {
        const ls_event *e = &p->whole_events.items[i];
        if (ls_is_ticketed(e->access->instr) && !e->size) continue; /* an mbarrier */
        if (reads_texture(e))
            p->assumed |= LS_ASSUMED_TEXTURES;
        else if (!known_base(e) && e->access->base_count)
            ls_unknown(p, e->access->instr->pos, NULL, "it is not known what memory is accessed here (%s)",
                       e->access->instr->form->text);
    }
}

/* Nothing is known of the address: it may be null. */
static void report_no_bases(ls_proof *p) {
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *e = &p->whole_events.items[i];
        if (!e->access->base_count)
            ls_unknown(p, e->access->instr->pos, NULL,
                       "it is not known what the pointer points to here, if anything");
    }
}

/* Where the pairs stand, and all that they are about. */
static uint64_t key_of(const ls_event *const *events, uint32_t count, const ls_view *view, uint8_t memory) {
    uint64_t key = ls_crew_key(memory, view->same_block);
    key = ls_crew_key(key, view->warps);
    key = ls_crew_key(key, view->cluster);
    key = ls_crew_key(key, view->between_halves);
    key = ls_crew_key(key, view->anchor ? view->anchor->id + 1 : 0);
    for (uint32_t i = 0; i < count; i++) {
        key = ls_crew_key(key, events[i]->access->id);
        key = ls_crew_key(key, events[i]->node->id);
        key = ls_crew_key(key, (uint64_t)events[i]->state->suffix[0] + strlen(events[i]->state->suffix));
    }
    return key;
}

enum { PAIRS_PER_LOOK = 500 /* at the clock */ };

/* All pairs of accesses to known objects. */
static void check_pairs(races *r, const ls_events *events, ls_view view, const ls_term *when,
                        uint8_t memory) {
    ls_access_groups g = {0};
    for (uint32_t i = 0; i < events->length; i++)
        if (known_base(&events->items[i])) ls_add_access(r->p, &g, &events->items[i]);
    uint32_t pairs = 0, count = g.known.length;
    bool expired = r->p->solver.timed_out;
    r->key = key_of(g.known.items, count, &view, memory);
    for (uint32_t i = 0; i < count && !expired; i++) {
        ls_partners with = ls_partners_of(r->p, &g, i, memory);
        for (uint32_t j = ls_next_partner(&with); j < count && !expired; j = ls_next_partner(&with)) {
            check_pair(r, g.known.items[i], g.known.items[j], view, when, memory, (uint64_t)i << 32 | j);
            if (++pairs % PAIRS_PER_LOOK == 0 || ls_solver_is_over(&r->p->solver))
                expired = ls_solver_expired(&r->p->solver);
            expired |= r->enough && r->obligations >= r->enough;
        }
    }
    ls_free_access_groups(&g);
}

/* Shared memory of the blocks of a cluster: a block's own shared memory is distinguished from that of the
 * others by the block's rank in the cluster. Two accesses can overlap only if one of them is to the shared
 * memory of another block. */
static void check_cluster_events(races *r, const ls_events *events, ls_view view, const ls_term *when) {
    ls_events moved = {0};
    view.p = r->p;
    view.cluster = true;
    for (uint32_t k = 0; k < events->length; k++) {
        ls_event e = events->items[k];
        e.address = ls_address_in_cluster(r->p, e.address);
        ls_split_address(r->p, &e);
        LS_VEC_PUSH(&moved, e);
    }
    check_pairs(r, &moved, view, when, LS_ORDERS_SHARED);
    LS_VEC_FREE(&moved);
}

static void check_within_clusters(races *r) {
    ls_proof *p = r->p;
    bool between_halves = false;
    for (uint32_t i = 0; i < p->intervals[LS_ORDERS_CLUSTER].length && p->remote; i++) {
        const ls_interval *between = &p->intervals[LS_ORDERS_CLUSTER].items[i];
        check_cluster_events(r, &between->events, (ls_view){.anchor = between->anchor}, between->when);
    }
    for (uint32_t i = 0; i < p->whole_events.length && p->remote; i++)
        between_halves |= ls_is_between_halves(p, p->whole_events.items[i].access->instr);
    if (!between_halves) return;
    /* what lies between the halves of a barrier is ordered with nothing */
    check_cluster_events(
        r, &p->whole_events,
        (ls_view){.between_halves = true, .doubtful = "barriers of clusters, which may order the two"}, NULL);
}

static void check_between_blocks(races *r) {
    ls_proof *p = r->p;
    const uint32_t *grid = p->options->grid;
    if (p->options->only_intra_group || (grid[0] && (uint64_t)grid[0] * grid[1] * grid[2] == 1)) return;
    for (uint32_t i = 0; i < p->intervals[LS_ORDERS_GRID].length; i++) {
        const ls_interval *between = &p->intervals[LS_ORDERS_GRID].items[i];
        check_pairs(r, &between->events, (ls_view){.p = p, .anchor = between->anchor}, between->when,
                    LS_ORDERS_GLOBAL);
    }
    ls_view view = {.p = p};
    if (ls_has_cluster_barrier(p)) view.doubtful = "barriers of clusters, which may order the two";
    if (!p->intervals[LS_ORDERS_GRID].length) check_pairs(r, &p->whole_events, view, NULL, LS_ORDERS_GLOBAL);
}

static void check_intervals(races *r, uint8_t stops, ls_view view) {
    uint8_t memory = stops & (LS_ORDERS_SHARED | LS_ORDERS_GLOBAL);
    for (uint32_t i = 0; i < r->p->intervals[stops].length && !r->p->solver.timed_out; i++) {
        const ls_interval *interval = &r->p->intervals[stops].items[i];
        view.anchor = interval->anchor;
        check_pairs(r, &interval->events, view, interval->when, memory);
    }
}

/* Threads of one block. Where lanes of a warp synchronise, pairs of these have intervals of their own. */
static void check_within_blocks(races *r, uint8_t memory) {
    ls_proof *p = r->p;
    ls_view view = {.p = p, .same_block = true};
    const ls_warp_sync *w = ls_warp_sync_of(p);
    if (!w->barriers && !w->doubt) {
        check_intervals(r, memory, view);
        return;
    }
    static const char *const doubt = "synchronisation within a warp that is not modelled";
    view.warps = LS_WARPS_OTHER;
    if (w->doubt && (w->mask != UINT32_MAX || w->tile != LS_WARP)) view.doubtful = doubt;
    check_intervals(r, memory, view);
    view.warps = LS_WARPS_ONE;
    if (w->doubt) view.doubtful = doubt;
    check_intervals(r, w->barriers ? memory | LS_ORDERS_WARP : memory, view);
}

static void check_all(races *r) {
    const uint32_t *block = r->p->options->block;
    bool one_thread = block[0] && (uint64_t)block[0] * block[1] * block[2] == 1;
    for (uint8_t memory = 1; memory < 4 && !one_thread; memory++) check_within_blocks(r, memory);
    check_between_blocks(r);
    check_within_clusters(r);
    ls_intmap_free(&r->done);
    ls_intmap_free(&r->noted);
    ls_intmap_free(&r->open);
    ls_intmap_free(&r->found);
}

uint32_t ls_count_races(ls_proof *p, uint32_t enough) {
    races r = {.p = p, .enough = enough};
    check_all(&r);
    return r.obligations;
}

void ls_check_races(ls_proof *p) {
    races r = {.p = p};
    if (!ls_turn_of(p)->survey) {
        report_unknown_bases(p);
        report_no_bases(p);
    }
    if (p->options->doubts && p->options->proof_only && !ls_turn_of(p)->crew)
        check_all(&(races){.p = p, .doubtful_only = true});
    if (!p->solver.timed_out) check_all(&r);
}
