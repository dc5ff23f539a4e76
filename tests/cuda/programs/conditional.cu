// Nodes of graphs that run as a word says which kernels set: a loop, one of two, and one of several; memory
// of a graph.
//: flags -rdc=true
//: output loop 10, else 1
//: output loop 10, else 1
//: output switch 200
//: output memory 5
#include <cstdio>

__global__ void count_up(int *p, cudaGraphConditionalHandle more) {
    cudaGraphSetConditional(more, ++*p < 10);
}
__global__ void choose(int *p, cudaGraphConditionalHandle which, unsigned limit) {
    cudaGraphSetConditional(which, *p > (int)limit);
}
__global__ void set(int *p, int value) {
    *p = value;
}
__global__ void choose_number(cudaGraphConditionalHandle which, unsigned number) {
    cudaGraphSetConditional(which, number);
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t before, void *kernel, void **args) {
    cudaGraphNode_t node;
    cudaKernelNodeParams p = {};
    p.func = kernel, p.gridDim = dim3(1), p.blockDim = dim3(1), p.kernelParams = args;
    cudaGraphAddKernelNode(&node, graph, before ? &before : nullptr, before ? 1 : 0, &p);
    return node;
}

static cudaGraphNode_t add_condition(cudaGraph_t graph, cudaGraphNode_t before,
                                     cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                                     unsigned size, cudaGraph_t **bodies) {
    cudaGraphNode_t node;
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle, p.conditional.type = type, p.conditional.size = size;
    cudaGraphAddNode(&node, graph, before ? &before : nullptr, nullptr, before ? 1 : 0, &p);
    *bodies = p.conditional.phGraph_out;
    return node;
}

static void launch(cudaGraph_t graph, int times, void (*show)(int *), int *p) {
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < times; i++) {
        cudaMemset(p, 0, 8);
        cudaGraphLaunch(exec, 0);
        show(p);
    }
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

static void show_loop(int *p) {
    int h[2];
    cudaMemcpy(h, p, 8, cudaMemcpyDeviceToHost);
    printf("loop %d, else %d\n", h[0], h[1]);
}
static void show_switch(int *p) {
    int h[2];
    cudaMemcpy(h, p, 8, cudaMemcpyDeviceToHost);
    printf("switch %d\n", h[0]);
}

int main() {
    int *p, *second, yes = -1, no = 1;
    cudaMalloc(&p, 8);
    second = p + 1;

    cudaGraph_t graph, *bodies;
    cudaGraphConditionalHandle more, which;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&more, graph, 1, cudaGraphCondAssignDefault);
    cudaGraphNode_t loop = add_condition(graph, nullptr, more, cudaGraphCondTypeWhile, 1, &bodies);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
    count_up<<<1, 1, 0, stream>>>(p, more);
    cudaStreamEndCapture(stream, nullptr);
    cudaStreamDestroy(stream);
    cudaGraphConditionalHandleCreate(&which, graph, 0, 0);
    unsigned limit = 10;
    void *choose_args[] = {&p, &which, &limit}, *yes_args[] = {&second, &yes}, *no_args[] = {&second, &no};
    cudaGraphNode_t choice = add_kernel(graph, loop, (void *)choose, choose_args);
    add_condition(graph, choice, which, cudaGraphCondTypeIf, 2, &bodies);
    add_kernel(bodies[0], nullptr, (void *)set, yes_args);
    add_kernel(bodies[1], nullptr, (void *)set, no_args);
    launch(graph, 2, show_loop, p);

    unsigned number = 2;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&which, graph, 0, 0);
    void *number_args[] = {&which, &number};
    choice = add_kernel(graph, nullptr, (void *)choose_number, number_args);
    add_condition(graph, choice, which, cudaGraphCondTypeSwitch, 4, &bodies);
    for (int i = 0; i < 4; i++) {
        int value = 100 * i;
        void *set_args[] = {&p, &value};
        add_kernel(bodies[i], nullptr, (void *)set, set_args);
    }
    launch(graph, 1, show_switch, p);

    cudaGraphCreate(&graph, 0);
    cudaMemAllocNodeParams alloc = {};
    alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    alloc.bytesize = 4;
    cudaGraphNode_t node, written, copied;
    cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &alloc);
    int five = 5;
    void *memory_args[] = {&alloc.dptr, &five};
    written = add_kernel(graph, node, (void *)set, memory_args);
    cudaGraphAddMemcpyNode1D(&copied, graph, &written, 1, &number, alloc.dptr, 4, cudaMemcpyDeviceToHost);
    cudaGraphAddMemFreeNode(&node, graph, &copied, 1, alloc.dptr);
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    printf("memory %u\n", number);
    cudaFree(p);
    return cudaGetLastError() != cudaSuccess;
}
