/* Launching a kernel: decodes it, sets up workers, which run the blocks of the grid (blocks.c), and collects
 * what they found. */
#include "base/options.h"
#include "base/recover.h"
#include "emulate/check/checkers.h"
#include "emulate/check/early.h"
#include "emulate/compiled.h"
#include "emulate/matrix/tcgen05.h"
#include "emulate/proved.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CALL_STACK = 64 * 1024 };

/* --- Workers --- */
/* Zeroed counters that no other worker's lie near: neither in their cache lines, nor in those that are
 * fetched with them. Those of other threads than the one that launches are pages that they touch first; how
 * many bytes there are stands in front. */
enum { APART = 128 };
static void *new_counters(const worker *k, size_t count, size_t size) {
    const size_t bytes = (count * size + APART - 1) / APART * APART;
    if (!k->index) {
        void *at = aligned_alloc(APART, bytes);
        return at ? memset(at, 0, bytes) : NULL;
    }
    size_t *at = em_reserve(bytes + APART);
    if (!at) return NULL;
    *at = bytes + APART;
    return (char *)at + APART;
}

static void free_counters(const worker *k, void *at) {
    if (!k->index) {
        free(at);
    } else if (at) {
        size_t *all = (size_t *)(void *)((char *)at - APART);
        munmap(all, *all);
    }
}

static bool init_worker(machine *m, worker *k, uint32_t index) {
    k->machine = m;
    k->index = index;
    k->random = m->options.seed + index;
    k->memory = new_counters(k, m->emulator->memory_sites + 1, sizeof *k->memory);
    k->branches = new_counters(k, m->emulator->sites.length + 1, sizeof *k->branches);
    if (m->options.profile) {
        k->counts = new_counters(k, m->emulator->sites.length + 1, sizeof *k->counts);
        k->lanes = new_counters(k, m->emulator->sites.length + 1, sizeof *k->lanes);
    }
    const bool good = k->memory && k->branches && (!m->options.profile || (k->counts && k->lanes));
    return good && (index || em_new_resident(k)); /* the others make theirs in their own threads */
}

static void free_worker(worker *k) {
    em_free_residents(k);
    free_counters(k, k->memory);
    free_counters(k, k->branches);
    free_counters(k, k->counts);
    free_counters(k, k->lanes);
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
    char text[128];
    const char *wrong = ls_launch_limits(l->grid, l->block, text, sizeof text);
    if (wrong) return invalid(r, &m->arena, "%s", wrong);
    m->blocks = 1;
    uint64_t threads = 1;
    for (int k = 0; k < 3; k++) {
        if (!l->grid[k] || !l->block[k]) return invalid(r, &m->arena, "a grid or block size is 0");
        m->blocks *= l->grid[k];
        threads *= l->block[k];
        if (m->blocks > UINT32_MAX) return invalid(r, &m->arena, "more than 2^32 blocks");
    }
    m->threads = (uint32_t)threads;
    m->turns = m->options.only_blocks ? m->options.only_count : m->blocks;
    for (uint32_t k = 0; m->options.only_blocks && k < m->options.only_count; k++)
        if (m->options.only_blocks[k] >= m->blocks)
            return invalid(r, &m->arena, "there is no block %u", m->options.only_blocks[k]);
    if (!m->options.warp_size) m->options.warp_size = 32;
    if (!m->options.banks) m->options.banks = 32;
    if (m->options.warp_size > 64 || m->options.banks > 64)
        return invalid(r, &m->arena, "warps have 1 to 64 lanes, shared memory 1 to 64 banks");
    m->warp_size = m->options.warp_size;
    m->stride = m->warp_size > 32 ? 64 : 32;
    m->warps_per_block = (m->threads + m->warp_size - 1) / m->warp_size;
    return true;
}

/* OpenCL's local pointers: one behind the other in the dynamic part of shared memory, with gaps between them
 * that nothing may touch. */
static void place_locals(machine *m) {
    enum { ALIGN = 128 };
    m->local_places = LS_NEW_N(&m->arena, uint32_t, m->launch->local_count + 1);
    for (uint32_t k = 0; k < m->launch->local_count; k++) {
        const ls_emu_local *l = &m->launch->locals[k];
        uint64_t address = (m->shared_bytes + ALIGN - 1) / ALIGN * ALIGN;
        if (m->shared_bytes % ALIGN == 0 && k) address += ALIGN;
        m->local_places[k] = (uint32_t)address;
        if (l->offset + sizeof address <= m->params_size)
            memcpy(m->params_copy + l->offset, &address, sizeof address);
        m->shared_bytes = (uint32_t)address + l->bytes;
    }
}

/* The kernel decoded for this launch, where the one before was not decoded so. */
static bool load_code(machine *m, const ls_ptx_function *kernel, ls_emu_result *r) {
    ls_emulator *e = m->emulator;
    const bool proved = em_prove(m, kernel);
    bool same = !proved && e->codes.length && e->codes.items[0]->function == kernel &&
                e->stride == m->stride && e->warp_size == m->warp_size && e->checks == m->options.checks &&
                e->unchecked_memory == m->options.unchecked_memory && e->watched == !!m->options.watch &&
                e->profile == m->options.profile;
    if (!same) {
        em_forget_code(e);
        e->stride = m->stride;
        e->warp_size = m->warp_size;
        e->checks = m->options.checks;
        e->unchecked_memory = m->options.unchecked_memory;
        e->watched = m->options.watch;
        e->profile = m->options.profile;
        e->lane_ops = ls_lane_ops();
        if (!em_place_shared(e, kernel, 128)) {
            em_forget_code(e);
            return invalid(r, &m->arena,
                           "'%s' and the functions that it calls use more than %u bytes of shared memory",
                           m->launch->kernel, ls_most_shared(e->module));
        }
        em_code_of(e, kernel);
        em_decode_all(e);
    }
    m->kernel = e->codes.items[0];
    if (!m->kernel->decoded)
        return invalid(r, &m->arena,
                       "'%s' cannot be decoded: its frame of local memory or of registers is "
                       "too large, or its control flow is not understood",
                       m->launch->kernel);
    return true;
}

static bool copy_params(machine *m, const ls_ptx_function *kernel, ls_emu_result *r) {
    size_t size = ls_emu_param_offsets(kernel, NULL);
    if (m->launch->params_size < size)
        return invalid(r, &m->arena, "'%s' takes %zu bytes of parameters, %zu were given", m->launch->kernel,
                       size, m->launch->params_size);
    m->params_copy = ls_arena_alloc(&m->arena, m->launch->params_size + 16);
    if (m->launch->params_size) memcpy(m->params_copy, m->launch->params, m->launch->params_size);
    m->params = m->params_copy;
    m->params_size = m->launch->params_size;
    return true;
}

static bool place_shared(machine *m, ls_emu_result *r) {
    const ls_emulator *e = m->emulator;
    uint64_t dynamic = m->launch->shared_bytes;
    for (uint32_t k = 0; k < m->launch->local_count; k++) dynamic += m->launch->locals[k].bytes;
    if (dynamic > ls_most_shared(e->module) - e->shared_real)
        return invalid(r, &m->arena,
                       "the launch asks for %" PRIu64
                       " bytes of shared memory beside %u of variables; a block of '%s' "
                       "can have %u",
                       dynamic, e->shared_real, m->launch->kernel, ls_most_shared(e->module));
    m->shared_bytes = e->shared_static + m->launch->shared_bytes;
    place_locals(m);
    m->tensor_base = (m->shared_bytes + 15) / 16 * 16;
    m->block_bytes = e->tensor_memory ? m->tensor_base + TENSOR_MEMORY : m->shared_bytes;
    return true;
}

static bool prepare_code(machine *m, ls_emu_result *r) {
    ls_emulator *e = m->emulator;
    const ls_ptx_function *kernel = ls_ptx_find_function(e->module, m->launch->kernel);
    if (kernel && kernel->definition) kernel = kernel->definition;
    if (!kernel || !kernel->body || !kernel->is_entry)
        return invalid(r, &m->arena, "there is no kernel '%s'", m->launch->kernel);
    if (!load_code(m, kernel, r) || !copy_params(m, kernel, r) || !place_shared(m, r)) return false;
    m->local_size = m->kernel->local_bytes + (e->has_calls ? CALL_STACK : 0);
    m->heap_used = e->has_calls;
    m->agents = e->agents && m->options.checks & LS_CHECK_RACE;
    m->short_race =
        m->options.checks & LS_CHECK_RACE && !m->options.warp_synchronous && !m->agents && !m->options.early;
    m->shared_narrow = e->shared_narrow;
    m->global_narrow = e->global_narrow;
    return true;
}

static void order_blocks(machine *m) {
    if (m->options.schedule != LS_SCHEDULE_RANDOM || m->options.only_blocks) return;
    m->block_order = malloc(m->blocks * sizeof *m->block_order);
    if (!m->block_order) return;
    uint64_t state = m->options.seed;
    for (uint64_t i = 0; i < m->blocks; i++) m->block_order[i] = (uint32_t)i;
    for (uint64_t i = m->blocks; i > 1; i--) {
        uint64_t j = em_random(&state) % i;
        uint32_t t = m->block_order[i - 1];
        m->block_order[i - 1] = m->block_order[j];
        m->block_order[j] = t;
    }
}

/* Blocks that the kernel wants to run together. */
static bool form_clusters(machine *m, ls_emu_result *r) {
    const ls_ptx_function *f = m->kernel->function;
    bool said = ls_ptx_cluster_of(f, m->cluster), must = ls_ptx_tune_of(f, LS_TUNE_EXPLICITCLUSTER);
    if (ls_ptx_tune_of(f, LS_TUNE_BLOCKSARECLUSTERS))
        return invalid(r, &m->arena,
                       "grids of clusters (__block_size__, .blocksareclusters) are not modelled");
    for (uint32_t k = 0; k < 3; k++)
        if (said && m->launch->cluster[k] && m->launch->cluster[k] != m->cluster[k])
            return invalid(r, &m->arena, "the kernel must be launched in clusters of %u × %u × %u blocks",
                           m->cluster[0], m->cluster[1], m->cluster[2]);
    if (must && !said && !m->launch->cluster[0])
        return invalid(r, &m->arena,
                       "the kernel must be launched in clusters, and the launch does not give their size");
    m->explicit_cluster = said || must || m->launch->cluster[0];
    m->cluster_count = 1;
    for (uint32_t k = 0; k < 3; k++) {
        if (m->launch->cluster[k]) m->cluster[k] = m->launch->cluster[k];
        m->cluster_count *= m->cluster[k];
        if (m->launch->grid[k] % m->cluster[k] || m->cluster_count > CLUSTER_MOST)
            return invalid(r, &m->arena,
                           "a grid of %u × %u × %u blocks cannot be divided into the kernel's clusters of "
                           "%u × %u × %u",
                           m->launch->grid[0], m->launch->grid[1], m->launch->grid[2], m->cluster[0],
                           k > 0 ? m->cluster[1] : 1, k > 1 ? m->cluster[2] : 1);
    }
    if (m->cluster_count == 1) return true;
    m->options.only_blocks = NULL; /* some blocks of a cluster cannot run without the others */
    m->turns = m->blocks;
    m->agents = m->options.checks & LS_CHECK_RACE;
    m->short_race &= !m->agents;
    return true;
}

static bool start_workers(machine *m, ls_emu_result *r) {
    uint32_t n = m->options.threads;
    if (!n) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        n = cores > 0 ? (uint32_t)cores : 1;
    }
    if (n > 256) n = 256;
    if (n > m->turns) n = (uint32_t)m->turns;
    /* where blocks wait for each other or take turns, what is found depends on who comes first: one order,
     * then, whatever the number of cores */
    const ls_emulator *e = m->emulator;
    if (m->options.checks & LS_CHECK_RACE && (e->communicates || (e->orders && e->strong_global))) n = 1;
    m->worker_count = n;
    m->parallel = n > 1;
    m->workers = aligned_alloc(_Alignof(worker), n * sizeof(worker));
    if (!m->workers) return invalid(r, &m->arena, "out of memory");
    memset(m->workers, 0, n * sizeof(worker));
    if (!em_checkers_launch(m)) return invalid(r, &m->arena, "out of memory");
    for (uint32_t k = 0; k < n; k++)
        if (!init_worker(m, &m->workers[k], k)) return invalid(r, &m->arena, "out of memory");
    return true;
}

static void run_worker(void *context) {
    worker *k = context;
    const ls_emu_options *o = &k->machine->options;
    k->deadline = ls_deadline_in(o->timeout_in_cpu_time ? LS_CLOCK_THREAD : LS_CLOCK_WALL, o->timeout);
    k->instructions_left = o->most_instructions;
    em_run_blocks(k);
}

/* Where memory runs out, the run ends. */
static void *work(void *argument) {
    machine *m = ((worker *)argument)->machine;
    if (!ls_try(run_worker, argument)) {
        atomic_store(&m->stop, 1);
        atomic_store(&m->out_of_memory, true);
    }
    return NULL;
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
    r->shadow_bytes = em_shadow_bytes(m);
    if (m->stop_pos) r->pos = *m->stop_pos;
    r->pos.at = NULL;
    r->instructions_left = m->options.most_instructions;
    for (uint32_t k = 0; k < m->worker_count; k++)
        if (m->workers[k].instructions_left < r->instructions_left)
            r->instructions_left = m->workers[k].instructions_left;
    if (atomic_load(&m->out_of_memory)) r->message = "out of memory";
    if (atomic_load(&m->stop) && r->status == LS_EMU_DONE) {
        r->status = LS_EMU_CANCELLED;
        if (!r->message) r->message = "the run was ended before the kernel was done";
    }
    em_add_costs(m);
    em_collect(m, r);
    em_collect_compiled(m, r);
    r->accesses = m->emulator->memory_sites;
    r->spared = m->emulator->spared_sites;
}

static void clean_up(machine *m) {
    em_early_tell(m);
    for (uint32_t k = 0; m->workers && k < m->worker_count; k++) free_worker(&m->workers[k]);
    free(m->workers);
    free(m->block_order);
    em_order_machine_free(m);
    for (uint32_t k = 0; k < m->emulator->space->allocations.length; k++) {
        allocation *a = m->emulator->space->allocations.items[k];
        uint32_t *shadow = atomic_load(&a->shadow);
        em_tell_touched(m, a);
        em_keep_defined(m, a);
        if (shadow) munmap(shadow, em_planes_reserved(a->shadow_words));
        atomic_store(&a->shadow, NULL);
        a->has_rows = a->has_writers = false;
    }
    em_give_descs(m->emulator->space, m->descs, m->desc_capacity * sizeof(desc));
    pthread_mutex_destroy(&m->lock);
}

typedef struct {
    machine *m;
    ls_emu_result *r;
} run;

static void run_launch(void *context) {
    machine *m = ((run *)context)->m;
    ls_emu_result *r = ((run *)context)->r;
    m->finding_table = LS_NEW_N(&m->arena, found *, FINDING_BUCKETS);
    if (!check_launch(m, r) || !prepare_code(m, r) || !form_clusters(m, r)) return;
    order_blocks(m);
    if (!start_workers(m, r)) return;
    run_all(m);
    finish(m, r);
}

ls_emu_result *ls_emulator_run(ls_emulator *e, const ls_emu_launch *launch, const ls_emu_options *options) {
    machine *m = calloc(1, sizeof *m);
    ls_emu_result *r = calloc(1, sizeof *r);
    if (!m || !r) {
        free(m);
        free(r);
        return NULL;
    }
    double start = ls_clock_seconds(LS_CLOCK_WALL), cpu = ls_clock_seconds(LS_CLOCK_PROCESS);
    ls_arena_init(&m->arena);
    ls_store_init(&m->store);
    m->emulator = e;
    m->launch = launch;
    ls_options_copy(&m->options, sizeof m->options, options);
    m->cancel = m->options.cancel;
    m->started = cpu;
    m->started_wall = start;
    pthread_mutex_init(&m->lock, NULL);
    if (!ls_try(run_launch, &(run){m, r})) {
        r->status = LS_EMU_INVALID;
        r->message = "out of memory";
    }
    clean_up(m);
    r->seconds = ls_clock_seconds(LS_CLOCK_WALL) - start;
    r->cpu_seconds = ls_clock_seconds(LS_CLOCK_PROCESS) - cpu;
    r->memory = m;
    return r;
}

void ls_emu_result_free(ls_emu_result *r) {
    if (!r) return;
    machine *m = r->memory;
    LS_VEC_FREE(&m->notes);
    LS_VEC_FREE(&m->pending);
    ls_store_free(&m->store);
    ls_arena_free(&m->arena);
    free(m);
    free(r);
}
