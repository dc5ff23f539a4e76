/* Launching a kernel: decodes it, sets up workers, and runs the blocks of the grid, one after the other on
 * each of them. The warps of a block take turns: each runs until it waits, ends, or has had its share. */
#include "emulate/machine.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 1024, CALL_STACK = 64 * 1024 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- Blocks --- */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void start_block(worker *k, uint64_t index) {
    machine *m = k->machine;
    block_run *b = &k->block;
    const uint32_t *g = m->launch->grid;
    b->index = (uint32_t)index;
    b->id[0] = (uint32_t)(index % g[0]);
    b->id[1] = (uint32_t)(index / g[0] % g[1]);
    b->id[2] = (uint32_t)(index / g[0] / g[1]);
    b->epoch = 0;
    b->live_threads = m->threads;
    memset(b->barriers, 0, sizeof b->barriers);
    em_race_block_start(b, k);
    for (uint32_t n = 0; n < m->warps_per_block; n++) {
        warp *w = &b->warps[n];
        if (w->loop_counts) memset(w->loop_counts, 0, sizeof(uint64_t) * MAX_COUNTED_LOOPS * MAX_LANES);
        em_warp_start(w);
    }
}

static void order_warps(worker *k, uint32_t *order) {
    const machine *m = k->machine;
    uint32_t n = m->warps_per_block;
    for (uint32_t i = 0; i < n; i++) order[i] = m->options.schedule == LS_SCHEDULE_REVERSE ? n - 1 - i : i;
    if (m->options.schedule != LS_SCHEDULE_RANDOM) return;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)(next_random(&k->random) % i), t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }
}

/* One turn for every warp; false where none of them can go on. */
static bool turn(worker *k, bool *done) {
    machine *m = k->machine;
    uint32_t order[MAX_THREADS];
    bool progress = false;
    order_warps(k, order);
    *done = true;
    for (uint32_t i = 0; i < m->warps_per_block; i++) {
        warp *w = &k->block.warps[order[i]];
        if (w->state == WARP_READY) progress |= em_warp_run(w);
        *done &= w->state == WARP_DONE;
        if (atomic_load_explicit(&m->stop, memory_order_relaxed)) return true;
    }
    return progress;
}

static void release_frames(block_run *b, uint32_t warps) {
    for (uint32_t n = 0; n < warps; n++)
        for (uint32_t p = 0; p < b->warps[n].path_count; p++)
            if (b->warps[n].paths[p].state != PATH_FREE) {
                free(b->warps[n].paths[p].callee_regs);
                b->warps[n].paths[p].callee_regs = NULL;
            }
}

/* Where a thread of a block that was not finished stands. */
static void note_position(worker *k) {
    machine *m = k->machine;
    pthread_mutex_lock(&m->lock);
    for (uint32_t n = 0; n < m->warps_per_block && !m->stop_pos; n++) {
        const warp *w = &k->block.warps[n];
        for (uint32_t p = 0; p < w->path_count && !m->stop_pos; p++) {
            const path *at = &w->paths[p];
            if (at->state != PATH_READY || !at->mask || !at->pc) continue;
            ls_emu_thread t = em_thread_of(m, k->block.index, n, first_lane(at->mask));
            m->stop_pos = m->emulator->sites.items[at->pc->site].pos;
            if (m->status == LS_EMU_DONE && !m->message)
                m->message = ls_arena_printf(
                    &m->arena,
                    "the run was ended before the kernel was done: block (%u, %u, %u), thread "
                    "(%u, %u, %u) was still running here",
                    t.block[0], t.block[1], t.block[2], t.thread[0], t.thread[1], t.thread[2]);
        }
    }
    pthread_mutex_unlock(&m->lock);
}

static void run_block(worker *k, uint64_t index) {
    machine *m = k->machine;
    start_block(k, index);
    bool done = false;
    while (!done && !atomic_load_explicit(&m->stop, memory_order_relaxed)) {
        if (m->cancel && *m->cancel) atomic_store(&m->stop, 1);
        if (turn(k, &done) || done) continue;
        em_report_stuck(k);
        atomic_store(&m->stop, 1);
    }
    if (!done) note_position(k);
    release_frames(&k->block, m->warps_per_block);
}

static void *work(void *argument) {
    worker *k = argument;
    machine *m = k->machine;
    while (!atomic_load_explicit(&m->stop, memory_order_relaxed)) {
        uint64_t n = atomic_fetch_add(&m->next_block, 1);
        if (n >= m->blocks) break;
        uint64_t index = m->options.schedule == LS_SCHEDULE_REVERSE ? m->blocks - 1 - n
                         : m->block_order                           ? m->block_order[n]
                                                                    : n;
        run_block(k, index);
        uint64_t done = atomic_fetch_add(&m->done_blocks, 1) + 1;
        if (k->index == 0 && m->options.progress)
            m->options.progress(m->options.progress_context, done, m->blocks);
        if (m->deadline > 0 && !(done & 15) && seconds() > m->deadline) atomic_store(&m->stop, 1);
    }
    return NULL;
}

/* --- Workers --- */
static void *reserve(size_t bytes) {
    void *at = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void init_warp(worker *k, warp *w, uint32_t index) {
    machine *m = k->machine;
    uint32_t first = index * m->warp_size, lanes = m->threads - first;
    if (lanes > m->warp_size) lanes = m->warp_size;
    w->worker = k;
    w->machine = m;
    w->block = &k->block;
    w->index = index;
    w->full = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
    w->stride = m->stride;
    w->halves = m->stride / CHUNK;
    w->expanded = 0;
    w->frame = k->register_memory + (size_t)index * m->kernel->frame_bytes;
    w->local = k->local_memory + (size_t)index * m->warp_size * m->local_size;
    w->path_capacity = 8;
    w->paths = calloc(w->path_capacity, sizeof *w->paths);
    if (m->options.checks & (LS_CHECK_RACE | LS_CHECK_UNINIT))
        w->descs = calloc(2 * (size_t)m->emulator->memory_sites + 2, sizeof *w->descs);
    if (m->options.checks & LS_CHECK_BARRIER)
        w->loop_counts = calloc(MAX_COUNTED_LOOPS * MAX_LANES, sizeof *w->loop_counts);
}

static bool init_worker(machine *m, worker *k, uint32_t index) {
    k->machine = m;
    k->index = index;
    k->random = m->options.seed + index;
    k->register_bytes = (size_t)m->warps_per_block * m->kernel->frame_bytes + 64;
    k->register_memory = reserve(k->register_bytes);
    k->local_bytes = (size_t)m->warps_per_block * m->warp_size * m->local_size;
    k->local_memory = reserve(k->local_bytes);
    k->memory = calloc(m->emulator->memory_sites + 1, sizeof *k->memory);
    k->branches = calloc(m->emulator->sites.length + 1, sizeof *k->branches);
    if (m->options.profile) {
        k->counts = calloc(m->emulator->sites.length + 1, sizeof *k->counts);
        k->lanes = calloc(m->emulator->sites.length + 1, sizeof *k->lanes);
    }
    block_run *b = &k->block;
    b->shared = aligned_alloc(128, (m->shared_bytes + 255) / 128 * 128);
    if (b->shared) memset(b->shared, 0, (m->shared_bytes + 255) / 128 * 128);
    b->warps = aligned_alloc(64, sizeof(warp) * m->warps_per_block);
    if (!k->register_memory || !k->local_memory || !b->shared || !b->warps) return false;
    memset(b->warps, 0, sizeof(warp) * m->warps_per_block);
    if (m->options.checks & (LS_CHECK_RACE | LS_CHECK_UNINIT)) {
        b->shadow = calloc((m->shared_bytes >> m->shared_shift) + 16, sizeof *b->shadow);
        b->desc_capacity = 256;
        b->descs = calloc(b->desc_capacity, sizeof *b->descs);
        b->desc_count = b->epoch_desc = 1;
        m->shadow_bytes += ((m->shared_bytes >> m->shared_shift) + 16) * sizeof *b->shadow;
    }
    b->serial = UINT64_C(1) << 48;
    for (uint32_t n = 0; n < m->warps_per_block; n++) init_warp(k, &b->warps[n], n);
    return true;
}

static void free_worker(machine *m, worker *k) {
    block_run *b = &k->block;
    for (uint32_t n = 0; b->warps && n < m->warps_per_block; n++) {
        free(b->warps[n].paths);
        free(b->warps[n].descs);
        free(b->warps[n].loop_counts);
    }
    free(b->warps);
    free(b->shared);
    free(b->shadow);
    free(b->descs);
    free(k->memory);
    free(k->branches);
    free(k->counts);
    free(k->lanes);
    if (k->register_memory) munmap(k->register_memory, k->register_bytes);
    if (k->local_memory) munmap(k->local_memory, k->local_bytes ? k->local_bytes : 1);
}

/* --- Launches --- */
static bool invalid(ls_emu_result *r, ls_arena *arena, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->status = LS_EMU_INVALID;
    r->message = ls_arena_strdup(arena, text);
    return false;
}

static bool check_launch(machine *m, ls_emu_result *r) {
    const ls_emu_launch *l = m->launch;
    m->blocks = 1;
    uint64_t threads = 1;
    for (int k = 0; k < 3; k++) {
        if (!l->grid[k] || !l->block[k]) return invalid(r, &m->arena, "a grid or block size is 0");
        m->blocks *= l->grid[k];
        threads *= l->block[k];
        if (threads > MAX_THREADS || m->blocks > UINT32_MAX)
            return invalid(r, &m->arena, "more than %d threads in a block, or 2^32 blocks", MAX_THREADS);
    }
    m->threads = (uint32_t)threads;
    if (!m->options.warp_size) m->options.warp_size = 32;
    if (!m->options.banks) m->options.banks = 32;
    if (m->options.warp_size > 64 || m->options.banks > 64)
        return invalid(r, &m->arena, "warps have 1 to 64 lanes, shared memory 1 to 64 banks");
    m->warp_size = m->options.warp_size;
    m->stride = m->warp_size > 32 ? 64 : 32;
    m->warps_per_block = (m->threads + m->warp_size - 1) / m->warp_size;
    return true;
}

static bool prepare_code(machine *m, ls_emu_result *r) {
    ls_emulator *e = m->emulator;
    const ls_ptx_function *kernel = ls_ptx_find_function(e->module, m->launch->kernel);
    if (kernel && kernel->definition) kernel = kernel->definition;
    if (!kernel || !kernel->body || !kernel->is_entry)
        return invalid(r, &m->arena, "there is no kernel '%s'", m->launch->kernel);
    bool same = e->codes.length && e->codes.items[0]->function == kernel && e->stride == m->stride &&
                e->warp_size == m->warp_size && e->checks == m->options.checks &&
                e->unchecked_memory == m->options.unchecked_memory && e->watched == !!m->options.watch;
    if (!same) {
        em_forget_code(e);
        e->stride = m->stride;
        e->warp_size = m->warp_size;
        e->checks = m->options.checks;
        e->unchecked_memory = m->options.unchecked_memory;
        e->watched = m->options.watch;
        e->lane_ops = ls_lane_ops();
        em_place_shared(e, kernel, 128);
        em_decode(e, kernel);
    }
    m->kernel = e->codes.items[0];
    if (!m->kernel->decoded) return invalid(r, &m->arena, "'%s' cannot be decoded", m->launch->kernel);
    size_t size = ls_emu_param_offsets(kernel, NULL);
    if (m->launch->params_size < size)
        return invalid(r, &m->arena, "'%s' takes %zu bytes of parameters, %zu were given", m->launch->kernel,
                       size, m->launch->params_size);
    m->params_copy = ls_arena_alloc(&m->arena, m->launch->params_size + 16);
    if (m->launch->params_size) memcpy(m->params_copy, m->launch->params, m->launch->params_size);
    m->params = m->params_copy;
    m->params_size = m->launch->params_size;
    m->shared_bytes = e->shared_static + m->launch->shared_bytes;
    m->local_size = m->kernel->local_bytes + (e->has_calls ? CALL_STACK : 0);
    m->heap_used = e->has_calls;
    m->shared_shift = m->global_shift = e->least_access >= 4 ? 2 : e->least_access == 2 ? 1 : 0;
    return true;
}

static void order_blocks(machine *m) {
    if (m->options.schedule != LS_SCHEDULE_RANDOM) return;
    m->block_order = malloc(m->blocks * sizeof *m->block_order);
    if (!m->block_order) return;
    uint64_t state = m->options.seed;
    for (uint64_t i = 0; i < m->blocks; i++) m->block_order[i] = (uint32_t)i;
    for (uint64_t i = m->blocks; i > 1; i--) {
        uint64_t j = next_random(&state) % i;
        uint32_t t = m->block_order[i - 1];
        m->block_order[i - 1] = m->block_order[j];
        m->block_order[j] = t;
    }
}

static bool start_workers(machine *m, ls_emu_result *r) {
    uint32_t n = m->options.threads;
    if (!n) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        n = cores > 0 ? (uint32_t)cores : 1;
    }
    if (n > 256) n = 256;
    if (n > m->blocks) n = (uint32_t)m->blocks;
    m->worker_count = n;
    m->parallel = n > 1;
    m->workers = aligned_alloc(64, (n * sizeof(worker) + 63) / 64 * 64);
    if (!m->workers) return invalid(r, &m->arena, "out of memory");
    memset(m->workers, 0, n * sizeof(worker));
    if (m->options.checks & LS_CHECK_RACE) {
        m->desc_capacity = 1u << CELL_DESC_BITS;
        m->desc_count = 1;
        m->descs = reserve(m->desc_capacity * sizeof(desc));
        if (!m->descs) return invalid(r, &m->arena, "out of memory");
    }
    for (uint32_t k = 0; k < n; k++)
        if (!init_worker(m, &m->workers[k], k)) return invalid(r, &m->arena, "out of memory");
    return true;
}

static void run_all(machine *m) {
    pthread_t threads[256];
    uint32_t started = 1;
    for (uint32_t k = 1; k < m->worker_count; k++, started++)
        if (pthread_create(&threads[k], NULL, work, &m->workers[k])) break;
    work(&m->workers[0]);
    for (uint32_t k = 1; k < started; k++) pthread_join(threads[k], NULL);
}

static void finish(machine *m, ls_emu_result *r) {
    r->status = m->status;
    r->message = m->message;
    r->blocks_run = m->done_blocks;
    r->shadow_bytes = m->shadow_bytes;
    if (m->stop_pos)
        r->pos =
            (ls_emu_pos){m->stop_pos->file, m->stop_pos->line, m->stop_pos->column, m->stop_pos->ptx_line};
    if (atomic_load(&m->stop) && r->status == LS_EMU_DONE) {
        r->status = LS_EMU_CANCELLED;
        if (!r->message) r->message = "the run was ended before the kernel was done";
    }
    em_collect(m, r);
}

static void clean_up(machine *m) {
    for (uint32_t k = 0; m->workers && k < m->worker_count; k++) free_worker(m, &m->workers[k]);
    free(m->workers);
    free(m->block_order);
    if (m->releases)
        for (uint64_t k = 0; k < m->blocks; k++) LS_VEC_FREE(&m->releases[k]);
    free(m->releases);
    if (m->descs) munmap(m->descs, m->desc_capacity * sizeof(desc));
    for (uint32_t k = 0; k < m->emulator->allocations.length; k++) {
        allocation *a = m->emulator->allocations.items[k];
        cell *cells = atomic_load(&a->shadow);
        if (cells) munmap(cells, a->shadow_bytes);
        atomic_store(&a->shadow, NULL);
    }
    pthread_mutex_destroy(&m->lock);
}

ls_emu_result *ls_emulator_run(ls_emulator *e, const ls_emu_launch *launch, const ls_emu_options *options) {
    machine *m = calloc(1, sizeof *m);
    ls_emu_result *r = calloc(1, sizeof *r);
    if (!m || !r) {
        free(m);
        free(r);
        return NULL;
    }
    double start = seconds(), cpu = cpu_seconds();
    ls_arena_init(&m->arena);
    m->emulator = e;
    m->launch = launch;
    m->options = *options;
    m->cancel = options->cancel;
    if (options->timeout > 0) m->deadline = start + options->timeout;
    pthread_mutex_init(&m->lock, NULL);
    m->finding_table = LS_NEW_N(&m->arena, found *, 4096);
    if (check_launch(m, r) && prepare_code(m, r)) {
        order_blocks(m);
        if (start_workers(m, r)) {
            run_all(m);
            finish(m, r);
        }
    }
    clean_up(m);
    r->seconds = seconds() - start;
    r->cpu_seconds = cpu_seconds() - cpu;
    r->memory = m;
    return r;
}

void ls_emu_result_free(ls_emu_result *r) {
    if (!r) return;
    machine *m = r->memory;
    LS_VEC_FREE(&m->notes);
    ls_arena_free(&m->arena);
    free(m);
    free(r);
}
