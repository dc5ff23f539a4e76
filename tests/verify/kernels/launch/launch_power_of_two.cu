// pass
// --frontend=clang
//lockstep: verify
//
// The block has a power of two threads, by how it is computed: so many that halves are whole.
#include <cuda_runtime.h>

__global__ void halves(int *out) {
    unsigned half = blockDim.x / 2;
    if (threadIdx.x < half)
        out[blockIdx.x * blockDim.x + threadIdx.x + half] = 1;
    else if (threadIdx.x >= half && blockDim.x > 1)
        out[blockIdx.x * blockDim.x + threadIdx.x - half] = 2;
}

void fill(int *out, int log) {
    halves<<<40, 1 << log>>>(out);
}

void check_and_fill(int *out, unsigned threads) {
    if (threads == 0 || (threads & (threads - 1)) != 0) return;
    halves<<<40, threads>>>(out);
}
