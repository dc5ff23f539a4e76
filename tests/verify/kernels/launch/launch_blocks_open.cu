// unknown
// --frontend=clang
// lockstep: verify
// kernel 'scan': proved if \(blockDim.x & \(blockDim.x - 1\)\) == 0 for any block
//
// As launch_blocks.cu, but nothing says that the number of threads is a power of two.
#include <cuda_runtime.h>

#define PADDED(i) ((i) + ((i) >> 5))

__global__ void scan(float *out, const float *in, int n) {
    extern __shared__ float tree[];
    int t = threadIdx.x;
    tree[PADDED(t)] = in[t];
    tree[PADDED(t + blockDim.x)] = t + blockDim.x < n ? in[t + blockDim.x] : 0;
    unsigned stride = 1;
    for (int d = blockDim.x; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            unsigned a = 2 * stride * t + stride - 1;
            tree[PADDED(a + stride)] += tree[PADDED(a)];
        }
        stride *= 2;
    }
    if (t == 0) tree[PADDED(2 * blockDim.x - 1)] = 0;
    for (int d = 1; d <= blockDim.x; d *= 2) {
        stride >>= 1;
        __syncthreads();
        if (t < d) {
            unsigned a = 2 * stride * t + stride - 1;
            float left = tree[PADDED(a)];
            tree[PADDED(a)] = tree[PADDED(a + stride)];
            tree[PADDED(a + stride)] += left;
        }
    }
    __syncthreads();
    out[t] = tree[PADDED(t)];
    if (t + blockDim.x < n) out[t + blockDim.x] = tree[PADDED(t + blockDim.x)];
}

void run(float *out, const float *in, int n) {
    int threads = n / 2;
    scan<<<1, threads, 4096>>>(out, in, n);
}
