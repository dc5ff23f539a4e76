/* Work of the libraries beside the runtime. */
#include "cuda/work.h"
#include "cuda/runtime.h"

EXPORTED int lockstep_cuda_work(void *stream, const char *what, const lockstep_operand *operands,
                                unsigned count, void (*call)(void *data, lockstep_memory *memory),
                                const void *data, size_t size) {
    cudaError_t ready = rt_ready();
    if (ready) return ready;
    ls_stream *s = cu_stream(stream);
    if (!s || count > LS_WORK_OPERANDS) return CU_INVALID_HANDLE;
    ls_op op = {.kind = LS_OP_WORK,
                .what = what,
                .work = {.call = call, .data = (void *)(uintptr_t)data, .size = size, .count = count}};
    for (unsigned k = 0; k < count; k++)
        op.work.operands[k] =
            (ls_operand){operands[k].address, operands[k].size, operands[k].write, operands[k].rough};
    return cu_result(what, ls_dev_submit(s, &op));
}

EXPORTED int lockstep_cuda_call(void (*call)(void *data, lockstep_memory *memory), void *data) {
    return (int)ls_dev_carry_out(call, data);
}

EXPORTED void *lockstep_cuda_memory(lockstep_memory *memory, size_t size) {
    return ls_arena_zalloc(memory, size);
}

EXPORTED void *lockstep_cuda_host(uint64_t address) {
    return ls_emu_host(address);
}

EXPORTED bool lockstep_cuda_reaches(uint64_t address) {
    ls_memory m;
    return ls_dev_find(cu_dev(), address, &m);
}

EXPORTED void lockstep_cuda_missing(const char *function) {
    ls_dev_missing(cu_dev(), function);
}
