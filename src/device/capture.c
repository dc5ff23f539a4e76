/* Capture: streams whose operations become nodes of a graph, and the calls that are not allowed meanwhile.
 * A call that could wait for what is only being captured is refused and breaks the capture: everything on its
 * streams, and its end, answers LS_DEV_CAPTURE_INVALIDATED from then on. Which calls these are, what they
 * answer, and which threads' captures they break is as on an H200 with CUDA 13. */
#include "device/private.h"

/* --- Which captures there are --- */
static bool is_of(const ls_stream *s, uint64_t id) {
    return s && s->capture && s->capture_id == id;
}

ls_capture_state ls_capture_of(const ls_stream *s) {
    return !s->capture ? LS_CAPTURE_NONE : s->capture_broken ? LS_CAPTURE_BROKEN : LS_CAPTURE_ACTIVE;
}
bool ls_capture_active(const ls_stream *s) {
    return s->capture;
}
uint64_t ls_capture_id(const ls_stream *s) {
    return s->capture ? s->capture_id : 0;
}

static void break_capture(ls_dev *dev, uint64_t id) {
    for (uint32_t k = 0; k < dev->streams.length; k++)
        if (is_of(dev->streams.items[k], id)) dev->streams.items[k]->capture_broken = true;
}

static bool is_captured(const ls_dev *dev, const ls_event *e) {
    for (uint32_t k = 0; e->capture && k < dev->streams.length; k++)
        if (is_of(dev->streams.items[k], e->capture_id)) return true;
    return false;
}

/* --- Calls that are refused --- */
/* Whether the capture that began on this stream forbids the calling thread what could wait for it. */
static bool forbids(const ls_stream *s, ls_capture_mode mode) {
    if (!s || !s->capture || !s->capture_origin || s->capture_mode == LS_CAPTURE_RELAXED) return false;
    return pthread_equal(s->capture_thread, pthread_self()) ||
           (mode == LS_CAPTURE_GLOBAL && s->capture_mode == LS_CAPTURE_GLOBAL);
}

ls_dev_status ls_capture_unsafe(ls_dev *dev, ls_capture_mode mode) {
    ls_dev_status status = LS_DEV_OK;
    if (!dev->captures || mode == LS_CAPTURE_RELAXED) return LS_DEV_OK;
    dv_lock(dev);
    for (uint32_t k = 0; k < dev->streams.length; k++)
        if (forbids(dev->streams.items[k], mode)) {
            break_capture(dev, dev->streams.items[k]->capture_id);
            status = LS_DEV_CAPTURE_UNSUPPORTED;
        }
    dv_unlock(dev);
    return status;
}

/* The legacy stream would wait for streams that capture, unless they do not block. */
static bool is_implicit(const ls_stream *legacy, bool breaks) {
    bool found = false;
    for (uint32_t k = 0; legacy->is_legacy && k < legacy->dev->streams.length; k++) {
        const ls_stream *s = legacy->dev->streams.items[k];
        if (!s || !s->capture || s->device != legacy->device || s->flags & LS_STREAM_NON_BLOCKING) continue;
        found = true;
        if (breaks) break_capture(legacy->dev, s->capture_id);
    }
    return found;
}

ls_dev_status ls_capture_asked(const ls_stream *s) {
    return s->dev->captures && is_implicit(s, false) ? LS_DEV_CAPTURE_IMPLICIT : LS_DEV_OK;
}

ls_dev_status ls_capture_refuse(ls_stream *s) {
    ls_dev_status status = LS_DEV_OK;
    if (!s->dev->captures) return LS_DEV_OK;
    dv_lock(s->dev);
    if (s->capture) {
        break_capture(s->dev, s->capture_id);
        status = LS_DEV_CAPTURE_UNSUPPORTED;
    } else if (is_implicit(s, true)) {
        status = LS_DEV_CAPTURE_IMPLICIT;
    }
    dv_unlock(s->dev);
    return status;
}

ls_dev_status ls_capture_refuse_all(ls_dev *dev, int device) {
    ls_dev_status status = LS_DEV_OK;
    if (!dev->captures) return LS_DEV_OK;
    dv_lock(dev);
    for (uint32_t k = 0; k < dev->streams.length; k++) {
        const ls_stream *s = dev->streams.items[k];
        if (!s || !s->capture || s->device != device) continue;
        break_capture(dev, s->capture_id);
        status = LS_DEV_CAPTURE_UNSUPPORTED;
    }
    dv_unlock(dev);
    return status;
}

ls_dev_status ls_capture_refuse_event(const ls_event *e, bool breaks) {
    if (!e->capture) return LS_DEV_OK;
    dv_lock(e->dev);
    if (breaks) break_capture(e->dev, e->capture_id);
    dv_unlock(e->dev);
    return LS_DEV_CAPTURED_EVENT;
}

/* --- From the beginning to the end --- */
ls_dev_status ls_capture_begin(ls_stream *s, ls_graph *into, ls_capture_mode mode) {
    if (s->capture) return LS_DEV_BAD_STATE;
    if (s->is_legacy) return LS_DEV_CAPTURE_UNSUPPORTED;
    dv_lock(s->dev);
    s->capture = into ? into : ls_graph_new(s->dev);
    s->capture_given = into;
    s->capture_origin = true;
    s->capture_broken = false;
    s->capture_mode = mode;
    s->capture_thread = pthread_self();
    s->capture_id = ++s->dev->captures;
    s->last.length = 0;
    dv_unlock(s->dev);
    return LS_DEV_OK;
}

static bool is_joined(const ls_stream *origin, const ls_graph_node *n) {
    for (uint32_t k = 0; k < origin->last.length; k++)
        if (origin->last.items[k] == n) return true;
    ls_graph_node *near[1];
    return ls_graph_near(n, true, near, 1) > 0;
}

/* How the capture that began on this stream ends. */
static ls_dev_status outcome(const ls_stream *s) {
    if (s->capture_broken) return LS_DEV_CAPTURE_INVALIDATED;
    if (s->capture_mode != LS_CAPTURE_RELAXED && !pthread_equal(s->capture_thread, pthread_self()))
        return LS_DEV_CAPTURE_THREAD;
    for (uint32_t k = 0; k < s->dev->streams.length; k++) { /* those that joined it */
        const ls_stream *other = s->dev->streams.items[k];
        if (other == s || !is_of(other, s->capture_id)) continue;
        for (uint32_t n = 0; n < other->last.length; n++)
            if (!is_joined(s, other->last.items[n])) return LS_DEV_CAPTURE_UNJOINED;
    }
    return LS_DEV_OK;
}

ls_dev_status ls_capture_end(ls_stream *s, ls_graph **graph) {
    if (graph) *graph = NULL;
    if (!s->capture) return LS_DEV_BAD_STATE;
    if (!s->capture_origin) return LS_DEV_CAPTURE_UNMATCHED;
    dv_lock(s->dev);
    const ls_dev_status status = outcome(s);
    ls_graph *g = s->capture;
    const uint64_t id = s->capture_id;
    for (uint32_t k = 0; k < s->dev->streams.length; k++) {
        ls_stream *other = s->dev->streams.items[k];
        if (is_of(other, id)) other->capture = NULL, other->last.length = 0;
    }
    if (status == LS_DEV_OK && graph)
        *graph = g;
    else if (!s->capture_given)
        ls_graph_free(g);
    dv_unlock(s->dev);
    return status;
}

ls_graph *ls_capture_graph(const ls_stream *s, ls_graph_node *const **last, size_t *count) {
    if (last) *last = s->last.items;
    if (count) *count = s->capture ? s->last.length : 0;
    return s->capture;
}

/* --- Operations --- */
static void add_last(ls_stream *s, ls_graph_node *n) {
    for (uint32_t k = 0; k < s->last.length; k++)
        if (s->last.items[k] == n) return;
    LS_VEC_PUSH(&s->last, n);
}

void ls_capture_set_last(ls_stream *s, ls_graph_node *const *nodes, size_t count, bool add) {
    if (!add) s->last.length = 0;
    for (size_t k = 0; k < count; k++) add_last(s, nodes[k]);
}

/* An event of a capture stands for the nodes that the stream was behind when it was recorded. */
static void capture_record(ls_stream *s, ls_event *e) {
    e->capture = s->capture;
    e->capture_id = s->capture_id;
    e->recorded = false;
    e->last.length = 0;
    for (uint32_t k = 0; k < s->last.length; k++) LS_VEC_PUSH(&e->last, s->last.items[k]);
}

/* A stream joins the capture of the event. What was recorded before the capture is no node of it. */
static ls_dev_status capture_wait(ls_stream *s, const ls_event *e) {
    if (!is_captured(s->dev, e)) {
        if (!e->recorded && !e->capture) return LS_DEV_OK;
        break_capture(s->dev, s->capture_id);
        return LS_DEV_CAPTURE_ISOLATION;
    }
    if (s->capture && s->capture_id != e->capture_id) return LS_DEV_CAPTURE_MERGE;
    if (!s->capture) {
        s->capture = e->capture;
        s->capture_id = e->capture_id;
        s->capture_origin = s->capture_given = s->capture_broken = false;
        s->last.length = 0;
    }
    for (uint32_t k = 0; k < e->last.length; k++) add_last(s, e->last.items[k]);
    return LS_DEV_OK;
}

bool dv_capture(ls_stream *s, const ls_op *op, ls_dev_status *status) {
    *status = LS_DEV_OK;
    if (!s->dev->captures) return false;
    if (is_implicit(s, true)) {
        *status = LS_DEV_CAPTURE_IMPLICIT;
        return true;
    }
    bool joins = op->kind == LS_OP_WAIT && !op->external && is_captured(s->dev, op->event);
    if (!s->capture && !joins) return false;
    if (s->capture && s->capture_broken) {
        *status = LS_DEV_CAPTURE_INVALIDATED;
        return true;
    }
    if (op->kind == LS_OP_WAIT && !op->external) {
        *status = capture_wait(s, op->event);
        return true;
    }
    if (op->kind == LS_OP_RECORD && !op->external) {
        capture_record(s, op->event);
        return true;
    }
    ls_graph_node *n = ls_graph_add(s->capture, op, s->last.items, s->last.length);
    if (!n) *status = LS_DEV_NO_MEMORY;
    s->last.length = 0;
    if (n) LS_VEC_PUSH(&s->last, n);
    return true;
}
