/* Barriers of a block (bar, barrier.cta) and of a warp (bar.warp.sync), and their misuse (000, §3: all
 * threads must reach the same barrier, in the same iteration of every enclosing loop). A barrier is complete
 * when all threads that have not exited, or as many as it asks for, have arrived. */
#include "base/recover.h"
#include "emulate/machine.h"

#include <stdio.h>
#include <string.h>

/* --- Divergence --- */
static void report_mismatch(warp *w, const insn *i, const barrier *b, uint32_t lane, bool iterations) {
    machine *m = w->machine;
    ls_lock(&m->lock);
    found *f = em_find_finding(m, LS_RULE_BARRIER_DIVERGENCE, i->site, b->first->site, iterations ? 1 : 0);
    f->finding.count++;
    if (em_is_example(m, f, w->block)) {
        f->finding.level = LS_ERROR;
        f->finding.message = iterations
                                 ? "threads of a block meet at this barrier in different iterations of a loop"
                                 : "threads of a block wait at different barriers";
        em_say_other(&f->finding, "the other threads wait here");
        em_tell_other(&f->finding, em_actor(m, w->block->index, b->first_warp, b->first_lane), "waits here");
        em_tell_thread(&f->finding, em_actor(m, w->block->index, w->index, lane), "waits here");
    }
    ls_unlock(&m->lock);
}

static uint64_t loop_count(const warp *w, const barrier_info *info, uint32_t k, uint32_t lane) {
    return w->loop_counts[(size_t)info->loops[k] * MAX_LANES + lane];
}

static void check_divergence(warp *w, const insn *i, barrier *b, uint64_t lanes) {
    const barrier_info *info = i->extra;
    uint32_t first = first_lane(lanes);
    if (!(w->machine->options.checks & LS_CHECK_BARRIER)) return;
    bool for_all = info->aligned; /* else any instructions may meet */
    if (!b->first) {
        b->first = i;
        b->first_warp = w->index;
        b->first_lane = first;
        for (uint32_t k = 0; k < info->loop_count; k++) b->first_count[k] = loop_count(w, info, k, first);
    } else if (b->first != i && for_all) {
        report_mismatch(w, i, b, first, false);
        return;
    }
    if (!for_all) return;
    for (uint32_t k = 0; k < info->loop_count; k++) {
        FOR_LANES(l, lanes) {
            if (loop_count(w, info, k, l) == b->first_count[k]) continue;
            report_mismatch(w, i, b, l, true);
            return;
        }
    }
}

/* --- Arriving and completing --- */
static uint32_t reduced(const barrier_info *info, const barrier *b) {
    switch (info->op) {
    case LS_MOD_AND: return b->popc == b->voters;
    case LS_MOD_OR: return b->popc != 0;
    default: return b->popc;
    }
}

static void wake(block_run *block, uint32_t id) {
    const machine *m = block->warps[0].machine;
    const barrier *b = &block->barriers[id];
    for (uint32_t k = 0; k < m->warps_per_block; k++) {
        warp *w = &block->warps[k];
        for (uint32_t p = 0; p < w->path_count; p++) {
            path *at = &w->paths[p];
            if (at->state != PATH_BARRIER || at->barrier != id) continue;
            const barrier_info *info = at->wait_at->extra;
            if (info->kind == BARRIER_RED && info->has_dst) {
                char *saved = w->regs;
                w->regs = at->regs;
                FOR_LANES(l, at->mask) write_lane(w, info->dst, l, reduced(info, b));
                w->regs = saved;
            }
            at->state = PATH_READY;
            if (w->state == WARP_BLOCKED) w->state = WARP_READY;
        }
    }
}

static bool complete(const block_run *block, const barrier *b) {
    if (!b->arrived) return false;
    if (b->expected) return b->arrived >= b->expected;
    return b->arrived >= block->live_threads;
}

/* Lanes of the warp that wait at the barrier. */
static uint64_t waiting_lanes(const warp *w, uint32_t id) {
    uint64_t lanes = 0;
    for (uint32_t p = 0; p < w->path_count; p++)
        if (w->paths[p].state == PATH_BARRIER && w->paths[p].barrier == id) lanes |= w->paths[p].mask;
    return lanes;
}

/* Every warp has reached a barrier that counts, and nobody of it who is left is missing. It would not have
 * waited for a warp that has ended: nothing orders what that has done. */
static bool all_wait(const block_run *block, uint32_t id) {
    for (uint32_t k = 0; k < block->warps[0].machine->warps_per_block; k++) {
        const uint64_t lanes = waiting_lanes(&block->warps[k], id);
        if (!lanes || block->warps[k].live & ~lanes) return false;
    }
    return true;
}

static void finish(block_run *block, uint32_t id) {
    const barrier *b = &block->barriers[id];
    em_order_barrier(block, id,
                     !b->passed && (b->expected ? all_wait(block, id) : b->arrived >= block->live_threads));
    wake(block, id);
    memset(&block->barriers[id], 0, offsetof(barrier, first_count));
    block->open_barriers &= ~(1u << id);
}

/* A thread that has ended, but went on behind the barrier before (decode/tails.c); at one that counts, of a
 * warp of which others wait there. */
static bool passed_by(const block_run *block, const barrier *b, uint32_t *warp_index, uint32_t *lane) {
    const machine *m = block->warps[0].machine;
    const uint32_t tail = ((const barrier_info *)b->first->extra)->tail;
    for (uint32_t k = 0; tail && k < m->warps_per_block; k++) {
        const warp *w = &block->warps[k];
        const uint64_t lanes = w->full & ~w->live & w->tails[tail - 1];
        if (!lanes || (b->expected && !waiting_lanes(w, (uint32_t)(b - block->barriers)))) continue;
        *warp_index = k;
        *lane = first_lane(lanes);
        return true;
    }
    return false;
}

/* The barrier is complete without threads that have ended. */
static void check_exits(const block_run *block, const barrier *b) {
    machine *m = block->warps[0].machine;
    uint32_t other_warp, other_lane;
    if (!(m->options.checks & LS_CHECK_BARRIER) || !b->first) return;
    const barrier_info *info = b->first->extra;
    const bool passed = passed_by(block, b, &other_warp, &other_lane);
    if (!passed && (b->expected || (!m->options.strict_exit && !info->whole))) return;
    ls_lock(&m->lock);
    found *f = em_find_finding(m, LS_RULE_BARRIER_DIVERGENCE, b->first->site, b->first->site, 2);
    f->finding.count++;
    if (em_is_example(m, f, block)) {
        f->finding.level = LS_ERROR;
        f->finding.message =
            passed ? "some threads of the block skip this barrier and go on after it, while others wait at it"
                   : "threads exited before this barrier, while others of their block wait at it";
        if (passed) em_tell_other(&f->finding, em_actor(m, block->index, other_warp, other_lane), "goes on");
        em_tell_thread(&f->finding, em_actor(m, block->index, b->first_warp, b->first_lane), "waits here");
    }
    ls_unlock(&m->lock);
}

/* Of a barrier that counts: warps of which all lanes that are left wait there count as whole ones. */
static uint32_t count_again(const block_run *block, uint32_t id) {
    const machine *m = block->warps[0].machine;
    uint32_t count = 0;
    for (uint32_t k = 0; k < m->warps_per_block; k++) {
        const warp *w = &block->warps[k];
        const uint64_t lanes = waiting_lanes(w, id);
        count += lanes && lanes == w->live ? m->warp_size : lane_count(lanes);
    }
    return count;
}

/* After threads have exited: barriers may be complete without them. */
void em_barrier_check(block_run *block) {
    for (uint32_t id = 0; id < MAX_BARRIERS && block->open_barriers >> id; id++) {
        barrier *b = &block->barriers[id];
        if (b->expected && !b->passed) b->arrived = count_again(block, id);
        if (!b->arrived || b->passed || !complete(block, b)) continue;
        check_exits(block, b);
        finish(block, id);
    }
}

/* The lanes have reached the barrier, which they wait at or complete. */
static const insn *arrive(warp *w, const insn *i, uint32_t id, uint64_t lanes) {
    const barrier_info *info = i->extra;
    block_run *block = w->block;
    barrier *b = &block->barriers[id];
    uint32_t count = lane_count(lanes);
    block->open_barriers |= 1u << id;
    if (info->has_count) {
        b->expected = slot32(w, info->count.slot)[first_lane(lanes)];
        /* the hardware counts warps: lanes that have exited or that the warp does not have come with it */
        const uint64_t there = waiting_lanes(w, id);
        if ((lanes | there) == w->live) count = w->machine->warp_size - lane_count(there);
    }
    b->arrived += count;
    b->fences |= w->fences ? w->fences : FENCE_SHARED | FENCE_GLOBAL;
    w->fences = 0;
    b->passed |= info->kind == BARRIER_ARRIVE;
    em_order_arrive(w, id, lanes, b->passed || (b->expected && b->expected < w->machine->threads));
    if (info->kind == BARRIER_RED) {
        uint64_t p = *slot64(w, info->predicate.slot);
        b->popc += (uint32_t)__builtin_popcountll(p & lanes);
        b->voters += (uint32_t)__builtin_popcountll(lanes);
    }
    bool is_complete = complete(block, b);
    if (info->kind == BARRIER_ARRIVE) {
        if (is_complete) finish(block, id);
        return i + 1;
    }
    path *p = &w->paths[w->current];
    p->barrier = (uint8_t)id;
    p->wait_at = i;
    if (!is_complete) return em_block_path(w, i + 1, PATH_BARRIER);
    p->state = PATH_BARRIER;
    p->mask = w->mask;
    if (block->live_threads < w->machine->threads) check_exits(block, b);
    finish(block, id);
    return i + 1;
}

static uint32_t id_of(const warp *w, const insn *i, uint64_t lanes) {
    return slot32(w, ((const barrier_info *)i->extra)->id.slot)[first_lane(lanes)];
}

const insn *em_exec_barrier(warp *w, const insn *i) {
    const barrier_info *info = i->extra;
    uint64_t lanes = guard_mask(w, i);
    if (!lanes) return i + 1;
    uint32_t id = id_of(w, i, lanes);
    if (id >= CLUSTER_BARRIER && !info->cluster)
        return em_stop(w, i, LS_EMU_TRAPPED, "there is no barrier %u (0 … 15)", id);
    check_divergence(w, i, &w->block->barriers[id], lanes);
    return arrive(w, i, id, lanes);
}

/* --- Whole warps that come one after the other (together.c) --- */
uint32_t em_barrier_of_all(const warp *w, const insn *i) {
    const barrier_info *info = i->extra;
    if (i->guard != NO_SLOT || info->kind != BARRIER_SYNC || info->has_count || info->cluster) return NO_SLOT;
    const uint32_t id = id_of(w, i, w->mask);
    return id < CLUSTER_BARRIER ? id : NO_SLOT;
}

void em_barrier_came(warp *w, const insn *i, uint32_t id) {
    check_divergence(w, i, &w->block->barriers[id], w->mask);
}

void em_barrier_waits(warp *w, const insn *i, uint32_t id) {
    arrive(w, i, id, w->mask);
}

void em_barrier_over(block_run *block, uint32_t id) {
    barrier *b = &block->barriers[id];
    warp *end = block->warps + block->warps[0].machine->warps_per_block;
    unsigned fences = 0;
    for (warp *w = block->warps; w < end; w++) {
        fences |= w->fences ? w->fences : FENCE_SHARED | FENCE_GLOBAL;
        w->fences = 0;
    }
    b->fences |= (uint8_t)fences;
    em_order_barrier(block, id, true);
    memset(b, 0, offsetof(barrier, first_count));
}

/* --- Within a warp --- */
/* Lanes of other paths that wait at this instruction (any: at a warp barrier). */
static uint64_t waiting(const warp *w, const insn *i, bool any) {
    uint64_t lanes = 0;
    for (uint32_t k = 0; k < w->path_count; k++) {
        const path *p = &w->paths[k];
        if (p->state != PATH_WAITS || k == w->current) continue;
        if (p->wait_at == i || (any && p->wait_at->is_warp_barrier)) lanes |= p->wait_mask;
    }
    return lanes;
}

uint64_t em_waiting_with(const warp *w, const insn *i, uint64_t lanes) {
    uint64_t together = 0;
    for (uint32_t k = 0; k < w->path_count; k++) {
        const path *p = &w->paths[k];
        if (p->state == PATH_WAITS && k != w->current && p->wait_at == i && p->wait_mask & lanes)
            together |= p->wait_mask;
    }
    return together;
}

/* Lets the paths that wait go on behind their instruction. */
static void release(warp *w, const insn *i, uint64_t lanes, bool any) {
    for (uint32_t k = 0; k < w->path_count; k++) {
        path *p = &w->paths[k];
        if (p->state != PATH_WAITS || !(p->wait_mask & lanes) || k == w->current) continue;
        if (p->wait_at != i && !(any && p->wait_at->is_warp_barrier)) continue;
        p->state = PATH_READY;
        p->pc = p->pc->is_guard ? p->pc + 1 + p->pc->imm : p->pc + 1;
    }
}

bool em_gather(warp *w, const insn *i, uint64_t members) {
    members &= w->live;
    if (!(members & ~w->mask)) return true;
    bool any = i->is_warp_barrier;
    uint64_t others = waiting(w, i, any);
    if (members & ~(w->mask | others)) {
        path *p = &w->paths[w->current];
        p->wait_mask = w->mask;
        p->wait_at = i;
        return false;
    }
    release(w, i, others & members, any);
    w->mask |= others & members;
    return true;
}

void em_report_lanes(warp *w, const insn *i, lane_mistake mistake, uint32_t lane, uint32_t other) {
    static const char *const messages[] = {
        [LANE_NOT_NAMED] = "a lane executes this warp operation, but its own mask does not name it",
        [LANE_PASSED_BY] = "lanes that the mask names skip this warp operation and go on after it",
        [LANE_OTHER_MASK] = "lanes that name each other execute this warp operation with different masks"};
    machine *m = w->machine;
    ls_lock(&m->lock);
    found *f = em_find_finding(m, LS_RULE_BARRIER_DIVERGENCE, i->site, i->site, mistake);
    f->finding.count++;
    if (em_is_example(m, f, w->block)) {
        f->finding.level = LS_ERROR;
        f->finding.message = messages[mistake];
        if (other != lane)
            em_tell_other(&f->finding, em_actor(m, w->block->index, w->index, other),
                          mistake == LANE_PASSED_BY ? "does not arrive here" : "comes here");
        em_tell_thread(&f->finding, em_actor(m, w->block->index, w->index, lane), "comes here");
    }
    ls_unlock(&m->lock);
}

/* Lanes may name different sets: parts of the warp that have a barrier each. */
const insn *em_exec_warp_barrier(warp *w, const insn *i) {
    const warp_info *info = i->extra;
    uint64_t lanes = guard_mask(w, i), mask = w->mask, members = 0;
    if (!lanes) return i + 1;
    em_check_named(w, i, info, lanes);
    FOR_LANES(l, lanes) members |= em_members_of(w, info, l);
    if (!em_gather(w, i, members)) return em_block_path(w, i, PATH_WAITS);
    w->mask = mask;
    for (uint64_t left = lanes; left;) {
        members = em_members_of(w, info, first_lane(left));
        em_order_lanes(w, members);
        left &= ~(members | UINT64_C(1) << first_lane(left));
    }
    return i + 1;
}

/* --- Stuck --- */
static const char *stuck_message(machine *m, const block_run *block, const insn *at, uint32_t threads) {
    uint32_t live = block->live_threads;
    for (uint32_t id = 0; id < MAX_BARRIERS; id++) {
        const barrier *b = &block->barriers[id];
        if (b->first != at || !b->expected) continue;
        return ls_arena_printf(
            &m->arena, "%u threads wait here forever: barrier %u expects %u threads, and %u have arrived",
            threads, id, b->expected, b->arrived);
    }
    return ls_arena_printf(
        &m->arena, "%u of %u threads of the block wait here forever: the others never arrive", threads, live);
}

/* No warp of the block can go on: says who waits where. */
void em_report_stuck(worker *k) {
    machine *m = k->machine;
    block_run *block = k->block;
    const insn *first = NULL, *second = NULL;
    uint32_t waiting_at[2] = {0, 0}, first_warp = 0, first_l = 0, second_warp = 0, second_l = 0;
    for (uint32_t n = 0; n < m->warps_per_block; n++) {
        const warp *w = &block->warps[n];
        for (uint32_t p = 0; p < w->path_count; p++) {
            const path *at = &w->paths[p];
            if ((at->state != PATH_BARRIER && at->state != PATH_WAITS) || !at->mask) continue;
            uint32_t lanes = (uint32_t)__builtin_popcountll(at->mask);
            if (!first) first = at->wait_at, first_warp = n, first_l = first_lane(at->mask);
            if (at->wait_at == first) {
                waiting_at[0] += lanes;
            } else {
                if (!second) second = at->wait_at, second_warp = n, second_l = first_lane(at->mask);
                waiting_at[1] += lanes;
            }
        }
    }
    if (!first) return;
    ls_lock(&m->lock);
    found *f =
        em_find_finding(m, LS_RULE_BARRIER_DIVERGENCE, first->site, second ? second->site : first->site, 3);
    if (!f->finding.count++) {
        f->finding.level = LS_ERROR;
        f->finding.message = stuck_message(m, block, first, waiting_at[0]);
        em_say_other(&f->finding, ls_arena_printf(&m->arena, "%u threads wait here", waiting_at[1]));
        if (second)
            em_tell_other(&f->finding, em_actor(m, block->index, second_warp, second_l), "waits here");
        em_tell_thread(&f->finding, em_actor(m, block->index, first_warp, first_l), "waits here");
    }
    if (!atomic_exchange(&m->stop, 1)) {
        m->status = LS_EMU_STUCK;
        m->message = "the launch is stuck: threads wait at barriers that the others do not reach";
        m->stop_pos = m->emulator->sites.items[first->site].pos;
    }
    ls_unlock(&m->lock);
}
