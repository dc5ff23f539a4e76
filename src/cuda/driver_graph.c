/* Graphs: by hand, by capture, and as executables. An executable graph is a copy of the graph at the time. */
#include "cuda/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cu_graph_exec {
    CUgraph graph;
    uint64_t flags;
};

enum {
    TYPE_KERNEL,
    TYPE_MEMCPY,
    TYPE_MEMSET,
    TYPE_HOST,
    TYPE_GRAPH,
    TYPE_EMPTY,
    TYPE_WAIT,
    TYPE_RECORD,
    TYPE_ALLOC = 10,
    TYPE_FREE = 11,
    TYPE_CONDITIONAL = 13
};
static const int types[] = {
    [LS_OP_EMPTY] = TYPE_EMPTY,   [LS_OP_KERNEL] = TYPE_KERNEL, [LS_OP_COPY] = TYPE_MEMCPY,
    [LS_OP_FILL] = TYPE_MEMSET,   [LS_OP_HOST] = TYPE_HOST,     [LS_OP_WORK] = TYPE_KERNEL,
    [LS_OP_RECORD] = TYPE_RECORD, [LS_OP_WAIT] = TYPE_WAIT,     [LS_OP_GRAPH] = TYPE_GRAPH,
    [LS_OP_ALLOC] = TYPE_ALLOC,   [LS_OP_FREE] = TYPE_FREE,     [LS_OP_CONDITION] = TYPE_CONDITIONAL};

/* --- Graphs --- */
API(cuGraphCreate, CUgraph *graph, unsigned flags) {
    (void)flags;
    if (!graph) return RESULT(LS_DEV_INVALID);
    *graph = ls_graph_new(cu_dev());
    return *graph ? CU_OK : CU_OUT_OF_MEMORY;
}
API(cuGraphDestroy, CUgraph graph) {
    if (!graph) return RESULT(LS_DEV_INVALID);
    ls_graph_free(graph);
    return CU_OK;
}
API(cuGraphClone, CUgraph *clone, CUgraph graph) {
    *clone = ls_graph_copy(graph);
    return *clone ? CU_OK : CU_OUT_OF_MEMORY;
}
API(cuGraphNodeFindInClone, CUgraphNode *out, CUgraphNode node, CUgraph clone) {
    *out = ls_graph_twin(clone, node);
    return *out ? CU_OK : RESULT(LS_DEV_INVALID);
}
API(cuGraphDestroyNode, CUgraphNode node) {
    ls_graph_remove(node);
    return CU_OK;
}

/* --- Nodes --- */
static CUresult add(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                    const ls_op *op) {
    *out = ls_graph_add(graph, op, before, count);
    return *out ? CU_OK : CU_OUT_OF_MEMORY;
}

static CUresult kernel_op(const CUDA_KERNEL_NODE_PARAMS *p, bool second, ls_op *op) {
    const unsigned grid[] = {p->gridDimX, p->gridDimY, p->gridDimZ},
                   block[] = {p->blockDimX, p->blockDimY, p->blockDimZ};
    return cu_launch_op(p->func || !second ? p->func : p->kern, grid, block, p->sharedMemBytes,
                        p->kernelParams, p->extra, op);
}
static ls_op fill_op(const CUDA_MEMSET_NODE_PARAMS *p) {
    return (ls_op){.kind = LS_OP_FILL,
                   .what = "a memset node",
                   .fill = {p->dst, p->pitch, p->width, p->height, p->value, p->elementSize, false}};
}
static ls_op host_op(const CUDA_HOST_NODE_PARAMS *p) {
    return (ls_op){.kind = LS_OP_HOST, .what = "a host node", .host = {p->fn, p->userData}};
}
static CUresult copy_op(const CUDA_MEMCPY3D *p, ls_op *op) {
    *op = (ls_op){.kind = LS_OP_COPY, .what = "a memcpy node"};
    return cu_copy_3d(p, &op->copy);
}

static CUresult add_kernel(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                           const CUDA_KERNEL_NODE_PARAMS *p, bool second) {
    ls_op op;
    CUresult result = kernel_op(p, second, &op);
    if (result != CU_OK) return RESULT((ls_dev_status)result);
    result = add(out, graph, before, count, &op);
    free(op.launch.params);
    return result;
}
API(cuGraphAddKernelNode, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
    const CUDA_KERNEL_NODE_PARAMS *p) {
    return add_kernel(out, graph, before, count, p, false);
}
API(cuGraphAddKernelNode_v2, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
    const CUDA_KERNEL_NODE_PARAMS *p) {
    return add_kernel(out, graph, before, count, p, true);
}
API(cuGraphAddMemcpyNode, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
    const CUDA_MEMCPY3D *p, CUcontext context) {
    ls_op op;
    (void)context;
    CUresult result = copy_op(p, &op);
    return result == CU_OK ? add(out, graph, before, count, &op) : result;
}
API(cuGraphAddMemsetNode, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
    const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context) {
    ls_op op = fill_op(p);
    (void)context;
    return add(out, graph, before, count, &op);
}
API(cuGraphAddHostNode, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
    const CUDA_HOST_NODE_PARAMS *p) {
    ls_op op = host_op(p);
    return add(out, graph, before, count, &op);
}
API(cuGraphAddChildGraphNode, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
    CUgraph child) {
    ls_op op = {.kind = LS_OP_GRAPH, .what = "a child graph", .graph = child};
    return add(out, graph, before, count, &op);
}
API(cuGraphAddEmptyNode, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count) {
    ls_op op = {.kind = LS_OP_EMPTY};
    return add(out, graph, before, count, &op);
}
API(cuGraphAddEventRecordNode, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
    CUevent event) {
    ls_op op = {.kind = LS_OP_RECORD, .event = event};
    return add(out, graph, before, count, &op);
}
API(cuGraphAddEventWaitNode, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
    CUevent event) {
    ls_op op = {.kind = LS_OP_WAIT, .event = event};
    return add(out, graph, before, count, &op);
}
API(cuGraphAddMemAllocNode, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
    CUDA_MEM_ALLOC_NODE_PARAMS *p) {
    p->dptr = ls_dev_alloc(cu_dev(), LS_MEMORY_DEVICE, cu_ordinal(), p->bytesize, "a memory node");
    if (!p->dptr) return RESULT(LS_DEV_NO_MEMORY);
    ls_dev_graph_memory(cu_dev(), p->dptr);
    ls_op op = {.kind = LS_OP_ALLOC, .memory = {p->dptr, p->bytesize}};
    return add(out, graph, before, count, &op);
}
API(cuGraphAddMemFreeNode, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
    CUdeviceptr address) {
    ls_op op = {.kind = LS_OP_FREE, .what = "a memory node", .memory = {address, 0}};
    return add(out, graph, before, count, &op);
}

/* --- Conditions --- */
API(cuGraphConditionalHandleCreate, uint64_t *handle, CUgraph graph, CUcontext context, unsigned value,
    unsigned flags) {
    enum { ASSIGN_DEFAULT = 1 };
    (void)context;
    if (!graph || !handle) return RESULT(LS_DEV_INVALID);
    *handle = ls_graph_condition(graph, value, flags & ASSIGN_DEFAULT);
    return *handle ? CU_OK : RESULT(LS_DEV_NO_MEMORY);
}
/* The graphs are the node's; the caller fills them. */
static CUresult add_condition(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                              CUDA_CONDITIONAL_NODE_PARAMS *p) {
    enum { MOST_BODIES = 4096 };
    ls_op op = {.kind = LS_OP_CONDITION,
                .what = "a conditional node",
                .condition = {p->handle, (ls_condition_kind)p->type, p->size, NULL}};
    ls_memory word;
    if (p->type < LS_CONDITION_IF || p->type > LS_CONDITION_SWITCH || !p->size || p->size > MOST_BODIES ||
        (p->type == LS_CONDITION_WHILE && p->size > 1) || (p->type == LS_CONDITION_IF && p->size > 2) ||
        !ls_dev_find(cu_dev(), p->handle, &word) || word.kind != LS_MEMORY_VARIABLE)
        return RESULT(LS_DEV_INVALID);
    ls_graph **bodies = calloc(p->size, sizeof *bodies);
    if (!bodies) return CU_OUT_OF_MEMORY;
    for (unsigned k = 0; k < p->size; k++) bodies[k] = ls_graph_new(cu_dev());
    op.condition.bodies = bodies;
    CUresult result = add(out, graph, before, count, &op); /* a copy of them */
    for (unsigned k = 0; k < p->size; k++) ls_graph_free(bodies[k]);
    free(bodies);
    if (result == CU_OK) p->phGraph_out = ls_graph_op(*out)->condition.bodies;
    return result;
}

static CUresult add_any(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                        CUgraphNodeParams *p) {
    switch (p->type) {
    case TYPE_KERNEL: return cuGraphAddKernelNode_v2(out, graph, before, count, &p->kernel);
    case TYPE_MEMCPY: return cuGraphAddMemcpyNode(out, graph, before, count, &p->memcpy.copyParams, NULL);
    case TYPE_MEMSET: return cuGraphAddMemsetNode(out, graph, before, count, &p->memset, NULL);
    case TYPE_HOST: return cuGraphAddHostNode(out, graph, before, count, &p->host);
    case TYPE_GRAPH: return cuGraphAddChildGraphNode(out, graph, before, count, p->graph.graph);
    case TYPE_EMPTY: return cuGraphAddEmptyNode(out, graph, before, count);
    case TYPE_WAIT: return cuGraphAddEventWaitNode(out, graph, before, count, p->event);
    case TYPE_RECORD: return cuGraphAddEventRecordNode(out, graph, before, count, p->event);
    case TYPE_ALLOC: return cuGraphAddMemAllocNode(out, graph, before, count, &p->alloc);
    case TYPE_FREE: return cuGraphAddMemFreeNode(out, graph, before, count, p->free);
    case TYPE_CONDITIONAL: return add_condition(out, graph, before, count, &p->conditional);
    default: ls_dev_missing(cu_dev(), "cuGraphAddNode of this type"); return CU_NOT_SUPPORTED;
    }
}
API(cuGraphAddNode, CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
    CUgraphNodeParams *p) {
    return add_any(out, graph, before, count, p);
}
API(cuGraphAddNode_v2, CUgraphNode *out, CUgraph graph, const CUgraphNode *before,
    const CUgraphEdgeData *data, size_t count, CUgraphNodeParams *p) {
    (void)data;
    return add_any(out, graph, before, count, p);
}

/* --- What nodes have --- */
API(cuGraphNodeGetType, CUgraphNode node, int *type) {
    *type = types[ls_graph_op(node)->kind];
    return CU_OK;
}
static CUresult set_op(CUgraphNode node, const ls_op *op) {
    if (!node || ls_graph_op(node)->kind != op->kind) return RESULT(LS_DEV_INVALID);
    ls_graph_set_op(node, op);
    return CU_OK;
}
static CUresult set_kernel(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p, bool second) {
    ls_op op;
    CUresult result = kernel_op(p, second, &op);
    if (result != CU_OK) return RESULT((ls_dev_status)result);
    result = set_op(node, &op);
    free(op.launch.params);
    return result;
}
static CUresult get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p, bool second) {
    static _Thread_local void *pointers[256];
    const ls_op *op = ls_graph_op(node);
    if (op->kind != LS_OP_KERNEL) return RESULT(LS_DEV_INVALID);
    const ls_launch *l = &op->launch;
    const ls_kernel_info *i = ls_dev_kernel_info(l->kernel);
    p->func = l->kernel;
    memcpy(&p->gridDimX, l->grid, sizeof l->grid);
    memcpy(&p->blockDimX, l->block, sizeof l->block);
    p->sharedMemBytes = l->shared_bytes;
    for (uint32_t k = 0; k < i->param_count && k < 256; k++)
        pointers[k] = (char *)l->params + i->param_offsets[k];
    p->kernelParams = pointers;
    p->extra = NULL;
    if (second) p->kern = l->kernel, p->ctx = cu_current();
    return CU_OK;
}
API(cuGraphKernelNodeGetParams, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p) {
    return get_kernel(node, p, false);
}
API(cuGraphKernelNodeGetParams_v2, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p) {
    return get_kernel(node, p, true);
}
API(cuGraphKernelNodeSetParams, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
    return set_kernel(node, p, false);
}
API(cuGraphKernelNodeSetParams_v2, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
    return set_kernel(node, p, true);
}
API(cuGraphMemcpyNodeSetParams, CUgraphNode node, const CUDA_MEMCPY3D *p) {
    ls_op op;
    CUresult result = copy_op(p, &op);
    return result == CU_OK ? set_op(node, &op) : result;
}
API(cuGraphMemsetNodeSetParams, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p) {
    ls_op op = fill_op(p);
    return set_op(node, &op);
}
API(cuGraphMemsetNodeGetParams, CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *p) {
    const ls_fill *f = &ls_graph_op(node)->fill;
    if (ls_graph_op(node)->kind != LS_OP_FILL) return RESULT(LS_DEV_INVALID);
    p->dst = f->address, p->pitch = f->pitch, p->value = f->value, p->elementSize = f->element;
    p->width = f->width, p->height = f->height;
    return CU_OK;
}
API(cuGraphHostNodeSetParams, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p) {
    ls_op op = host_op(p);
    return set_op(node, &op);
}
API(cuGraphHostNodeGetParams, CUgraphNode node, CUDA_HOST_NODE_PARAMS *p) {
    const ls_op *op = ls_graph_op(node);
    if (op->kind != LS_OP_HOST) return RESULT(LS_DEV_INVALID);
    *p = (CUDA_HOST_NODE_PARAMS){op->host.call, op->host.data};
    return CU_OK;
}
API(cuGraphChildGraphNodeGetGraph, CUgraphNode node, CUgraph *graph) {
    if (ls_graph_op(node)->kind != LS_OP_GRAPH) return RESULT(LS_DEV_INVALID);
    *graph = ls_graph_op(node)->graph;
    return CU_OK;
}
API(cuGraphEventRecordNodeGetEvent, CUgraphNode node, CUevent *event) {
    *event = ls_graph_op(node)->event;
    return CU_OK;
}
API(cuGraphEventWaitNodeGetEvent, CUgraphNode node, CUevent *event) {
    *event = ls_graph_op(node)->event;
    return CU_OK;
}
API(cuGraphEventRecordNodeSetEvent, CUgraphNode node, CUevent event) {
    ls_graph_op(node)->event = event;
    return CU_OK;
}
API(cuGraphEventWaitNodeSetEvent, CUgraphNode node, CUevent event) {
    ls_graph_op(node)->event = event;
    return CU_OK;
}
API(cuGraphKernelNodeSetAttribute, CUgraphNode node, int attribute, const void *value) {
    if (attribute == CU_LAUNCH_COOPERATIVE) ls_graph_op(node)->launch.cooperative = *(const int *)value;
    return CU_OK;
}
API(cuGraphKernelNodeGetAttribute, CUgraphNode node, int attribute, void *value) {
    (void)node, (void)attribute;
    memset(value, 0, 64);
    return CU_OK;
}
API(cuGraphKernelNodeCopyAttributes, CUgraphNode to, CUgraphNode from) {
    ls_graph_op(to)->launch.cooperative = ls_graph_op(from)->launch.cooperative;
    return CU_OK;
}

/* --- Edges --- */
static CUresult depend(const CUgraphNode *from, const CUgraphNode *to, size_t count, bool more) {
    ls_dev_status status = LS_DEV_OK;
    for (size_t k = 0; k < count && status == LS_DEV_OK; k++) status = ls_graph_depend(from[k], to[k], more);
    return RESULT(status);
}
API(cuGraphAddDependencies, CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
    (void)graph;
    return depend(from, to, count, true);
}
API(cuGraphAddDependencies_v2, CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
    const CUgraphEdgeData *data, size_t count) {
    (void)graph, (void)data;
    return depend(from, to, count, true);
}
API(cuGraphRemoveDependencies, CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
    (void)graph;
    return depend(from, to, count, false);
}
API(cuGraphRemoveDependencies_v2, CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
    const CUgraphEdgeData *data, size_t count) {
    (void)graph, (void)data;
    return depend(from, to, count, false);
}
API(cuGraphGetNodes, CUgraph graph, CUgraphNode *nodes, size_t *count) {
    *count = ls_graph_nodes(graph, nodes, nodes ? *count : 0);
    return CU_OK;
}
API(cuGraphGetRootNodes, CUgraph graph, CUgraphNode *nodes, size_t *count) {
    *count = ls_graph_roots(graph, nodes, nodes ? *count : 0);
    return CU_OK;
}
API(cuGraphGetEdges, CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
    *count = ls_graph_edges(graph, from, to, from ? *count : 0);
    return CU_OK;
}
API(cuGraphGetEdges_v2, CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
    size_t *count) {
    if (data) memset(data, 0, *count * sizeof *data);
    return cuGraphGetEdges(graph, from, to, count);
}
API(cuGraphNodeGetDependencies, CUgraphNode node, CUgraphNode *nodes, size_t *count) {
    *count = ls_graph_near(node, false, nodes, nodes ? *count : 0);
    return CU_OK;
}
API(cuGraphNodeGetDependencies_v2, CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
    size_t *count) {
    if (data) memset(data, 0, *count * sizeof *data);
    return cuGraphNodeGetDependencies(node, nodes, count);
}
API(cuGraphNodeGetDependentNodes, CUgraphNode node, CUgraphNode *nodes, size_t *count) {
    *count = ls_graph_near(node, true, nodes, nodes ? *count : 0);
    return CU_OK;
}
API(cuGraphNodeGetDependentNodes_v2, CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
    size_t *count) {
    if (data) memset(data, 0, *count * sizeof *data);
    return cuGraphNodeGetDependentNodes(node, nodes, count);
}

/* --- Executables --- */
static CUresult instantiate(CUgraphExec *out, CUgraph graph, uint64_t flags) {
    if (!graph || ls_graph_cyclic(graph)) return RESULT(LS_DEV_INVALID);
    CUgraphExec e = calloc(1, sizeof *e);
    if (!e) return CU_OUT_OF_MEMORY;
    e->graph = ls_graph_copy(graph);
    e->flags = flags;
    *out = e;
    return CU_OK;
}
API(cuGraphInstantiateWithFlags, CUgraphExec *out, CUgraph graph, unsigned long long flags) {
    return instantiate(out, graph, flags);
}
API(cuGraphInstantiate_v2, CUgraphExec *out, CUgraph graph, CUgraphNode *wrong, char *log, size_t size) {
    if (wrong) *wrong = NULL;
    if (log && size) *log = 0;
    return instantiate(out, graph, 0);
}
API(cuGraphInstantiateWithParams, CUgraphExec *out, CUgraph graph, uint64_t *params) {
    CUresult result = instantiate(out, graph, params[0]);
    params[2] = 0;
    params[3] = result != CU_OK;
    return result;
}
API(cuGraphExecGetFlags, CUgraphExec exec, uint64_t *flags) {
    *flags = exec->flags;
    return CU_OK;
}
API(cuGraphExecDestroy, CUgraphExec exec) {
    if (!exec) return RESULT(LS_DEV_INVALID);
    ls_graph_free(exec->graph);
    free(exec);
    return CU_OK;
}
STREAM_API(cuGraphUpload, (CUgraphExec exec, CUstream stream), (exec, stream)) {
    if (!exec) return RESULT(LS_DEV_INVALID);
    return cu_stream(stream) ? CU_OK : RESULT(LS_DEV_BAD_HANDLE);
}
STREAM_API(cuGraphLaunch, (CUgraphExec exec, CUstream stream), (exec, stream)) {
    ls_stream *s = cu_stream(stream);
    if (!s) return RESULT(LS_DEV_BAD_HANDLE);
    if (!exec) {
        const ls_dev_status refused = ls_capture_active(s) ? LS_DEV_OK : ls_capture_refuse(s);
        return RESULT(refused == LS_DEV_OK ? LS_DEV_INVALID : refused);
    }
    ls_op op = {.kind = LS_OP_GRAPH, .what = "cudaGraphLaunch", .graph = exec->graph};
    return RESULT(ls_dev_submit(s, &op));
}

/* The executable's node for a node of the graph that it was made of. */
#define EXEC_NODE(twin, exec, node)                                                                          \
    CUgraphNode twin = ls_graph_twin((exec)->graph, node);                                                   \
    if (!twin) return RESULT(LS_DEV_INVALID)

API(cuGraphExecKernelNodeSetParams, CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
    EXEC_NODE(twin, exec, node);
    return set_kernel(twin, p, false);
}
API(cuGraphExecKernelNodeSetParams_v2, CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
    EXEC_NODE(twin, exec, node);
    return set_kernel(twin, p, true);
}
API(cuGraphExecMemcpyNodeSetParams, CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *p,
    CUcontext context) {
    (void)context;
    EXEC_NODE(twin, exec, node);
    return cuGraphMemcpyNodeSetParams(twin, p);
}
API(cuGraphExecMemsetNodeSetParams, CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p,
    CUcontext context) {
    (void)context;
    EXEC_NODE(twin, exec, node);
    return cuGraphMemsetNodeSetParams(twin, p);
}
API(cuGraphExecHostNodeSetParams, CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p) {
    EXEC_NODE(twin, exec, node);
    return cuGraphHostNodeSetParams(twin, p);
}
API(cuGraphExecChildGraphNodeSetParams, CUgraphExec exec, CUgraphNode node, CUgraph child) {
    EXEC_NODE(twin, exec, node);
    ls_op op = {.kind = LS_OP_GRAPH, .what = "a child graph", .graph = child};
    return set_op(twin, &op);
}
API(cuGraphExecEventRecordNodeSetEvent, CUgraphExec exec, CUgraphNode node, CUevent event) {
    EXEC_NODE(twin, exec, node);
    return cuGraphEventRecordNodeSetEvent(twin, event);
}
API(cuGraphExecEventWaitNodeSetEvent, CUgraphExec exec, CUgraphNode node, CUevent event) {
    EXEC_NODE(twin, exec, node);
    return cuGraphEventWaitNodeSetEvent(twin, event);
}
API(cuGraphNodeSetEnabled, CUgraphExec exec, CUgraphNode node, unsigned enabled) {
    EXEC_NODE(twin, exec, node);
    ls_graph_enable(twin, enabled);
    return CU_OK;
}
API(cuGraphNodeGetEnabled, CUgraphExec exec, CUgraphNode node, unsigned *enabled) {
    EXEC_NODE(twin, exec, node);
    *enabled = ls_graph_enabled(twin);
    return CU_OK;
}
static CUresult set_any(CUgraphNode node, const CUgraphNodeParams *p) {
    switch (p->type) {
    case TYPE_KERNEL: return set_kernel(node, &p->kernel, true);
    case TYPE_MEMCPY: return cuGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    case TYPE_MEMSET: return cuGraphMemsetNodeSetParams(node, &p->memset);
    case TYPE_HOST: return cuGraphHostNodeSetParams(node, &p->host);
    default: return RESULT(LS_DEV_NOT_SUPPORTED);
    }
}
API(cuGraphNodeSetParams, CUgraphNode node, const CUgraphNodeParams *p) {
    return set_any(node, p);
}
API(cuGraphExecNodeSetParams, CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams *p) {
    EXEC_NODE(twin, exec, node);
    return set_any(twin, p);
}

/* The same number of nodes of the same kinds in the same order: then it is taken as it is. */
static bool updates(CUgraphExec exec, CUgraph graph) {
    size_t n = ls_graph_nodes(graph, NULL, 0);
    if (n != ls_graph_nodes(exec->graph, NULL, 0)) return false;
    CUgraphNode *nodes = calloc(2 * n + 1, sizeof *nodes);
    bool same = nodes;
    if (nodes) ls_graph_nodes(graph, nodes, n), ls_graph_nodes(exec->graph, nodes + n, n);
    for (size_t k = 0; same && k < n; k++)
        same = ls_graph_op(nodes[k])->kind == ls_graph_op(nodes[n + k])->kind;
    free(nodes);
    return same;
}
static CUresult update(CUgraphExec exec, CUgraph graph, int *result) {
    bool good = updates(exec, graph);
    *result = good ? 0 : 2; /* the topology changed */
    if (!good) return RESULT((ls_dev_status)910);
    ls_graph_free(exec->graph);
    exec->graph = ls_graph_copy(graph);
    return CU_OK;
}
API(cuGraphExecUpdate, CUgraphExec exec, CUgraph graph, CUgraphNode *wrong, int *result) {
    *wrong = NULL;
    return update(exec, graph, result);
}
API(cuGraphExecUpdate_v2, CUgraphExec exec, CUgraph graph, void *info) {
    memset(info, 0, 24);
    return update(exec, graph, info);
}
API(cuGraphDebugDotPrint, CUgraph graph, const char *path, unsigned flags) {
    (void)flags;
    FILE *file = fopen(path, "w");
    if (!file) return RESULT(LS_DEV_INVALID);
    size_t n = ls_graph_edges(graph, NULL, NULL, 0);
    CUgraphNode *ends = calloc(2 * n + 1, sizeof *ends);
    fprintf(file, "digraph cuda {\n");
    if (ends) ls_graph_edges(graph, ends, ends + n, n);
    for (size_t k = 0; ends && k < n; k++)
        fprintf(file, "  \"%p\" -> \"%p\";\n", (void *)ends[k], (void *)ends[n + k]);
    fprintf(file, "}\n");
    fclose(file);
    free(ends);
    return CU_OK;
}

/* --- Objects of the user's, freed with the graph: they are kept --- */
API(cuUserObjectCreate, void **object, void *data, void (*destroy)(void *), unsigned count, unsigned flags) {
    (void)destroy, (void)count, (void)flags;
    *object = data;
    return CU_OK;
}
API(cuUserObjectRetain, void *object, unsigned count) {
    (void)object, (void)count;
    return CU_OK;
}
API(cuUserObjectRelease, void *object, unsigned count) {
    (void)object, (void)count;
    return CU_OK;
}
API(cuGraphRetainUserObject, CUgraph graph, void *object, unsigned count, unsigned flags) {
    (void)graph, (void)object, (void)count, (void)flags;
    return CU_OK;
}
API(cuGraphReleaseUserObject, CUgraph graph, void *object, unsigned count) {
    (void)graph, (void)object, (void)count;
    return CU_OK;
}
API(cuDeviceGraphMemTrim, CUdevice device) {
    (void)device;
    return CU_OK;
}
API(cuDeviceGetGraphMemAttribute, CUdevice device, int attribute, void *value) {
    (void)device, (void)attribute;
    *(uint64_t *)value = 0;
    return CU_OK;
}
API(cuDeviceSetGraphMemAttribute, CUdevice device, int attribute, void *value) {
    (void)device, (void)attribute, (void)value;
    return CU_OK;
}
