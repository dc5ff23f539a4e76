/* Mapping: the program is given a pointer to the bytes of the device's memory, which the emulator has in the
 * host's; or to its own memory, where the buffer was made with CL_MEM_USE_HOST_PTR, and then the bytes go
 * there and back. */
#include "opencl/opencl.h"

#include <stdlib.h>

typedef struct {
    cl_mem mem;
    ocl_map map;
} mapping;

static bool reads(cl_map_flags flags) {
    return flags & CL_MAP_READ;
}
static bool writes(cl_map_flags flags) {
    return flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
}

/* The copy between the program's memory and the device's. */
static cl_int exchange(ls_stream *stream, const mapping *m, bool to_host, const char *function) {
    uint64_t device = m->mem->address + m->map.offset, host = (uintptr_t)m->map.pointer;
    ls_copy copy = {.to = {.address = to_host ? host : device},
                    .from = {.address = to_host ? device : host},
                    .width = m->map.size};
    return ocl_submit_copy(stream, &copy, function);
}

static cl_int run_map(cl_event command, ls_stream *stream) {
    const mapping *m = command->data;
    const char *function = command->type == CL_COMMAND_MAP_IMAGE ? "clEnqueueMapImage" : "clEnqueueMapBuffer";
    bool invalidates = m->map.flags & CL_MAP_WRITE_INVALIDATE_REGION;
    if (m->mem->host && !invalidates) return exchange(stream, m, true, function);
    /* A program that maps memory to write it may map it to read as well. */
    if (m->mem->host || !reads(m->map.flags) || writes(m->map.flags)) return CL_SUCCESS;
    return ocl_submit_work(stream, function, NULL, NULL, m->mem->address + m->map.offset, m->map.size, false,
                           m->mem->type != CL_MEM_OBJECT_BUFFER);
}

static cl_int run_unmap(cl_event command, ls_stream *stream) {
    const mapping *m = command->data;
    if (!writes(m->map.flags)) return CL_SUCCESS;
    if (m->mem->host) return exchange(stream, m, false, "clEnqueueUnmapMemObject");
    return ocl_submit_work(stream, "clEnqueueUnmapMemObject", NULL, NULL, m->mem->address + m->map.offset,
                           m->map.size, true, false);
}

static void *map_memory(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags, uint64_t offset,
                        uint64_t size, cl_command_type type, cl_uint count, const cl_event *list,
                        cl_event *out, cl_int *error, const char *function) {
    cl_int status = ocl_check_waits(q->context, count, list, function);
    if (status != CL_SUCCESS) FAIL(status);
    if ((reads(flags) && m->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) ||
        (writes(flags) && m->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)))
        FAIL(CL_INVALID_OPERATION);
    char *base = m->host ? m->host : ls_emu_host(m->address);
    mapping map = {m, {.pointer = base + offset, .offset = offset, .size = size, .flags = flags}};
    LS_VEC_PUSH(&m->maps, map.map);
    cl_event command = ocl_command(q, type, run_map, &map, sizeof map);
    if (!command) FAIL(CL_OUT_OF_HOST_MEMORY);
    ocl_uses(command, m);
    status = ocl_enqueue(command, count, list, blocking, out);
    if (status != CL_SUCCESS) FAIL(status);
    if (error) *error = CL_SUCCESS;
    return map.map.pointer;
}

void *clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags, size_t offset,
                         size_t size, cl_uint count, const cl_event *list, cl_event *out, cl_int *error) {
    ENTER;
    cl_int status = ocl_check_queue_mem(q, m, __func__);
    if (status != CL_SUCCESS) FAIL(status);
    if (m->type != CL_MEM_OBJECT_BUFFER) FAIL(CL_INVALID_MEM_OBJECT);
    if (!size || offset > m->size || size > m->size - offset) {
        ls_dev_finding(ocl_dev(), "memory.copy", LS_ERROR, m->address,
                       "%s: %zu bytes at offset %zu are not in the buffer of %llu bytes", __func__, size,
                       offset, (unsigned long long)m->size);
        FAIL(CL_INVALID_VALUE);
    }
    return map_memory(q, m, blocking, flags, offset, size, CL_COMMAND_MAP_BUFFER, count, list, out, error,
                      __func__);
}

void *clEnqueueMapImage(cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags,
                        const size_t *origin, const size_t *region, size_t *row_pitch, size_t *slice_pitch,
                        cl_uint count, const cl_event *list, cl_event *out, cl_int *error) {
    ENTER;
    cl_int status = ocl_check_queue_mem(q, m, __func__);
    if (status != CL_SUCCESS) FAIL(status);
    if (m->type == CL_MEM_OBJECT_BUFFER || !origin || !region || !row_pitch) FAIL(CL_INVALID_VALUE);
    uint64_t offset = ocl_image_address(m, origin) - m->address;
    uint64_t size =
        (region[2] - 1) * m->slice_pitch + (region[1] - 1) * m->row_pitch + region[0] * m->element;
    if (m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        size = (region[1] - 1) * m->slice_pitch + region[0] * m->element;
    if (!region[0] || !region[1] || !region[2] || offset > m->size || size > m->size - offset)
        FAIL(CL_INVALID_VALUE);
    *row_pitch = m->row_pitch;
    if (slice_pitch) *slice_pitch = m->slice_pitch;
    return map_memory(q, m, blocking, flags, offset, size, CL_COMMAND_MAP_IMAGE, count, list, out, error,
                      __func__);
}

cl_int clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *pointer, cl_uint count,
                               const cl_event *list, cl_event *out) {
    ENTER;
    cl_int status = ocl_check_queue_mem(q, m, __func__);
    if (status == CL_SUCCESS) status = ocl_check_waits(q->context, count, list, __func__);
    if (status != CL_SUCCESS) return status;
    uint32_t k = m->maps.length;
    while (k && m->maps.items[k - 1].pointer != pointer) k--;
    if (!k) {
        ls_dev_finding(ocl_dev(), "memory.free", LS_ERROR, m->address,
                       "%s of a pointer at which the memory object is not mapped", __func__);
        return CL_INVALID_VALUE;
    }
    mapping map = {m, m->maps.items[k - 1]};
    m->maps.items[k - 1] = m->maps.items[--m->maps.length];
    cl_event command = ocl_command(q, CL_COMMAND_UNMAP_MEM_OBJECT, run_unmap, &map, sizeof map);
    if (!command) return CL_OUT_OF_HOST_MEMORY;
    ocl_uses(command, m);
    return ocl_enqueue(command, count, list, CL_FALSE, out);
}
