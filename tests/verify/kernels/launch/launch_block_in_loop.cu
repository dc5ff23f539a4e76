// pass
// --frontend=clang
// lockstep: verify
// kernel 'halve': proved for any block, any grid .* with blockDim.x == threads
//
// The block changes from one step of the loop to the next, and the kernel is told its size each time.
#include <cuda_runtime.h>

__global__ void halve(float *out, const float *in, int threads) {
    extern __shared__ float part[];
    int t = threadIdx.x, first = blockIdx.x * 2 * threads + t;
    part[t] = in[first];
    part[t + threads] = in[first + threads];
    __syncthreads();
    out[blockIdx.x * threads + t] = part[2 * t] + part[2 * t + 1];
}

void transform(float *out, const float *in, unsigned length, bool many) {
    dim3 grid, block;
    unsigned left = length / 2;
    if (many) {
        grid.x = left / 512;
        block.x = 512;
    } else {
        block.x = left;
    }
    while (left) {
        halve<<<grid, block, 2 * block.x * sizeof(float)>>>(out, in, block.x);
        if (many) {
            block.x = left / 2;
            grid.x = 1;
        }
        left >>= 10;
    }
}
