/* The runtime's graphs, over the driver's. Kernels are named by their host functions here. Where CUDA 13
 * added an argument for the kinds of edges, the older form has none: both are told apart by the version of
 * the runtime that the program was made for. */
#include "cuda/runtime.h"

#include <string.h>

#define GRAPH_RT(name, driver, PARAMS, ARGS)                                                                 \
    EXPORTED cudaError_t name PARAMS;                                                                        \
    cudaError_t name PARAMS {                                                                                \
        CALL(driver ARGS);                                                                                   \
    }

#define NODE_PARAMS CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count
#define NODE_ARGS   out, graph, before, count

GRAPH_RT(cudaGraphCreate, cuGraphCreate, (CUgraph * graph, unsigned flags), (graph, flags))
GRAPH_RT(cudaGraphDestroy, cuGraphDestroy, (CUgraph graph), (graph))
GRAPH_RT(cudaGraphClone, cuGraphClone, (CUgraph * clone, CUgraph graph), (clone, graph))
GRAPH_RT(cudaGraphNodeFindInClone, cuGraphNodeFindInClone,
         (CUgraphNode * out, CUgraphNode node, CUgraph clone), (out, node, clone))
GRAPH_RT(cudaGraphDestroyNode, cuGraphDestroyNode, (CUgraphNode node), (node))
GRAPH_RT(cudaGraphAddEmptyNode, cuGraphAddEmptyNode, (NODE_PARAMS), (NODE_ARGS))
GRAPH_RT(cudaGraphAddHostNode, cuGraphAddHostNode, (NODE_PARAMS, const CUDA_HOST_NODE_PARAMS *p),
         (NODE_ARGS, p))
GRAPH_RT(cudaGraphAddChildGraphNode, cuGraphAddChildGraphNode, (NODE_PARAMS, CUgraph child),
         (NODE_ARGS, child))
GRAPH_RT(cudaGraphAddEventRecordNode, cuGraphAddEventRecordNode, (NODE_PARAMS, CUevent event),
         (NODE_ARGS, event))
GRAPH_RT(cudaGraphAddEventWaitNode, cuGraphAddEventWaitNode, (NODE_PARAMS, CUevent event), (NODE_ARGS, event))
GRAPH_RT(cudaGraphAddMemAllocNode, cuGraphAddMemAllocNode, (NODE_PARAMS, CUDA_MEM_ALLOC_NODE_PARAMS *p),
         (NODE_ARGS, p))
GRAPH_RT(cudaGraphAddMemFreeNode, cuGraphAddMemFreeNode, (NODE_PARAMS, CUdeviceptr address),
         (NODE_ARGS, address))
GRAPH_RT(cudaGraphNodeGetType, cuGraphNodeGetType, (CUgraphNode node, int *type), (node, type))
GRAPH_RT(cudaGraphHostNodeGetParams, cuGraphHostNodeGetParams, (CUgraphNode node, CUDA_HOST_NODE_PARAMS *p),
         (node, p))
GRAPH_RT(cudaGraphHostNodeSetParams, cuGraphHostNodeSetParams,
         (CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p), (node, p))
GRAPH_RT(cudaGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph, (CUgraphNode node, CUgraph *graph),
         (node, graph))
GRAPH_RT(cudaGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent, (CUgraphNode node, CUevent *event),
         (node, event))
GRAPH_RT(cudaGraphEventRecordNodeSetEvent, cuGraphEventRecordNodeSetEvent, (CUgraphNode node, CUevent event),
         (node, event))
GRAPH_RT(cudaGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent, (CUgraphNode node, CUevent *event),
         (node, event))
GRAPH_RT(cudaGraphEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent, (CUgraphNode node, CUevent event),
         (node, event))
GRAPH_RT(cudaGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute,
         (CUgraphNode node, int attribute, const void *value), (node, attribute, value))
GRAPH_RT(cudaGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute,
         (CUgraphNode node, int attribute, void *value), (node, attribute, value))
GRAPH_RT(cudaGraphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes,
         (CUgraphNode to, CUgraphNode from), (to, from))
GRAPH_RT(cudaGraphGetNodes, cuGraphGetNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count),
         (graph, nodes, count))
GRAPH_RT(cudaGraphGetRootNodes, cuGraphGetRootNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count),
         (graph, nodes, count))
GRAPH_RT(cudaGraphExecDestroy, cuGraphExecDestroy, (CUgraphExec exec), (exec))
GRAPH_RT(cudaGraphExecGetFlags, cuGraphExecGetFlags, (CUgraphExec exec, uint64_t *flags), (exec, flags))
GRAPH_RT(cudaGraphInstantiateWithFlags, cuGraphInstantiateWithFlags,
         (CUgraphExec * out, CUgraph graph, unsigned long long flags), (out, graph, flags))
GRAPH_RT(cudaGraphInstantiateWithParams, cuGraphInstantiateWithParams,
         (CUgraphExec * out, CUgraph graph, uint64_t *params), (out, graph, params))
GRAPH_RT(cudaGraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams,
         (CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p), (exec, node, p))
GRAPH_RT(cudaGraphExecChildGraphNodeSetParams, cuGraphExecChildGraphNodeSetParams,
         (CUgraphExec exec, CUgraphNode node, CUgraph child), (exec, node, child))
GRAPH_RT(cudaGraphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent,
         (CUgraphExec exec, CUgraphNode node, CUevent event), (exec, node, event))
GRAPH_RT(cudaGraphExecEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent,
         (CUgraphExec exec, CUgraphNode node, CUevent event), (exec, node, event))
GRAPH_RT(cudaGraphNodeSetEnabled, cuGraphNodeSetEnabled,
         (CUgraphExec exec, CUgraphNode node, unsigned enabled), (exec, node, enabled))
GRAPH_RT(cudaGraphNodeGetEnabled, cuGraphNodeGetEnabled,
         (CUgraphExec exec, CUgraphNode node, unsigned *enabled), (exec, node, enabled))
GRAPH_RT(cudaGraphDebugDotPrint, cuGraphDebugDotPrint, (CUgraph graph, const char *path, unsigned flags),
         (graph, path, flags))
GRAPH_RT(cudaUserObjectCreate, cuUserObjectCreate,
         (void **object, void *data, void (*destroy)(void *), unsigned count, unsigned flags),
         (object, data, destroy, count, flags))
GRAPH_RT(cudaUserObjectRetain, cuUserObjectRetain, (void *object, unsigned count), (object, count))
GRAPH_RT(cudaUserObjectRelease, cuUserObjectRelease, (void *object, unsigned count), (object, count))
GRAPH_RT(cudaGraphRetainUserObject, cuGraphRetainUserObject,
         (CUgraph graph, void *object, unsigned count, unsigned flags), (graph, object, count, flags))
GRAPH_RT(cudaGraphReleaseUserObject, cuGraphReleaseUserObject, (CUgraph graph, void *object, unsigned count),
         (graph, object, count))
GRAPH_RT(cudaDeviceGraphMemTrim, cuDeviceGraphMemTrim, (int device), (device))
GRAPH_RT(cudaDeviceGetGraphMemAttribute, cuDeviceGetGraphMemAttribute,
         (int device, int attribute, void *value), (device, attribute, value))
GRAPH_RT(cudaDeviceSetGraphMemAttribute, cuDeviceSetGraphMemAttribute,
         (int device, int attribute, void *value), (device, attribute, value))

STREAM_RT(cudaGraphUpload, (CUgraphExec exec, CUstream stream), (exec, stream)) {
    CALL(cuGraphUpload(exec, stream));
}
STREAM_RT(cudaGraphLaunch, (CUgraphExec exec, CUstream stream), (exec, stream)) {
    CALL(cuGraphLaunch(exec, stream));
}

/* From CUDA 12 on it is cudaGraphInstantiate(exec, graph, flags); before, (exec, graph, node, log, size). */
RT(cudaGraphInstantiate, CUgraphExec *out, CUgraph graph, unsigned long long flags) {
    CALL(cuGraphInstantiateWithFlags(out, graph, rt_version() < 12000 ? 0 : flags));
}

/* --- Kernels --- */
static cudaError_t kernel_params(const cudaKernelNodeParams *p, CUDA_KERNEL_NODE_PARAMS *out) {
    cudaError_t error = rt_ready();
    CUfunction f = error ? NULL : rt_kernel(p->func, &error);
    if (!f) return error;
    *out = (CUDA_KERNEL_NODE_PARAMS){f,
                                     p->gridDim.x,
                                     p->gridDim.y,
                                     p->gridDim.z,
                                     p->blockDim.x,
                                     p->blockDim.y,
                                     p->blockDim.z,
                                     p->sharedMemBytes,
                                     p->kernelParams,
                                     p->extra,
                                     NULL,
                                     NULL};
    return CUDA_OK;
}
RT(cudaGraphAddKernelNode, NODE_PARAMS, const cudaKernelNodeParams *p) {
    CUDA_KERNEL_NODE_PARAMS k;
    cudaError_t error = kernel_params(p, &k);
    return rt_error(error ? error : cuGraphAddKernelNode_v2(NODE_ARGS, &k));
}
RT(cudaGraphKernelNodeSetParams, CUgraphNode node, const cudaKernelNodeParams *p) {
    CUDA_KERNEL_NODE_PARAMS k;
    cudaError_t error = kernel_params(p, &k);
    return rt_error(error ? error : cuGraphKernelNodeSetParams_v2(node, &k));
}
RT(cudaGraphExecKernelNodeSetParams, CUgraphExec exec, CUgraphNode node, const cudaKernelNodeParams *p) {
    CUDA_KERNEL_NODE_PARAMS k;
    cudaError_t error = kernel_params(p, &k);
    return rt_error(error ? error : cuGraphExecKernelNodeSetParams_v2(exec, node, &k));
}
RT(cudaGraphKernelNodeGetParams, CUgraphNode node, cudaKernelNodeParams *p) {
    CUDA_KERNEL_NODE_PARAMS k;
    cudaError_t error = cuGraphKernelNodeGetParams_v2(node, &k);
    if (!error)
        *p = (cudaKernelNodeParams){k.func,
                                    {k.gridDimX, k.gridDimY, k.gridDimZ},
                                    {k.blockDimX, k.blockDimY, k.blockDimZ},
                                    k.sharedMemBytes,
                                    k.kernelParams,
                                    k.extra};
    return rt_error(error);
}

/* --- Copies --- */
static void copy_1d(CUDA_MEMCPY3D *c, void *to, const void *from, size_t size) {
    *c = (CUDA_MEMCPY3D){.srcMemoryType = 4,
                         .srcDevice = (CUdeviceptr)(uintptr_t)from,
                         .dstMemoryType = 4,
                         .dstDevice = (CUdeviceptr)(uintptr_t)to,
                         .WidthInBytes = size,
                         .Height = 1,
                         .Depth = 1};
}
RT(cudaGraphAddMemcpyNode, NODE_PARAMS, const cudaMemcpy3DParms *p) {
    CUDA_MEMCPY3D c;
    cudaError_t error = rt_copy_3d(p, &c);
    return rt_error(error ? error : cuGraphAddMemcpyNode(NODE_ARGS, &c, NULL));
}
RT(cudaGraphAddMemcpyNode1D, NODE_PARAMS, void *to, const void *from, size_t size, int kind) {
    CUDA_MEMCPY3D c;
    (void)kind;
    copy_1d(&c, to, from, size);
    CALL(cuGraphAddMemcpyNode(NODE_ARGS, &c, NULL));
}
static cudaError_t symbol_at(const void *symbol, size_t offset, void **at) {
    CUdeviceptr address = 0;
    size_t bytes;
    cudaError_t error = rt_ready();
    if (!error) error = rt_symbol(symbol, &address, &bytes);
    *at = (void *)(address + offset);
    return error;
}
RT(cudaGraphAddMemcpyNodeToSymbol, NODE_PARAMS, const void *symbol, const void *from, size_t size,
   size_t offset, int kind) {
    CUDA_MEMCPY3D c;
    void *at;
    (void)kind;
    cudaError_t error = symbol_at(symbol, offset, &at);
    copy_1d(&c, at, from, size);
    return rt_error(error ? error : cuGraphAddMemcpyNode(NODE_ARGS, &c, NULL));
}
RT(cudaGraphAddMemcpyNodeFromSymbol, NODE_PARAMS, void *to, const void *symbol, size_t size, size_t offset,
   int kind) {
    CUDA_MEMCPY3D c;
    void *at;
    (void)kind;
    cudaError_t error = symbol_at(symbol, offset, &at);
    copy_1d(&c, to, at, size);
    return rt_error(error ? error : cuGraphAddMemcpyNode(NODE_ARGS, &c, NULL));
}
RT(cudaGraphMemcpyNodeSetParams, CUgraphNode node, const cudaMemcpy3DParms *p) {
    CUDA_MEMCPY3D c;
    cudaError_t error = rt_copy_3d(p, &c);
    return rt_error(error ? error : cuGraphMemcpyNodeSetParams(node, &c));
}
RT(cudaGraphMemcpyNodeSetParams1D, CUgraphNode node, void *to, const void *from, size_t size, int kind) {
    CUDA_MEMCPY3D c;
    (void)kind;
    copy_1d(&c, to, from, size);
    CALL(cuGraphMemcpyNodeSetParams(node, &c));
}
RT(cudaGraphExecMemcpyNodeSetParams, CUgraphExec exec, CUgraphNode node, const cudaMemcpy3DParms *p) {
    CUDA_MEMCPY3D c;
    cudaError_t error = rt_copy_3d(p, &c);
    return rt_error(error ? error : cuGraphExecMemcpyNodeSetParams(exec, node, &c, NULL));
}
RT(cudaGraphExecMemcpyNodeSetParams1D, CUgraphExec exec, CUgraphNode node, void *to, const void *from,
   size_t size, int kind) {
    CUDA_MEMCPY3D c;
    (void)kind;
    copy_1d(&c, to, from, size);
    CALL(cuGraphExecMemcpyNodeSetParams(exec, node, &c, NULL));
}

/* --- Fills --- */
static CUDA_MEMSET_NODE_PARAMS fill_of(const cudaMemsetParams *p) {
    return (CUDA_MEMSET_NODE_PARAMS){
        (CUdeviceptr)(uintptr_t)p->dst, p->pitch, p->value, p->elementSize, p->width, p->height, NULL};
}
RT(cudaGraphAddMemsetNode, NODE_PARAMS, const cudaMemsetParams *p) {
    CUDA_MEMSET_NODE_PARAMS f = fill_of(p);
    CALL(cuGraphAddMemsetNode(NODE_ARGS, &f, NULL));
}
RT(cudaGraphMemsetNodeSetParams, CUgraphNode node, const cudaMemsetParams *p) {
    CUDA_MEMSET_NODE_PARAMS f = fill_of(p);
    CALL(cuGraphMemsetNodeSetParams(node, &f));
}
RT(cudaGraphExecMemsetNodeSetParams, CUgraphExec exec, CUgraphNode node, const cudaMemsetParams *p) {
    CUDA_MEMSET_NODE_PARAMS f = fill_of(p);
    CALL(cuGraphExecMemsetNodeSetParams(exec, node, &f, NULL));
}
RT(cudaGraphMemsetNodeGetParams, CUgraphNode node, cudaMemsetParams *p) {
    CUDA_MEMSET_NODE_PARAMS f = {0};
    cudaError_t error = cuGraphMemsetNodeGetParams(node, &f);
    if (!error) *p = (cudaMemsetParams){(void *)f.dst, f.pitch, f.value, f.elementSize, f.width, f.height};
    return rt_error(error);
}

/* --- Any kind --- */
static cudaError_t any_params(cudaGraphNodeParams *p, CUgraphNodeParams *out) {
    memset(out, 0, sizeof *out);
    out->type = p->type;
    switch (p->type) {
    case 0: return kernel_params(&p->kernel, &out->kernel);
    case 1: return rt_copy_3d(&p->memcpy.copyParams, &out->memcpy.copyParams);
    case 2: out->memset = fill_of(&p->memset); return CUDA_OK;
    case 3: out->host = p->host; return CUDA_OK;
    case 4: out->graph.graph = p->graph.graph; return CUDA_OK;
    case 5: return CUDA_OK;
    case 6:
    case 7: out->event = p->event; return CUDA_OK;
    case 10: out->alloc = p->alloc; return CUDA_OK;
    case 11: out->free = (CUdeviceptr)(uintptr_t)p->free; return CUDA_OK;
    case 13: out->conditional = p->conditional; return CUDA_OK;
    default: return CUDA_RUNTIME_NOT_SUPPORTED;
    }
}
static cudaError_t add_any(NODE_PARAMS, cudaGraphNodeParams *p) {
    CUgraphNodeParams q;
    cudaError_t error = rt_ready();
    if (!error) error = any_params(p, &q);
    if (!error) error = cuGraphAddNode(NODE_ARGS, &q);
    if (!error && p->type == 10) p->alloc.dptr = q.alloc.dptr;
    if (!error && p->type == 13) p->conditional.phGraph_out = q.conditional.phGraph_out;
    return rt_error(error);
}
RT(cudaGraphConditionalHandleCreate, uint64_t *handle, CUgraph graph, unsigned value, unsigned flags) {
    CALL(cuGraphConditionalHandleCreate(handle, graph, NULL, value, flags));
}
/* CUDA 13: (out, graph, before, data, count, params); CUDA 12: without data. */
RT(cudaGraphAddNode, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, uintptr_t data,
   uintptr_t count, void *params) {
    if (rt_version() >= 13000) return add_any(out, graph, before, count, params);
    return add_any(out, graph, before, data, (cudaGraphNodeParams *)count);
}
RT(cudaGraphAddNode_v2, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, const void *data,
   size_t count, void *params) {
    (void)data;
    return add_any(out, graph, before, count, params);
}
RT(cudaGraphNodeSetParams, CUgraphNode node, cudaGraphNodeParams *p) {
    CUgraphNodeParams q;
    cudaError_t error = any_params(p, &q);
    return rt_error(error ? error : cuGraphNodeSetParams(node, &q));
}
RT(cudaGraphExecNodeSetParams, CUgraphExec exec, CUgraphNode node, cudaGraphNodeParams *p) {
    CUgraphNodeParams q;
    cudaError_t error = any_params(p, &q);
    return rt_error(error ? error : cuGraphExecNodeSetParams(exec, node, &q));
}

/* --- Edges --- */
RT(cudaGraphAddDependencies, CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, uintptr_t data,
   size_t count) {
    CALL(cuGraphAddDependencies(graph, from, to, rt_version() >= 13000 ? count : data));
}
RT(cudaGraphRemoveDependencies, CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, uintptr_t data,
   size_t count) {
    CALL(cuGraphRemoveDependencies(graph, from, to, rt_version() >= 13000 ? count : data));
}
RT(cudaGraphGetEdges, CUgraph graph, CUgraphNode *from, CUgraphNode *to, void *data, size_t *count) {
    CALL(cuGraphGetEdges(graph, from, to, rt_version() >= 13000 ? count : data));
}
RT(cudaGraphNodeGetDependencies, CUgraphNode node, CUgraphNode *nodes, void *data, size_t *count) {
    CALL(cuGraphNodeGetDependencies(node, nodes, rt_version() >= 13000 ? count : data));
}
RT(cudaGraphNodeGetDependentNodes, CUgraphNode node, CUgraphNode *nodes, void *data, size_t *count) {
    CALL(cuGraphNodeGetDependentNodes(node, nodes, rt_version() >= 13000 ? count : data));
}
RT(cudaGraphExecUpdate, CUgraphExec exec, CUgraph graph, void *info, int *result) {
    if (rt_version() >= 12000) CALL(cuGraphExecUpdate_v2(exec, graph, info));
    CALL(cuGraphExecUpdate(exec, graph, info, result));
}

/* --- Capture --- */
STREAM_RT(cudaStreamBeginCapture, (CUstream stream, int mode), (stream, mode)) {
    CALL(cuStreamBeginCapture_v2(stream, mode));
}
STREAM_RT(cudaStreamBeginCaptureToGraph,
          (CUstream stream, CUgraph graph, const CUgraphNode *before, const CUgraphEdgeData *data,
           size_t count, int mode),
          (stream, graph, before, data, count, mode)) {
    CALL(cuStreamBeginCaptureToGraph(stream, graph, before, data, count, mode));
}
STREAM_RT(cudaStreamEndCapture, (CUstream stream, CUgraph *graph), (stream, graph)) {
    CALL(cuStreamEndCapture(stream, graph));
}
STREAM_RT(cudaStreamIsCapturing, (CUstream stream, int *status), (stream, status)) {
    CALL(cuStreamIsCapturing(stream, status));
}
RT(cudaThreadExchangeStreamCaptureMode, int *mode) {
    CALL(cuThreadExchangeStreamCaptureMode(mode));
}
/* CUDA 13: (…, last, data, count); CUDA 12's _v2: (…, last, count). */
STREAM_RT(cudaStreamGetCaptureInfo,
          (CUstream stream, int *status, uint64_t *id, CUgraph *graph, const CUgraphNode **last,
           const CUgraphEdgeData **data, size_t *count),
          (stream, status, id, graph, last, data, count)) {
    if (rt_version() < 13000) CALL(cuStreamGetCaptureInfo(stream, status, id));
    CALL(cuStreamGetCaptureInfo_v3(stream, status, id, graph, last, data, count));
}
STREAM_RT(cudaStreamGetCaptureInfo_v2,
          (CUstream stream, int *status, uint64_t *id, CUgraph *graph, const CUgraphNode **last,
           size_t *count),
          (stream, status, id, graph, last, count)) {
    CALL(cuStreamGetCaptureInfo_v2(stream, status, id, graph, last, count));
}
STREAM_RT(cudaStreamUpdateCaptureDependencies,
          (CUstream stream, CUgraphNode *nodes, uintptr_t data, size_t count, unsigned flags),
          (stream, nodes, data, count, flags)) {
    bool new_form = rt_version() >= 13000;
    CALL(cuStreamUpdateCaptureDependencies(stream, nodes, new_form ? count : data,
                                           new_form ? flags : (unsigned)count));
}
