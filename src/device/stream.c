/* Streams and events. An operation is carried out when it is submitted; what a stream is for besides is its
 * clock (race.c) and capture (graph.c). */
#include "device/private.h"

#include "base/clock.h"

#include <stdlib.h>

/* --- Streams --- */
static ls_stream *add_stream(ls_dev *dev, int device, uint32_t flags, int priority) {
    ls_stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->dev = dev;
    s->device = device;
    s->flags = flags;
    s->priority = priority;
    s->number = dev->streams.length;
    for (uint32_t k = 1; k < dev->streams.length; k++) /* a number that is free again */
        if (!dev->streams.items[k]) s->number = k;
    if (s->number == dev->streams.length) LS_VEC_PUSH(&dev->streams, s);
    dev->streams.items[s->number] = s;
    return s;
}

/* The clock of what has that index among those that may run at the same time. */
ls_stream *dv_lane(ls_dev *dev, lane_list *lanes, uint32_t index) {
    while (lanes->length <= index) {
        ls_stream *s = add_stream(dev, -1, LS_STREAM_NON_BLOCKING, 0);
        if (!s) return NULL;
        LS_VEC_PUSH(lanes, s);
    }
    return lanes->items[index];
}

lane_state dv_enter_lane(ls_stream *s, const ls_stream *lane, const clock_vector *start) {
    const lane_state kept = {s->clock, s->number};
    s->clock = (clock_vector){0};
    s->number = lane->number;
    dv_clock_join(&s->clock, &lane->clock);
    dv_clock_join(&s->clock, start);
    return kept;
}

void dv_leave_lane(ls_stream *s, ls_stream *lane, const lane_state *kept) {
    lane->clock.length = 0;
    while (lane->clock.length < lane->number) LS_VEC_PUSH(&lane->clock, 0);
    LS_VEC_PUSH(&lane->clock, lane->number < s->clock.length ? s->clock.items[lane->number] : 0);
    LS_VEC_FREE(&s->clock);
    s->clock = kept->clock;
    s->number = kept->number;
}

ls_stream *ls_stream_new(ls_dev *dev, int device, uint32_t flags, int priority) {
    dv_lock(dev);
    ls_dev_default_stream(dev, device);
    ls_stream *s = add_stream(dev, device, flags, priority);
    if (s) {
        dev->racing = true;
        dv_clock_join(&s->clock, &dev->host);
    }
    dv_unlock(dev);
    return s;
}

static ls_stream *find_default(ls_dev *dev, int device, bool of_thread) {
    pthread_t self = pthread_self();
    for (uint32_t k = 1; k < dev->streams.length; k++) {
        ls_stream *s = dev->streams.items[k];
        if (!s || s->device != device) continue;
        if (of_thread ? s->of_thread && pthread_equal(s->thread, self) : s->is_legacy) return s;
    }
    return NULL;
}

ls_stream *ls_dev_default_stream(ls_dev *dev, int device) {
    dv_lock(dev);
    ls_stream *s = find_default(dev, device, false);
    if (!s) s = add_stream(dev, device, 0, 0);
    if (s) s->is_legacy = true;
    dv_unlock(dev);
    return s;
}

ls_stream *ls_dev_thread_stream(ls_dev *dev, int device) {
    dv_lock(dev);
    ls_stream *s = find_default(dev, device, true);
    if (!s) {
        s = ls_stream_new(dev, device, 0, 0);
        if (s) s->of_thread = true, s->thread = pthread_self();
    }
    dv_unlock(dev);
    return s;
}

bool ls_stream_valid(ls_dev *dev, const ls_stream *stream) {
    bool found = false;
    dv_lock(dev);
    for (uint32_t k = 1; k < dev->streams.length && !found; k++) found = dev->streams.items[k] == stream;
    dv_unlock(dev);
    return found;
}

uint32_t ls_stream_flags(const ls_stream *s) {
    return s->flags;
}
int ls_stream_priority(const ls_stream *s) {
    return s->priority;
}
int ls_stream_device(const ls_stream *s) {
    return s->device;
}
uint64_t ls_stream_id(const ls_stream *s) {
    return s->number;
}

/* Its number may be another's later: its clock goes on. What it has done is still unordered to the host, so
 * the place of a stream that was not waited for is kept. */
void ls_stream_free(ls_stream *s) {
    ls_dev *dev = s->dev;
    dv_lock(dev);
    LS_VEC_FREE(&s->last);
    bool done = s->number < dev->host.length && s->number < s->clock.length &&
                dev->host.items[s->number] == s->clock.items[s->number];
    if (done) dev->streams.items[s->number] = NULL;
    s->freed = !done;
    if (done) {
        LS_VEC_FREE(&s->clock);
        free(s);
    }
    dv_unlock(dev);
}

ls_dev_status ls_stream_wait(ls_stream *s) {
    dv_lock(s->dev);
    if (s->is_legacy) dv_begin(s); /* it waits for the others */
    dv_host_knows(s->dev, &s->clock);
    ls_dev_status status = s->dev->sticky;
    dv_unlock(s->dev);
    return status;
}

ls_dev_status ls_dev_wait(ls_dev *dev, int device) {
    dv_lock(dev);
    for (uint32_t k = 1; k < dev->streams.length; k++) {
        const ls_stream *s = dev->streams.items[k];
        if (s && (device < 0 || s->device == device)) dv_host_knows(dev, &s->clock);
    }
    ls_dev_status status = dev->sticky;
    dv_unlock(dev);
    return status;
}

void dv_free_streams(ls_dev *dev) {
    for (uint32_t k = 1; k < dev->streams.length; k++) {
        ls_stream *s = dev->streams.items[k];
        if (!s) continue;
        LS_VEC_FREE(&s->clock);
        LS_VEC_FREE(&s->last);
        free(s);
    }
    while (dev->events.length) ls_event_free(dev->events.items[0]);
    LS_VEC_FREE(&dev->streams);
    LS_VEC_FREE(&dev->events);
    LS_VEC_FREE(&dev->lanes);
    LS_VEC_FREE(&dev->child_lanes);
    LS_VEC_FREE(&dev->host);
}

/* --- Operations --- */
static ls_dev_status record_event(ls_stream *s, ls_event *e) {
    e->recorded = true;
    e->known = false;
    e->time = ls_clock_seconds(LS_CLOCK_WALL);
    e->capture = NULL;
    e->clock.length = 0;
    dv_clock_join(&e->clock, &s->clock);
    return LS_DEV_OK;
}

static ls_dev_status wait_event(ls_stream *s, const ls_event *e) {
    if (e->recorded) dv_clock_join(&s->clock, &e->clock);
    return LS_DEV_OK;
}

static void call_host(ls_dev *dev, const ls_op *op) {
    dv_unlock(dev);
    op->host.call(op->host.data);
    dv_lock(dev);
}

ls_dev_status dv_carry_out(ls_stream *s, const ls_op *op) {
    ls_dev *dev = s->dev;
    ls_dev_status status = LS_DEV_OK;
    dv_begin(s);
    switch (op->kind) {
    case LS_OP_EMPTY: break;
    case LS_OP_KERNEL: status = dv_run_kernel(s, &op->launch); break;
    case LS_OP_COPY: status = dv_run_copy(s, &op->copy, op->what); break;
    case LS_OP_FILL: status = dv_run_fill(s, &op->fill, op->what); break;
    case LS_OP_HOST: call_host(dev, op); break;
    case LS_OP_WORK: status = dv_run_work(s, &op->work, op->what); break;
    case LS_OP_RECORD: status = record_event(s, op->event); break;
    case LS_OP_WAIT: status = wait_event(s, op->event); break;
    case LS_OP_GRAPH: status = ls_graph_launch(op->graph, s); break;
    case LS_OP_CONDITION: status = dv_run_condition(s, &op->condition); break;
    case LS_OP_ALLOC: status = dv_graph_alloc(dev, op->memory.address); break;
    case LS_OP_FREE: status = ls_dev_free(dev, op->memory.address, op->what); break;
    }
    bool waits = (op->kind == LS_OP_COPY && op->copy.waits) || (op->kind == LS_OP_FILL && op->fill.waits);
    if (waits) dv_host_knows(dev, &s->clock);
    return status;
}

ls_dev_status ls_dev_submit(ls_stream *s, const ls_op *op) {
    ls_dev *dev = s->dev; /* a function of the host may free the stream */
    ls_dev_status status;
    dv_lock(dev);
    if (!dv_capture(s, op, &status)) status = dev->sticky ? dev->sticky : dv_carry_out(s, op);
    dv_unlock(dev);
    return status;
}

/* --- Events --- */
ls_event *ls_event_new(ls_dev *dev, uint32_t flags) {
    ls_event *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->dev = dev;
    e->flags = flags;
    dv_lock(dev);
    LS_VEC_PUSH(&dev->events, e);
    dv_unlock(dev);
    return e;
}

bool ls_event_valid(ls_dev *dev, const ls_event *event) {
    bool found = false;
    dv_lock(dev);
    for (uint32_t k = dev->events.length; k-- && !found;) found = dev->events.items[k] == event;
    dv_unlock(dev);
    return found;
}

void ls_event_free(ls_event *e) {
    ls_dev *dev = e->dev;
    dv_lock(dev);
    for (uint32_t k = dev->events.length; k--;)
        if (dev->events.items[k] == e) {
            dev->events.items[k] = dev->events.items[--dev->events.length];
            break;
        }
    LS_VEC_FREE(&e->clock);
    LS_VEC_FREE(&e->last);
    free(e);
    dv_unlock(dev);
}

uint32_t ls_event_flags(const ls_event *e) {
    return e->flags;
}

ls_dev_status ls_event_wait(ls_event *e) {
    dv_lock(e->dev);
    if (e->recorded) dv_host_knows(e->dev, &e->clock);
    e->known = true;
    ls_dev_status status = e->dev->sticky;
    dv_unlock(e->dev);
    return status;
}

/* It has always happened by now; a program that asks goes on as if it had waited. */
ls_dev_status ls_event_query(ls_event *e) {
    return ls_event_wait(e);
}

ls_dev_status ls_event_elapsed(const ls_event *from, const ls_event *to, float *ms) {
    if (!from->recorded || !to->recorded) return LS_DEV_BAD_HANDLE;
    *ms = (float)((to->time - from->time) * 1e3);
    return LS_DEV_OK;
}
