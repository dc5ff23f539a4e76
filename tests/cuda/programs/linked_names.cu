// Device code of two files: static kernels and variables of the same name in each, of which the host uses one;
// inline variables and static variables of inline functions, of which there is one in all; variables of the other
// file that the host reads and writes, one of them managed and read before anything else.
//: with parts/linked_names_other.cu
//: output managed 7
//: output tickets 4 once 4
//: output 2100 2104 2112 2124 2 3 4 5
//: output external 54 managed 11
//: says kernel 'work'
#include "parts/linked_names.h"
#include <cstdio>

__constant__ int coefficients[4];
static __device__ int mine = 1;
static __global__ void work(int *p) {
    extern __shared__ int buffer[];
    buffer[threadIdx.x] = twice(threadIdx.x) + mine;
    p[threadIdx.x] = buffer[threadIdx.x];
    atomicAdd(&tickets, 1);
    atomicAdd(&shared_count, 1);
    atomicAdd(&external, 1);
    once();
}

int main() {
    int *p, h[8], c[4] = {1, 2, 3, 4}, e, m = 100;
    printf("managed %d\n", shared_count);
    cudaMemcpyToSymbol(coefficients, c, sizeof c);
    cudaMemcpyToSymbol(mine, &m, sizeof m);
    cudaMalloc(&p, sizeof h);
    work<<<1, 4, 16>>>(p);
    launch_other(p + 4);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; i++) printf("%d%c", h[i], i < 7 ? ' ' : '\n');
    cudaMemcpyFromSymbol(&e, external, sizeof e);
    printf("external %d managed %d\n", e, shared_count);
    cudaFree(p);
    return cudaGetLastError();
}
