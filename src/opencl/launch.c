/* Kernels on a queue. An NDRange is a grid of blocks. Where it has an offset, work-groups of several sizes
 * (OpenCL 2.0), or more work-groups in a dimension than a grid can have, it is run in parts, by code that
 * looks up in __lockstep_range which part it is (share/lockstep/opencl/prelude.h). */
#include "opencl/opencl.h"

#include <stdlib.h>

enum { MOST_LOCALS = 64, MOST_GRID_YZ = 65535 };

typedef struct {
    cl_kernel kernel;
    uint32_t dimensions;
    size_t offset[3], global[3], local[3];
    uint32_t local_count;
    ls_emu_local locals[MOST_LOCALS];
    size_t params_size;
    unsigned char params[]; /* as the kernel's parameters are laid out */
} range;

/* --- Sizes --- */
static size_t divisor(size_t n, size_t most) {
    for (size_t d = most < n ? most : n; d > 1; d--)
        if (n % d == 0) return d;
    return 1;
}

/* Where the program leaves the size to the platform: as many work-items as fit, in whole groups. */
static void choose_local(range *r, const ls_kernel_info *info, const size_t *required) {
    size_t room = ocl_recommended_group(info);
    for (uint32_t d = 0; d < 3; d++) {
        size_t most = d == 2 && room > 64 ? 64 : room;
        r->local[d] = required[0] ? required[d] : divisor(r->global[d], most);
        room /= r->local[d] ? r->local[d] : 1;
    }
}

static cl_int set_sizes(range *r, cl_uint dimensions, const size_t *offset, const size_t *global,
                        const size_t *local, const ls_kernel_info *info) {
    const size_t *required = r->kernel->info->required;
    if (dimensions < 1 || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
    if (!global) return CL_INVALID_GLOBAL_WORK_SIZE;
    r->dimensions = dimensions;
    for (uint32_t d = 0; d < 3; d++) {
        r->global[d] = d < dimensions ? global[d] : 1;
        r->offset[d] = offset && d < dimensions ? offset[d] : 0;
        r->local[d] = local && d < dimensions ? local[d] : 1;
        if (r->global[d] > UINT32_MAX) return CL_INVALID_GLOBAL_WORK_SIZE;
        if (r->offset[d] > SIZE_MAX - r->global[d]) return CL_INVALID_GLOBAL_OFFSET;
    }
    if (!local) choose_local(r, info, required);
    size_t items = 1;
    for (uint32_t d = 0; d < 3; d++) {
        if (!r->local[d] || (required[0] && r->local[d] != required[d])) return CL_INVALID_WORK_GROUP_SIZE;
        if (r->local[d] > (d == 2 ? 64u : 1024u)) return CL_INVALID_WORK_ITEM_SIZE;
        if (r->global[d] % r->local[d] && (required[0] || ocl_program_is_uniform(r->kernel->program)))
            return CL_INVALID_WORK_GROUP_SIZE;
        items *= r->local[d];
    }
    return items > (size_t)info->max_threads ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

/* --- Arguments --- */
static cl_int set_params(range *r, const ls_kernel_info *info) {
    const ocl_kernel_info *known = r->kernel->info;
    for (uint32_t n = 0; n < known->argument_count; n++) {
        const ocl_argument *a = &r->kernel->arguments[n];
        if (!a->set || n >= info->param_count) return CL_INVALID_KERNEL_ARGS;
        unsigned char *at = r->params + info->param_offsets[n];
        if (known->arguments[n].space == 3) {
            if (r->local_count == MOST_LOCALS) return CL_OUT_OF_RESOURCES;
            r->locals[r->local_count++] = (ls_emu_local){info->param_offsets[n], (uint32_t)a->size};
        } else if (a->bytes) {
            memcpy(at, a->bytes, a->size);
        } else {
            memcpy(at, &a->address, sizeof a->address);
        }
    }
    return CL_SUCCESS;
}

static void hold_memory(cl_event command, cl_kernel k) {
    for (uint32_t n = 0; n < k->info->argument_count; n++) {
        cl_mem m = k->arguments[n].mem;
        if (m && m->o.references) ocl_uses(command, m);
    }
    ocl_uses(command, k);
}

/* --- Running --- */
typedef struct {
    uint32_t first[3], count[3]; /* work-groups */
    uint32_t local[3];
} part;

static cl_int launch_part(const range *r, ls_dev_kernel *kernel, const part *p, ls_stream *stream) {
    ls_op op = {.kind = LS_OP_KERNEL,
                .what = "clEnqueueNDRangeKernel",
                .launch = {.kernel = kernel,
                           .params = (void *)(uintptr_t)r->params,
                           .params_size = r->params_size,
                           .locals = r->locals,
                           .local_count = r->local_count}};
    for (int d = 0; d < 3; d++) {
        op.launch.grid[d] = p->count[d];
        op.launch.block[d] = p->local[d];
        op.launch.cluster[d] = 1;
    }
    ls_dev_status status = ls_dev_submit(stream, &op);
    return status == LS_DEV_INVALID ? CL_OUT_OF_RESOURCES : ocl_result(status);
}

/* __lockstep_range: offset, first work-group, work-groups, local size, global size; then the dimensions. */
static void tell_part(const range *r, ls_dev_module *module, const part *p) {
    uint64_t address, size, *words;
    if (ls_dev_variable(ocl_dev(), module, "__lockstep_range", &address, &size) != LS_DEV_OK || size < 16 * 8)
        return;
    words = ls_emu_host(address);
    for (int d = 0; d < 3; d++) {
        words[d] = r->offset[d];
        words[3 + d] = p->first[d];
        words[6 + d] = (r->global[d] + r->local[d] - 1) / r->local[d];
        words[9 + d] = r->local[d];
        words[12 + d] = r->global[d];
    }
    words[15] = r->dimensions;
}

/* The parts of one dimension: whole work-groups, as many as a grid can have at a time, and the rest. */
static bool next_part(const range *r, int d, part *p) {
    uint64_t done = ((uint64_t)p->first[d] + p->count[d]) * r->local[d];
    if (p->count[d] && (done >= r->global[d] || p->local[d] < r->local[d])) return false;
    uint64_t left = r->global[d] - (p->count[d] ? done : 0), groups = left / r->local[d];
    p->first[d] += p->count[d];
    p->local[d] = (uint32_t)(groups ? r->local[d] : left);
    p->count[d] = groups ? (uint32_t)(d && groups > MOST_GRID_YZ ? MOST_GRID_YZ : groups) : 1;
    return true;
}

static cl_int run_parts(const range *r, ls_dev_module *module, ls_dev_kernel *kernel, ls_stream *stream) {
    cl_int status = CL_SUCCESS;
    part z = {0};
    while (status == CL_SUCCESS && next_part(r, 2, &z)) {
        part y = z;
        y.first[1] = y.count[1] = 0;
        while (status == CL_SUCCESS && next_part(r, 1, &y)) {
            part x = y;
            x.first[0] = x.count[0] = 0;
            while (status == CL_SUCCESS && next_part(r, 0, &x)) {
                tell_part(r, module, &x);
                status = launch_part(r, kernel, &x, stream);
            }
        }
    }
    return status;
}

static bool is_plain(const range *r) {
    if (ocl_needs_range(r->kernel->program)) return false;
    for (int d = 0; d < 3; d++)
        if (r->offset[d] || r->global[d] % r->local[d] || (d && r->global[d] / r->local[d] > MOST_GRID_YZ))
            return false;
    return true;
}

static cl_int run_range(cl_event command, ls_stream *stream) {
    const range *r = command->data;
    ocl_form form = is_plain(r) ? OCL_PLAIN : OCL_RANGE;
    ls_dev_module *module = ocl_module(r->kernel->program, form);
    ls_dev_kernel *kernel = module ? ls_dev_kernel_find(ocl_dev(), module, r->kernel->info->name) : NULL;
    if (!kernel) return CL_INVALID_PROGRAM_EXECUTABLE;
    for (int d = 0; d < 3; d++)
        if (!r->global[d]) return CL_SUCCESS; /* OpenCL 2.1: nothing to do */
    return run_parts(r, module, kernel, stream);
}

static cl_int enqueue(cl_command_queue q, cl_kernel k, cl_uint dimensions, const size_t *offset,
                      const size_t *global, const size_t *local, cl_command_type type, cl_uint count,
                      const cl_event *list, cl_event *out, const char *function) {
    if (!ocl_is(q, OCL_QUEUE, function)) return CL_INVALID_COMMAND_QUEUE;
    if (!ocl_is(k, OCL_KERNEL, function)) return CL_INVALID_KERNEL;
    if (k->program->context != q->context) return CL_INVALID_CONTEXT;
    ls_dev_module *module = ocl_module(k->program, OCL_PLAIN);
    ls_dev_kernel *kernel = module ? ls_dev_kernel_find(ocl_dev(), module, k->info->name) : NULL;
    if (!kernel) return CL_INVALID_PROGRAM_EXECUTABLE;
    const ls_kernel_info *info = ls_dev_kernel_info(kernel);
    cl_int status = ocl_check_waits(q->context, count, list, function);
    if (status != CL_SUCCESS) return status;
    size_t bytes = sizeof(range) + info->params_size + 16;
    range *r = calloc(1, bytes);
    if (!r) return CL_OUT_OF_HOST_MEMORY;
    r->kernel = k;
    r->params_size = info->params_size;
    status = set_sizes(r, dimensions, offset, global, local, info);
    if (status == CL_SUCCESS) status = set_params(r, info);
    uint64_t local_bytes = info->shared_bytes;
    for (uint32_t n = 0; n < r->local_count; n++) local_bytes += r->locals[n].bytes;
    if (status == CL_SUCCESS && local_bytes > info->shared_bytes + (uint64_t)info->max_dynamic_shared)
        status = CL_OUT_OF_RESOURCES;
    cl_event command = status == CL_SUCCESS ? ocl_command(q, type, run_range, r, bytes) : NULL;
    free(r);
    if (!command) return status;
    hold_memory(command, k);
    return ocl_enqueue(command, count, list, CL_FALSE, out);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint count, const cl_event *list,
                              cl_event *out) {
    ENTER;
    return enqueue(q, k, dimensions, offset, global, local, CL_COMMAND_NDRANGE_KERNEL, count, list, out,
                   __func__);
}

cl_int clEnqueueTask(cl_command_queue q, cl_kernel k, cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    const size_t one = 1;
    return enqueue(q, k, 1, NULL, &one, &one, CL_COMMAND_TASK, count, list, out, __func__);
}

/* --- Functions of the host --- */
typedef struct {
    void(CL_CALLBACK *call)(void *);
    size_t size; /* bytes of arguments */
    unsigned char bytes[];
} native;

static cl_int run_native(cl_event command, ls_stream *stream) {
    native *n = command->data;
    ls_stream_wait(stream); /* the function is the host's: it sees what came before */
    n->call(n->size ? n->bytes : NULL);
    for (uint32_t k = 0; k < command->uses.length; k++) { /* any of it may have been written */
        const struct _cl_mem *m = (const void *)command->uses.items[k];
        ocl_submit_work(stream, "clEnqueueNativeKernel", NULL, NULL, m->address, m->size, true, true);
    }
    return CL_SUCCESS;
}

cl_int clEnqueueNativeKernel(cl_command_queue q, void(CL_CALLBACK *call)(void *), void *arguments,
                             size_t size, cl_uint memory_count, const cl_mem *memory, const void **places,
                             cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    if (!ocl_is(q, OCL_QUEUE, __func__)) return CL_INVALID_COMMAND_QUEUE;
    if (!call || !arguments != !size || !memory_count != !memory || !memory_count != !places)
        return CL_INVALID_VALUE;
    cl_int status = ocl_check_waits(q->context, count, list, __func__);
    if (status != CL_SUCCESS) return status;
    native *n = calloc(1, sizeof *n + size);
    if (!n) return CL_OUT_OF_HOST_MEMORY;
    n->call = call;
    n->size = size;
    if (size) memcpy(n->bytes, arguments, size);
    for (cl_uint k = 0; k < memory_count; k++) {
        size_t at = (size_t)((const char *)places[k] - (const char *)arguments);
        bool good = ocl_is(memory[k], OCL_MEM, __func__) && at <= size - sizeof(void *);
        void *pointer = good ? ls_emu_host(memory[k]->address) : NULL;
        if (good) memcpy(n->bytes + at, &pointer, sizeof pointer);
        if (!good) status = CL_INVALID_MEM_OBJECT;
    }
    cl_event command = status == CL_SUCCESS
                           ? ocl_command(q, CL_COMMAND_NATIVE_KERNEL, run_native, n, sizeof *n + size)
                           : NULL;
    free(n);
    if (!command) return status;
    for (cl_uint k = 0; k < memory_count; k++) ocl_uses(command, memory[k]);
    return ocl_enqueue(command, count, list, CL_FALSE, out);
}
