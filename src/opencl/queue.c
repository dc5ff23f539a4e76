/* Command queues. The order of a queue's commands is a stream of the device; a queue without order has
 * several, which its commands run on in turn, so that only events and barriers order them. */
#include "opencl/opencl.h"

#include <stdlib.h>

/* The queues that are there, for what looks at all of them. */
static LS_VEC(cl_command_queue) queues;

uint32_t ocl_queue_count(void) {
    return queues.length;
}
cl_command_queue ocl_queue_at(uint32_t index) {
    return index < queues.length ? queues.items[index] : NULL;
}

/* A device's default stream, which needs no clocks, serves the first queue: most programs have no other. */
static bool default_taken(const struct _cl_device_id *device) {
    for (uint32_t k = 0; k < queues.length; k++)
        if (queues.items[k]->is_default && queues.items[k]->device == device) return true;
    return false;
}

static bool open_streams(cl_command_queue q) {
    ls_dev *dev = ocl_dev();
    int number = q->device->number;
    bool in_order = !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    q->is_default = in_order && !default_taken(q->device);
    q->stream = q->is_default ? ls_dev_default_stream(dev, number)
                              : ls_stream_new(dev, number, LS_STREAM_NON_BLOCKING, 0);
    for (int k = 0; !in_order && k < OCL_LANES; k++)
        q->lanes[k] = ls_stream_new(dev, number, LS_STREAM_NON_BLOCKING, 0);
    return q->stream;
}

void ocl_destroy_queue(void *object) {
    cl_command_queue q = object;
    if (!q->is_default) ls_stream_free(q->stream);
    for (int k = 0; k < OCL_LANES; k++)
        if (q->lanes[k]) ls_stream_free(q->lanes[k]);
    if (q->barrier) ls_event_free(q->barrier);
    for (uint32_t k = 0; k < queues.length; k++)
        if (queues.items[k] == q) queues.items[k] = queues.items[--queues.length];
    LS_VEC_FREE(&q->pending);
    LS_VEC_FREE(&q->given);
    ocl_drop(q->context);
}

static cl_command_queue make(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                             const cl_queue_properties *given, cl_int *error, const char *function) {
    if (!ocl_is(context, OCL_CONTEXT, function)) FAIL(CL_INVALID_CONTEXT);
    bool found = false;
    for (uint32_t k = 0; k < context->devices.length; k++) found |= context->devices.items[k] == device;
    if (!found) FAIL(CL_INVALID_DEVICE);
    cl_command_queue_properties known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    if (properties & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)) FAIL(CL_INVALID_QUEUE_PROPERTIES);
    if (properties & ~known) FAIL(CL_INVALID_VALUE);
    cl_command_queue q = ocl_new(OCL_QUEUE, sizeof *q);
    if (!q) FAIL(CL_OUT_OF_HOST_MEMORY);
    q->context = context;
    q->device = device;
    q->properties = properties;
    ocl_hold(context);
    for (const cl_queue_properties *p = given; p; p++) {
        LS_VEC_PUSH(&q->given, *p);
        if (!*p) break;
        LS_VEC_PUSH(&q->given, *++p);
    }
    if (!open_streams(q)) FAIL(CL_OUT_OF_HOST_MEMORY);
    LS_VEC_PUSH(&queues, q);
    if (error) *error = CL_SUCCESS;
    return q;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *error) {
    ENTER;
    return make(context, device, properties, NULL, error, __func__);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *given, cl_int *error) {
    ENTER;
    cl_command_queue_properties properties = 0;
    for (const cl_queue_properties *p = given; p && *p; p += 2) {
        if (*p == CL_QUEUE_PROPERTIES)
            properties = p[1];
        else if (*p == CL_QUEUE_SIZE)
            FAIL(CL_INVALID_QUEUE_PROPERTIES);
        else
            FAIL(CL_INVALID_VALUE);
    }
    return make(context, device, properties, given, error, __func__);
}

cl_int clSetCommandQueueProperty(cl_command_queue q, cl_command_queue_properties properties, cl_bool enable,
                                 cl_command_queue_properties *old) {
    ENTER;
    if (!ocl_is(q, OCL_QUEUE, __func__)) return CL_INVALID_COMMAND_QUEUE;
    if (old) *old = q->properties;
    if (properties & ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE)
        return CL_INVALID_QUEUE_PROPERTIES;
    q->properties = enable ? q->properties | properties : q->properties & ~properties;
    return CL_SUCCESS;
}

cl_int clRetainCommandQueue(cl_command_queue q) {
    ENTER;
    return ocl_retain(q, OCL_QUEUE, CL_INVALID_COMMAND_QUEUE, __func__);
}
cl_int clReleaseCommandQueue(cl_command_queue q) {
    ENTER;
    return ocl_release(q, OCL_QUEUE, CL_INVALID_COMMAND_QUEUE, __func__);
}

cl_int clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info name, size_t room, void *out,
                             size_t *size) {
    ENTER;
    if (!ocl_is(q, OCL_QUEUE, __func__)) return CL_INVALID_COMMAND_QUEUE;
    switch (name) {
    case CL_QUEUE_CONTEXT: ANSWER(cl_context, q->context);
    case CL_QUEUE_DEVICE: ANSWER(cl_device_id, q->device);
    case CL_QUEUE_REFERENCE_COUNT: ANSWER(cl_uint, q->o.references);
    case CL_QUEUE_PROPERTIES: ANSWER(cl_command_queue_properties, q->properties);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return ocl_answer(q->given.items, q->given.length * sizeof *q->given.items, room, out, size);
    case CL_QUEUE_DEVICE_DEFAULT: ANSWER(cl_command_queue, NULL);
    case CL_QUEUE_SIZE: return CL_INVALID_COMMAND_QUEUE;
    default: return CL_INVALID_VALUE;
    }
}

cl_int clFlush(cl_command_queue q) {
    ENTER;
    if (!ocl_is(q, OCL_QUEUE, __func__)) return CL_INVALID_COMMAND_QUEUE;
    ocl_pump();
    return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue q) {
    ENTER;
    if (!ocl_is(q, OCL_QUEUE, __func__)) return CL_INVALID_COMMAND_QUEUE;
    ocl_hold(q);
    while (ocl_pump(), q->pending.length) ocl_await();
    ls_stream_wait(q->stream);
    cl_int result = q->failed;
    q->failed = CL_SUCCESS;
    for (int k = 0; k < OCL_LANES; k++)
        if (q->lanes[k]) ls_stream_wait(q->lanes[k]);
    ocl_drop(q);
    return result;
}

/* --- Markers and barriers --- */
static cl_int nothing(cl_event command, ls_stream *stream) {
    (void)command, (void)stream;
    return CL_SUCCESS;
}

static cl_int mark(cl_command_queue q, cl_command_type type, bool is_barrier, cl_uint count,
                   const cl_event *list, cl_event *out, const char *function) {
    if (!ocl_is(q, OCL_QUEUE, function)) return CL_INVALID_COMMAND_QUEUE;
    cl_int status = ocl_check_waits(q->context, count, list, function);
    if (status != CL_SUCCESS) return status;
    cl_event command = ocl_command(q, type, nothing, NULL, 0);
    if (!command) return CL_OUT_OF_HOST_MEMORY;
    command->is_barrier = is_barrier;
    command->waits_for_all = !count;
    return ocl_enqueue(command, count, list, CL_FALSE, out);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    return mark(q, CL_COMMAND_MARKER, false, count, list, out, __func__);
}
cl_int clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    return mark(q, CL_COMMAND_BARRIER, true, count, list, out, __func__);
}
cl_int clEnqueueMarker(cl_command_queue q, cl_event *out) {
    ENTER;
    if (!out) return CL_INVALID_VALUE;
    return mark(q, CL_COMMAND_MARKER, false, 0, NULL, out, __func__);
}
cl_int clEnqueueBarrier(cl_command_queue q) {
    ENTER;
    return mark(q, CL_COMMAND_BARRIER, true, 0, NULL, NULL, __func__);
}
cl_int clEnqueueWaitForEvents(cl_command_queue q, cl_uint count, const cl_event *list) {
    ENTER;
    if (!count || !list) return CL_INVALID_VALUE;
    return mark(q, CL_COMMAND_BARRIER, true, count, list, NULL, __func__);
}
