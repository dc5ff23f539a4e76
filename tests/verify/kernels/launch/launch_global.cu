// pass
// --frontend=clang
//lockstep: verify
// proved for block 512
//
// Sizes of a launch in global variables: one that the file never changes, and one that it computes.
#include <cuda_runtime.h>

dim3 block(512), grid;

__global__ void twice(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 2; k++)
        if (i < n) out[i] = i + k;
}

int main() {
    int n = 1 << 22, *out;
    cudaMalloc(&out, n * sizeof *out);
    grid.x = n / block.x;
    twice<<<grid, block>>>(out, n);
    return 0;
}
