/* The table of architectures, and limits of launches (lockstep/limits.h). */
#include "lockstep/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KB = 1024 };

static const ls_gpu gpus[] = {
    {50, 64, 32, 64 * KB, 0, 256, 48 * KB},     {52, 64, 32, 96 * KB, 0, 256, 48 * KB},
    {53, 64, 32, 64 * KB, 0, 256, 48 * KB},     {60, 64, 32, 64 * KB, 0, 256, 48 * KB},
    {61, 64, 32, 96 * KB, 0, 256, 48 * KB},     {62, 64, 32, 64 * KB, 0, 256, 48 * KB},
    {70, 64, 32, 96 * KB, 0, 256, 96 * KB},     {72, 64, 32, 96 * KB, 0, 256, 96 * KB},
    {75, 32, 16, 64 * KB, 0, 256, 64 * KB},     {80, 64, 32, 164 * KB, KB, 128, 163 * KB},
    {86, 48, 16, 100 * KB, KB, 128, 99 * KB},   {87, 48, 16, 164 * KB, KB, 128, 163 * KB},
    {89, 48, 24, 100 * KB, KB, 128, 99 * KB},   {90, 64, 32, 228 * KB, KB, 128, 227 * KB},
    {100, 64, 32, 228 * KB, KB, 128, 227 * KB}, {120, 48, 24, 100 * KB, KB, 128, 99 * KB},
};
enum { GPU_COUNT = sizeof gpus / sizeof *gpus };

const ls_gpu *ls_gpu_of(uint32_t arch) {
    const ls_gpu *found = &gpus[0];
    for (uint32_t i = 0; i < GPU_COUNT; i++)
        if (gpus[i].arch <= arch) found = &gpus[i];
    return found;
}

static const char *target_of(const ls_ptx_module *module) {
    for (uint32_t i = 0; i < module->target_count; i++)
        if (!strncmp(module->targets[i], "sm_", 3)) return module->targets[i] + 3;
    return "0";
}

uint32_t ls_ptx_arch(const ls_ptx_module *module) {
    return (uint32_t)strtoul(target_of(module), NULL, 10);
}

uint32_t ls_most_shared(const ls_ptx_module *module) {
    const char *target = module ? target_of(module) : "";
    const ls_gpu *own = module ? ls_gpu_of(ls_ptx_arch(module)) : &gpus[0];
    uint32_t most = own->block_shared;
    if (target[0] && target[strlen(target) - 1] == 'a') return most;
    for (uint32_t i = 0; i < GPU_COUNT; i++)
        if (gpus[i].arch >= own->arch && gpus[i].block_shared > most) most = gpus[i].block_shared;
    return most;
}

const char *ls_launch_limits(const uint32_t grid[3], const uint32_t block[3], char *text, size_t size) {
    static const uint32_t most_grid[] = {LS_MOST_GRID_X, LS_MOST_GRID_YZ, LS_MOST_GRID_YZ};
    static const uint32_t most_block[] = {LS_MOST_BLOCK_X, LS_MOST_BLOCK_Y, LS_MOST_BLOCK_Z};
    uint64_t threads = 1;
    for (int k = 0; k < 3; k++) {
        bool wide = block[k] > most_block[k];
        if (wide || grid[k] > most_grid[k]) {
            snprintf(text, size, "a %s can have at most %u %s in dimension %c", wide ? "block" : "grid",
                     wide ? most_block[k] : most_grid[k], wide ? "threads" : "blocks", "xyz"[k]);
            return text;
        }
        threads *= block[k] ? block[k] : 1;
    }
    if (threads <= LS_MOST_BLOCK_THREADS) return NULL;
    snprintf(text, size, "a block can have at most %d threads", LS_MOST_BLOCK_THREADS);
    return text;
}
