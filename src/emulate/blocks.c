/* The blocks of the grid on one worker. A block runs to its end, its warps taking turns: each runs until it
 * waits, ends, or has had its share. Where all of a block's warps only look for a change that another block
 * must make (a grid-wide barrier, a flag, a look-back at earlier blocks), the block is put aside, and another
 * one that waits, or one that was not started yet, has its turn. So as many blocks as there is memory for
 * make progress, in an order that depends on nothing but the schedule. */
#include "base/recover.h"
#include "emulate/async/mbarrier.h"
#include "emulate/check/checkers.h"
#include "emulate/check/unit_registers.h"
#include "emulate/compiled.h"
#include "emulate/guarded.h"
#include "emulate/matrix/tcgen05.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MAX_RESIDENT = 4096,
    RESIDENT_MEMORY = 512 << 20, /* bytes for all blocks of all workers, at least, about */
    WAIT_LIMIT = 256,            /* weight of the turns after which a block waits … */
    WAIT_WEIGHT = 64,            /* … and of a turn in which nothing was changed */
    READ_SLACK = 128,            /* that wide loads may read behind the end */
    MOST_GUARDED = 256,          /* blocks of a worker with guard pages: a process has but so many mappings */
};

uint64_t em_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* --- Memory of a block --- */
void *em_reserve(size_t bytes) {
    void *at = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* The same, on a boundary of large pages: fewer page faults. */
void *em_reserve_large(size_t bytes) {
    enum { LARGE = 2 << 20 };
    char *at = em_reserve(bytes + LARGE);
    if (!at) return NULL;
    size_t before = (LARGE - (uintptr_t)at % LARGE) % LARGE, page = (size_t)sysconf(_SC_PAGESIZE);
    size_t end = before + (bytes + page - 1) / page * page, all = (bytes + LARGE + page - 1) / page * page;
    if (before) munmap(at, before);
    if (end < all) munmap(at + end, all - end);
    madvise(at + before, bytes, MADV_HUGEPAGE); /* only a hint */
    return at + before;
}

static bool init_warp(worker *k, block_run *b, warp *w, uint32_t index) {
    machine *m = k->machine;
    uint32_t first = index * m->warp_size, lanes = m->threads - first;
    if (lanes > m->warp_size) lanes = m->warp_size;
    w->worker = k;
    w->machine = m;
    w->block = b;
    w->index = index;
    w->full = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
    w->stride = m->stride;
    w->halves = m->stride / CHUNK;
    w->expanded = 0;
    w->frame = b->register_memory + (size_t)index * m->kernel->frame_bytes;
    w->local = b->local_memory + (size_t)index * m->warp_size * m->local_size;
    w->path_capacity = 8;
    w->paths = calloc(w->path_capacity, sizeof *w->paths);
    w->verified = calloc(2 * (size_t)m->emulator->memory_sites + 2, sizeof *w->verified);
    if (m->emulator->unit_registers) w->units = calloc(m->emulator->unit_registers, sizeof *w->units);
    if (!w->paths || !w->verified || (m->emulator->unit_registers && !w->units)) return false;
    em_checkers_warp(m, w);
    return true;
}

/* Where its blocks' memory is kept: the first worker is the thread that launches. */
static em_guarded_pool *pool_of(const worker *k) {
    return k->index ? NULL : &k->machine->emulator->memory;
}

static void free_block(const worker *k, block_run *b) {
    const machine *m = k->machine;
    em_guarded_pool *pool = pool_of(k);
    em_checkers_release(m, b);
    for (uint32_t n = 0; b->warps && n < m->warps_per_block; n++) {
        free(b->warps[n].paths);
        free(b->warps[n].verified);
        free(b->warps[n].units);
    }
    em_jobs_free(b);
    if (b->cluster && !b->rank) free(b->cluster);
    em_order_free(b, m->warps_per_block);
    em_free_values(b);
    free(b->warps);
    em_guarded_keep(pool, b->shared, m->block_bytes + READ_SLACK, b->guarded);
    em_guarded_keep(pool, b->register_memory, b->register_bytes, b->guarded);
    em_guarded_keep(pool, b->local_memory, b->local_bytes + READ_SLACK, b->guarded);
    free(b);
}

static bool init_block(worker *k, block_run *b) {
    machine *m = k->machine;
    em_guarded_pool *pool = pool_of(k);
    b->register_bytes = (size_t)m->warps_per_block * m->kernel->frame_bytes + FRAME_SLACK;
    b->guarded = k->resident < MOST_GUARDED;
    b->register_memory = em_guarded_from(pool, b->register_bytes, b->guarded);
    b->local_bytes = (size_t)m->warps_per_block * m->warp_size * m->local_size;
    b->local_memory = em_guarded_from(pool, b->local_bytes + READ_SLACK, b->guarded);
    b->shared = em_guarded_from(pool, m->block_bytes + READ_SLACK, b->guarded);
    b->warps = aligned_alloc(64, sizeof(warp) * m->warps_per_block);
    if (b->warps) memset(b->warps, 0, sizeof(warp) * m->warps_per_block);
    if (!b->register_memory || !b->local_memory || !b->shared || !b->warps) return false;
    if (!em_new_values(b, m->kernel)) return false;
    if (!em_checkers_block(m, b)) return false;
    b->serial = UINT64_C(1) << 48;
    bool good = true;
    for (uint32_t n = 0; n < m->warps_per_block && good; n++) good = init_warp(k, b, &b->warps[n], n);
    return good;
}

bool em_new_resident(worker *k) {
    block_run *b = calloc(1, sizeof *b);
    if (!b) return false;
    if (!init_block(k, b)) {
        free_block(k, b);
        return false;
    }
    b->next = k->spare;
    k->spare = b;
    k->resident++;
    return true;
}

static void free_list(const worker *k, block_run *b) {
    while (b) {
        block_run *next = b->next;
        free_block(k, b);
        b = next;
    }
}

static void release_frames(const block_run *b, uint32_t warps) {
    for (uint32_t n = 0; n < warps; n++)
        for (uint32_t p = 0; p < b->warps[n].path_count; p++)
            if (b->warps[n].paths[p].state != PATH_FREE) {
                em_give_frame(b->warps[n].worker, b->warps[n].paths[p].callee_regs);
                b->warps[n].paths[p].callee_regs = NULL;
            }
}

/* Where the launch was stopped: blocks that have ended, of clusters that have not. */
static void collect_ended(worker *k) {
    for (const block_run *b = k->first; b; b = b->next)
        for (uint32_t r = 0; b->cluster && r < b->cluster->count; r++) {
            block_run *member = b->cluster->members[r];
            if (!member->over) continue;
            member->over = false;
            member->next = k->spare;
            k->spare = member;
        }
}

void em_free_residents(worker *k) {
    collect_ended(k);
    for (const block_run *b = k->first; b; b = b->next) release_frames(b, k->machine->warps_per_block);
    free_list(k, k->first);
    free_list(k, k->spare);
    k->first = k->last = k->spare = NULL;
    em_free_frames(k);
}

/* --- Barriers of the grid --- */
/* Between two barriers of the block (decode/misc.c): the first of its threads to come here counts for all,
 * and they go on when as many blocks have come as there are. */
const insn *em_exec_grid_sync(warp *w, const insn *i) {
    machine *m = w->machine;
    block_run *b = w->block;
    uint64_t lanes = guard_mask(w, i);
    static const ls_order grid = {
        .strong = true, .atomic = true, .acquires = true, .releases = true, .scope = LS_REACH_GPU};
    if (!lanes) return i + 1;
    if (!b->at_grid_sync) {
        b->at_grid_sync = true;
        b->left_grid = 0;
        b->grid_syncs++;
        em_order_release(w, first_lane(lanes), &grid, NULL, ORDER_GRID);
        atomic_fetch_add(&m->grid_arrivals, 1);
    }
    if (atomic_load(&m->grid_arrivals) < b->grid_syncs * m->blocks) return em_exec_yield(w, i - 1);
    FOR_LANES(l, lanes) em_order_acquire(w, l, &grid, ORDER_GRID);
    b->left_grid += (uint32_t)__builtin_popcountll(lanes);
    b->at_grid_sync = b->left_grid < b->live_threads;
    return i + 1;
}

/* --- One block --- */
/* Whether the rows of a warp are as at the kernel's start when compiled code has run it to its end, for
 * another block, too. */
static bool keeps_rows(const block_run *b, const code *c) {
    if (c->written.length || b->undefined || b->gaps) return false;
    for (uint32_t k = 0; k < c->block_sregs.length; k++)
        if (c->block_sregs.items[k].affine || !b->affine) return false;
    return true;
}

/* The whole warp. */
static bool keeps_warps(const block_run *b, const code *c) {
    return !c->compiled->changes && keeps_rows(b, c);
}

/* After a block that compiled code has run. */
static void start_again(block_run *b, uint32_t warps, bool raced) {
    const code *c = b->warps[0].machine->kernel;
    const bool rows = !raced && keeps_rows(b, c);
    if (rows && !c->compiled->changes) return;
    const bool few = rows && !c->tail_count && !b->warps[0].loop_counts;
    for (uint32_t n = 0; n < warps; n++)
        if (few)
            em_warp_turns_again(&b->warps[n]);
        else
            em_warp_again(&b->warps[n]);
}

static void start_block(worker *k, block_run *b, uint32_t x, uint32_t y, uint32_t z) {
    machine *m = k->machine;
    const uint32_t *g = m->launch->grid;
    b->id[0] = x, b->id[1] = y, b->id[2] = z;
    b->index = (z * g[1] + y) * g[0] + x;
    b->epoch = 0;
    b->waited = 0;
    b->started = false;
    b->grid_syncs = 0;
    b->at_grid_sync = false;
    b->left_grid = 0;
    b->live_threads = m->threads;
    if (b->open_barriers) memset(b->barriers, 0, sizeof b->barriers);
    b->open_barriers = 0;
    b->waits = false;
    memset(&b->tensor, 0, sizeof b->tensor);
    if (m->options.only_blocks) memset(b->shared, 0, m->block_bytes); /* nothing of a block before it */
    const bool affine = b->affine;
    const bool raced = m->options.checks & LS_CHECK_RACE || b->shadow.last;
    b->again = b->plain && !m->emulator->agents;
    b->plain = false;
    if (!b->again || raced) em_order_block_start(b);
    em_race_block_start(b, k);
    for (uint32_t n = 0; n < m->warps_per_block && !b->prepared; n++) em_warp_prepare(&b->warps[n]);
    em_start_values(b, m->kernel, m->warps_per_block);
    b->prepared = true;
    em_compile_block(b);
    b->again &= b->affine == affine;
    for (uint32_t n = 0; n < m->warps_per_block && m->emulator->unit_registers; n++)
        em_unit_start(&b->warps[n]);
    if (b->again) {
        start_again(b, m->warps_per_block, raced);
        return;
    }
    for (uint32_t n = 0; n < m->warps_per_block; n++) {
        warp *w = &b->warps[n];
        if (m->emulator->agents) {
            w->wgmma_groups = 0;
            memset(w->bulk_groups, 0, sizeof w->bulk_groups);
        }
        em_warp_start(w);
    }
}

static void order_warps(worker *k, uint32_t *order) {
    const machine *m = k->machine;
    uint32_t n = m->warps_per_block;
    for (uint32_t i = 0; i < n; i++) order[i] = m->options.schedule == LS_SCHEDULE_REVERSE ? n - 1 - i : i;
    if (m->options.schedule != LS_SCHEDULE_RANDOM) return;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)(em_random(&k->random) % i), t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }
}

/* Whether the turn was spent in looking for a change: then it counts towards the block's patience. */
static uint32_t weight_of(const block_run *b, uint32_t warps) {
    bool spun = false, changed = false;
    for (uint32_t n = 0; n < warps; n++) {
        const warp *w = &b->warps[n];
        if (w->state != WARP_READY) continue;
        if (!w->spun) return 0;
        spun = true;
        changed |= w->changed;
    }
    return !spun ? 0 : changed ? 1 : WAIT_WEIGHT;
}

/* One turn for every warp from that one on; false where none of them can go on. */
static bool turn(worker *k, uint32_t first, bool *done) {
    machine *m = k->machine;
    block_run *b = k->block;
    uint32_t order[MAX_THREADS], epoch = b->epoch, live = b->live_threads;
    bool progress = false;
    order_warps(k, order);
    *done = true;
    for (uint32_t i = 0; i < m->warps_per_block; i++) {
        warp *w = &b->warps[order[i]];
        if (i >= first) {
            w->spun = w->changed = w->looked = false;
            w->missed_count = 0;
            if (w->state == WARP_READY) progress |= em_warp_run(w);
        }
        *done &= w->state == WARP_DONE;
        if (atomic_load_explicit(&m->stop, memory_order_relaxed)) return true;
    }
    if (b->jobs.length) em_jobs_turn(b);
    uint32_t weight = b->epoch == epoch && b->live_threads == live ? weight_of(b, m->warps_per_block) : 0;
    b->waited = weight ? b->waited + weight : 0;
    return progress || first;
}

/* Where a thread of a block that was not finished stands. */
static void note_position(worker *k) {
    machine *m = k->machine;
    ls_lock(&m->lock);
    for (uint32_t n = 0; n < m->warps_per_block && !m->stop_pos; n++) {
        const warp *w = &k->block->warps[n];
        for (uint32_t p = 0; p < w->path_count && !m->stop_pos; p++) {
            const path *at = &w->paths[p];
            if (at->state != PATH_READY || !at->mask || !at->pc) continue;
            ls_actor t = em_actor(m, k->block->index, n, first_lane(at->mask));
            m->stop_pos = m->emulator->sites.items[at->pc->site].pos;
            if (m->status == LS_EMU_DONE && !m->message)
                m->message = ls_arena_printf(
                    &m->arena,
                    "the run was ended before the kernel was done: block (%u, %u, %u), thread "
                    "(%u, %u, %u) was still running here",
                    t.block[0], t.block[1], t.block[2], t.thread[0], t.thread[1], t.thread[2]);
        }
    }
    ls_unlock(&m->lock);
}

static bool let_ahead(const worker *k) {
    bool any = false;
    for (uint32_t n = 0; n < k->machine->warps_per_block; n++) any |= em_let_ahead(&k->block->warps[n]);
    return any;
}

/* Runs the block until it ends or waits for another one: true where it has ended. */
static bool run_block(worker *k) {
    machine *m = k->machine;
    uint32_t first = 0;
    bool done = !k->block->started && em_run_together(k, &first);
    k->block->started = true;
    /* who has waited before has one look */
    k->block->waited = k->block->waited ? WAIT_LIMIT - WAIT_WEIGHT : 0;
    while (!done && !atomic_load_explicit(&m->stop, memory_order_relaxed)) {
        if ((m->cancel && *m->cancel) || ls_deadline_passed(&k->deadline)) {
            atomic_store(&m->stop, 1);
            break;
        }
        const bool progress = turn(k, first, &done);
        first = 0;
        if (progress || done) {
            if (!done && k->block->waited >= WAIT_LIMIT && !em_mbarrier_stuck(k->block)) return false;
            continue;
        }
        if (let_ahead(k)) continue;
        em_report_stuck(k);
        atomic_store(&m->stop, 1);
    }
    em_jobs_all(k->block);
    if (done && k->block->agents) em_agent_end(k->block);
    if (done && k->block->tensor.last) em_tensor_end(k->block);
    if (!done) note_position(k);
    if (!k->block->plain) release_frames(k->block, m->warps_per_block); /* else nothing was called */
    return true;
}

/* --- Many --- */
/* A quarter of the machine's memory: blocks of a cooperative launch wait for each other, all of them. */
static size_t resident_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t part = pages > 0 && page > 0 ? (size_t)pages / 4 * (size_t)page : 0;
    return part > RESIDENT_MEMORY ? part : RESIDENT_MEMORY;
}

static uint32_t most_resident(const machine *m) {
    size_t block = (size_t)m->warps_per_block * (m->kernel->frame_bytes + sizeof(warp)) + m->block_bytes +
                   sizeof(block_run);
    if (m->options.checks & LS_CHECK_RACE)
        block += em_planes_bytes(m->block_bytes >> 2) +
                 (size_t)m->warps_per_block * m->emulator->memory_sites * 2 * sizeof(desc_cache);
    size_t n = resident_memory() / block / m->worker_count;
    return n < 2 ? 2 : n > MAX_RESIDENT ? MAX_RESIDENT : (uint32_t)n;
}

static void put_aside(worker *k) {
    k->block->next = NULL;
    if (k->last)
        k->last->next = k->block;
    else
        k->first = k->block;
    k->last = k->block;
}

/* The block that has waited longest. */
static bool take_waiting(worker *k) {
    k->block = k->first;
    if (!k->block) return false;
    k->first = k->block->next;
    if (!k->first) k->last = NULL;
    return true;
}

/* Memory for the blocks of a cluster. */
static bool has_room(worker *k) {
    const machine *m = k->machine;
    uint32_t spare = 0;
    for (const block_run *b = k->spare; b && spare < m->cluster_count; b = b->next) spare++;
    if (spare < m->cluster_count && k->first && k->resident >= most_resident(m)) return false;
    for (; spare < m->cluster_count; spare++)
        if (!em_new_resident(k)) return false;
    return true;
}

static block_run *take_spare(worker *k) {
    block_run *b = k->spare;
    k->spare = b->next;
    return b;
}

/* Counts blocks; what it was before. A single worker does without an instruction that waits until all that
 * its blocks have written is in the cache. */
static uint64_t count_up(const machine *m, _Atomic uint64_t *counter, uint64_t by) {
    if (m->worker_count > 1) return atomic_fetch_add(counter, by);
    const uint64_t n = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, n + by, memory_order_relaxed);
    return n;
}

/* The blocks of a cluster start together: the first one runs, the others wait for their turns. */
static bool take_cluster(worker *k) {
    machine *m = k->machine;
    const uint32_t count = m->cluster_count;
    if (atomic_load(&m->next_block) >= m->turns || !has_room(k)) return false;
    uint64_t n = count_up(m, &m->next_block, count) / count, clusters = m->blocks / count;
    if (n >= clusters) return false;
    if (m->options.schedule == LS_SCHEDULE_REVERSE) n = clusters - 1 - n;
    cluster_run *c = ls_xcalloc(1, sizeof *c);
    c->count = count;
    for (uint32_t r = 0; r < count; r++) c->members[r] = take_spare(k);
    for (uint32_t r = 0; r < count; r++) {
        uint32_t id[3];
        block_run *b = c->members[r];
        b->cluster = c;
        b->rank = r;
        em_cluster_place(m, n, r, id);
        start_block(k, b, id[0], id[1], id[2]);
        k->block = b;
        if (r) put_aside(k);
    }
    k->block = c->members[0];
    return true;
}

/* Whether compiled code may go from block to block of a row of the grid. */
static bool may_follow(const machine *m) {
    const compiled *c = m->kernel->compiled;
    return c && c->alone && m->options.schedule == LS_SCHEDULE_RR && !m->options.only_blocks;
}

/* The most blocks that a worker may take at once, so that workers do not all wait for the count of blocks:
 * one where blocks may wait for each other, as none must be kept by a worker that has no room for it. */
static uint64_t most_taken(const machine *m) {
    enum { AT_ONCE = 512, IN_TURN = 16 };
    return may_follow(m) ? AT_ONCE : m->worker_count == 1 || m->emulator->communicates ? 1 : IN_TURN;
}

/* More blocks for a worker. */
static bool take_share(worker *k) {
    enum { PARTS = 8 };
    machine *m = k->machine;
    const uint64_t taken = atomic_load(&m->next_block), most = most_taken(m);
    if (taken >= m->turns) return false;
    const uint32_t parts =
        m->worker_count > 1 ? PARTS * m->worker_count : 1; /* so that all end at one time */
    uint64_t count = (m->turns - taken) / parts;
    count = count < 1 ? 1 : count > most ? most : count;
    k->next = count_up(m, &m->next_block, count);
    k->end = k->next + count < m->turns ? k->next + count : m->turns;
    return k->next < k->end;
}

uint32_t em_blocks_ahead(const worker *k) {
    const machine *m = k->machine;
    const block_run *b = k->block;
    if (!b->again || !b->plain || !may_follow(m) || !keeps_warps(b, m->kernel)) return 0;
    const uint64_t row = m->launch->grid[0] - 1 - b->id[0], taken = k->end - k->next;
    return (uint32_t)(row < taken ? row : taken);
}

/* A block that was not started yet. */
static bool take_new(worker *k) {
    machine *m = k->machine;
    if (m->cluster_count > 1) return take_cluster(k);
    if (k->next >= k->end && atomic_load(&m->next_block) >= m->turns) return false;
    if (!k->spare && (k->resident >= most_resident(m) || !em_new_resident(k))) return false;
    if (k->next >= k->end && !take_share(k)) return false;
    uint64_t n = k->next++;
    uint64_t index = m->options.only_blocks                       ? m->options.only_blocks[n]
                     : m->options.schedule == LS_SCHEDULE_REVERSE ? m->blocks - 1 - n
                     : m->block_order                             ? m->block_order[n]
                                                                  : n;
    const uint32_t *g = m->launch->grid;
    const uint64_t row = index < g[0] ? 0 : index / g[0], z = row < g[1] ? 0 : row / g[1];
    k->block = take_spare(k);
    start_block(k, k->block, (uint32_t)(index - row * g[0]), (uint32_t)(row - z * g[1]), (uint32_t)z);
    return true;
}

/* The memory of a block of a cluster is used until all of them have ended. */
static void give_back(worker *k, block_run *b) {
    cluster_run *c = b->cluster;
    const uint32_t count = c ? c->count : 1;
    b->over = true;
    if (c && ++c->ended < count) return;
    for (uint32_t r = 0; r < count; r++) {
        block_run *member = c ? c->members[r] : b;
        member->cluster = NULL;
        member->over = false;
        member->next = k->spare;
        k->spare = member;
    }
    if (c) free(c);
}

static void count_done(worker *k, uint32_t count) {
    enum { LOOK = 16 }; /* blocks between two looks at the clock */
    machine *m = k->machine;
    uint64_t before = count_up(m, &m->done_blocks, count), done = before + count;
    if (k->index == 0 && m->options.progress)
        m->options.progress(m->options.progress_context, done, m->turns);
    if (k->index == 0 && m->options.so_far) em_tell_so_far(m);
    if ((m->cancel && *m->cancel && done < m->turns) ||
        (before / LOOK != done / LOOK && ls_deadline_passed(&k->deadline)))
        atomic_store(&m->stop, 1);
}

void em_blocks_passed(worker *k, uint32_t count) {
    k->next += count;
    if (count) count_done(k, count);
}

/* Those of its share that have ended are counted together. */
static void count_ended(worker *k) {
    if (k->ended) count_done(k, k->ended);
    k->ended = 0;
}

static void finish_block(worker *k) {
    give_back(k, k->block);
    k->ended++;
    if (k->next >= k->end) count_ended(k);
}

/* After a block that ended, one that waited may go on; after one that waits, another one must be tried. */
void em_run_blocks(worker *k) {
    machine *m = k->machine;
    bool ended = true;
    uint32_t turns = 0; /* blocks of a cluster need each other more than others */
    while (!atomic_load_explicit(&m->stop, memory_order_relaxed)) {
        const bool waiting = ended || (m->cluster_count > 1 && ++turns % (4 * m->cluster_count));
        if (!(waiting ? take_waiting(k) || take_new(k) : take_new(k) || take_waiting(k))) break;
        ended = run_block(k);
        if (ended)
            finish_block(k);
        else
            put_aside(k);
    }
    count_ended(k);
}
