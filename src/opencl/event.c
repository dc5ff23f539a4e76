/* Commands and events. A command is carried out when nothing keeps it back: at once, but for what waits for
 * the program's own events, and what comes behind such a command in a queue with order. Its place in the
 * order of all commands is told to the device by streams and the device's events. */
#include "opencl/opencl.h"

#include "base/clock.h"

#include <stdlib.h>

enum { QUEUED, SUBMITTED, STARTED, ENDED };

uint64_t ocl_now(void) {
    return (uint64_t)(ls_clock_seconds(LS_CLOCK_WALL) * 1e9);
}

cl_int ocl_result(ls_dev_status status) {
    switch (status) {
    case LS_DEV_OK: return CL_SUCCESS;
    case LS_DEV_INVALID: return CL_INVALID_VALUE;
    case LS_DEV_NO_MEMORY: return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    default: return CL_OUT_OF_RESOURCES;
    }
}

/* --- Making --- */
cl_event ocl_command(cl_command_queue q, cl_command_type type, ocl_work *work, const void *data,
                     size_t size) {
    void *copy = size ? malloc(size) : NULL;
    cl_event e = !size || copy ? ocl_new(OCL_EVENT, sizeof *e) : NULL;
    if (!e) {
        free(copy);
        return NULL;
    }
    e->context = q->context;
    e->queue = q;
    e->type = type;
    e->status = CL_QUEUED;
    e->work = work;
    e->data = copy;
    if (size) memcpy(copy, data, size);
    ocl_hold(q->context);
    ocl_hold(q);
    return e;
}

void ocl_uses(cl_event command, void *object) {
    ocl_hold(object);
    LS_VEC_PUSH(&command->uses, object);
}

static void let_go(cl_event e) {
    for (uint32_t k = 0; k < e->waits.length; k++) ocl_drop(e->waits.items[k]);
    LS_VEC_FREE(&e->waits);
    for (uint32_t k = 0; k < e->uses.length; k++) ocl_drop(e->uses.items[k]);
    LS_VEC_FREE(&e->uses);
    free(e->data);
    e->data = NULL;
}

void ocl_destroy_event(void *object) {
    cl_event e = object;
    let_go(e);
    if (e->order) ls_event_free(e->order);
    LS_VEC_FREE(&e->callbacks);
    if (e->queue) ocl_drop(e->queue);
    ocl_drop(e->context);
}

cl_int ocl_check_waits(cl_context context, cl_uint count, const cl_event *list, const char *function) {
    if (!count != !list) return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint k = 0; k < count; k++) {
        if (!ocl_is(list[k], OCL_EVENT, function)) return CL_INVALID_EVENT_WAIT_LIST;
        if (list[k]->context != context) return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

/* --- States --- */
/* Calls that wait for a status that was reached; all of them where the command has failed. */
static void call_back(cl_event e) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < e->callbacks.length; k++) {
        ocl_callback *c = &e->callbacks.items[k];
        if (e->status > c->type)
            e->callbacks.items[kept++] = *c;
        else
            ocl_call_event_later((void (*)(cl_event, cl_int, void *))(void *)c->call, e,
                                 e->status < 0 ? e->status : c->type, c->data);
    }
    e->callbacks.length = kept;
}

static void set_status(cl_event e, cl_int status) {
    e->status = status;
    call_back(e);
    ocl_changed();
}

/* --- Running --- */
static void wait_for(ls_stream *s, ls_event *event) {
    ls_op op = {.kind = LS_OP_WAIT, .what = "wait", .event = event};
    ls_dev_submit(s, &op);
}
static void record(ls_stream *s, ls_event *event) {
    ls_op op = {.kind = LS_OP_RECORD, .what = "event", .event = event};
    ls_dev_submit(s, &op);
}

/* `s` comes behind all that the queue has done. */
static void wait_for_lanes(cl_command_queue q, ls_stream *s) {
    for (int k = 0; k < OCL_LANES; k++) {
        ls_event *event = ls_event_new(ocl_dev(), 0);
        if (!event) return;
        record(q->lanes[k], event);
        wait_for(s, event);
        ls_event_free(event);
    }
}

static ls_stream *stream_of(cl_event e) {
    cl_command_queue q = e->queue;
    if (!q->lanes[0]) return q->stream;
    ls_stream *s = e->is_barrier || e->waits_for_all ? q->stream : q->lanes[q->next_lane++ % OCL_LANES];
    if (q->barrier) wait_for(s, q->barrier);
    if (e->waits_for_all) wait_for_lanes(q, s);
    return s;
}

static void end_barrier(cl_event e, ls_stream *s) {
    cl_command_queue q = e->queue;
    if (!e->is_barrier || !q->lanes[0]) return;
    if (!q->barrier) q->barrier = ls_event_new(ocl_dev(), 0);
    if (q->barrier) record(s, q->barrier);
}

static void run(cl_event e) {
    cl_int failed = CL_SUCCESS;
    e->times[SUBMITTED] = e->times[STARTED] = ocl_now();
    set_status(e, CL_SUBMITTED);
    ls_stream *s = stream_of(e);
    for (uint32_t k = 0; k < e->waits.length; k++) {
        if (e->waits.items[k]->status < 0) failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        if (e->waits.items[k]->order) wait_for(s, e->waits.items[k]->order);
    }
    set_status(e, CL_RUNNING);
    cl_int status = failed ? failed : e->work(e, s);
    if (ls_dev_sticky(ocl_dev())) { /* of a kernel: this command has failed, and the next may run */
        if (status == CL_SUCCESS) status = ocl_result(ls_dev_sticky(ocl_dev()));
        ls_dev_clear_sticky(ocl_dev());
    }
    if (status < 0 && !e->queue->failed) e->queue->failed = status;
    if (e->order) record(s, e->order);
    end_barrier(e, s);
    e->times[ENDED] = ocl_now();
    if (e->times[ENDED] <= e->times[STARTED]) e->times[ENDED] = e->times[STARTED] + 1;
    set_status(e, status < 0 ? status : CL_COMPLETE);
    let_go(e);
    ocl_drop(e);
}

/* --- The queues --- */
static bool is_ready(const struct _cl_event *e) {
    for (uint32_t k = 0; k < e->waits.length; k++)
        if (e->waits.items[k]->status > CL_COMPLETE) return false;
    return true;
}

/* The first command of the queue that nothing keeps back; its length where there is none. */
static uint32_t find_ready(const struct _cl_command_queue *q) {
    bool in_order = !q->lanes[0];
    for (uint32_t k = 0; k < q->pending.length; k++) {
        const struct _cl_event *e = q->pending.items[k];
        bool first = k == 0;
        if (is_ready(e) && (first || !e->waits_for_all)) return k;
        if (in_order || e->is_barrier) break;
    }
    return q->pending.length;
}

static bool run_one(cl_command_queue q) {
    uint32_t k = find_ready(q);
    if (k == q->pending.length) return false;
    cl_event e = q->pending.items[k];
    memmove(q->pending.items + k, q->pending.items + k + 1,
            (--q->pending.length - k) * sizeof *q->pending.items);
    run(e);
    return true;
}

void ocl_pump(void) {
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = 0; k < ocl_queue_count() && !more; k++) {
            cl_command_queue q = ocl_queue_at(k);
            ocl_hold(q);
            while (run_one(q)) more = true;
            ocl_drop(q);
        }
    }
}

cl_int ocl_wait(cl_event e) {
    ocl_hold(e);
    while (ocl_pump(), e->status > CL_COMPLETE) ocl_await();
    if (e->order) ls_event_wait(e->order);
    cl_int status = e->status;
    ocl_drop(e);
    return status;
}

cl_int ocl_enqueue(cl_event command, cl_uint count, const cl_event *list, cl_bool blocking, cl_event *out) {
    cl_command_queue q = command->queue;
    for (cl_uint k = 0; k < count; k++) {
        ocl_hold(list[k]);
        LS_VEC_PUSH(&command->waits, list[k]);
    }
    command->times[QUEUED] = ocl_now();
    command->o.holds++; /* the queue's, until it has run */
    if (out || blocking) command->order = ls_event_new(ocl_dev(), 0);
    if (out) *out = command;
    if (blocking) ocl_hold(command);
    if (!out) ocl_release(command, OCL_EVENT, CL_SUCCESS, "clReleaseEvent");
    LS_VEC_PUSH(&q->pending, command);
    ocl_pump();
    if (!blocking) return CL_SUCCESS; /* as on a GPU: how it went is known later */
    cl_int status = ocl_wait(command);
    ocl_drop(command);
    return status < 0 ? status : CL_SUCCESS;
}

/* --- The program's calls --- */
cl_int clWaitForEvents(cl_uint count, const cl_event *list) {
    ENTER;
    if (!count || !list) return CL_INVALID_VALUE;
    for (cl_uint k = 0; k < count; k++) {
        if (!ocl_is(list[k], OCL_EVENT, __func__)) return CL_INVALID_EVENT;
        if (list[k]->context != list[0]->context) return CL_INVALID_CONTEXT;
    }
    cl_int result = CL_SUCCESS;
    for (cl_uint k = 0; k < count; k++)
        if (ocl_wait(list[k]) < 0) result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return result;
}

cl_int clGetEventInfo(cl_event e, cl_event_info name, size_t room, void *out, size_t *size) {
    ENTER;
    if (!ocl_is(e, OCL_EVENT, __func__)) return CL_INVALID_EVENT;
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE: ANSWER(cl_command_queue, e->queue);
    case CL_EVENT_CONTEXT: ANSWER(cl_context, e->context);
    case CL_EVENT_COMMAND_TYPE: ANSWER(cl_command_type, e->type);
    case CL_EVENT_REFERENCE_COUNT: ANSWER(cl_uint, e->o.references);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        if (e->status <= CL_COMPLETE && e->order)
            ls_event_query(e->order); /* the program knows from now on */
        ANSWER(cl_int, e->status);
    default: return CL_INVALID_VALUE;
    }
}

cl_int clGetEventProfilingInfo(cl_event e, cl_profiling_info name, size_t room, void *out, size_t *size) {
    ENTER;
    if (!ocl_is(e, OCL_EVENT, __func__)) return CL_INVALID_EVENT;
    if (!e->queue || !(e->queue->properties & CL_QUEUE_PROFILING_ENABLE) || e->status != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (name == CL_PROFILING_COMMAND_COMPLETE) name = CL_PROFILING_COMMAND_END;
    if (name < CL_PROFILING_COMMAND_QUEUED || name > CL_PROFILING_COMMAND_END) return CL_INVALID_VALUE;
    ANSWER(cl_ulong, e->times[name - CL_PROFILING_COMMAND_QUEUED]);
}

cl_int clRetainEvent(cl_event e) {
    ENTER;
    return ocl_retain(e, OCL_EVENT, CL_INVALID_EVENT, __func__);
}
cl_int clReleaseEvent(cl_event e) {
    ENTER;
    return ocl_release(e, OCL_EVENT, CL_INVALID_EVENT, __func__);
}

cl_int clSetEventCallback(cl_event e, cl_int type, void(CL_CALLBACK *call)(cl_event, cl_int, void *),
                          void *data) {
    ENTER;
    if (!ocl_is(e, OCL_EVENT, __func__)) return CL_INVALID_EVENT;
    if (!call || type < CL_COMPLETE || type > CL_SUBMITTED) return CL_INVALID_VALUE;
    ocl_callback back = {(void (*)(void *))(void *)call, data, type};
    LS_VEC_PUSH(&e->callbacks, back);
    call_back(e);
    return CL_SUCCESS;
}

cl_event clCreateUserEvent(cl_context context, cl_int *error) {
    ENTER;
    if (!ocl_is(context, OCL_CONTEXT, __func__)) FAIL(CL_INVALID_CONTEXT);
    cl_event e = ocl_new(OCL_EVENT, sizeof *e);
    if (!e) FAIL(CL_OUT_OF_HOST_MEMORY);
    e->context = context;
    ocl_hold(context);
    e->type = CL_COMMAND_USER;
    e->status = CL_SUBMITTED;
    if (error) *error = CL_SUCCESS;
    return e;
}

cl_int clSetUserEventStatus(cl_event e, cl_int status) {
    ENTER;
    if (!ocl_is(e, OCL_EVENT, __func__) || e->type != CL_COMMAND_USER) return CL_INVALID_EVENT;
    if (status > CL_COMPLETE) return CL_INVALID_VALUE;
    if (e->status <= CL_COMPLETE) return CL_INVALID_OPERATION;
    set_status(e, status);
    ocl_pump();
    return CL_SUCCESS;
}
