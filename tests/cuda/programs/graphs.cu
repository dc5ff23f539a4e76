// Streams, events, graphs by capture and by hand, host functions, occupancy and cooperative launches.
//: output captured 30
//: output by hand 120
//: output updated 140
//: output host 1
//: output grid 1024
//: output occupancy 1
//: output elapsed 1
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void add(int *p, int n) {
    *p += n;
}
__global__ void count_grid(int *p, int *sum) {
    cg::grid_group grid = cg::this_grid();
    p[grid.thread_rank()] = 1;
    grid.sync();
    if (grid.thread_rank() == 0)
        for (int k = 0; k < (int)grid.size(); k++) *sum += p[k];
}

static void called(void *flag) {
    *(int *)flag = 1;
}

int main() {
    int *p, value, flag = 0;
    cudaStream_t s, other;
    cudaEvent_t fork, join, start, stop;
    cudaGraph_t graph, hand;
    cudaGraphExec_t exec;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    cudaStreamCreate(&s);
    cudaStreamCreate(&other);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start, s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 1, 0, s>>>(p, 1);
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(other, fork, 0);
    add<<<1, 1, 0, other>>>(p, 2);
    cudaEventRecord(join, other);
    cudaStreamWaitEvent(s, join, 0);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int k = 0; k < 10; k++) cudaGraphLaunch(exec, s);
    cudaMemcpyAsync(&value, p, 4, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    printf("captured %d\n", value);
    cudaGraphExecDestroy(exec);

    cudaGraphNode_t set, plus, back;
    cudaGraphCreate(&hand, 0);
    cudaMemsetParams zero = {};
    zero.dst = p, zero.elementSize = 4, zero.width = 1, zero.height = 1, zero.value = 100;
    cudaGraphAddMemsetNode(&set, hand, nullptr, 0, &zero);
    int n = 20;
    void *args[] = {&p, &n};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add, kernel.gridDim = dim3(1), kernel.blockDim = dim3(1), kernel.kernelParams = args;
    cudaGraphAddKernelNode(&plus, hand, &set, 1, &kernel);
    cudaGraphAddMemcpyNode1D(&back, hand, &plus, 1, &value, p, 4, cudaMemcpyDeviceToHost);
    cudaGraphInstantiate(&exec, hand, 0);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    printf("by hand %d\n", value);
    n = 40;
    cudaGraphExecKernelNodeSetParams(exec, plus, &kernel);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    printf("updated %d\n", value);

    cudaLaunchHostFunc(s, called, &flag);
    cudaStreamSynchronize(s);
    printf("host %d\n", flag);

    int *cells;
    cudaMalloc(&cells, 1024 * 4);
    cudaMemset(p, 0, 4);
    void *grid_args[] = {&cells, &p};
    cudaLaunchCooperativeKernel((void *)count_grid, dim3(8), dim3(128), grid_args, 0, 0);
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    printf("grid %d\n", value);

    int blocks;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0);
    printf("occupancy %d\n", blocks > 0);
    float ms = -1;
    cudaEventRecord(stop, s);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop);
    printf("elapsed %d\n", ms > 0);
    cudaFree(cells);
    cudaFree(p);
    return cudaGetLastError() != cudaSuccess;
}
