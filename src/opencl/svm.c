/* Shared virtual memory, coarse-grained: memory with one address for the host and the device, as CUDA's
 * managed memory. Mapping it only orders. */
#include "opencl/opencl.h"

#include <stdlib.h>

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint align) {
    ENTER;
    cl_svm_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    if (!ocl_is(context, OCL_CONTEXT, __func__) || !size || align > 4096 || align & (align - 1)) return NULL;
    if (flags & ~known) return NULL; /* fine-grained memory is not there */
    uint64_t at =
        ls_dev_alloc(ocl_dev(), LS_MEMORY_MANAGED, context->devices.items[0]->number, size, __func__);
    return (void *)(uintptr_t)at;
}

void clSVMFree(cl_context context, void *memory) {
    ENTER;
    if (memory && ocl_is(context, OCL_CONTEXT, __func__)) ls_dev_free(ocl_dev(), (uintptr_t)memory, __func__);
}

/* --- Commands --- */
typedef struct {
    void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void **, void *);
    void *data;
    cl_uint count;
    void *list[];
} freeing;

static cl_int run_free(cl_event command, ls_stream *stream) {
    freeing *f = command->data;
    (void)stream;
    if (f->call)
        f->call(command->queue, f->count, f->list, f->data);
    else
        for (cl_uint k = 0; k < f->count; k++)
            if (f->list[k]) ls_dev_free(ocl_dev(), (uintptr_t)f->list[k], "clEnqueueSVMFree");
    return CL_SUCCESS;
}

static cl_int enqueue(cl_command_queue q, cl_command_type type, ocl_work *work, const void *data, size_t size,
                      cl_bool blocking, cl_uint count, const cl_event *list, cl_event *out,
                      const char *function) {
    if (!ocl_is(q, OCL_QUEUE, function)) return CL_INVALID_COMMAND_QUEUE;
    cl_int status = ocl_check_waits(q->context, count, list, function);
    if (status != CL_SUCCESS) return status;
    cl_event command = ocl_command(q, type, work, data, size);
    return command ? ocl_enqueue(command, count, list, blocking, out) : CL_OUT_OF_HOST_MEMORY;
}

cl_int clEnqueueSVMFree(cl_command_queue q, cl_uint memory_count, void **memory,
                        void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void **, void *), void *data,
                        cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    if (!memory_count != !memory) return CL_INVALID_VALUE;
    size_t size = sizeof(freeing) + memory_count * sizeof *memory;
    freeing *f = calloc(1, size);
    if (!f) return CL_OUT_OF_HOST_MEMORY;
    f->call = call;
    f->data = data;
    f->count = memory_count;
    if (memory_count) memcpy(f->list, memory, memory_count * sizeof *memory);
    cl_int status = enqueue(q, CL_COMMAND_SVM_FREE, run_free, f, size, CL_FALSE, count, list, out, __func__);
    free(f);
    return status;
}

static cl_int run_copy(cl_event command, ls_stream *stream) {
    return ocl_submit_copy(stream, command->data, "clEnqueueSVMMemcpy");
}

cl_int clEnqueueSVMMemcpy(cl_command_queue q, cl_bool blocking, void *to, const void *from, size_t size,
                          cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    if (!to || !from) return CL_INVALID_VALUE;
    ls_copy copy = {.to = {.address = (uintptr_t)to},
                    .from = {.address = (uintptr_t)from},
                    .width = size,
                    .waits = blocking};
    return enqueue(q, CL_COMMAND_SVM_MEMCPY, run_copy, &copy, sizeof copy, blocking, count, list, out,
                   __func__);
}

static cl_int nothing(cl_event command, ls_stream *stream) {
    (void)command, (void)stream;
    return CL_SUCCESS;
}

cl_int clEnqueueSVMMap(cl_command_queue q, cl_bool blocking, cl_map_flags flags, void *memory, size_t size,
                       cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    (void)flags;
    if (!memory || !size) return CL_INVALID_VALUE;
    return enqueue(q, CL_COMMAND_SVM_MAP, nothing, NULL, 0, blocking, count, list, out, __func__);
}

cl_int clEnqueueSVMUnmap(cl_command_queue q, void *memory, cl_uint count, const cl_event *list,
                         cl_event *out) {
    ENTER;
    if (!memory) return CL_INVALID_VALUE;
    return enqueue(q, CL_COMMAND_SVM_UNMAP, nothing, NULL, 0, CL_FALSE, count, list, out, __func__);
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue q, cl_uint memory_count, const void **memory,
                              const size_t *sizes, cl_mem_migration_flags flags, cl_uint count,
                              const cl_event *list, cl_event *out) {
    ENTER;
    (void)sizes, (void)flags;
    if (!memory_count || !memory) return CL_INVALID_VALUE;
    return enqueue(q, CL_COMMAND_SVM_MIGRATE_MEM, nothing, NULL, 0, CL_FALSE, count, list, out, __func__);
}
