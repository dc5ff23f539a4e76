// xfail:FOUND
// --frontend=clang
// lockstep: verify
// unknown: possible write-write race on .* by threads of one block: it depends on an offset that the caller chooses
// kernel 'fields': unknown
// kernel 'halves': refuted
// kernel 'sized': refuted
//
// Where the second field begins hangs on a number that the program's user gives, and nothing else does: that the fields
// may overlap for some number is no mistake of the launch. Threads that meet within a field, and fields that are as far
// apart as the grid is large in blocks, are.
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void fields(float *a, int offset) {
    int i = blockIdx.x * 512 + threadIdx.x;
    a[i] = blockIdx.x;
    a[i + offset] = blockIdx.x + 7;
}

__global__ void halves(float *a, int offset) {
    int i = blockIdx.x * 512 + threadIdx.x / 2;
    a[i] = threadIdx.x;
    a[i + offset] = threadIdx.x + 7;
}

__global__ void sized(float *a, int offset) {
    int i = blockIdx.x * 512 + threadIdx.x;
    a[i] = blockIdx.x;
    a[i + offset] = blockIdx.x + 7;
}

int main(int argc, char **argv) {
    int order = atoi(argv[1]), elements = atoi(argv[2]);
    float *a;
    cudaMalloc(&a, sizeof(float) * 2 * elements * 512);
    fields<<<elements, 512>>>(a, elements * (order + 1) * (order + 1));
    halves<<<elements, 512>>>(a, elements * (order + 1) * (order + 1));
    sized<<<elements, 512>>>(a, elements);
}
