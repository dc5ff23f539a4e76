/* Blocks whose warps are whole and meet at barriers for all of them, as most do: the warps run from barrier
 * to barrier in the order of their turns (blocks.c), without their paths being put aside and taken up again.
 * Compiled code does so by itself, interval by interval (compiled.h); a warp that it leaves is brought to the
 * interval's end here. Where anything else comes, each warp is put where it would stand otherwise, and the
 * turns go on from there. */
#include "emulate/compiled.h"

/* How a warp's turn went. */
typedef enum {
    TURN_OVER, /* it waits at the barrier, or has ended */
    TURN_LOST, /* it ended in another way: the warp is as the turns have it */
    TURN_OPEN, /* the warp is in front of something that has to be done by turns */
} turn_end;

static bool may_go_together(const worker *k) {
    const block_run *b = k->block;
    const machine *m = k->machine;
    const compiled *c = m->kernel->compiled;
    if (!c || !c->head_count || m->warp_size != CHUNK || m->options.schedule != LS_SCHEDULE_RR ||
        m->cluster_count != 1 || b->agents || b->jobs.length || m->options.profile ||
        m->options.most_instructions)
        return false;
    for (uint32_t n = 0; n < m->warps_per_block && !b->again; n++)
        if (b->warps[n].full != UINT32_MAX || b->warps[n].compiled != COMPILED_YES) return false;
    return true;
}

static void start_interval(interval *t, warp *first, const insn *at) {
    const compiled *c = t->code;
    t->first = first;
    t->left = t->count;
    t->end = NULL;
    t->start = at;
    t->head = at >= c->insns && at < c->insns + c->insn_count ? c->head_of[at - c->insns] : 0;
    if (t->head && c->heads[t->head - 1].masked_only) t->head = 0;
}

static bool is_whole(const warp *w) {
    return w->mask == UINT32_MAX && !w->current && w->regs == w->frame;
}

/* Whose turn it is, or was, after so many: `count` at most. */
static uint32_t turn_of(const interval *t, uint32_t after) {
    const uint32_t n = (uint32_t)(t->first - t->warps) + after;
    return n < t->count ? n : n - t->count;
}

/* How many turns there were before this warp's. */
static uint32_t turns_before(const interval *t, const warp *w) {
    return (uint32_t)(w < t->first ? w - t->first + (ptrdiff_t)t->count : w - t->first);
}

static const barrier_info *barrier_at(const insn *i) {
    return i->extra;
}

static uint32_t id_of_end(const interval *t) {
    return barrier_at(t->end)->fixed ? em_barrier_of_all(t->warps, t->end) : t->id;
}

/* The barrier is the one that the others wait at, if any do. */
static bool comes(interval *t, warp *w, const insn *i) {
    const bool any = t->left < t->count;
    const uint32_t id = t->ended || (any && t->end != i) ? NO_SLOT : em_barrier_of_all(w, i);
    if (id == NO_SLOT || (any && id != id_of_end(t))) return false;
    if (barrier_at(i)->loop_count) em_barrier_came(w, i, id);
    t->id = id;
    t->end = i;
    t->left--;
    return true;
}

/* What a barrier orders is asked for by checkers of memory, and how it was reached by those of barriers. */
static bool are_noted(const worker *k) {
    return k->block->shadow.last || k->block->clocks || k->machine->emulator->orders ||
           k->machine->options.checks & LS_CHECK_BARRIER;
}

static bool is_to_end(worker *k) {
    return k->block->jobs.length || atomic_load_explicit(&k->machine->stop, memory_order_relaxed) ||
           (k->machine->cancel && *k->machine->cancel) ||
           (++k->barriers % LOOK_BARRIERS == 0 && ls_deadline_passed(&k->deadline));
}

bool em_interval_over(interval *t) {
    worker *k = t->worker;
    warp *last = &t->warps[turn_of(t, t->count - 1)];
    t->entered += t->count;
    if (t->noted)
        em_barrier_over(k->block, id_of_end(t));
    else
        k->block->epoch++;               /* they go on */
    start_interval(t, last, t->end + 1); /* the last one to come is the first to go on */
    t->stopped = is_to_end(k);
    return !t->stopped;
}

/* A warp that is interpreted, or was left by compiled code, from there to the interval's end. */
static turn_end bring_on(interval *t, warp *w, const insn **at) {
    for (const insn *i = *at; i;) {
        const bool waits = i->fn == em_exec_barrier;
        if (!waits && i->fn != em_exec_exit) {
            i = i->fn(w, i);
            continue;
        }
        *at = i;
        if (!is_whole(w)) return TURN_OPEN;
        if (waits) return em_may_enter(w, t->code, i + 1) && comes(t, w, i) ? TURN_OVER : TURN_OPEN;
        if (i->guard != NO_SLOT || (t->left < t->count && !t->ended)) return TURN_OPEN;
        t->ended = true;
        t->end = i;
        t->left--;
        return TURN_OVER;
    }
    return TURN_LOST;
}

/* Puts each warp where it would stand otherwise; `who`: the one whose turn it is, is at `at`, or, where that
 * is NULL, where the turns have it. */
static void part(const interval *t, uint32_t who, const insn *at) {
    const uint32_t came = t->count - t->left;
    for (uint32_t n = 0; n < t->count; n++) {
        warp *w = &t->warps[n];
        const bool has_come = turns_before(t, w) < came;
        if (has_come && t->ended) {
            em_exec_exit(w, t->end);
            continue;
        }
        if (n == who && !at) continue;
        const insn *pc = has_come ? t->end : n == who ? at : t->start;
        if (is_whole(w) && !w->strayed) em_expand(w, t->code, pc->fn == em_exec_barrier ? pc + 1 : pc);
        w->paths[w->current].pc = pc;
        w->paths[w->current].mask = w->mask;
    }
    if (t->ended || !came) return;
    const uint32_t id = id_of_end(t);
    for (uint32_t k = 0; k < came; k++)
        if (!barrier_at(t->end)->loop_count) em_barrier_came(&t->warps[turn_of(t, k)], t->end, id);
    for (uint32_t k = 0; k < came; k++) em_barrier_waits(&t->warps[turn_of(t, k)], t->end, id);
}

void em_put_block_down(interval *t, warp *next, uint32_t x, uint32_t more) {
    if (!t) return;
    block_run *b = t->worker->block;
    t->next = next;
    t->more = more;
    if (b->id[0] == x) return;
    b->index += x - b->id[0];
    b->id[0] = x;
    em_start_values(b, t->worker->machine->kernel, t->count);
}

/* What all warps reach by an access; false where they are not at the distances that the code has. */
static bool find_reached(const interval *t, const block_reach *x, block_range *to) {
    const int64_t all = x->step * (int64_t)(t->count - 1);
    to->first = *slot64(t->warps, x->slot);
    to->low = to->first + (uint64_t)(x->low + (all < 0 ? all : 0));
    to->places = (uint64_t)(x->high - x->low + (all < 0 ? -all : all)) / x->bytes;
    for (uint32_t n = 0; n < t->count; n++)
        if (*slot64(&t->warps[n], x->slot) != to->first + (uint64_t)x->step * n) return false;
    return true;
}

/* Enters compiled code, which may go on with blocks that follow this one. */
static uint32_t enter(interval *t, compiled_fn run, warp *w) {
    const uint32_t ahead = t->more = em_blocks_ahead(t->worker);
    t->has_reached = ahead && t->code->reach_count;
    for (uint32_t k = 0; t->has_reached && k < t->code->reach_count; k++)
        t->has_reached = find_reached(t, &t->code->reaches[k], &t->reached[k]);
    t->entered -= t->count - t->left;
    t->next = w;
    t->turn = (uint64_t)(w - t->warps);
    const uint32_t exit = run(w, t->code, t->head - 1, t);
    if (t->code->alone && t->next != t->warps) {
        t->left = (uint32_t)(t->behind - t->next);
        t->ended = true;
        t->end = t->code->alone;
    } else if (exit && !t->code->alone) {
        const insn *end = t->head ? t->code->heads[t->head - 1].end : NULL;
        t->left = t->count - turns_before(t, t->worker->turn);
        if (end && t->left < t->count) t->end = end; /* of which compiled code need not tell */
    } else if (t->ended) {
        t->left = 0;
    }
    t->entered += t->count - t->left + (uint64_t)(ahead - t->more) * t->count;
    em_blocks_passed(t->worker, ahead - t->more);
    return exit;
}

/* Runs until a warp needs another way (or all have ended: TURN_OVER); *who, *at: which, and where it is. */
static turn_end run_intervals(interval *t, compiled_fn run, uint32_t *who, const insn **at) {
    while (!t->stopped) {
        uint32_t exit = 0;
        *who = turn_of(t, t->count - t->left);
        warp *w = &t->warps[*who];
        *at = t->start;
        if (t->head) {
            exit = enter(t, run, w);
            if (t->stopped) break;
            *who = turn_of(t, t->count - t->left);
            w = &t->warps[*who];
            *at = em_left(w, t->code, VARIANT_FULL, exit, true);
        }
        if (t->left) {
            if (t->head) t->entered++;
            t->worker->block->plain = false;
            const turn_end end = bring_on(t, w, at);
            if (end != TURN_OVER) return end;
        }
        if (t->left) continue;
        if (t->ended) return TURN_OVER;
        t->entered -= t->count;
        em_interval_over(t);
    }
    *who = NO_SLOT;
    return TURN_OPEN;
}

bool em_run_together(worker *k, uint32_t *next) {
    if (!may_go_together(k)) return false;
    const machine *m = k->machine;
    compiled *c = m->kernel->compiled;
    warp *warps = k->block->warps;
    compiled_fn run = em_code_for(&warps[0], c, VARIANT_FULL, LOOK_BLOCKS);
    if (!run) return false;
    block_range reached[MOST_REACHES]; /* filled where it is needed */
    interval t = {.warps = warps,
                  .reached = reached,
                  .behind = warps + m->warps_per_block,
                  .count = m->warps_per_block,
                  .noted = are_noted(k),
                  .code = c,
                  .worker = k};
    uint32_t who;
    const insn *at = NULL;
    for (warp *w = t.warps; w < t.behind && !k->block->again; w++) {
        w->spun = w->changed = w->looked = false;
        w->missed_count = 0;
    }
    start_interval(&t, warps, warps[0].paths[0].pc);
    k->block->plain = true;
    const turn_end end = run_intervals(&t, run, &who, &at);
    k->entered[VARIANT_FULL] += t.entered;
    if (end == TURN_OVER) return true;
    k->block->plain = false;
    part(&t, who, end == TURN_LOST ? NULL : at);
    *next = who == NO_SLOT ? 0 : end == TURN_OPEN ? who : who + 1;
    return false;
}
