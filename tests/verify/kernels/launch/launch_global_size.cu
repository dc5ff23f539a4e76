// pass
// --frontend=clang
// Sizes in global variables are not known, nor is one half of such a size by the other: dimensions that the kernel does
// not use are taken to be 1, as where no launch is seen.
#include <cuda_runtime.h>

dim3 block(512), grid;

__global__ void inc(int *out, const int *in, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; i < n && k < rounds; k++) out[i] = in[i] + 1;
}

void run(int *out, int *in, int n) {
    grid.x = (n + block.x - 1) / block.x;
    inc<<<grid, block>>>(out, in, n, 5);
}
