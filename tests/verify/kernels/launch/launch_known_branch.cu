// pass
// --frontend=clang
//lockstep: verify
// proved for block 64, any grid
//
// How many threads there are was decided by the same question under which the launch stands: the other answers do
// not matter, also where they are decided further.
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
    if (n > 64) rows<<<n, threads>>>(out);
}
