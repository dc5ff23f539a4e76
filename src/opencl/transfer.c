/* Reads, writes, copies and fills of buffers, in one to three dimensions. */
#include "opencl/opencl.h"

#include <stdlib.h>

cl_int ocl_submit_copy(ls_stream *stream, const ls_copy *copy, const char *function) {
    ls_op op = {.kind = LS_OP_COPY, .what = function, .copy = *copy};
    return ocl_result(ls_dev_submit(stream, &op));
}

static void no_work(void *data, ls_arena *memory) {
    (void)data, (void)memory;
}

cl_int ocl_submit_work(ls_stream *stream, const char *function, ls_work_call call, void *data,
                       uint64_t address, uint64_t size, bool write, bool rough) {
    ls_op op = {.kind = LS_OP_WORK,
                .what = function,
                .work = {.call = call ? call : no_work,
                         .data = data,
                         .operands = {{address, size, write, rough}},
                         .count = 1}};
    return ocl_result(ls_dev_submit(stream, &op));
}

cl_int ocl_check_queue_mem(cl_command_queue q, cl_mem m, const char *function) {
    if (!ocl_is(q, OCL_QUEUE, function)) return CL_INVALID_COMMAND_QUEUE;
    if (!ocl_is(m, OCL_MEM, function)) return CL_INVALID_MEM_OBJECT;
    return m->context == q->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

static cl_int check_buffer(cl_command_queue q, cl_mem m, const char *function) {
    cl_int status = ocl_check_queue_mem(q, m, function);
    return status != CL_SUCCESS || m->type == CL_MEM_OBJECT_BUFFER ? status : CL_INVALID_MEM_OBJECT;
}

/* What is outside of its buffer is refused, and told: a program that goes on after it is wrong. */
static cl_int check_range(cl_mem m, uint64_t offset, uint64_t size, const char *function) {
    if (offset <= m->size && size <= m->size - offset) return CL_SUCCESS;
    ls_dev_finding(ocl_dev(), "memory.copy", LS_ERROR, m->address,
                   "%s: %llu bytes at offset %llu go beyond the buffer of %llu bytes", function,
                   (unsigned long long)size, (unsigned long long)offset, (unsigned long long)m->size);
    return CL_INVALID_VALUE;
}

/* --- Copies of all kinds --- */
cl_int ocl_run_transfer(cl_event command, ls_stream *stream) {
    const ocl_transfer *t = command->data;
    return ocl_submit_copy(stream, &t->copy, t->function);
}

static cl_int enqueue_transfer(cl_command_queue q, cl_command_type type, const ocl_transfer *t, cl_mem a,
                               cl_mem b, cl_bool blocking, cl_uint count, const cl_event *list,
                               cl_event *out) {
    cl_int status = ocl_check_waits(q->context, count, list, t->function);
    if (status != CL_SUCCESS) return status;
    cl_event command = ocl_command(q, type, ocl_run_transfer, t, sizeof *t);
    if (!command) return CL_OUT_OF_HOST_MEMORY;
    ocl_uses(command, a);
    if (b) ocl_uses(command, b);
    return ocl_enqueue(command, count, list, blocking, out);
}

/* Whether the host may do this with the buffer. */
static bool host_may(cl_mem m, bool write) {
    return !(m->flags & (CL_MEM_HOST_NO_ACCESS | (write ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY)));
}

static cl_int read_or_write(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size,
                            const void *host, bool write, cl_uint count, const cl_event *list, cl_event *out,
                            const char *function) {
    cl_int status = check_buffer(q, m, function);
    if (status == CL_SUCCESS && !host) status = CL_INVALID_VALUE;
    if (status == CL_SUCCESS && !host_may(m, write)) status = CL_INVALID_OPERATION;
    if (status == CL_SUCCESS) status = check_range(m, offset, size, function);
    if (status != CL_SUCCESS) return status;
    ls_side device = {.address = m->address + offset, .kind = LS_SIDE_DEVICE},
            host_side = {.address = (uintptr_t)host, .kind = LS_SIDE_HOST};
    if (m->borrows && !m->parent) device.kind = LS_SIDE_ANY;
    ocl_transfer t = {{.to = write ? device : host_side,
                       .from = write ? host_side : device,
                       .width = size,
                       .waits = blocking},
                      function};
    return enqueue_transfer(q, write ? CL_COMMAND_WRITE_BUFFER : CL_COMMAND_READ_BUFFER, &t, m, NULL,
                            blocking, count, list, out);
}

cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size,
                           void *host, cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    return read_or_write(q, m, blocking, offset, size, host, false, count, list, out, __func__);
}

cl_int clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t offset, size_t size,
                            const void *host, cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    return read_or_write(q, m, blocking, offset, size, host, true, count, list, out, __func__);
}

cl_int clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                           size_t size, cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    cl_int status = check_buffer(q, from, __func__);
    if (status == CL_SUCCESS) status = check_buffer(q, to, __func__);
    if (status == CL_SUCCESS && !size) status = CL_INVALID_VALUE;
    if (status == CL_SUCCESS) status = check_range(from, from_offset, size, __func__);
    if (status == CL_SUCCESS) status = check_range(to, to_offset, size, __func__);
    if (status != CL_SUCCESS) return status;
    uint64_t a = from->address + from_offset, b = to->address + to_offset;
    if (a < b + size && b < a + size) {
        ls_dev_finding(ocl_dev(), "memory.copy", LS_ERROR, to->address,
                       "%s: the two regions of %zu bytes overlap", __func__, size);
        return CL_MEM_COPY_OVERLAP;
    }
    ocl_transfer t = {{.to = {.address = b}, .from = {.address = a}, .width = size}, __func__};
    return enqueue_transfer(q, CL_COMMAND_COPY_BUFFER, &t, from, to, CL_FALSE, count, list, out);
}

/* --- Rectangles --- */
typedef struct {
    const size_t *origin;
    size_t row, slice;
} rectangle;

/* Fills in pitches that were not given; false where they do not fit the region. */
static bool complete(rectangle *r, const size_t *region) {
    if (!r->row) r->row = region[0];
    if (!r->slice) r->slice = r->row * region[1];
    return r->row >= region[0] && r->slice >= r->row * region[1] && r->slice % r->row == 0;
}

static uint64_t start_of(const rectangle *r) {
    return r->origin[2] * r->slice + r->origin[1] * r->row + r->origin[0];
}

static ls_side side_of(uint64_t address, const rectangle *r, ls_side_kind kind) {
    return (ls_side){
        .address = address + start_of(r), .pitch = r->row, .rows = r->slice / r->row, .kind = kind};
}

static cl_int check_rectangle(cl_mem m, rectangle *r, const size_t *region, const char *function) {
    if (!complete(r, region)) return CL_INVALID_VALUE;
    uint64_t length = (region[2] - 1) * r->slice + (region[1] - 1) * r->row + region[0];
    return check_range(m, start_of(r), length, function);
}

static bool is_region(const size_t *region) {
    return region && region[0] && region[1] && region[2];
}

static cl_int rect(cl_command_queue q, cl_mem m, cl_bool blocking, rectangle device, rectangle host,
                   const size_t *region, const void *memory, bool write, cl_uint count, const cl_event *list,
                   cl_event *out, const char *function) {
    cl_int status = check_buffer(q, m, function);
    if (status != CL_SUCCESS) return status;
    if (!memory || !device.origin || !host.origin || !is_region(region)) return CL_INVALID_VALUE;
    if (!host_may(m, write)) return CL_INVALID_OPERATION;
    status = check_rectangle(m, &device, region, function);
    if (status != CL_SUCCESS || !complete(&host, region)) return CL_INVALID_VALUE;
    ls_side a = side_of(m->address, &device, LS_SIDE_ANY),
            b = side_of((uintptr_t)memory, &host, LS_SIDE_HOST);
    ocl_transfer t = {{.to = write ? a : b,
                       .from = write ? b : a,
                       .width = region[0],
                       .height = region[1],
                       .depth = region[2],
                       .waits = blocking},
                      function};
    return enqueue_transfer(q, write ? CL_COMMAND_WRITE_BUFFER_RECT : CL_COMMAND_READ_BUFFER_RECT, &t, m,
                            NULL, blocking, count, list, out);
}

cl_int clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                               const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                               size_t host_row, size_t host_slice, void *host, cl_uint count,
                               const cl_event *list, cl_event *out) {
    ENTER;
    return rect(q, m, blocking, (rectangle){origin, row, slice},
                (rectangle){host_origin, host_row, host_slice}, region, host, false, count, list, out,
                __func__);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                                const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                                size_t host_row, size_t host_slice, const void *host, cl_uint count,
                                const cl_event *list, cl_event *out) {
    ENTER;
    return rect(q, m, blocking, (rectangle){origin, row, slice},
                (rectangle){host_origin, host_row, host_slice}, region, host, true, count, list, out,
                __func__);
}

cl_int clEnqueueCopyBufferRect(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
                               const size_t *to_origin, const size_t *region, size_t from_row,
                               size_t from_slice, size_t to_row, size_t to_slice, cl_uint count,
                               const cl_event *list, cl_event *out) {
    ENTER;
    cl_int status = check_buffer(q, from, __func__);
    if (status == CL_SUCCESS) status = check_buffer(q, to, __func__);
    if (status != CL_SUCCESS) return status;
    if (!from_origin || !to_origin || !is_region(region)) return CL_INVALID_VALUE;
    rectangle a = {from_origin, from_row, from_slice}, b = {to_origin, to_row, to_slice};
    status = check_rectangle(from, &a, region, __func__);
    if (status == CL_SUCCESS) status = check_rectangle(to, &b, region, __func__);
    if (status != CL_SUCCESS) return status;
    ocl_transfer t = {{.to = side_of(to->address, &b, LS_SIDE_ANY),
                       .from = side_of(from->address, &a, LS_SIDE_ANY),
                       .width = region[0],
                       .height = region[1],
                       .depth = region[2]},
                      __func__};
    return enqueue_transfer(q, CL_COMMAND_COPY_BUFFER_RECT, &t, from, to, CL_FALSE, count, list, out);
}

/* --- Fills --- */
void ocl_repeat(char *to, uint64_t size, const void *pattern, uint64_t pattern_size) {
    for (uint64_t at = 0; at + pattern_size <= size; at += pattern_size)
        memcpy(to + at, pattern, pattern_size);
}

typedef struct {
    uint64_t address, size;
    size_t pattern_size;
    unsigned char pattern[128];
} fill;

static void repeat(void *data, ls_arena *memory) {
    (void)memory;
    const fill *f = data;
    ocl_repeat(ls_emu_host(f->address), f->size, f->pattern, f->pattern_size);
}

static cl_int run_fill(cl_event command, ls_stream *stream) {
    fill *f = command->data;
    const char *function =
        command->type == CL_COMMAND_FILL_BUFFER ? "clEnqueueFillBuffer" : "clEnqueueSVMMemFill";
    return ocl_submit_work(stream, function, repeat, f, f->address, f->size, true, false);
}

static bool is_pattern(const void *pattern, size_t pattern_size, size_t offset, size_t size) {
    return pattern && pattern_size && pattern_size <= 128 && !(pattern_size & (pattern_size - 1)) &&
           offset % pattern_size == 0 && size % pattern_size == 0;
}

cl_int clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern, size_t pattern_size,
                           size_t offset, size_t size, cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    cl_int status = check_buffer(q, m, __func__);
    if (status == CL_SUCCESS && !is_pattern(pattern, pattern_size, offset, size)) status = CL_INVALID_VALUE;
    if (status == CL_SUCCESS) status = check_range(m, offset, size, __func__);
    if (status == CL_SUCCESS) status = ocl_check_waits(q->context, count, list, __func__);
    if (status != CL_SUCCESS) return status;
    fill f = {.address = m->address + offset, .size = size, .pattern_size = pattern_size};
    memcpy(f.pattern, pattern, pattern_size);
    cl_event command = ocl_command(q, CL_COMMAND_FILL_BUFFER, run_fill, &f, sizeof f);
    if (!command) return CL_OUT_OF_HOST_MEMORY;
    ocl_uses(command, m);
    return ocl_enqueue(command, count, list, CL_FALSE, out);
}

cl_int clEnqueueSVMMemFill(cl_command_queue q, void *memory, const void *pattern, size_t pattern_size,
                           size_t size, cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    if (!ocl_is(q, OCL_QUEUE, __func__)) return CL_INVALID_COMMAND_QUEUE;
    if (!memory || !is_pattern(pattern, pattern_size, (uintptr_t)memory, size)) return CL_INVALID_VALUE;
    cl_int status = ocl_check_waits(q->context, count, list, __func__);
    if (status != CL_SUCCESS) return status;
    fill f = {.address = (uintptr_t)memory, .size = size, .pattern_size = pattern_size};
    memcpy(f.pattern, pattern, pattern_size);
    cl_event command = ocl_command(q, CL_COMMAND_SVM_MEMFILL, run_fill, &f, sizeof f);
    return command ? ocl_enqueue(command, count, list, CL_FALSE, out) : CL_OUT_OF_HOST_MEMORY;
}

static cl_int migrate(cl_event command, ls_stream *stream) {
    (void)command, (void)stream;
    return CL_SUCCESS;
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint memory_count, const cl_mem *memory,
                                  cl_mem_migration_flags flags, cl_uint count, const cl_event *list,
                                  cl_event *out) {
    ENTER;
    if (!ocl_is(q, OCL_QUEUE, __func__)) return CL_INVALID_COMMAND_QUEUE;
    if (!memory_count || !memory ||
        flags &
            ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
        return CL_INVALID_VALUE;
    for (cl_uint k = 0; k < memory_count; k++) {
        cl_int good = ocl_check_queue_mem(q, memory[k], __func__);
        if (good != CL_SUCCESS) return good;
    }
    cl_int status = ocl_check_waits(q->context, count, list, __func__);
    cl_event command =
        status == CL_SUCCESS ? ocl_command(q, CL_COMMAND_MIGRATE_MEM_OBJECTS, migrate, NULL, 0) : NULL;
    return command ? ocl_enqueue(command, count, list, CL_FALSE, out) : status;
}
