// xfail:NOT_ALL_VERIFIED
// --frontend=clang
// lockstep: verify
// kernel 'forces': proved if n % blockDim.x == 0
// kernel 'neighbours': refuted
//
// Callers in other files give the number of bodies. No thread may have left before a barrier of a cooperative group:
// that is so where it is a multiple of the block, which they may know. A race in a last block that is not full is an
// error, as the grid is rounded up for such numbers.
#include <cooperative_groups.h>

struct part {
    int first, n;
};

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

__global__ void neighbours(float *out, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i;
    if (i < n) __syncthreads();
    out[i < n ? i : 0] = tile[threadIdx.x ^ 1];
}

void run(float *out, const float *in, const part *parts, int count, int threads) {
    for (int k = 0; k < count; k++) {
        int n = parts[k].n;
        forces<<<(n + threads - 1) / threads, threads, threads * sizeof *in>>>(out, in, n);
        neighbours<<<(n + 255) / 256, 256>>>(out, n);
    }
}
