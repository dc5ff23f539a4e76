/* Kernels that launch kernels (dynamic parallelism of CUDA 12 and later): what device code calls for it. A
 * launch is two calls: one for memory that the code writes the parameters to, one that launches. Whoever runs
 * the kernel is given the launch and runs it when the kernel has ended, which every program allows, as a
 * kernel cannot wait for one that it has launched. Streams and events between such launches need nothing
 * more, where they are run in their order.
 *
 * And the word of a conditional node of a graph, which kernels set: its handle is the address of the word. */
#include "emulate/machine.h"

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_FUNCTION = 98 }; /* cudaError… */

/* The kernel that a pointer points to; NULL if it does not point to a kernel. */
static const ls_ptx_function *kernel_at(const machine *m, uint64_t address) {
    uint64_t number = (address - WINDOW_CODE) / 16;
    const ls_ptx_module *module = m->emulator->module;
    if (address < WINDOW_CODE || number >= module->function_count) return NULL;
    const ls_ptx_function *f = module->functions[number];
    return f->is_entry && f->body ? f : NULL;
}

static void fail(machine *m, uint32_t error) {
    pthread_mutex_lock(&m->lock);
    m->child_error = error;
    pthread_mutex_unlock(&m->lock);
}

/* void *GetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned shared) */
static void give_buffer(warp *w, const call_info *call, uint32_t lane) {
    machine *m = w->machine;
    pending_child p = {.kernel = kernel_at(m, em_argument(w, call, 0, lane))};
    if (p.kernel) {
        em_argument_bytes(w, call, 1, lane, p.grid, sizeof p.grid);
        em_argument_bytes(w, call, 2, lane, p.block, sizeof p.block);
        p.shared_bytes = (uint32_t)em_argument(w, call, 3, lane);
        p.buffer = em_heap_alloc(m, ls_emu_param_offsets(p.kernel, NULL));
    }
    if (p.buffer) {
        pthread_mutex_lock(&m->lock);
        LS_VEC_PUSH(&m->pending, p);
        pthread_mutex_unlock(&m->lock);
    } else {
        fail(m, p.kernel ? OUT_OF_MEMORY : INVALID_FUNCTION);
    }
    em_give_result(w, call, lane, p.buffer);
}

/* cudaError_t LaunchDeviceV2(void *buffer, cudaStream_t stream). The buffer may not be written to after. */
static uint32_t launch(warp *w, const call_info *call, uint32_t lane) {
    machine *m = w->machine;
    uint64_t buffer = em_argument(w, call, 0, lane);
    uint32_t error = INVALID_VALUE;
    pthread_mutex_lock(&m->lock);
    for (uint32_t k = m->pending.length; k-- > 0;) {
        pending_child p = m->pending.items[k];
        if (p.buffer != buffer) continue;
        m->pending.items[k] = m->pending.items[--m->pending.length];
        ls_emu_child child = {.kernel = p.kernel->symbol->name,
                              .shared_bytes = p.shared_bytes,
                              .params = (const void *)em_host(buffer),
                              .params_size = ls_emu_param_offsets(p.kernel, NULL),
                              .stream = em_argument(w, call, 1, lane),
                              .by = w->block->index};
        memcpy(child.grid, p.grid, sizeof p.grid);
        memcpy(child.block, p.block, sizeof p.block);
        error = (uint32_t)m->options.child(m->options.child_context, &child);
        break;
    }
    pthread_mutex_unlock(&m->lock);
    if (error)
        fail(m, error);
    else
        em_heap_free(m, buffer);
    return error;
}

/* Writes to where the argument points; false where nothing is there. */
static bool store(warp *w, const insn *i, uint32_t lane, uint64_t address, uint64_t value, uint32_t bytes) {
    uint64_t room = 0;
    char *at = (char *)(uintptr_t)em_bytes_at(w, lane, address, &room);
    if (!at || room < bytes) return false;
    memcpy(at, &value, bytes);
    if ((address & WINDOW_MASK) == WINDOW_LOCAL && w->block->undefined) {
        uint64_t offsets[MAX_LANES];
        offsets[lane] = address & ~WINDOW_MASK;
        em_check_local(w, i, &(mem_access){.bytes = bytes, .count = 1, .write = true}, offsets,
                       UINT64_C(1) << lane);
    }
    return true;
}

static uint32_t handle_of(warp *w, const insn *i, const call_info *call, uint32_t lane) {
    enum { FIRST_HANDLE = 0x100 }; /* 1 … 5 stand for streams that are always there */
    machine *m = w->machine;
    pthread_mutex_lock(&m->lock);
    uint64_t handle = FIRST_HANDLE + m->child_handles++;
    pthread_mutex_unlock(&m->lock);
    return store(w, i, lane, em_argument(w, call, 0, lane), handle, 8) ? 0 : INVALID_VALUE;
}

static uint32_t allocate(warp *w, const insn *i, const call_info *call, uint32_t lane) {
    uint64_t at = em_heap_alloc(w->machine, em_argument(w, call, 1, lane));
    if (!store(w, i, lane, em_argument(w, call, 0, lane), at, 8)) return INVALID_VALUE;
    return at ? 0 : OUT_OF_MEMORY;
}

static uint32_t last_error(machine *m, bool keep) {
    pthread_mutex_lock(&m->lock);
    uint32_t error = m->child_error;
    if (!keep) m->child_error = 0;
    pthread_mutex_unlock(&m->lock);
    return error;
}

const insn *em_exec_child(warp *w, const insn *i, const call_info *call, uint64_t mask) {
    machine *m = w->machine;
    if (!m->options.child && call->builtin == BUILTIN_CHILD_BUFFER)
        return em_stop(w, i, LS_EMU_UNSUPPORTED,
                       "the kernel launches kernels, which only works when a whole program is run (lockstep "
                       "run -- PROGRAM)");
    FOR_LANES(l, mask) {
        uint32_t error = 0;
        switch (call->builtin) {
        case BUILTIN_CHILD_BUFFER: give_buffer(w, call, l); continue;
        case BUILTIN_CHILD_LAUNCH: error = launch(w, call, l); break;
        case BUILTIN_CHILD_LAST_ERROR: error = last_error(m, false); break;
        case BUILTIN_CHILD_PEEK_ERROR: error = last_error(m, true); break;
        case BUILTIN_CHILD_HANDLE: error = handle_of(w, i, call, l); break;
        case BUILTIN_CHILD_MALLOC: error = allocate(w, i, call, l); break;
        case BUILTIN_SET_CONDITIONAL:
            store(w, i, l, em_argument(w, call, 0, l), em_argument(w, call, 1, l), 4);
            break;
        default: break;
        }
        em_give_result(w, call, l, error);
    }
    return i + 1;
}
