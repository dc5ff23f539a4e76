// xfail:FOUND
// --frontend=clang
//lockstep: verify
// launch_data_wrong.cu:1[78]:.*error: .*race on 'count'
// launch_data_wrong.cu:23:.*error: write-write race on 'last'
// launch_data_wrong.cu:30:.*error: write-write race on 'out'
// 3 kernels: 3 refuted
//
// Races that any data has: what is counted is there more than once, some are positive, and what both threads
// have in common is the same for both.
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

void run(int *out, unsigned char *bytes, int *value, int n) {
    histogram<<<(n + 255) / 256, 256>>>(out, bytes, n);
    newest<<<n, 64>>>(out, value);
    pairs<<<n, 96>>>(out, value);
}
