// xfail:NOT_ALL_VERIFIED
// --frontend=clang
// lockstep: verify
// threads of a block can disagree on reaching this barrier
// kernel 'forces': refuted
//
// As launch_multiple.cu, but the program's user gives the number of bodies, and the program takes any.
#include <cooperative_groups.h>
#include <stdlib.h>

__global__ void forces(float *out, const float *in, int n) {
    extern __shared__ float tile[];
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tile[threadIdx.x] = in[i];
    block.sync();
    float sum = 0;
    for (int k = 0; k < blockDim.x; k++) sum += tile[k];
    out[i] = sum;
}

static void run(float *out, const float *in, int n, int threads) {
    forces<<<(n + threads - 1) / threads, threads, threads * sizeof *in>>>(out, in, n);
}

int main(int argc, char **argv) {
    float *out = NULL, *in = NULL;
    cudaMalloc(&out, 1 << 20);
    cudaMalloc(&in, 1 << 20);
    if (argc > 1) run(out, in, atoi(argv[1]), 256);
    return 0;
}
