/* Streams and events. */
#include "cuda/driver.h"

#include <stdlib.h>
#include <string.h>

ls_stream *cu_stream(CUstream handle) {
    if (!handle || handle == CU_LEGACY) return ls_dev_default_stream(cu_dev(), cu_ordinal());
    if (handle == CU_PER_THREAD) return ls_dev_thread_stream(cu_dev(), cu_ordinal());
    return ls_stream_valid(cu_dev(), handle) ? handle : NULL;
}

/* The stream of a function's handle, or the function ends. */
#define STREAM(s, handle)                                                                                    \
    ls_stream *s = cu_stream(handle);                                                                        \
    if (!s) return RESULT(LS_DEV_BAD_HANDLE)
/* What no stream allows that captures. */
#define REFUSED_IN_CAPTURE(s)                                                                                \
    do {                                                                                                     \
        const ls_dev_status refused_ = ls_capture_refuse(s);                                                 \
        if (refused_ != LS_DEV_OK) return RESULT(refused_);                                                  \
    } while (0)
#define EVENT(event)                                                                                         \
    if (!ls_event_valid(cu_dev(), event)) return RESULT(LS_DEV_BAD_HANDLE)

enum { EXTERNAL = 1 }; /* a flag of waiting and of recording: as a node of the graph that is captured */

/* --- Streams --- */
/* After an error that stays, nothing new is made. */
#define NOT_AFTER_ERROR                                                                                      \
    if (ls_dev_sticky(cu_dev())) return RESULT(ls_dev_sticky(cu_dev()))

API(cuStreamCreate, CUstream *stream, unsigned flags) {
    NOT_AFTER_ERROR;
    if (!stream) return RESULT(LS_DEV_INVALID);
    *stream = ls_stream_new(cu_dev(), cu_ordinal(), flags, 0);
    return *stream ? CU_OK : CU_OUT_OF_MEMORY;
}
API(cuStreamCreateWithPriority, CUstream *stream, unsigned flags, int priority) {
    NOT_AFTER_ERROR;
    if (!stream) return RESULT(LS_DEV_INVALID);
    *stream = ls_stream_new(cu_dev(), cu_ordinal(), flags, priority < -5 ? -5 : priority > 0 ? 0 : priority);
    return *stream ? CU_OK : CU_OUT_OF_MEMORY;
}
API(cuStreamDestroy_v2, CUstream stream) {
    if (!ls_stream_valid(cu_dev(), stream)) return RESULT(LS_DEV_BAD_HANDLE);
    ls_stream_free(stream);
    return CU_OK;
}
STREAM_API(cuStreamSynchronize, (CUstream stream), (stream)) {
    STREAM(s, stream);
    REFUSED_IN_CAPTURE(s);
    UNSAFE_IN_CAPTURE;
    cu_pool_waited();
    return RESULT(ls_stream_wait(s));
}
STREAM_API(cuStreamQuery, (CUstream stream), (stream)) {
    STREAM(s, stream);
    REFUSED_IN_CAPTURE(s);
    UNSAFE_IN_CAPTURE;
    return RESULT(ls_stream_wait(s)); /* it is always done, and the program goes on as if it had waited */
}
STREAM_API(cuStreamGetPriority, (CUstream stream, int *priority), (stream, priority)) {
    STREAM(s, stream);
    *priority = ls_stream_priority(s);
    return CU_OK;
}
STREAM_API(cuStreamGetFlags, (CUstream stream, unsigned *flags), (stream, flags)) {
    STREAM(s, stream);
    *flags = ls_stream_flags(s);
    return CU_OK;
}
STREAM_API(cuStreamGetId, (CUstream stream, unsigned long long *id), (stream, id)) {
    STREAM(s, stream);
    *id = ls_stream_id(s);
    return CU_OK;
}
STREAM_API(cuStreamGetDevice, (CUstream stream, CUdevice *device), (stream, device)) {
    STREAM(s, stream);
    *device = ls_stream_device(s);
    return CU_OK;
}
STREAM_API(cuStreamGetCtx, (CUstream stream, CUcontext *context), (stream, context)) {
    STREAM(s, stream);
    *context = cu_current();
    return CU_OK;
}
STREAM_API(cuStreamGetCtx_v2, (CUstream stream, CUcontext *context, void **green), (stream, context, green)) {
    STREAM(s, stream);
    *context = cu_current();
    if (green) *green = NULL;
    return CU_OK;
}
STREAM_API(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), (stream, event, flags)) {
    STREAM(s, stream);
    EVENT(event);
    ls_op op = {
        .kind = LS_OP_WAIT, .what = "cudaStreamWaitEvent", .external = flags & EXTERNAL, .event = event};
    return RESULT(ls_dev_submit(s, &op));
}
STREAM_API(cuStreamSetAttribute, (CUstream stream, int attribute, const void *value),
           (stream, attribute, value)) {
    (void)attribute, (void)value;
    STREAM(s, stream);
    return CU_OK;
}
STREAM_API(cuStreamGetAttribute, (CUstream stream, int attribute, void *value), (stream, attribute, value)) {
    (void)attribute;
    STREAM(s, stream);
    memset(value, 0, 32);
    return CU_OK;
}
STREAM_API(cuStreamCopyAttributes, (CUstream to, CUstream stream), (to, stream)) {
    (void)to, (void)stream;
    return CU_OK;
}

/* --- Functions of the host --- */
STREAM_API(cuLaunchHostFunc, (CUstream stream, void (*function)(void *), void *data),
           (stream, function, data)) {
    STREAM(s, stream);
    if (!function) return RESULT(LS_DEV_INVALID);
    ls_op op = {.kind = LS_OP_HOST, .what = "cudaLaunchHostFunc", .host = {function, data}};
    return RESULT(ls_dev_submit(s, &op));
}

typedef struct {
    void (*function)(CUstream stream, CUresult status, void *data);
    CUstream stream;
    void *data;
} callback;

static void call_back(void *data) {
    callback *c = data;
    c->function(c->stream, (CUresult)ls_dev_sticky(cu_dev()), c->data);
    free(c);
}

STREAM_API(cuStreamAddCallback,
           (CUstream stream, void (*function)(CUstream, CUresult, void *), void *data, unsigned flags),
           (stream, function, data, flags)) {
    (void)flags;
    STREAM(s, stream);
    if (!function) return RESULT(LS_DEV_INVALID);
    REFUSED_IN_CAPTURE(s);
    callback *c = malloc(sizeof *c);
    if (!c) return CU_OUT_OF_MEMORY;
    *c = (callback){function, stream, data};
    ls_op op = {.kind = LS_OP_HOST, .what = "cudaStreamAddCallback", .host = {call_back, c}};
    return RESULT(ls_dev_submit(s, &op));
}

/* --- Words in memory --- */
static CUresult write_value(CUstream stream, CUdeviceptr address, uint64_t value, unsigned bytes) {
    STREAM(s, stream);
    ls_op op = {.kind = LS_OP_FILL,
                .what = "cuStreamWriteValue",
                .fill = {address, 0, 1, 1, (uint32_t)value, 4, false}};
    CUresult result = RESULT(ls_dev_submit(s, &op));
    if (result != CU_OK || bytes == 4) return result;
    op.fill.address += 4;
    op.fill.value = (uint32_t)(value >> 32);
    return RESULT(ls_dev_submit(s, &op));
}
STREAM_API(cuStreamWriteValue32_v2, (CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags),
           (stream, address, value, flags)) {
    (void)flags;
    return write_value(stream, address, value, 4);
}
STREAM_API(cuStreamWriteValue64_v2, (CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags),
           (stream, address, value, flags)) {
    (void)flags;
    return write_value(stream, address, value, 8);
}

/* --- Events --- */
API(cuEventCreate, CUevent *event, unsigned flags) {
    NOT_AFTER_ERROR;
    if (!event) return RESULT(LS_DEV_INVALID);
    *event = ls_event_new(cu_dev(), flags);
    return *event ? CU_OK : CU_OUT_OF_MEMORY;
}
API(cuEventDestroy_v2, CUevent event) {
    EVENT(event);
    ls_event_free(event);
    return CU_OK;
}
static CUresult record(CUevent event, CUstream stream, bool external) {
    STREAM(s, stream);
    EVENT(event);
    ls_op op = {.kind = LS_OP_RECORD, .what = "cudaEventRecord", .external = external, .event = event};
    return RESULT(ls_dev_submit(s, &op));
}
STREAM_API(cuEventRecord, (CUevent event, CUstream stream), (event, stream)) {
    return record(event, stream, false);
}
STREAM_API(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags), (event, stream, flags)) {
    return record(event, stream, flags & EXTERNAL);
}
/* What an event of a capture answers, if anything. */
#define NOT_CAPTURED(event, breaks)                                                                          \
    do {                                                                                                     \
        const ls_dev_status captured_ = ls_capture_refuse_event(event, breaks);                              \
        if (captured_ != LS_DEV_OK) return RESULT(captured_);                                                \
    } while (0)
API(cuEventQuery, CUevent event) {
    EVENT(event);
    NOT_CAPTURED(event, true);
    UNSAFE_IN_CAPTURE;
    return RESULT(ls_event_query(event));
}
API(cuEventSynchronize, CUevent event) {
    EVENT(event);
    NOT_CAPTURED(event, true);
    UNSAFE_IN_CAPTURE;
    cu_pool_waited();
    return RESULT(ls_event_wait(event));
}
API(cuEventElapsedTime_v2, float *ms, CUevent from, CUevent to) {
    EVENT(from);
    EVENT(to);
    NOT_CAPTURED(from, false);
    NOT_CAPTURED(to, false);
    if (!ms) return RESULT(LS_DEV_INVALID);
    if ((ls_event_flags(from) | ls_event_flags(to)) & 2) return RESULT(LS_DEV_BAD_HANDLE); /* without times */
    return RESULT(ls_event_elapsed(from, to, ms));
}
API(cuEventElapsedTime, float *ms, CUevent from, CUevent to) {
    return cuEventElapsedTime_v2(ms, from, to);
}
