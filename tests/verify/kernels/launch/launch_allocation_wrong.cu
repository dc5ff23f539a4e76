// xfail:NOT_ALL_VERIFIED
// --frontend=clang
// lockstep: verify
// access out of bounds of 'a'
// kernel 'scale.*: refuted .*line 25
// kernel 'scale.*: proved .*line 28
// kernel 'last': refuted
//
// As many threads as fill whole blocks, and no guard: the last ones access what was not allocated; with a constant size
// that is a multiple of the block, none does. One element too few is found, too.
#include <cuda_runtime.h>

__global__ void scale(float *a) {
    a[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

__global__ void last(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) a[i] = 0;
}

void run(int n) {
    float *a, *b, *c;
    if (cudaMalloc(&a, n * sizeof *a)) return;
    scale<<<(n + 255) / 256, 256>>>(a);
    if (cudaMalloc(&b, 1024 * sizeof *b)) return;
    if (cudaMalloc(&c, n * sizeof *c)) return;
    scale<<<1024 / 256, 256>>>(b);
    last<<<(n + 255) / 256, 256>>>(c, n);
}
