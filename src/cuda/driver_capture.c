/* Graphs by capture: the beginning and the end of it, what a stream captures, and in which mode a thread is.
 */
#include "cuda/driver.h"

static _Thread_local int thread_mode = LS_CAPTURE_GLOBAL;

ls_dev_status cu_capture_unsafe(void) {
    return ls_capture_unsafe(cu_dev(), (ls_capture_mode)thread_mode);
}

static bool is_mode(int mode) {
    return mode >= LS_CAPTURE_GLOBAL && mode <= LS_CAPTURE_RELAXED;
}

STREAM_API(cuStreamBeginCapture_v2, (CUstream stream, int mode), (stream, mode)) {
    ls_stream *s = cu_stream(stream);
    if (s && !is_mode(mode)) return RESULT(LS_DEV_INVALID);
    return RESULT(s ? ls_capture_begin(s, NULL, (ls_capture_mode)mode) : LS_DEV_BAD_HANDLE);
}
STREAM_API(cuStreamBeginCaptureToGraph,
           (CUstream stream, CUgraph graph, const CUgraphNode *before, const CUgraphEdgeData *data,
            size_t count, int mode),
           (stream, graph, before, data, count, mode)) {
    (void)data;
    ls_stream *s = cu_stream(stream);
    if (s && (!graph || !is_mode(mode))) return RESULT(LS_DEV_INVALID);
    ls_dev_status status = s ? ls_capture_begin(s, graph, (ls_capture_mode)mode) : LS_DEV_BAD_HANDLE;
    if (status == LS_DEV_OK) ls_capture_set_last(s, before, count, false);
    return RESULT(status);
}
STREAM_API(cuStreamEndCapture, (CUstream stream, CUgraph *graph), (stream, graph)) {
    ls_stream *s = cu_stream(stream);
    return RESULT(s ? ls_capture_end(s, graph) : LS_DEV_BAD_HANDLE);
}
STREAM_API(cuStreamIsCapturing, (CUstream stream, int *status), (stream, status)) {
    ls_stream *s = cu_stream(stream);
    if (!s) return RESULT(LS_DEV_BAD_HANDLE);
    *status = ls_capture_of(s);
    return RESULT(ls_capture_asked(s));
}
API(cuThreadExchangeStreamCaptureMode, int *mode) {
    if (!mode || !is_mode(*mode)) return RESULT(LS_DEV_INVALID);
    const int before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return CU_OK;
}
static CUresult capture_info(CUstream stream, int *status, uint64_t *id, CUgraph *graph,
                             const CUgraphNode **last, size_t *count) {
    ls_stream *s = cu_stream(stream);
    if (!s) return RESULT(LS_DEV_BAD_HANDLE);
    if (ls_capture_asked(s) != LS_DEV_OK) return RESULT(ls_capture_asked(s));
    *status = ls_capture_of(s);
    if (id) *id = ls_capture_id(s);
    CUgraph g = ls_capture_graph(s, last, count);
    if (graph) *graph = g;
    return CU_OK;
}
STREAM_API(cuStreamGetCaptureInfo, (CUstream stream, int *status, uint64_t *id), (stream, status, id)) {
    return capture_info(stream, status, id, NULL, NULL, NULL);
}
STREAM_API(cuStreamGetCaptureInfo_v2,
           (CUstream stream, int *status, uint64_t *id, CUgraph *graph, const CUgraphNode **last,
            size_t *count),
           (stream, status, id, graph, last, count)) {
    return capture_info(stream, status, id, graph, last, count);
}
STREAM_API(cuStreamGetCaptureInfo_v3,
           (CUstream stream, int *status, uint64_t *id, CUgraph *graph, const CUgraphNode **last,
            const CUgraphEdgeData **data, size_t *count),
           (stream, status, id, graph, last, data, count)) {
    if (data) *data = NULL;
    return capture_info(stream, status, id, graph, last, count);
}
static CUresult set_dependencies(CUstream stream, CUgraphNode *nodes, size_t count, unsigned flags) {
    ls_stream *s = cu_stream(stream);
    if (!s || !ls_capture_active(s)) return RESULT(LS_DEV_INVALID);
    ls_capture_set_last(s, nodes, count, !(flags & 1));
    return CU_OK;
}
STREAM_API(cuStreamUpdateCaptureDependencies,
           (CUstream stream, CUgraphNode *nodes, size_t count, unsigned flags),
           (stream, nodes, count, flags)) {
    return set_dependencies(stream, nodes, count, flags);
}
STREAM_API(cuStreamUpdateCaptureDependencies_v2,
           (CUstream stream, CUgraphNode *nodes, const CUgraphEdgeData *data, size_t count, unsigned flags),
           (stream, nodes, data, count, flags)) {
    (void)data;
    return set_dependencies(stream, nodes, count, flags);
}
