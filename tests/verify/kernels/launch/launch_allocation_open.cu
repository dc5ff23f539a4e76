// pass
// --frontend=clang
// lockstep: verify -v
// kernel 'stale.*: proved
// kernel 'other': proved
// for 'table' of 1024 bytes .*; accesses are assumed to stay inside
// assumes that accesses stay in their arrays and pointers do not overlap
//
// Where it is not certain what a pointer points to, or where an access hangs on values that have nothing to do with the
// size, nothing is said against the launch: the pointer is set anew, by one of two calls, in another function, or it is
// a number of its own, or data, that decides how far the kernel goes.
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void stale(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = 0;
}

__global__ void other(float *a, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) a[i] = 0;
}

__global__ void look_up(const int *table, const int *index, int *out) {
    out[threadIdx.x] = table[index[threadIdx.x]];
}

void fill(float **where);

void run(int n, int m, bool twice) {
    float *a, *b, *c, *d;
    cudaMalloc(&a, 4);
    cudaMalloc(&a, n * sizeof *a);
    stale<<<(n + 255) / 256, 256>>>(a, n);
    if (twice)
        cudaMalloc(&b, 2 * n * sizeof *b);
    else
        cudaMalloc(&b, n * sizeof *b);
    stale<<<(2 * n + 255) / 256, 256>>>(b, twice ? 2 * n : n);
    cudaMalloc(&c, 4);
    fill(&c);
    stale<<<(n + 255) / 256, 256>>>(c, n);
    cudaMalloc(&d, n * sizeof *d);
    other<<<(m + 255) / 256, 256>>>(d, m);
    int *table, *index, *out;
    cudaMalloc((void **)&table, 256 * sizeof(int));
    cudaMalloc((void **)&index, 256 * sizeof(int));
    cudaMalloc((void **)&out, 256 * sizeof(int));
    look_up<<<1, 256>>>(table, index, out);
}
