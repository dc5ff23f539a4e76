/* A block is rehearsed: where offsets as linear forms (own.c, turns.c) leave barrier intervals open, the
 * numbers that addresses and branches depend on are worked out for every thread of a block, turn by turn of
 * all loops, since the launch is known. What comes from memory is not known: then a thread may go either way,
 * and its access may be anywhere. So indices with divisions, exchanged bits (swizzles) and loops in loops are
 * followed, copies by cp.async and products by wgmma too; an interval in which no two warps touch the same
 * bytes, one of them writing, needs no check in any block.
 *
 * Threads run in lockstep: of the blocks with threads that wait for them, the first in an order in which
 * loops are in one piece; who turns in a loop waits until all others have left it or turn as well. So the two
 * ways of a thread that may go either come together again before anything else. */
#include "detect/rehearsal.h"

enum { MOST_STEPS = 10000000, MOST_BLOCKS = 64, STEPS_OF_BLOCK = 16 };

/* --- The order of blocks -----------------------------------------------------------------------------------
 */

static const ls_ir_loop *outermost(const ls_ir_block *block) {
    const ls_ir_loop *loop = block->loop;
    while (loop && loop->parent) loop = loop->parent;
    return loop;
}

static const ls_ir_block *node_of(const ls_ir_block *block) {
    const ls_ir_loop *loop = outermost(block);
    return loop ? loop->header : block;
}

static void place(rehearsal *r, const ls_ir_block *node, uint32_t *count) {
    const ls_ir_loop *loop = outermost(node);
    for (uint32_t i = 0; i < (loop ? loop->block_count : 1); i++) {
        const ls_ir_block *block = loop ? loop->blocks[i] : node;
        r->rank[block->id] = *count, r->order[(*count)++] = block;
    }
}

/* Forward edges lead to a higher rank, and loops are in one piece. */
static bool find_order(rehearsal *r) {
    const ls_ir_function *f = r->k->ir;
    uint32_t *before = LS_NEW_N(r->arena, uint32_t, f->block_count), count = 0;
    LS_VEC(const ls_ir_block *) ready = {0};
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t s = 0; s < f->blocks[b]->succ_count; s++)
            if (node_of(f->blocks[b]) != node_of(f->blocks[b]->succs[s]))
                before[node_of(f->blocks[b]->succs[s])->id]++;
    for (uint32_t b = f->block_count; b-- > 0;)
        if (node_of(f->blocks[b]) == f->blocks[b] && !before[b]) LS_VEC_PUSH(&ready, f->blocks[b]);
    while (ready.length) {
        const ls_ir_block *node = ready.items[--ready.length];
        uint32_t first = count;
        place(r, node, &count);
        for (uint32_t i = first; i < count; i++)
            for (uint32_t s = 0; s < r->order[i]->succ_count; s++) {
                const ls_ir_block *to = node_of(r->order[i]->succs[s]);
                if (to != node && !--before[to->id]) LS_VEC_PUSH(&ready, to);
            }
    }
    LS_VEC_FREE(&ready);
    for (uint32_t i = 0; i < f->loop_count; i++)
        r->loop_end[i] = r->rank[f->loops[i]->header->id] + f->loops[i]->block_count;
    return count == f->block_count && !f->irreducible_count;
}

/* --- From block to block
 * ------------------------------------------------------------------------------------ */

static void fail(rehearsal *r, const char *why) {
    if (!r->failed) r->failed = why;
}

static uint32_t pred_index(const ls_ir_block *from, const ls_ir_block *to) {
    uint32_t i = 0;
    while (i < to->pred_count && to->preds[i] != from) i++;
    return i;
}

static void pass_phis(rehearsal *r, const ls_ir_block *from, const ls_ir_block *to, bool turns,
                      const crowd *who, const crowd *there) {
    static const number nothing = {.kind = UNKNOWN};
    uint32_t edge = pred_index(from, to);
    for (uint32_t i = 0; i < to->phi_count; i++) {
        const ls_ir_value *value = to->phis[i]->value;
        if (!ls_bitset_has(&r->needed, value->id)) continue;
        const ls_ir_value *given = edge < to->pred_count ? to->phis[i]->args[edge] : NULL;
        dt_assign(r, turns ? &r->next[value->id] : &r->values[value->id],
                  given ? dt_number_of(r, given) : &nothing, who, there);
    }
}

static void move(rehearsal *r, const ls_ir_block *from, const ls_ir_block *to, const crowd *who) {
    if (crowd_is_empty(who)) return;
    if (to == r->k->ir->exit) {
        crowd ended = *who;
        crowd_leave(&ended, &r->may);
        crowd_leave(&r->alive, &ended);
        return;
    }
    ls_ir_loop *loop = to->is_loop_header ? to->loop : NULL;
    bool turns = loop && ls_ir_loop_contains(loop, from);
    crowd *place = turns ? &r->again[loop->id] : &r->waiting[r->rank[to->id]];
    pass_phis(r, from, to, turns, who, place);
    crowd_join(place, who);
    if (turns) return;
    ls_bitset_add(&r->busy, r->rank[to->id]);
    if (loop) crowd_leave(&r->opened[loop->id], who), crowd_leave(&r->widened[loop->id], who);
}

/* Threads of which it is not known which way they go, go both, until the ways meet. */
static void go_both_ways(rehearsal *r, const ls_ir_block *block, const crowd *who) {
    if (crowd_is_empty(who)) return;
    spend(r, r->threads);
    for (uint32_t t = 0; t < r->threads; t++)
        if (crowd_has(who, t) && !crowd_has(&r->may, t)) r->until[t] = block->ipdom;
    crowd_join(&r->may, who);
    for (uint32_t s = 0; s < block->succ_count; s++)
        for (const ls_ir_loop *l = block->loop; l && !ls_ir_loop_contains(l, block->succs[s]); l = l->parent)
            crowd_join(&r->opened[l->id], who);
    for (uint32_t s = 0; s < block->succ_count; s++) move(r, block, block->succs[s], who);
}

static void leave_block(rehearsal *r, const ls_ir_block *block, const crowd *who) {
    bool negated = false;
    crowd holds, fails, open;
    if (block->succ_count == 1) {
        move(r, block, block->succs[0], who);
        return;
    }
    const ls_ir_value *p = ls_ir_branch_predicate(block, &negated);
    if (block->succ_count != 2 || !p) {
        fail(r, "a branch with more than two targets");
        return;
    }
    dt_split(r, dt_number_of(r, p), negated, who, &holds, &fails, &open);
    move(r, block, block->succs[0], &holds);
    move(r, block, block->succs[1], &fails);
    go_both_ways(r, block, &open);
}

static void stop_at(rehearsal *r, const ls_ir_instr *barrier, const crowd *who) {
    crowd open = *who;
    crowd_keep(&open, &r->may);
    if (!crowd_is_empty(&open) || barrier->guard.kind != LS_IR_ABSENT)
        fail(r, "a barrier under a condition that is not known");
    if (r->barrier && r->barrier != barrier) fail(r, "threads at different barriers");
    r->barrier = barrier;
    crowd_join(&r->stopped, who);
}

/* Each run of a block counts, also of one in a loop that holds nothing else that does. */
static void run_block(rehearsal *r, const ls_ir_block *block, uint32_t first, const crowd *who) {
    const bool may = !crowd_is_empty(&r->may);
    spend(r, STEPS_OF_BLOCK + block->instr_count + r->k->ir->loop_count + (may ? r->threads : 0));
    for (uint32_t t = 0; t < r->threads && !first && may; t++)
        if (crowd_has(who, t) && crowd_has(&r->may, t) && r->until[t] == block)
            r->may.words[t / 64] &= ~(UINT64_C(1) << (t % 64));
    for (uint32_t i = first; i < block->instr_count && !r->failed; i++) {
        const ls_ir_instr *instr = block->instrs[i];
        if (is_barrier(instr)) {
            stop_at(r, instr, who);
            return;
        }
        if (!ls_bitset_has(&r->acting, instr->id)) continue;
        dt_run_touches(r, instr, who);
        dt_run_numbers(r, instr, who);
    }
    if (!r->failed) leave_block(r, block, who);
}

/* Those who turn in the loop begin the next turn. Of a loop that a thread may have left, one more turn with
 * counters that may be anything stands for all that may follow. */
static void turn(rehearsal *r, const ls_ir_loop *loop) {
    crowd who = r->again[loop->id], open;
    r->again[loop->id] = (crowd){0};
    crowd_leave(&who, &r->widened[loop->id]);
    if (crowd_is_empty(&who)) return;
    open = who;
    crowd_keep(&open, &r->opened[loop->id]);
    crowd_join(&r->widened[loop->id], &open);
    for (uint32_t i = 0; i < loop->header->phi_count; i++) {
        uint32_t value = loop->header->phis[i]->value->id;
        if (!ls_bitset_has(&r->needed, value)) continue;
        dt_assign(r, &r->values[value], &r->next[value], &who, NULL);
        if (!crowd_is_empty(&open)) dt_forget(r, &r->values[value], &open);
    }
    crowd_join(&r->waiting[r->rank[loop->header->id]], &who);
    ls_bitset_add(&r->busy, r->rank[loop->header->id]);
}

/* The loop that is to turn before the block of that rank runs; NULL: none. */
static const ls_ir_loop *turning(const rehearsal *r, uint32_t rank) {
    const ls_ir_loop *found = NULL;
    for (uint32_t i = 0; i < r->k->ir->loop_count; i++) {
        const ls_ir_loop *loop = r->k->ir->loops[i];
        if (r->loop_end[i] > rank || crowd_is_empty(&r->again[i])) continue;
        if (!found || r->loop_end[i] < r->loop_end[found->id] ||
            (r->loop_end[i] == r->loop_end[found->id] && loop->depth > found->depth))
            found = loop;
    }
    return found;
}

/* Until all threads wait at a barrier, or have ended. */
static void run_interval(rehearsal *r) {
    while (!r->failed) {
        uint32_t rank = ls_bitset_next(&r->busy, 0);
        const ls_ir_loop *loop = turning(r, rank);
        if (!r->budget) fail(r, "too many steps to be computed beforehand");
        if (loop) {
            turn(r, loop);
            continue;
        }
        if (rank >= r->busy.bits) return;
        crowd who = r->waiting[rank];
        r->waiting[rank] = (crowd){0};
        ls_bitset_remove(&r->busy, rank);
        run_block(r, r->order[rank], 0, &who);
    }
}

static uint32_t index_of(const ls_ir_instr *instr) {
    uint32_t i = 0;
    while (instr->block->instrs[i] != instr) i++;
    return i;
}

static void run_all(rehearsal *r) {
    for (uint32_t t = 0; t < r->threads; t++) crowd_add(&r->everyone, t);
    r->alive = r->waiting[0] = r->everyone;
    ls_bitset_add(&r->busy, 0);
    for (;;) {
        run_interval(r);
        if (r->failed || !r->barrier) return;
        if (!crowd_equal(&r->stopped, &r->alive)) fail(r, "a barrier that not all threads reach");
        const ls_ir_instr *at = r->barrier;
        crowd who = r->stopped;
        r->barrier = NULL, r->stopped = (crowd){0};
        dt_next_interval(r, r->k->region_of_barrier[at->id]);
        if (!r->failed) run_block(r, at->block, index_of(at) + 1, &who);
    }
}

/* --- All of it
 * ---------------------------------------------------------------------------------------------- */

static bool makes_needed(const rehearsal *r, const ls_ir_instr *instr) {
    for (uint32_t d = 0; d < instr->dst_count; d++)
        if (instr->dst[d].value && ls_bitset_has(&r->needed, instr->dst[d].value->id)) return true;
    return false;
}

static void need_all(rehearsal *r) {
    bool negated;
    for (uint32_t b = 0; b < r->k->ir->block_count; b++) {
        ls_ir_value *p = ls_ir_branch_predicate(r->k->ir->blocks[b], &negated);
        if (p) dt_need(r, p);
    }
    dt_need_touches(r);
    dt_need_globals(r);
    r->acting = ls_bitset_new(r->arena, r->k->ir->instr_count);
    for (uint32_t i = 0; i < r->k->ir->instr_count; i++)
        if (dt_acts(r, r->k->ir->instrs[i]) || makes_needed(r, r->k->ir->instrs[i]))
            ls_bitset_add(&r->acting, i);
}

/* By region, whether warps may meet in it; by object in global memory, whether every thread has its own part.
 */
typedef struct {
    bool *bad, *own,
        *met;      /* by object that atomic operations are used on: whether plain accesses meet, or them */
    bool *lacking; /* by object: whether something may be read that was not written */
    const char *failed;
} outcome;

/* One block, or all of which some numbers are the same. False where nothing can be said. */
static bool rehearse(kernel *k, const ls_detect_launch *launch, const int64_t *block, uint64_t *budget,
                     outcome *out) {
    LS_SCRATCH(scratch);
    const ls_ir_function *f = k->ir;
    rehearsal *r = LS_NEW(&scratch, rehearsal);
    r->k = k, r->launch = launch, r->arena = &scratch, r->bad = out->bad, r->met = out->met,
    r->lacking = out->lacking, r->budget = *budget;
    r->threads = launch->block[0] * launch->block[1] * launch->block[2], r->warps = (r->threads + 31) / 32;
    memcpy(r->block, block, sizeof r->block);
    r->needed = ls_bitset_new(&scratch, f->value_count);
    r->folders = LS_NEW_N(&scratch, ls_folder *, f->instr_count + 1);
    r->rank = LS_NEW_N(&scratch, uint32_t, f->block_count);
    r->loop_end = LS_NEW_N(&scratch, uint32_t, f->loop_count + 1);
    r->order = LS_NEW_N(&scratch, const ls_ir_block *, f->block_count);
    r->waiting = LS_NEW_N(&scratch, crowd, f->block_count);
    r->busy = ls_bitset_new(&scratch, f->block_count);
    r->again = LS_NEW_N(&scratch, crowd, f->loop_count + 1);
    r->opened = LS_NEW_N(&scratch, crowd, f->loop_count + 1);
    r->widened = LS_NEW_N(&scratch, crowd, f->loop_count + 1);
    r->until = LS_NEW_N(&scratch, const ls_ir_block *, r->threads);
    if (!find_order(r)) return false;
    dt_begin_globals(r);
    need_all(r);
    dt_find_numbers(r);
    dt_begin_touches(r);
    run_all(r);
    dt_end_globals(r, out->own);
    *budget = r->budget, out->failed = r->failed;
    LS_VEC_FREE(&r->under_way[0]);
    LS_VEC_FREE(&r->under_way[1]);
    return !r->failed;
}

/* By itself: atomic operations are used on it, and plain accesses may meet them. */
static bool is_mixed(const kernel *k, uint32_t which) {
    for (uint32_t i = 0; i < k->object_count; i++)
        if (i != which && k->objects[i].group == k->objects[which].group) return false;
    return k->objects[which].is_shared && k->objects[which].state == OBJECT_ATOMIC && k->objects[which].mixed;
}

static bool can_be_rehearsed(const kernel *k, const ls_detect_launch *launch) {
    bool open = false;
    for (uint32_t i = 0; i < k->region_count; i++) open |= k->regions[i].writes_shared && !k->regions[i].own;
    for (uint32_t i = 0; i < k->object_count; i++)
        open |=
            k->objects[i].is_shared ? is_mixed(k, i) || k->contents : k->objects[i].state == OBJECT_TARGET;
    for (uint32_t i = 0; i < k->ir->access_count; i++) { /* other blocks'; lanes whose parts are not known */
        const ls_ir_access *a = k->ir->accesses[i];
        open &= a->space != LS_SPACE_SHARED_CLUSTER && (k->module || !a->opaque || !k->accesses[i].in_shared);
    }
    return open && !k->unsupported && !k->unordered && !k->call_pos && k->ir->entry->id == 0 &&
           (uint64_t)launch->block[0] * launch->block[1] * launch->block[2] <= MOST_THREADS;
}

/* The blocks that differ in those of their numbers that the bits of `axes` name, one after the other. */
static bool rehearse_blocks(kernel *k, const ls_detect_launch *launch, uint32_t axes, uint64_t *budget,
                            outcome *out) {
    uint64_t count = 1;
    for (int i = 0; i < 3; i++) {
        if (!(axes >> i & 1)) continue;
        if (launch->grid[i] < 2 || launch->grid[i] > MOST_BLOCKS) return false;
        count *= launch->grid[i];
    }
    if (count > MOST_BLOCKS) return false;
    memset(out->bad, 0, sizeof *out->bad * k->region_count);
    memset(out->own, 1, sizeof *out->own * k->object_count);
    memset(out->met, 0, sizeof *out->met * k->object_count);
    memset(out->lacking, 0, sizeof *out->lacking * k->object_count);
    for (uint64_t n = 0; n < count; n++) {
        int64_t block[3] = {-1, -1, -1};
        uint64_t rest = n;
        for (int i = 0; i < 3; i++)
            if (axes >> i & 1) block[i] = (int64_t)(rest % launch->grid[i]), rest /= launch->grid[i];
        if (!rehearse(k, launch, block, budget, out)) return false;
    }
    return true;
}

/* A kernel that is only looked at (dt_kernel_of) is launched at once: that must not take much longer. */
static uint64_t steps_for(const kernel *k, const ls_detect_launch *launch) {
    enum { BY_THREAD = 16, AT_LEAST = 1 << 18 };
    uint64_t threads = 1;
    for (int i = 0; i < 3 && threads < MOST_STEPS; i++)
        threads *= (uint64_t)launch->grid[i] * launch->block[i];
    if (k->module || threads > MOST_STEPS / BY_THREAD) return MOST_STEPS;
    return threads * BY_THREAD > AT_LEAST ? threads * BY_THREAD : AT_LEAST;
}

void dt_rehearse(kernel *k, const ls_detect_launch *launch) {
    uint64_t budget = steps_for(k, launch);
    if (!can_be_rehearsed(k, launch)) return;
    outcome out = {.bad = LS_NEW_N(&k->arena, bool, k->region_count + 1),
                   .own = LS_NEW_N(&k->arena, bool, k->object_count + 1),
                   .met = LS_NEW_N(&k->arena, bool, k->object_count + 1),
                   .lacking = LS_NEW_N(&k->arena, bool, k->object_count + 1)};
    bool done = false;
    for (uint32_t axes = 0; axes < 8 && !done && budget; axes++)
        done = rehearse_blocks(k, launch, axes, &budget, &out);
    k->not_rehearsed = done ? NULL : out.failed;
    if (!done) return;
    for (uint32_t i = 0; i < k->region_count && done; i++)
        if (k->regions[i].writes_shared && !out.bad[i]) k->regions[i].own = true;
    k->mixed_shared = false;
    for (uint32_t i = 0; i < k->object_count; i++) {
        object *o = &k->objects[i];
        if (out.own[i]) o->state = OBJECT_RACE_FREE;
        o->defined = k->contents && o->is_shared && !out.lacking[i];
        if (is_mixed(k, i) && !out.met[i]) o->mixed = false;
        k->mixed_shared |= o->is_shared && o->state == OBJECT_ATOMIC && o->mixed;
    }
}
