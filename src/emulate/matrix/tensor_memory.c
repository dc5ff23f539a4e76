/* Tensor memory: allocation, moves from and to registers, and who has waited for them (matrix/tcgen05.h).
 * Loads and stores are done at once; for the checker they last until tcgen05.wait::ld and ::st of the same
 * warp. */
#include "base/recover.h"
#include "emulate/check/agent_state.h"
#include "emulate/check/unit_registers.h"
#include "emulate/matrix/tcgen05_space.h"

#include <string.h>

/* --- Places --- */
uint64_t em_tensor_offset(const warp *w, uint32_t row, uint32_t column) {
    return w->machine->tensor_base + ((uint64_t)row * TENSOR_COLUMNS + column) * 4;
}

const char *em_tensor_wrong(const warp *w, uint32_t row, uint32_t rows, uint32_t column, uint32_t columns) {
    if (row + rows > TENSOR_LANES || column + columns > TENSOR_COLUMNS)
        return "an access outside of tensor memory";
    for (uint32_t k = column / TENSOR_UNIT; k <= (column + columns - 1) / TENSOR_UNIT; k++)
        if (!w->block->tensor.owner[k]) return "an access to columns of tensor memory that are not allocated";
    return NULL;
}

void em_tensor_touch(warp *w, uint32_t record, const mem_access *m, uint64_t lanes, tensor_box b) {
    for (uint32_t k = 0; k < b.rows; k++)
        em_agent_range(w, record, m, lanes, w->block, em_tensor_offset(w, b.row + k, b.column),
                       (uint64_t)b.columns * 4);
}

/* --- Allocation --- */
/* The first place that is free. */
static uint32_t find_room(const block_run *b, uint32_t units) {
    for (uint32_t at = 0; at + units <= TENSOR_UNITS; at += units) {
        uint32_t k = 0;
        while (k < units && !b->tensor.owner[at + k]) k++;
        if (k == units) return at;
    }
    return TENSOR_UNITS;
}

static const char *wrong_size(uint64_t columns) {
    bool power = columns && !(columns & (columns - 1));
    return power && columns >= TENSOR_UNIT && columns <= TENSOR_COLUMNS
               ? NULL
               : "columns of tensor memory are allocated by powers of two from 32 to 512";
}

/* The other block of a pair must have begun: the thread knows something that it has done. */
static bool knows_peer(const warp *w, uint32_t lane) {
    const agents *a = w->block->agents;
    const cluster_run *c = w->block->cluster;
    const uint32_t peer = w->block->rank ^ 1, threads = a->warps * a->lanes;
    if (!c || peer >= c->count) return false;
    for (uint32_t k = 0; k < threads; k++)
        if (em_moment_at(thread_of(w, lane)->now.known, peer * threads + k)) return true;
    return false;
}

static void say(warp *w, const insn *i, ls_rule rule, uint32_t lane, const char *message) {
    em_agent_say(w, lane, rule, LS_ERROR, i->site, i->site, 8, w->machine->tensor_base, message, NULL);
}

const insn *em_exec_tensor_alloc(warp *w, const insn *i) {
    const tensor_space *x = i->extra;
    const insn *next;
    const uint64_t own = w->mask;
    if (!em_matrix_gather(w, i, &next)) return next;
    block_run *b = w->block;
    const uint64_t columns = read_lane(w, x->columns, 0);
    const char *why = wrong_size(columns);
    if (!why && b->tensor.closed) why = "tensor memory is allocated after tcgen05.relinquish_alloc_permit";
    if (why) return em_stop(w, i, LS_EMU_TRAPPED, "%s", why);
    if (x->pair && b->agents && !knows_peer(w, 0))
        say(w, i, LS_RULE_ASYNC_UNFINISHED, 0,
            "tensor memory of a pair of blocks is allocated before it is certain that the other block has "
            "started: a barrier of the cluster is missing before it");
    const uint32_t units = (uint32_t)columns / TENSOR_UNIT, at = find_room(b, units);
    if (at == TENSOR_UNITS)
        return em_stop(w, i, LS_EMU_STUCK,
                       "tcgen05.alloc waits for %u columns of tensor memory that its own block holds: the "
                       "wait never ends",
                       (uint32_t)columns);
    for (uint32_t k = 0; k < units; k++) b->tensor.owner[at + k] = (uint8_t)(at + 1);
    b->tensor.last = i;
    for (uint32_t row = 0; row < TENSOR_LANES && b->shadow.last; row++) { /* nobody has touched it yet */
        const uint64_t word = em_tensor_offset(w, row, at * TENSOR_UNIT) / 4;
        memset(&b->shadow.last[word], 0, columns * sizeof *b->shadow.last);
        memset(&b->shadow.since[word], 0, columns * sizeof *b->shadow.since);
    }
    const uint32_t result = at * TENSOR_UNIT;
    uint64_t address[MAX_LANES];
    em_addresses(w, x->access, address);
    em_target t = em_prepare(w, i, x->access, LS_SPACE_SHARED, address, 1);
    if (t.mask) memcpy(em_place(&t, address[0], 0), &result, sizeof result);
    w->mask = own;
    return i + 1;
}

const insn *em_exec_tensor_free(warp *w, const insn *i) {
    const tensor_space *x = i->extra;
    const insn *next;
    const uint64_t own = w->mask;
    if (!em_matrix_gather(w, i, &next)) return next;
    const uint32_t address = (uint32_t)read_lane(w, x->address, 0), at = address / TENSOR_UNIT;
    const uint64_t columns = read_lane(w, x->columns, 0);
    const char *why = wrong_size(columns);
    const uint32_t units = why ? 0 : (uint32_t)columns / TENSOR_UNIT;
    if (!why && (address % TENSOR_UNIT || at + units > TENSOR_UNITS))
        why = "tcgen05.dealloc of columns that are not allocated";
    for (uint32_t k = 0; k < TENSOR_UNITS && !why; k++)
        if ((w->block->tensor.owner[k] == at + 1) != (k >= at && k < at + units))
            why = "tcgen05.dealloc of other columns than were allocated together";
    if (why) return em_stop(w, i, LS_EMU_TRAPPED, "%s", why);
    if (w->block->agents) { /* as a write, which is over at once */
        const uint32_t record = em_agent_issue(w, x->access, 0, AGENT_TENSOR_FREE);
        em_agent_enqueue(w, record, 0, QUEUE_TENSOR_STORE, false);
        em_tensor_touch(w, record, x->access, w->mask,
                        (tensor_box){0, TENSOR_LANES, address, (uint32_t)columns});
    }
    memset(w->block->tensor.owner + at, 0, units);
    w->mask = own;
    return i + 1;
}

const insn *em_exec_tensor_close(warp *w, const insn *i) {
    w->block->tensor.closed = true;
    return i + 1;
}

void em_tensor_end(block_run *b) {
    bool left = false;
    for (uint32_t k = 0; k < TENSOR_UNITS; k++) left |= b->tensor.owner[k] != 0;
    if (left && b->agents)
        say(&b->warps[0], b->tensor.last, LS_RULE_ASYNC_UNFINISHED, 0,
            "the block ends without freeing the tensor memory that it allocated here: tcgen05.dealloc is "
            "missing");
}

/* --- Moves --- */
typedef struct {
    uint32_t row, column;
} place;

/* Which place the register of a lane has: a lane each, or as the accumulators of mma stand. */
static place place_of(const tensor_move *x, uint32_t lane, uint32_t r) {
    if (x->rows == 32) return (place){lane, r};
    const uint32_t per = x->words / 2, rest = r % per, half = per / 2; /* registers of one repetition */
    return (place){lane / 4 + 8 * (rest / half), r / per * x->words + lane % 4 * half + rest % half};
}

/* What is wrong with the warp's place, or NULL. */
static const char *find_box(const warp *w, const tensor_move *x, tensor_box *b) {
    uint64_t address[MAX_LANES];
    em_addresses(w, x->access, address);
    const uint32_t at = (uint32_t)address[0];
    *b = (tensor_box){at >> 16, x->rows, at & 0xffff, x->rows == 32 ? x->count : x->count * 2};
    if (b->row / 32 != w->index % 4 || b->row % x->rows)
        return "a warp accesses lanes of tensor memory that belong to another warp: each of four warps has "
               "32";
    return em_tensor_wrong(w, b->row, b->rows, b->column, b->columns);
}

static const insn *move(warp *w, const insn *i, bool store) {
    const tensor_move *x = i->extra;
    const insn *next;
    const uint64_t own = w->mask;
    tensor_box b;
    if (!em_matrix_gather(w, i, &next)) return next;
    const char *why = find_box(w, x, &b);
    if (why) return em_stop(w, i, LS_EMU_TRAPPED, "%s", why);
    if (!store) em_unit_load(w, i, x->units);
    if (w->block->agents) {
        const uint32_t record =
            em_agent_issue(w, x->access, 0, store ? AGENT_TENSOR_STORE : AGENT_TENSOR_LOAD);
        em_agent_enqueue(w, record, 0, store ? QUEUE_TENSOR_STORE : QUEUE_TENSOR_LOAD, false);
        em_tensor_touch(w, record, x->access, w->mask, b);
    }
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t r = 0; r < x->count; r++) {
            const place p = place_of(x, lane, r);
            char *at = w->block->shared + em_tensor_offset(w, b.row + p.row, b.column + p.column);
            uint32_t v = (uint32_t)read_lane(w, x->value[r], lane);
            if (store) {
                memcpy(at, &v, sizeof v);
            } else {
                memcpy(&v, at, sizeof v);
                write_lane(w, x->value[r], lane, v);
            }
        }
    w->mask = own;
    return i + 1;
}

const insn *em_exec_tensor_get(warp *w, const insn *i) {
    return move(w, i, false);
}

const insn *em_exec_tensor_put(warp *w, const insn *i) {
    return move(w, i, true);
}

const insn *em_exec_tensor_wait(warp *w, const insn *i) {
    if (w->block->agents) em_agent_wait(w, (queue_kind)i->aux, w->mask, -1, false);
    if (i->aux == QUEUE_TENSOR_LOAD) em_unit_loads_waited(w);
    return i + 1;
}

/* Between an operation of the unit and what tells others of it, as far as that does not order by itself. */
const insn *em_exec_tensor_order(warp *w, const insn *i) {
    if (w->block->agents) em_agent_fence(w, i->extra, PROXY_NONE, w->mask);
    return i + 1;
}
