// xfail:FOUND
// --frontend=clang
//lockstep: verify
// launch_data_wrong.cu:1[89]:.*error: .*race on 'count'
// launch_data_wrong.cu:24:.*error: write-write race on 'last'
// launch_data_wrong.cu:31:.*error: write-write race on 'out'
// launch_data_wrong.cu:3[79]:.*error: .*race on 'bins'
// 4 kernels: 4 refuted
//
// Races that any data has: what is counted is there more than once, some are positive, and what both threads
// have in common is the same for both. Places that data selects for atomic operations may be any.
#include <cuda_runtime.h>

__global__ void histogram(int *count, const unsigned char *value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    count[value[i]] =
        count[value[i]] + 1;
}

__global__ void newest(int *last, const int *value) {
    if (value[threadIdx.x] > 0)
        last[blockIdx.x] = threadIdx.x;
}

__global__ void pairs(int *out, const int *first) {
    int start = first[blockIdx.x];
    if (threadIdx.x > 70)
        return;
    out[start + threadIdx.x / 2] = threadIdx.x;
}

__global__ void binned(int *all, const unsigned char *value, int n) {
    __shared__ int bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        bins[i] = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[value[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&all[i], bins[i]);
}

void run(int *out, unsigned char *bytes, int *value, int n) {
    histogram<<<(n + 255) / 256, 256>>>(out, bytes, n);
    newest<<<n, 64>>>(out, value);
    pairs<<<n, 96>>>(out, value);
    binned<<<8, 128>>>(out, bytes, n);
}
