/* Instrumented kernels in the emulator: how the detector works without a GPU, and how it is tested. */
#include "base/arena.h"
#include "detect/device.h"
#include "lockstep/emulate.h"

#include <stdlib.h>

typedef struct {
    ls_detect_device base;
    uint64_t seed;
} emulated_device;

typedef struct {
    ls_ptx_module *ptx;
    ls_emulator *emulator;
} emulated_module;

static void device_free(ls_detect_device *device) {
    free(device);
}

static void module_unload(ls_detect_device *device, void *handle) {
    emulated_module *module = handle;
    (void)device;
    if (module->emulator) ls_emulator_free(module->emulator);
    if (module->ptx) ls_ptx_module_free(module->ptx);
    free(module);
}

static void *module_load(ls_detect_device *device, const char *ptx, size_t length, ls_diags *diags) {
    emulated_module *module = ls_xmalloc(sizeof *module);
    *module = (emulated_module){0};
    module->ptx = ls_ptx_parse(ptx, length, "instrumented.ptx", diags);
    if (module->ptx) module->emulator = ls_emulator_new(module->ptx, diags);
    if (module->emulator) return module;
    module_unload(device, module);
    return NULL;
}

static uint64_t module_symbol(ls_detect_device *device, void *handle, const char *name, uint64_t *size) {
    (void)device;
    return ls_emulator_symbol(((emulated_module *)handle)->emulator, name, size);
}

static bool launch_kernel(ls_detect_device *device, void *handle, const char *kernel,
                          const device_launch *launch, ls_diags *diags) {
    ls_emu_launch how = {.kernel = kernel,
                         .shared_bytes = launch->shared_bytes,
                         .params = launch->params,
                         .params_size = launch->params_size};
    memcpy(how.grid, launch->grid, sizeof how.grid);
    memcpy(how.block, launch->block, sizeof how.block);
    uint64_t seed = ((emulated_device *)device)->seed;
    ls_emu_options options = {.unchecked_memory = true,
                              .threads = 1,
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

static uint64_t memory_alloc(ls_detect_device *device, uint64_t size) {
    (void)device;
    void *memory = NULL;
    if (posix_memalign(&memory, 256, size ? size : 1)) return 0;
    return (uint64_t)(uintptr_t)memset(memory, 0, size);
}

static void memory_release(ls_detect_device *device, uint64_t address) {
    (void)device;
    free((void *)(uintptr_t)address);
}

static bool memory_write(ls_detect_device *device, uint64_t to, const void *from, uint64_t size) {
    (void)device;
    memcpy((void *)(uintptr_t)to, from, size);
    return true;
}

static bool memory_read(ls_detect_device *device, void *to, uint64_t from, uint64_t size) {
    (void)device;
    memcpy(to, (const void *)(uintptr_t)from, size);
    return true;
}

static bool memory_copy(ls_detect_device *device, uint64_t to, uint64_t from, uint64_t size) {
    return memory_write(device, to, (const void *)(uintptr_t)from, size);
}

static bool memory_clear(ls_detect_device *device, uint64_t at, uint8_t value, uint64_t size) {
    (void)device;
    memset((void *)(uintptr_t)at, value, size);
    return true;
}

static uint64_t free_memory(ls_detect_device *device) {
    (void)device;
    return UINT64_C(1) << 30;
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
};

ls_detect_device *ls_detect_emulator(ls_diags *diags) {
    (void)diags;
    emulated_device *device = ls_xmalloc(sizeof *device);
    *device = (emulated_device){
        .base = {.f = &emulator_functions, .name = "emulator", .max_shared = 227 << 10, .workers = 4}};
    return &device->base;
}

void ls_detect_emulator_schedule(ls_detect_device *device, uint64_t seed) {
    if (device->f == &emulator_functions) ((emulated_device *)device)->seed = seed;
}
