// xfail:FOUND
// --frontend=clang
//lockstep: verify
// race on .out. between threads of different blocks
//
// The launch stands under another question than the one that decided how many threads there are, so that the other
// answers matter.
#include <cuda_runtime.h>

__global__ void rows(int *out) {
    out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
}

void fill(int *out, int n, int few) {
    int threads;
    if (n > 64)
        threads = 64;
    else if (few > 3)
        threads = n;
    else
        threads = 2 * n;
    if (n > 60) rows<<<n, threads>>>(out);
}
