// Calls as programs wrote them before CUDA 13: a device's number for a place, graphs with plain edges.
#include <cuda_runtime.h>

__global__ void number(int *p) { p[threadIdx.x] = threadIdx.x; }

int main() {
    int *p;
    size_t count;
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2];
    cudaMallocManaged(&p, 1024);
    cudaMemAdvise(p, 1024, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId);
    cudaMemPrefetchAsync(p, 1024, 0);
    cudaGraphCreate(&graph, 0);
    cudaGraphAddDependencies(graph, nodes, nodes + 1, 1);
    cudaGraphGetEdges(graph, nullptr, nullptr, &count);
    number<<<1, 256>>>(p);
    return cudaDeviceSynchronize();
}
