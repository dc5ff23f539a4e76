/* Bulk copies and reductions between global and shared memory (cp.async.bulk, cp.reduce.async.bulk), which
 * one thread starts for many bytes. Addresses are looked at when the copy is started, 16 bytes after 16
 * bytes; when it is carried out is the schedule's choice (async/jobs.h). */
#include "emulate/async/mbarrier.h"
#include "emulate/machine.h"
#include "isa/atomic.h"
#include "isa/number.h"

enum { PIECE = 16 };

static ls_ptx_space space_of(const mem_access *m) {
    return m->space == LS_SPACE_SHARED ? LS_SPACE_SHARED : LS_SPACE_GLOBAL;
}

static char *piece_at(warp *w, const insn *i, const mem_access *m, uint32_t lane, uint64_t at) {
    uint64_t address[MAX_LANES] = {0};
    address[lane] = at;
    em_target t = em_prepare(w, i, m, space_of(m), address, UINT64_C(1) << lane);
    return t.mask ? em_place(&t, address[lane], lane) : NULL;
}

void em_bulk_reduce(uint8_t op, ls_ptx_type type, char *to, const char *from, uint32_t bytes) {
    uint32_t size = ls_ptx_type_bits(type) / 8;
    for (uint32_t k = 0; k < bytes; k += size) {
        uint64_t a = 0;
        memcpy(&a, from + k, size);
        em_atomic_update(to + k, size, (atomic_op)op, type, a);
    }
}

/* What is touched of shared memory, for the checker. */
static uint32_t touched(warp *w, const mem_access *m, uint32_t lane, uint64_t address, uint64_t bytes) {
    address &= ~WINDOW_MASK;
    block_run *owner = em_cluster_owner(w, &address);
    if (!owner || !w->block->agents || m->space != LS_SPACE_SHARED || !bytes) return 0;
    uint32_t record = em_agent_issue(w, m, lane, AGENT_BULK);
    em_agent_range(w, record, m, UINT64_C(1) << lane, owner, address, bytes);
    return record;
}

/* Lanes before this one that start the same copy, where all that do are like the first. */
static uint64_t lanes_alike(const warp *w, const bulk_info *x, uint32_t lane) {
    uint64_t from[MAX_LANES], to[MAX_LANES], alike = 0;
    const uint32_t first = first_lane(w->mask);
    if (x->op != ATOMIC_NONE) return 0; /* adding twice is not adding once */
    em_addresses(w, x->from, from);
    em_addresses(w, x->to, to);
    FOR_LANES(l, w->mask)
    if (l <= lane && from[l] == from[first] && to[l] == to[first] &&
        read_lane(w, x->size, l) == read_lane(w, x->size, first))
        alike |= UINT64_C(1) << l;
    const uint64_t own = UINT64_C(1) << lane;
    return alike & own ? alike & ~own : 0;
}

/* False where an address is bad, which is reported. */
static bool plan(warp *w, const insn *i, const bulk_info *x, uint64_t size, uint64_t block, async_job *job) {
    uint64_t from[MAX_LANES], to[MAX_LANES];
    const uint32_t lane = job->lane;
    em_addresses(w, x->from, from);
    em_addresses(w, x->to, to);
    if (block) to[lane] = (to[lane] & (em_cluster_address(0) - 1)) | block;
    for (uint64_t k = 0; k < size; k += PIECE) {
        const char *source = piece_at(w, i, x->from, lane, from[lane] + k);
        char *target = piece_at(w, i, x->to, lane, to[lane] + k);
        if (!source || !target) return false; /* reported; the rest would be, too */
        em_job_piece(job, (job_piece){target, source, PIECE, x->op, x->type, {0}});
    }
    job->records[0] = touched(w, x->from, lane, from[lane], size);
    job->records[1] = touched(w, x->to, lane, to[lane], size);
    return true;
}

uint32_t em_multicast(const warp *w, operand blocks, uint32_t lane) {
    const cluster_run *c = w->block->cluster;
    if (!c || blocks.width == NO_WIDTH) return 0;
    return (uint32_t)read_lane(w, blocks, lane) & ((1u << c->count) - 1);
}

void em_count_moved(warp *w, const mem_access *global, ls_moved moved) {
    enum { SECTOR = 32 };
    if (!(w->machine->emulator->checks & LS_CHECK_COALESCE)) return;
    em_count_cost(&w->worker->memory[global->memory_site],
                  (access_cost){.sectors = (uint32_t)moved.sectors,
                                .ideal = (uint32_t)((moved.bytes + SECTOR - 1) / SECTOR)});
}

static void count_bulk(warp *w, const bulk_info *x, uint32_t lane, uint64_t size) {
    const bool store = space_of(x->to) == LS_SPACE_GLOBAL;
    const mem_access *global = store ? x->to : x->from, *other = store ? x->from : x->to;
    uint64_t at[MAX_LANES], shared[MAX_LANES];
    if (space_of(global) != LS_SPACE_GLOBAL || space_of(other) != LS_SPACE_SHARED) return;
    em_addresses(w, global, at);
    em_addresses(w, other, shared);
    em_count_moved(w, global, ls_row_sectors(at[lane], shared[lane], size));
}

/* Of a copy with an mbarrier: who waits for its phase waits for it; else it belongs to the next group. */
void em_bulk_start(async_job *job, uint32_t since) {
    warp *w = job->w;
    if (job->object) {
        block_run *own = job->block;
        if (!em_mbarrier_of(w, job->i, job->object, job->lane, &job->block, &job->address)) {
            LS_VEC_FREE(&job->pieces);
            return;
        }
        if (own) job->block = own;
        em_order_copied(w, job->lane, since, job->block, job->address);
        if (w->block->agents) em_agent_use(w, job->i, job->lane, job->block, job->address, true);
    } else {
        job->group = w->bulk_groups[job->lane];
        for (uint32_t k = 0; k < 2 && w->block->agents; k++)
            if (job->records[k]) em_agent_enqueue(w, job->records[k], job->lane, QUEUE_BULK, k == 0);
        if (w->block->agents && job->global) em_agent_global(w, job->global, job->lane, QUEUE_BULK);
    }
    em_job_start(job);
}

const insn *em_exec_bulk(warp *w, const insn *i) {
    const bulk_info *x = i->extra;
    const uint32_t since = em_order_tick(w);
    FOR_LANES(l, w->mask) {
        uint64_t size = read_lane(w, x->size, l);
        if (size % PIECE)
            return em_stop(w, i, LS_EMU_TRAPPED, "a bulk copy of %llu bytes, which is not a multiple of 16",
                           (unsigned long long)size);
        const uint32_t blocks = em_multicast(w, x->blocks, l);
        count_bulk(w, x, l, size);
        for (uint32_t r = 0; r < (blocks ? CLUSTER_MOST : 1); r++) {
            async_job job = {.w = w, .i = i, .lane = l, .object = x->object, .bytes = size, .global = x->to};
            if (blocks && !(blocks >> r & 1)) continue;
            if (blocks) job.block = w->block->cluster->members[r];
            w->alike = lanes_alike(w, x, l);
            plan(w, i, x, size, blocks ? em_cluster_address(r) : 0, &job);
            w->alike = 0;
            em_bulk_start(&job, since);
        }
    }
    return i + 1;
}

/* --- Groups --- */
const insn *em_exec_bulk_commit(warp *w, const insn *i) {
    FOR_LANES(l, w->mask) w->bulk_groups[l]++;
    if (w->block->agents) em_agent_commit(w, QUEUE_BULK, w->mask);
    return i + 1;
}

const insn *em_exec_bulk_wait(warp *w, const insn *i) {
    em_jobs_of_groups(w, w->mask, i->imm);
    if (w->block->agents) em_agent_wait(w, QUEUE_BULK, w->mask, i->imm, i->aux);
    return i + 1;
}
