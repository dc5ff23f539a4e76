/* mbarrier objects: 8 bytes of shared memory that count arrivals and bytes of asynchronous copies, phase by
 * phase. PTX leaves their layout open; here it is, from the low bits on: arrivals that a phase expects (20
 * bits), arrivals still to come (20), bytes still to come (21, signed), number of the phase (3). A state that
 * arrive returns is the object before it. Where no lane's wait is over, the warp's turn is. */
#include "emulate/async/mbarrier.h"
#include "base/recover.h"
#include "emulate/machine.h"

enum { COUNT_BITS = 20, TX_BITS = 21, PHASES = 8, COUNT_MAX = (1 << COUNT_BITS) - 1 };

typedef struct {
    uint32_t expected, pending, phase;
    int32_t tx;
} state;

static state unpack(uint64_t bits) {
    state s = {.expected = bits & COUNT_MAX,
               .pending = bits >> COUNT_BITS & COUNT_MAX,
               .phase = (uint32_t)(bits >> (2 * COUNT_BITS + TX_BITS)),
               .tx = (int32_t)((int64_t)(bits << 3) >> (64 - TX_BITS))};
    return s;
}

static uint64_t pack(state s) {
    uint64_t tx = (uint64_t)(uint32_t)s.tx & ((1u << TX_BITS) - 1);
    return s.expected | (uint64_t)s.pending << COUNT_BITS | tx << (2 * COUNT_BITS) |
           (uint64_t)s.phase << (2 * COUNT_BITS + TX_BITS);
}

/* Where the phase is over the next one begins. */
static void settle(state *s) {
    if (s->pending || s->tx) return;
    s->phase = (s->phase + 1) % PHASES;
    s->pending = s->expected;
}

/* Changes the object; a message where it must not be changed like that. */
static const char *change(ls_ptx_mbarrier op, bool expects, uint64_t value, state *s) {
    uint32_t count = expects ? 1 : (uint32_t)value;
    switch (op) {
    case LS_MBARRIER_INIT:
        if (!value || value > COUNT_MAX) return "the count of an mbarrier is not between 1 and 1048575";
        *s = (state){.expected = count, .pending = count};
        return NULL;
    case LS_MBARRIER_INVAL: *s = (state){0}; return NULL;
    case LS_MBARRIER_EXPECT_TX: s->tx += (int32_t)value; break;
    case LS_MBARRIER_COMPLETE_TX: s->tx -= (int32_t)value; break;
    default:
        if (!s->expected) return "an arrival at an mbarrier that was not initialised";
        if (expects) s->tx += (int32_t)value;
        if (count > s->pending) return "more arrivals at an mbarrier than its phase expects";
        s->pending -= count;
        if (op == LS_MBARRIER_ARRIVE_DROP) s->expected -= count;
    }
    if (op != LS_MBARRIER_EXPECT_TX) settle(s);
    return NULL;
}

/* --- Objects --- */
static state state_at(const block_run *block, uint64_t address) {
    uint64_t bits;
    memcpy(&bits, block->shared + address, sizeof bits);
    return unpack(bits);
}

bool em_mbarrier_of(warp *w, const insn *i, const mem_access *object, uint32_t lane, block_run **block,
                    uint64_t *address) {
    uint64_t all[MAX_LANES];
    em_addresses(w, object, all);
    *address = all[lane] & ~WINDOW_MASK;
    *block = em_cluster_owner(w, address);
    em_target t = em_prepare(w, i, object, LS_SPACE_SHARED, all, UINT64_C(1) << lane);
    return t.mask && *block;
}

/* The object is changed; where that ends a phase, who waits for it may go on. */
static void store(warp *w, block_run *block, uint64_t address, state before, state after) {
    uint64_t bits = pack(after);
    memcpy(block->shared + address, &bits, sizeof bits);
    w->changed = true;
    if (after.phase != before.phase && after.expected && block->agents) em_agent_phase(block, address);
}

/* --- Operations --- */
static void tell_checker(warp *w, const insn *i, const mbarrier_info *x, uint32_t lane, block_run *block,
                         uint64_t address, state now) {
    const mbarrier_counts counts = {now.expected, now.pending, now.tx};
    if (x->op >= LS_MBARRIER_ARRIVE) em_order_release(w, lane, &x->order, block, address);
    if (x->op == LS_MBARRIER_COMPLETE_TX) em_order_copied(w, lane, 0, block, address);
    if (!block->agents) return;
    if (x->op == LS_MBARRIER_INIT || x->op == LS_MBARRIER_INVAL) {
        em_agent_init(w, i, lane, block, address, x->op == LS_MBARRIER_INVAL, counts);
        return;
    }
    if (!em_agent_use(w, i, lane, block, address, false)) return;
    static const ls_order stored = {.strong = true, .releases = true, .scope = LS_REACH_CLUSTER};
    if (x->op == LS_MBARRIER_COMPLETE_TX) em_agent_release(w, lane, block, address, &stored);
    if (x->copies) em_agent_copies(w, lane, block, address, (queue_kind)x->queue);
    if (x->op >= LS_MBARRIER_ARRIVE && !x->copies) em_agent_release(w, lane, block, address, &x->order);
}

static const insn *wrong_use(warp *w, const insn *i, uint32_t lane, uint64_t address, const char *why) {
    if (w->block->agents) em_mbarrier_finding(w, i, lane, address, why);
    return em_stop(w, i, LS_EMU_TRAPPED, "%s", why);
}

static const insn *update(warp *w, const insn *i, const mbarrier_info *x, uint32_t lane) {
    block_run *block;
    uint64_t address;
    if (!em_mbarrier_of(w, i, x->object, lane, &block, &address)) return i + 1; /* reported */
    const state before = state_at(block, address);
    state s = before;
    tell_checker(w, i, x, lane, block, address, before);
    const char *wrong = change((ls_ptx_mbarrier)x->op, x->expects, read_lane(w, x->value, lane), &s);
    if (wrong) return wrong_use(w, i, lane, address, wrong);
    if (x->dst.width != NO_WIDTH) write_lane(w, x->dst, lane, pack(before));
    store(w, block, address, before, s);
    return i + 1;
}

/* --- Waits --- */
static bool is_over(const mbarrier_info *x, uint64_t value, state s) {
    return x->parity ? (s.phase & 1) != (value & 1) : s.phase != unpack(value).phase;
}

/* Paths of a warp may wait for different things. */
void em_wait_missed(warp *w, missed_wait m) {
    for (uint32_t k = 0; k < w->missed_count; k++) {
        const missed_wait *o = &w->missed[k];
        if (o->at == m.at && o->block == m.block && o->address == m.address && o->value == m.value) return;
    }
    if (w->missed_count < MOST_MISSED)
        w->missed[w->missed_count++] = m;
    else
        w->looked = true; /* too many to tell */
}

static bool test_lane(warp *w, const insn *i, uint32_t lane) {
    const mbarrier_info *x = i->extra;
    block_run *block;
    uint64_t address;
    if (!em_mbarrier_of(w, i, x->object, lane, &block, &address)) return true;
    if (block->agents) em_agent_use(w, i, lane, block, address, false);
    if (!is_over(x, read_lane(w, x->value, lane), state_at(block, address))) {
        em_wait_missed(w, (missed_wait){i, block, address, read_lane(w, x->value, lane), lane});
        em_jobs_of_object(block, address);
        return false;
    }
    em_order_acquire(w, lane, &x->order, address);
    if (block->agents) em_agent_acquire(w, lane, block, address, &x->order);
    return true;
}

static const insn *test(warp *w, const insn *i, uint64_t lanes) {
    const mbarrier_info *x = i->extra;
    bool any = false;
    const bool looked = w->looked;
    FOR_LANES(l, lanes) {
        bool over = test_lane(w, i, l);
        any |= over;
        write_lane(w, x->dst, l, over);
    }
    em_strong_access(w);
    if (!any) w->looked = looked;
    return any || !x->may_wait ? i + 1 : em_exec_yield(w, i);
}

const insn *em_exec_mbarrier(warp *w, const insn *i) {
    const mbarrier_info *x = i->extra;
    uint64_t lanes = guard_mask(w, i);
    if (!lanes) return i + 1;
    if (x->op == LS_MBARRIER_WAIT) return test(w, i, lanes);
    FOR_LANES(l, lanes) {
        const insn *next = update(w, i, x, l);
        if (next != i + 1) return next;
    }
    return i + 1;
}

void em_mbarrier_complete_tx(const async_job *job) {
    warp *w = job->w;
    const state before = state_at(job->block, job->address);
    state s = before;
    change(LS_MBARRIER_COMPLETE_TX, false, job->bytes, &s);
    store(w, job->block, job->address, before, s);
}

/* --- Stuck --- */
static void say(warp *w, const insn *i, uint32_t lane, uint64_t address, const char *text) {
    machine *m = w->machine;
    found *f = em_find_finding(m, LS_RULE_ASYNC_MBARRIER, i->site, i->site, 8);
    if (f->finding.count++) return;
    f->finding.level = LS_ERROR;
    f->finding.message = text;
    em_tell_thread(&f->finding, em_actor(m, w->block->index, w->index, lane), "waits here");
    em_name_address(m, LS_SPACE_SHARED, address, &f->finding);
}

void em_mbarrier_finding(warp *w, const insn *i, uint32_t lane, uint64_t address, const char *text) {
    ls_lock(&w->machine->lock);
    say(w, i, lane, address, text);
    ls_unlock(&w->machine->lock);
}

/* What the phase is waiting for. */
static const char *missing(machine *m, state s, bool parity, uint64_t value) {
    const uint32_t come = s.expected - s.pending;
    if (!s.expected) return "it is not initialised";
    if (parity && !s.tx && s.pending == s.expected)
        return ls_arena_printf(&m->arena,
                               "no thread has arrived in its phase of parity %u, which expects %u arrivals",
                               (uint32_t)value & 1, s.expected);
    if (s.tx > 0)
        return ls_arena_printf(&m->arena,
                               "%u of %u arrivals have happened, and %d bytes of copies are missing", come,
                               s.expected, (int)s.tx);
    if (s.tx < 0)
        return ls_arena_printf(&m->arena,
                               "%u of %u arrivals have happened, and copies have brought %d bytes more than "
                               "were announced (expect_tx)",
                               come, s.expected, -(int)s.tx);
    return ls_arena_printf(&m->arena, "%u of %u arrivals have happened", come, s.expected);
}

static bool is_in_vain(const block_run *b, const missed_wait *m) {
    return m->block ? !is_over(m->at->extra, m->value, state_at(m->block, m->address))
                    : !em_cluster_over(b, (uint32_t)m->value);
}

static bool waits_in_vain(const block_run *b) {
    bool any = false;
    for (uint32_t n = 0; n < b->warps[0].machine->warps_per_block; n++) {
        const warp *w = &b->warps[n];
        if (w->state == WARP_DONE || w->state == WARP_BLOCKED) continue;
        if (!w->spun || w->looked || !w->missed_count) return false;
        for (uint32_t k = 0; k < w->missed_count; k++)
            if (!is_in_vain(b, &w->missed[k])) return false; /* it is over by now */
        any = true;
    }
    return any;
}

static void report_wait(warp *w, const missed_wait *m) {
    machine *mc = w->machine;
    if (!m->block) {
        say(w, m->at, m->lane, 0, "a wait at the barrier of the cluster, which not all of its threads reach");
    } else {
        const mbarrier_info *x = m->at->extra;
        say(w, m->at, m->lane, m->address,
            ls_arena_printf(&mc->arena, "a wait for a phase of an mbarrier that never ends: %s",
                            missing(mc, state_at(m->block, m->address), x->parity, m->value)));
    }
    mc->stop_pos = mc->emulator->sites.items[m->at->site].pos;
}

static void report_waits(block_run *b) {
    for (uint32_t n = 0; n < b->warps[0].machine->warps_per_block; n++) {
        warp *w = &b->warps[n];
        for (uint32_t k = 0; w->state == WARP_READY && k < w->missed_count; k++)
            report_wait(w, &w->missed[k]);
    }
}

bool em_mbarrier_stuck(block_run *b) {
    machine *m = b->warps[0].machine;
    const cluster_run *c = b->cluster;
    block_run *const *members = c ? c->members : &b;
    const uint32_t count = c ? c->count : 1;
    for (uint32_t k = 0; k < count; k++)
        if (em_jobs_all(members[k])) return false;
    for (uint32_t k = 0; k < count; k++)
        if (members[k]->live_threads && !waits_in_vain(members[k])) return false;
    ls_lock(&m->lock);
    for (uint32_t k = 0; k < count; k++)
        if (members[k]->live_threads) report_waits(members[k]);
    m->status = LS_EMU_STUCK;
    m->message = "the launch is stuck: threads wait for phases of mbarriers that never end";
    ls_unlock(&m->lock);
    atomic_store(&m->stop, 1);
    return true;
}
