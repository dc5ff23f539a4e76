/* Barrier intervals in loops, turn by turn. Where a loop's counters begin with constants and go on by
 * constants (d = 512, 256, …; offset = 1, 2, …), their values in each turn are known, since the launch is. An
 * interval that begins at a barrier in the loop has the rest of one turn and, behind the loop's head, the
 * beginning of the next; or what follows the loop, in the last turn. Every thread has its own part in the
 * interval if it has in each turn by itself. */
#include "detect/linear.h"
#include "detect/own.h"

enum { MOST_TURNS = 64, MOST_ACCESSES = 256 };

typedef struct {
    kernel *k;
    const ls_detect_launch *launch;
    const ls_ir_loop *loop;
    ls_bitset now, next;           /* the interval's instructions, in one turn and the one behind it */
    ls_bitset seen_now, seen_next; /* blocks */
    bool too_far;                  /* two turns without a barrier */
} walker;

static bool is_in(const ls_ir_loop *loop, const ls_ir_block *block) {
    return block->loop && block->loop_position >= loop->first &&
           block->loop_position < loop->first + loop->block_count;
}

static void walk_block(walker *w, const ls_ir_block *block, uint32_t first, bool behind) {
    ls_bitset *instrs = behind ? &w->next : &w->now;
    for (uint32_t i = first; i < block->instr_count; i++) {
        ls_bitset_add(instrs, block->instrs[i]->id);
        if (is_barrier(block->instrs[i])) return;
    }
    for (uint32_t s = 0; s < block->succ_count; s++) {
        const ls_ir_block *to = block->succs[s];
        bool turns = to == w->loop->header && is_in(w->loop, block), later = behind || turns;
        if (behind && turns) w->too_far = true;
        ls_bitset *seen = later ? &w->seen_next : &w->seen_now;
        if (w->too_far || ls_bitset_has(seen, to->id)) continue;
        ls_bitset_add(seen, to->id);
        walk_block(w, to, 0, later);
    }
}

/* The constant that a value is with these counters. */
static bool constant_of(const walker *w, const bound_counters *counters, ls_ir_value *value, int64_t *out) {
    decomposer d = dt_decomposer(w->k, w->launch, false);
    d.counters = counters;
    return value && dt_constant(d, value, out);
}

static uint32_t entry_of(const ls_ir_loop *loop) {
    const ls_ir_block *h = loop->header;
    return h->pred_count == 2 && !is_in(loop, h->preds[0]) ? 0 : 1;
}

static bool begin(const walker *w, bound_counters *out) {
    static const bound_counters none;
    const ls_ir_block *h = w->loop->header;
    uint32_t entry = entry_of(w->loop);
    *out = none;
    if (h->pred_count != 2 || is_in(w->loop, h->preds[entry]) || !is_in(w->loop, h->preds[1 - entry]))
        return false;
    for (uint32_t i = 0; i < h->phi_count && out->count < MOST_COUNTERS; i++) {
        int64_t value;
        if (!constant_of(w, &none, h->phis[i]->args[entry], &value)) continue;
        out->phi[out->count] = h->phis[i];
        out->value[out->count++] = value;
    }
    return out->count > 0;
}

/* Those that do not go on by constants are left out; in the first turn they had a value all the same. */
static bool step(const walker *w, const bound_counters *now, bound_counters *out) {
    uint32_t back = 1 - entry_of(w->loop);
    *out = (bound_counters){0};
    for (uint32_t i = 0; i < now->count; i++) {
        if (!constant_of(w, now, now->phi[i]->args[back], &out->value[out->count])) continue;
        out->phi[out->count++] = now->phi[i];
    }
    return out->count > 0;
}

/* Whether this turn may be the last, and whether another may follow. */
static void find_end(const walker *w, const bound_counters *counters, bool *last, bool *more) {
    *last = false, *more = true;
    for (uint32_t i = 0; i < w->loop->exit_count; i++) {
        const ls_ir_edge *e = &w->loop->exits[i];
        bool negated;
        ls_ir_value *p = ls_ir_branch_predicate(e->from, &negated);
        decomposer d = dt_decomposer(w->k, w->launch, false);
        d.counters = counters;
        int holds = p && e->from->succ_count == 2 ? dt_truth(d, p) : -1;
        if (holds < 0) {
            *last = true;
            continue;
        }
        bool leaves = (e->from->succs[0] == e->to) == (holds != negated);
        if (!leaves) continue;
        *last = true;
        for (uint32_t l = 0; l < w->loop->latch_count; l++)
            if (ls_ir_dominates(e->from, w->loop->latches[l])) *more = false;
    }
}

static ls_bitset without_rest(const walker *w) {
    ls_bitset kept = ls_bitset_new(&w->k->arena, w->k->ir->instr_count);
    for (uint32_t i = ls_bitset_next(&w->now, 0); i < w->now.bits; i = ls_bitset_next(&w->now, i + 1))
        if (is_in(w->loop, w->k->ir->instrs[i]->block)) ls_bitset_add(&kept, i);
    return kept;
}

bool dt_own_in_turns(kernel *k, const region *r, uint32_t which, const ls_detect_launch *launch) {
    walker w = {.k = k, .launch = launch, .loop = r->block->loop};
    bound_counters now, next;
    if (!r->barrier || !w.loop || r->under_way || k->ir->access_count > MOST_ACCESSES) return false;
    w.now = ls_bitset_new(&k->arena, k->ir->instr_count),
    w.next = ls_bitset_new(&k->arena, k->ir->instr_count);
    w.seen_now = ls_bitset_new(&k->arena, k->ir->block_count);
    w.seen_next = ls_bitset_new(&k->arena, k->ir->block_count);
    walk_block(&w, r->block, r->first, false);
    if (w.too_far || !begin(&w, &now)) return false;
    ls_bitset inner = without_rest(&w);
    for (int turn = 0; turn < MOST_TURNS; turn++, now = next) {
        bool last, more;
        find_end(&w, &now, &last, &more);
        if (!step(&w, &now, &next) && more) return false;
        own_part parts[] = {{last ? &w.now : &inner, &now}, {&w.next, &next}};
        if (!dt_own_in_parts(k, which, launch, parts, more ? 2 : 1)) return false;
        if (!more) return true;
    }
    return false;
}
