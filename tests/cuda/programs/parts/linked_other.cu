// The other part of linked.cu.
#include <cstdio>

extern __device__ int factor;
__device__ int counter = 100;
static __device__ int hidden = 10;

__global__ void tell() {
    printf("the other's %d\n", hidden);
}

__device__ int scale(int x) {
    return x * factor + hidden;
}

int read_counter() {
    int count;
    tell<<<1, 1>>>();
    cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(&count, counter, sizeof count);
    return count;
}
