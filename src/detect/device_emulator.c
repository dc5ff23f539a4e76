/* Instrumented kernels in the emulator: how the detector works without a GPU, and how it is tested.
 *
 * Device memory is one reserved range of the host's, so that it is one allocation for the emulator's check of
 * addresses: what a kernel accesses outside of it and of the caller's buffers is left out, not carried out.
 */
#include "base/guard.h"
#include "base/vec.h"
#include "detect/device.h"
#include "lockstep/emulate.h"

#include <stdlib.h>
#include <sys/mman.h>

typedef struct {
    uint64_t address, size;
} range;

typedef LS_VEC(range) range_list;

typedef struct {
    ls_detect_device base;
    uint64_t seed;
    char *pool;
    uint64_t used;
    range_list blocks; /* of the pool that are given out, by address; or free, for the same size */
    range_list unused;
    range_list known; /* memory of the caller's and variables */
} emulated_device;

static const uint64_t pool_size = UINT64_C(1) << 36;

typedef struct {
    ls_ptx_module *ptx;
    ls_emulator *emulator;
    uint32_t mapped; /* known ranges that the emulator has been told of */
} emulated_module;

static void device_free(ls_detect_device *device) {
    emulated_device *d = (emulated_device *)device;
    munmap(d->pool, pool_size);
    LS_VEC_FREE(&d->blocks);
    LS_VEC_FREE(&d->unused);
    LS_VEC_FREE(&d->known);
    free(d);
}

static void know(ls_detect_device *device, uint64_t address, uint64_t size) {
    emulated_device *d = (emulated_device *)device;
    uint64_t pool = (uint64_t)(uintptr_t)d->pool;
    if (!address || (address >= pool && address - pool < pool_size)) return;
    for (uint32_t i = 0; i < d->known.length; i++)
        if (d->known.items[i].address == address && d->known.items[i].size == size) return;
    LS_VEC_PUSH(&d->known, ((range){address, size}));
}

/* Tells the module's emulator of memory that was made known since its last launch. */
static void map_known(const emulated_device *d, emulated_module *module) {
    if (!module->mapped) ls_emulator_map(module->emulator, d->pool, pool_size, "device memory");
    if (!module->mapped) module->mapped = 1;
    for (; module->mapped <= d->known.length; module->mapped++) {
        const range *r = &d->known.items[module->mapped - 1];
        ls_emulator_map(module->emulator, (void *)(uintptr_t)r->address, r->size, "the caller's memory");
    }
}

static void module_unload(ls_detect_device *device, void *handle) {
    emulated_module *module = handle;
    (void)device;
    if (module->emulator) ls_emulator_free(module->emulator);
    if (module->ptx) ls_ptx_module_free(module->ptx);
    free(module);
}

static void *module_load(ls_detect_device *device, const char *ptx, size_t length, bool quick,
                         ls_diags *diags) {
    (void)quick;
    emulated_module *module = ls_xmalloc(sizeof *module);
    *module = (emulated_module){0};
    module->ptx = ls_ptx_parse(ptx, length, "instrumented.ptx", diags);
    if (module->ptx) module->emulator = ls_emulator_new(module->ptx, diags);
    if (module->emulator) return module;
    module_unload(device, module);
    return NULL;
}

static uint64_t module_symbol(ls_detect_device *device, void *handle, const char *name, uint64_t *size) {
    uint64_t bytes = 0, address = ls_emulator_symbol(((emulated_module *)handle)->emulator, name, &bytes);
    know(device, address, bytes);
    if (size) *size = bytes;
    return address;
}

static bool launch_kernel(ls_detect_device *device, void *handle, const char *kernel,
                          const device_launch *launch, ls_diags *diags) {
    ls_emu_launch how = {.kernel = kernel,
                         .shared_bytes = launch->shared_bytes,
                         .params = launch->params,
                         .params_size = launch->params_size};
    memcpy(how.grid, launch->grid, sizeof how.grid);
    memcpy(how.block, launch->block, sizeof how.block);
    emulated_device *d = (emulated_device *)device;
    uint64_t seed = d->seed;
    map_known(d, handle);
    ls_emu_options options = {.threads = 1,
                              .timeout = launch->timeout,
                              .schedule = seed ? LS_SCHEDULE_RANDOM : LS_SCHEDULE_RR,
                              .seed = seed};
    ls_emu_result *result = ls_emulator_run(((emulated_module *)handle)->emulator, &how, &options);
    bool done = result->status == LS_EMU_DONE;
    if (!done)
        ls_diags_add(diags, LS_ERROR, result->pos.file, result->pos.line, 0, "%s",
                     result->message ? result->message : "the emulated launch failed");
    ls_emu_result_free(result);
    return done;
}

static bool wait_for_launches(ls_detect_device *device, double timeout, ls_diags *diags) {
    (void)device, (void)timeout, (void)diags;
    return true;
}

/* Not more than most machines have, and half of what the run may take: what is copied takes as much again. */
static uint64_t free_memory(ls_detect_device *device) {
    uint64_t most = UINT64_C(1) << 32, half = ls_guard_memory() / 2, used = ((emulated_device *)device)->used;
    if (half < most) most = half;
    return used < most ? most - used : 0;
}

static uint64_t memory_alloc(ls_detect_device *device, uint64_t size) {
    emulated_device *d = (emulated_device *)device;
    size = (size + 511) / 256 * 256; /* with a gap behind it */
    for (uint32_t i = 0; i < d->unused.length; i++) {
        range r = d->unused.items[i];
        if (r.size != size) continue;
        d->unused.items[i] = d->unused.items[--d->unused.length];
        LS_VEC_PUSH(&d->blocks, r);
        memset((void *)(uintptr_t)r.address, 0, size);
        return r.address;
    }
    if (size > free_memory(device)) return 0;
    range made = {(uint64_t)(uintptr_t)d->pool + d->used, size};
    d->used += size;
    LS_VEC_PUSH(&d->blocks, made);
    return made.address;
}

static void memory_release(ls_detect_device *device, uint64_t address) {
    emulated_device *d = (emulated_device *)device;
    for (uint32_t i = 0; i < d->blocks.length; i++) {
        if (d->blocks.items[i].address != address) continue;
        LS_VEC_PUSH(&d->unused, d->blocks.items[i]);
        d->blocks.items[i] = d->blocks.items[--d->blocks.length];
        return;
    }
}

static bool memory_write(ls_detect_device *device, uint64_t to, const void *from, uint64_t size) {
    (void)device;
    if (size) memcpy((void *)(uintptr_t)to, from, size); /* of nothing the addresses may be null */
    return true;
}

static bool memory_read(ls_detect_device *device, void *to, uint64_t from, uint64_t size) {
    (void)device;
    if (size) memcpy(to, (const void *)(uintptr_t)from, size);
    return true;
}

static bool memory_copy(ls_detect_device *device, uint64_t to, uint64_t from, uint64_t size) {
    return memory_write(device, to, (const void *)(uintptr_t)from, size);
}

static bool memory_clear(ls_detect_device *device, uint64_t at, uint8_t value, uint64_t size) {
    (void)device;
    if (size) memset((void *)(uintptr_t)at, value, size);
    return true;
}

static bool use_stream(ls_detect_device *device, void *stream) {
    (void)device, (void)stream;
    return true;
}

static void leave_stream(ls_detect_device *device, void *stream) {
    (void)device, (void)stream;
}

static void *both_see(ls_detect_device *device, uint64_t size, uint64_t *address) {
    *address = memory_alloc(device, size);
    return (void *)(uintptr_t)*address;
}

static const device_functions emulator_functions = {
    .free = device_free,
    .load = module_load,
    .unload = module_unload,
    .symbol = module_symbol,
    .launch = launch_kernel,
    .wait = wait_for_launches,
    .alloc = memory_alloc,
    .release = memory_release,
    .write = memory_write,
    .read = memory_read,
    .copy = memory_copy,
    .clear = memory_clear,
    .free_memory = free_memory,
    .use_stream = use_stream,
    .leave_stream = leave_stream,
    .put = memory_write,
    .both_see = both_see,
    .know = know,
};

ls_detect_device *ls_detect_emulator(ls_diags *diags) {
    void *pool =
        mmap(NULL, pool_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pool == MAP_FAILED) {
        ls_diags_add(diags, LS_ERROR, NULL, 0, 0, "there is no room for the emulator's memory");
        return NULL;
    }
    emulated_device *device = ls_xmalloc(sizeof *device);
    *device = (emulated_device){.base = {.f = &emulator_functions,
                                         .name = "emulator",
                                         .max_shared = 227 << 10,
                                         .has_redux = true,
                                         .workers = 4},
                                .pool = pool};
    return &device->base;
}

void ls_detect_emulator_schedule(ls_detect_device *device, uint64_t seed) {
    if (device->f == &emulator_functions) ((emulated_device *)device)->seed = seed;
}
