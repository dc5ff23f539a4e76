/* mbarrier objects: 8 bytes of shared memory that count arrivals and bytes of asynchronous copies, phase by
 * phase. PTX leaves their layout open; here it is, from the low bits on: arrivals that a phase expects (20
 * bits), arrivals still to come (20), bytes still to come (21, signed), number of the phase (3). A state that
 * arrive returns is the object before it. Where no lane's wait is over, the warp's turn is. */
#include "emulate/async/mbarrier.h"
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
static const char *change(mbarrier_op op, bool expects, uint64_t value, state *s) {
    uint32_t count = expects ? 1 : (uint32_t)value;
    switch (op) {
    case MBARRIER_INIT:
        if (!value || value > COUNT_MAX) return "the count of an mbarrier is not between 1 and 1048575";
        *s = (state){.expected = count, .pending = count};
        return NULL;
    case MBARRIER_INVAL: *s = (state){0}; return NULL;
    case MBARRIER_EXPECT_TX: s->tx += (int32_t)value; break;
    case MBARRIER_COMPLETE_TX: s->tx -= (int32_t)value; break;
    default:
        if (!s->expected) return "an arrival at an mbarrier that was not initialised";
        if (expects) s->tx += (int32_t)value;
        if (count > s->pending) return "more arrivals at an mbarrier than its phase expects";
        s->pending -= count;
        if (op == MBARRIER_ARRIVE_DROP) s->expected -= count;
    }
    if (op != MBARRIER_EXPECT_TX) settle(s);
    return NULL;
}

/* Where the lane's object stands in shared memory. */
static uint64_t shared_address(const warp *w, const mem_access *m, uint32_t lane) {
    uint64_t address[MAX_LANES];
    em_addresses(w, m, address);
    return address[lane] & ~WINDOW_MASK;
}

static char *object_of(warp *w, const insn *i, const mem_access *m, uint32_t lane) {
    uint64_t address[MAX_LANES];
    em_addresses(w, m, address);
    em_target t = em_prepare(w, i, m, LS_SPACE_SHARED, address, UINT64_C(1) << lane);
    return t.mask ? em_place(&t, address[lane], lane) : NULL;
}

static const char *update(warp *w, const insn *i, const mbarrier_info *x, uint32_t lane) {
    char *at = object_of(w, i, x->object, lane);
    if (!at) return NULL; /* reported */
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    state s = unpack(bits);
    const char *wrong = change((mbarrier_op)x->op, x->expects, read_lane(w, x->value, lane), &s);
    if (wrong) return wrong;
    if (x->dst.width != NO_WIDTH) write_lane(w, x->dst, lane, bits);
    bits = pack(s);
    memcpy(at, &bits, sizeof bits);
    w->changed = true;
    return NULL;
}

static bool is_over(warp *w, const insn *i, const mbarrier_info *x, uint32_t lane) {
    char *at = object_of(w, i, x->object, lane);
    if (!at) return true;
    uint64_t bits, value = read_lane(w, x->value, lane);
    memcpy(&bits, at, sizeof bits);
    uint32_t phase = unpack(bits).phase;
    return x->parity ? (phase & 1) != (value & 1) : phase != unpack(value).phase;
}

static const insn *test(warp *w, const insn *i, uint64_t lanes) {
    const mbarrier_info *x = i->extra;
    bool any = false;
    FOR_LANES(l, lanes) {
        bool over = is_over(w, i, x, l);
        any |= over;
        write_lane(w, x->dst, l, over);
        if (over) em_order_acquire(w, l, &x->order, shared_address(w, x->object, l));
    }
    em_strong_access(w);
    return any || !x->may_wait ? i + 1 : em_exec_yield(w, i);
}

const insn *em_exec_mbarrier(warp *w, const insn *i) {
    const mbarrier_info *x = i->extra;
    uint64_t lanes = guard_mask(w, i);
    if (!lanes) return i + 1;
    if (x->op == MBARRIER_TEST) return test(w, i, lanes);
    FOR_LANES(l, lanes) {
        uint64_t address = shared_address(w, x->object, l);
        if (x->op >= MBARRIER_ARRIVE) em_order_release(w, l, &x->order, address);
        if (x->op == MBARRIER_COMPLETE_TX) em_order_copied(w, l, 0, address);
        const char *wrong = update(w, i, x, l);
        if (wrong) return em_stop(w, i, LS_EMU_TRAPPED, "%s", wrong);
    }
    return i + 1;
}

bool em_mbarrier_complete_tx(warp *w, const insn *i, const mem_access *object, uint32_t lane, uint64_t bytes,
                             uint32_t since) {
    em_order_copied(w, lane, since, shared_address(w, object, lane));
    char *at = object_of(w, i, object, lane);
    if (!at) return false;
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    state s = unpack(bits);
    change(MBARRIER_COMPLETE_TX, false, bytes, &s);
    bits = pack(s);
    memcpy(at, &bits, sizeof bits);
    w->changed = true;
    return true;
}
