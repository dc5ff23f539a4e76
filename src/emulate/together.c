/* Blocks whose warps are whole and meet at barriers for all of them, as most do: the warps run from barrier
 * to barrier in the order of their turns (blocks.c), without their paths being put aside and taken up again.
 * Where anything else comes, each warp is put where it would stand otherwise, and the turns go on from there.
 * Used with compiled code, beside which the way through the paths would take longer than what is run. */
#include "emulate/compiled.h"

enum { MOST_WARPS = 32 };

typedef struct {
    block_run *block;
    uint32_t warps;
    uint32_t ended, waiting;      /* a bit for each warp */
    uint8_t arrivals[MOST_WARPS]; /* who waits, in the order in which they came … */
    uint32_t arrived;
    const insn *barrier; /* … and where: the instruction, and the number of the barrier */
    uint32_t id;
    const insn *pc[MOST_WARPS]; /* where each goes on, or has ended */
    const compiled *code;
    compiled_fn run;
    const insn *start; /* of this interval … */
    uint32_t head;     /* … and, where compiled code is entered there, 1 + the number of its head; or 0 */
    uint64_t entered;
} together;

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
    if (!c || !c->head_count || m->warp_size != CHUNK || m->warps_per_block > MOST_WARPS ||
        m->options.schedule != LS_SCHEDULE_RR || m->cluster_count != 1 || b->agents || b->jobs.length ||
        m->options.profile || m->options.most_instructions)
        return false;
    for (uint32_t n = 0; n < m->warps_per_block; n++)
        if (b->warps[n].full != UINT32_MAX || b->warps[n].compiled != COMPILED_YES) return false;
    return true;
}

static void start_interval(together *t, const insn *at) {
    const compiled *c = t->code;
    for (uint32_t n = 0; n < t->warps; n++) t->pc[n] = at;
    t->start = at;
    t->head = at >= c->insns && at < c->insns + c->insn_count ? c->head_of[at - c->insns] : 0;
    if (t->head && c->heads[t->head - 1].masked_only) t->head = 0;
}

static bool is_whole(const warp *w) {
    return w->mask == UINT32_MAX && !w->current && w->regs == w->frame;
}

/* The barrier is the one that the others wait at, if any do. */
static bool comes(together *t, uint32_t n, const insn *i) {
    warp *w = &t->block->warps[n];
    const bool known = t->arrived && t->barrier == i && ((const barrier_info *)i->extra)->fixed;
    const uint32_t id = t->ended ? NO_SLOT : known ? t->id : em_barrier_of_all(w, i);
    if (id == NO_SLOT || (t->arrived && (t->barrier != i || t->id != id))) return false;
    em_barrier_came(w, i, id);
    t->barrier = i;
    t->id = id;
    t->arrivals[t->arrived++] = (uint8_t)n;
    t->waiting |= 1u << n;
    return true;
}

static void go_on(together *t) {
    em_barrier_over(t->block, t->id);
    start_interval(t, t->barrier + 1);
    t->arrived = t->waiting = 0;
}

static turn_end run_warp(together *t, uint32_t n) {
    warp *w = &t->block->warps[n];
    const insn *i = t->pc[n];
    while (i) {
        if (t->head && i == t->start && is_whole(w)) {
            t->entered++;
            i = t->run(w, t->code->insns, t->head - 1);
            if (!i) break;
        }
        const bool waits = i->fn == em_exec_barrier;
        if (!waits && i->fn != em_exec_exit) {
            i = i->fn(w, i);
            continue;
        }
        t->pc[n] = i;
        if (!is_whole(w)) return TURN_OPEN;
        if (!waits) {
            if (i->guard != NO_SLOT || t->arrived) return TURN_OPEN;
            t->ended |= 1u << n;
            return TURN_OVER;
        }
        if (!comes(t, n, i)) return TURN_OPEN;
        if (t->arrived < t->warps) return TURN_OVER;
        go_on(t); /* the last one to come is the first to go on */
        i++;
    }
    return TURN_LOST;
}

/* Puts each warp where it would stand otherwise. */
static void part(const together *t, uint32_t lost) {
    for (uint32_t n = 0; n < t->warps; n++) {
        warp *w = &t->block->warps[n];
        if (n == lost) continue;
        if (t->ended >> n & 1) {
            em_exec_exit(w, t->pc[n]);
            continue;
        }
        w->paths[w->current].pc = t->pc[n];
        w->paths[w->current].mask = w->mask;
    }
    for (uint32_t k = 0; k < t->arrived; k++)
        em_barrier_waits(&t->block->warps[t->arrivals[k]], t->barrier, t->id);
}

/* True: the block is as the turns have it. */
static bool run_warps(together *t, worker *k, uint32_t *next) {
    for (uint32_t n = 0; n < t->warps; n++) {
        warp *w = &t->block->warps[n];
        if ((t->ended | t->waiting) >> n & 1) continue;
        w->spun = w->changed = w->looked = false;
        w->missed_count = 0;
        const turn_end end = run_warp(t, n);
        if (end == TURN_OVER && !atomic_load_explicit(&k->machine->stop, memory_order_relaxed)) continue;
        part(t, end == TURN_LOST ? n : NO_SLOT);
        *next = end == TURN_OPEN ? n : n + 1;
        return true;
    }
    if (!t->block->jobs.length && !(k->machine->cancel && *k->machine->cancel) &&
        !ls_deadline_passed(&k->deadline))
        return false;
    part(t, NO_SLOT);
    *next = 0;
    return true;
}

bool em_run_together(worker *k, uint32_t *next) {
    if (!may_go_together(k)) return false;
    together t = {
        .block = k->block, .warps = k->machine->warps_per_block, .code = k->machine->kernel->compiled};
    t.run = atomic_load_explicit(&t.code->run[VARIANT_FULL], memory_order_acquire);
    if (!t.run) return false;
    start_interval(&t, t.block->warps[0].paths[0].pc);
    const uint32_t all = t.warps < 32 ? (1u << t.warps) - 1 : UINT32_MAX;
    bool parted = false;
    while (t.ended != all && !parted) parted = run_warps(&t, k, next);
    k->entered[VARIANT_FULL] += t.entered;
    return !parted;
}
