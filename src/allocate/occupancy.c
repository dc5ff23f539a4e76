/* How many blocks fit on a multiprocessor (CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability"), and how much shared memory a block can take for spills without fewer of them fitting. */
#include "allocate/private.h"
#include "lockstep/limits.h"

#include <stdlib.h>

enum { FILE_WORDS = 65536, WARP_GRANULARITY = 256, DEFAULT_BUDGET = 48 * 1024 };

static uint32_t rounded_up(uint32_t n, uint32_t to) {
    return (n + to - 1) / to * to;
}

static uint32_t shared_of(const ls_gpu *m, uint32_t bytes) {
    return rounded_up(bytes + m->reserved, m->granularity);
}

ls_occupancy ls_occupancy_of(uint32_t arch, uint32_t threads, uint32_t registers, uint32_t shared) {
    const ls_gpu *m = ls_gpu_of(arch);
    uint32_t warps = threads ? (threads + 31) / 32 : 1;
    uint32_t words = rounded_up(rounded_up(registers ? registers : 1, 8) * 32, WARP_GRANULARITY);
    uint32_t by_shared = shared_of(m, shared) ? m->shared / shared_of(m, shared) : m->blocks;
    const struct {
        uint32_t blocks;
        const char *limit;
    } limits[] = {{m->warps / warps, "threads"},
                  {m->blocks, "blocks"},
                  {FILE_WORDS / words / warps, "registers"},
                  {by_shared, "shared memory"}};
    ls_occupancy out = {.blocks = UINT32_MAX};
    for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].blocks < out.blocks) {
            out.blocks = limits[i].blocks;
            out.limit = limits[i].limit;
        }
    out.warps = out.blocks * warps;
    out.percent = out.warps * 100 / m->warps;
    return out;
}

/* --- Room for spills -------------------------------------------------------------------------------------
 */
uint32_t ls_static_shared(const job *j) {
    uint64_t bytes = 0;
    bool calls = false;
    for (uint32_t i = 0; i < j->f->instr_count; i++) calls |= j->f->instrs[i]->op == LS_OP_CALL;
    for (uint32_t i = 0; i < j->f->object_count; i++) {
        const ls_ir_object *object = j->f->objects[i];
        if (object->kind == LS_OBJECT_SHARED && !object->is_extern) bytes += (object->size + 15) & ~15u;
    }
    for (uint32_t i = 0; calls && i < j->module->variable_count; i++)
        if (j->module->variables[i]->space == LS_SPACE_SHARED)
            bytes += ls_ptx_variable_size(j->module->variables[i]);
    return bytes > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)bytes;
}

uint32_t ls_warps_of(const ls_ptx_function *function, const uint32_t block[3]) {
    const ls_ptx_tune *most = ls_ptx_tune_of(function, LS_TUNE_MAXNTID);
    uint64_t threads = LS_MOST_BLOCK_THREADS;
    if (block[0])
        threads = (uint64_t)block[0] * block[1] * block[2];
    else if (most)
        threads = (uint64_t)most->values[0] * (most->count > 1 ? most->values[1] : 1) *
                  (most->count > 2 ? most->values[2] : 1);
    if (!threads || threads > LS_MOST_BLOCK_THREADS) threads = LS_MOST_BLOCK_THREADS;
    return (uint32_t)((threads + LS_WARP_LANES - 1) / LS_WARP_LANES);
}

uint32_t ls_shared_room(const job *j, uint32_t registers, const char **limit) {
    uint32_t own = j->out->shared_static + j->options->dynamic_shared;
    uint32_t budget = j->options->shared_budget ? j->options->shared_budget : DEFAULT_BUDGET;
    uint32_t room = budget > own ? budget - own : 0;
    *limit = "the budget of shared memory";
    if (j->options->ignore_occupancy) return room;
    const ls_gpu *m = ls_gpu_of(j->arch);
    ls_occupancy now = ls_occupancy_of(j->arch, j->warps * LS_WARP_LANES, registers, own);
    if (!now.blocks) return room;
    uint32_t each = m->shared / now.blocks / m->granularity * m->granularity;
    uint32_t usable = each > m->reserved + own ? each - m->reserved - own : 0;
    if (usable >= room) return room;
    *limit = "occupancy";
    return usable;
}
