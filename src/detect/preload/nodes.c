/* Kernels of graphs that are built node by node. The launch is recorded with its check as a captured one is,
 * into a graph of our own, and the nodes of that are added to the program's: stamps are cleared, the watched
 * form of the kernel runs in place of the kernel, and what it left is held together behind it. The program
 * gets the kernel's node. Where its parameters are set anew it is the program's own kernel again, and that is
 * said. */
#include "detect/preload/hooks.h"

#include <stdlib.h>
#include <string.h>

static const char by_hand[] = "it is a node of a graph that is built by hand",
                  changed[] = "it is a node of a graph whose parameters were changed";

static program_launch launch_of(const kernel_node *n, bool has_kernel, const char *why) {
    program_launch l = {.function = n->function || !has_kernel ? n->function : n->kernel,
                        .shared = n->shared,
                        .params = n->params,
                        .extra = n->extra,
                        .unusual = why};
    memcpy(l.grid, n->grid, sizeof l.grid);
    memcpy(l.block, n->block, sizeof l.block);
    return l;
}

/* Only what the offsets show about the kernel is reported. */
static void judge_node(const kernel_node *n, bool has_kernel, const char *why) {
    program_launch l = launch_of(n, has_kernel, why);
    dp_take_launch(&l);
}

/* --- The driver --------------------------------------------------------------------------------------------
 */
enum { KERNEL_NODE = 0, MEMSET_NODE = 2, RELAXED = 2, OWN_STREAM = 1 };

typedef struct {
    CUdeviceptr to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} memset_node;

#define FUNCTIONS                                                                                            \
    FUNCTION(create_stream, "cuStreamCreate", (void **, unsigned))                                           \
    FUNCTION(begin, "cuStreamBeginCapture_v2", (void *, int))                                                \
    FUNCTION(end, "cuStreamEndCapture", (void *, void **))                                                   \
    FUNCTION(nodes, "cuGraphGetNodes", (void *, void **, size_t *))                                          \
    FUNCTION(type, "cuGraphNodeGetType", (void *, int *))                                                    \
    FUNCTION(get_kernel, "cuGraphKernelNodeGetParams_v2", (void *, kernel_node *))                           \
    FUNCTION(get_memset, "cuGraphMemsetNodeGetParams", (void *, memset_node *))                              \
    FUNCTION(add_kernel, "cuGraphAddKernelNode_v2",                                                          \
             (void **, void *, void *const *, size_t, const kernel_node *))                                  \
    FUNCTION(add_memset, "cuGraphAddMemsetNode",                                                             \
             (void **, void *, void *const *, size_t, const memset_node *, void *))                          \
    FUNCTION(drop_node, "cuGraphDestroyNode", (void *))                                                      \
    FUNCTION(drop_graph, "cuGraphDestroy", (void *))                                                         \
    FUNCTION(context, "cuCtxGetCurrent", (void **))

static struct {
#define FUNCTION(member, name, parameters) CUresult(*member) parameters;
    FUNCTIONS
#undef FUNCTION
    void *stream; /* for recording */
} cu;

static bool find_functions(void) {
    bool all = true;
#define FUNCTION(member, name, parameters)                                                                   \
    if (!cu.member) *(void **)&cu.member = dp_driver_function(name);                                         \
    all = all && cu.member;
    FUNCTIONS
#undef FUNCTION
    return all && (cu.stream || cu.create_stream(&cu.stream, OWN_STREAM) == CUDA_SUCCESS);
}

/* --- The nodes of a watched kernel -------------------------------------------------------------------------
 */

typedef struct {
    launch_config config;
    void *function; /* that was started */
} start_of_node;

static bool start_node(void *context, void *function, const void *params, size_t size, uint32_t shared) {
    start_of_node *s = context;
    s->function = function;
    return dp_start_watched(&s->config, function, params, size, shared);
}

enum { MOST_NODES = 4 };

/* Those that were recorded: a memset or none, the kernel, what stands behind it or nothing. */
static bool find_recorded(void *recorded, const void *function, void **clearing, kernel_node *kernel,
                          kernel_node *behind) {
    void *all[MOST_NODES];
    size_t count = MOST_NODES;
    if (cu.nodes(recorded, NULL, &count) != CUDA_SUCCESS || count > MOST_NODES ||
        cu.nodes(recorded, all, &count) != CUDA_SUCCESS)
        return false;
    *kernel = *behind = (kernel_node){0}, *clearing = NULL;
    for (size_t i = 0; i < count; i++) {
        int type = -1;
        kernel_node n = {0};
        if (cu.type(all[i], &type) != CUDA_SUCCESS) return false;
        if (type == MEMSET_NODE) *clearing = all[i];
        if (type == MEMSET_NODE) continue;
        if (type != KERNEL_NODE || cu.get_kernel(all[i], &n) != CUDA_SUCCESS) return false;
        *(n.function == function || n.kernel == function ? kernel : behind) = n;
    }
    return kernel->function || kernel->kernel;
}

/* Behind the same nodes as the program's: stamps are cleared, then the kernel runs. */
static bool add_recorded(void **node, void *graph, void *const *behind, size_t count, void *recorded,
                         const void *function) {
    kernel_node kernel, after;
    memset_node fill;
    void *clearing, *cleared = NULL, *last = NULL, *context = NULL;
    void **before = calloc(count + 1, sizeof *before);
    if (count && before) memcpy(before, behind, sizeof *before * count);
    bool done = before && find_recorded(recorded, function, &clearing, &kernel, &after) &&
                cu.context(&context) == CUDA_SUCCESS;
    if (done && clearing)
        done = cu.get_memset(clearing, &fill) == CUDA_SUCCESS &&
               cu.add_memset(&cleared, graph, behind, count, &fill, context) == CUDA_SUCCESS;
    if (done && cleared) before[count++] = cleared;
    done = done && cu.add_kernel(node, graph, before, count, &kernel) == CUDA_SUCCESS;
    if (!done && cleared) cu.drop_node(cleared);
    if (done && (after.function || after.kernel)) cu.add_kernel(&last, graph, node, 1, &after);
    free(before);
    return done;
}

/* False where the program has to add its kernel itself. */
static bool add_watched(void **node, void *graph, void *const *behind, size_t count, const kernel_node *n,
                        bool has_kernel) {
    void *recorded = NULL;
    if (dp_inside || !find_functions() || cu.begin(cu.stream, RELAXED) != CUDA_SUCCESS) {
        judge_node(n, has_kernel, by_hand);
        return false;
    }
    program_launch l = launch_of(n, has_kernel, by_hand);
    start_of_node start = {.config = {.shared = n->shared, .stream = cu.stream}};
    memcpy(start.config.grid, n->grid, sizeof n->grid), memcpy(start.config.block, n->block, sizeof n->block);
    l.stream = cu.stream, l.start = start_node, l.start_context = &start, l.captured = true;
    bool watched = dp_take_launch(&l);
    dp_inside++;
    bool done = cu.end(cu.stream, &recorded) == CUDA_SUCCESS && watched && recorded &&
                add_recorded(node, graph, behind, count, recorded, start.function);
    if (recorded) cu.drop_graph(recorded);
    dp_inside--;
    if (watched && !done) judge_node(n, has_kernel, by_hand);
    return done;
}

/* --- What the program calls --------------------------------------------------------------------------------
 */

#define ADD_KERNEL_NODE(name, has_kernel)                                                                    \
    CUresult name(void **node, void *graph, void *const *behind, size_t count, const kernel_node *n) {       \
        REAL(real, #name, (void **, void *, void *const *, size_t, const kernel_node *));                    \
        if (n && add_watched(node, graph, behind, count, n, has_kernel)) return CUDA_SUCCESS;                \
        return real(node, graph, behind, count, n);                                                          \
    }
ADD_KERNEL_NODE(cuGraphAddKernelNode, false)
ADD_KERNEL_NODE(cuGraphAddKernelNode_v2, true)

CUresult cuGraphAddNode(void **node, void *graph, void *const *behind, size_t count, any_node *n) {
    REAL(real, "cuGraphAddNode", (void **, void *, void *const *, size_t, any_node *));
    if (n && n->type == KERNEL_NODE && add_watched(node, graph, behind, count, &n->kernel, true))
        return CUDA_SUCCESS;
    return real(node, graph, behind, count, n);
}

CUresult cuGraphAddNode_v2(void **node, void *graph, void *const *behind, const void *edges, size_t count,
                           any_node *n) {
    REAL(real, "cuGraphAddNode_v2", (void **, void *, void *const *, const void *, size_t, any_node *));
    if (n && n->type == KERNEL_NODE && edges) judge_node(&n->kernel, true, by_hand); /* it may overlap */
    if (n && n->type == KERNEL_NODE && !edges && add_watched(node, graph, behind, count, &n->kernel, true))
        return CUDA_SUCCESS;
    return real(node, graph, behind, edges, count, n);
}

#define SET_NODE(name, has_kernel)                                                                           \
    CUresult name(void *node, const kernel_node *n) {                                                        \
        REAL(real, #name, (void *, const kernel_node *));                                                    \
        if (n && !dp_inside) judge_node(n, has_kernel, changed);                                             \
        return real(node, n);                                                                                \
    }
#define SET_READY_NODE(name, has_kernel)                                                                     \
    CUresult name(void *ready, void *node, const kernel_node *n) {                                           \
        REAL(real, #name, (void *, void *, const kernel_node *));                                            \
        if (n && !dp_inside) judge_node(n, has_kernel, changed);                                             \
        return real(ready, node, n);                                                                         \
    }
SET_NODE(cuGraphKernelNodeSetParams, false)
SET_NODE(cuGraphKernelNodeSetParams_v2, true)
SET_READY_NODE(cuGraphExecKernelNodeSetParams, false)
SET_READY_NODE(cuGraphExecKernelNodeSetParams_v2, true)
