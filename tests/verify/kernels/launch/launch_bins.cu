// pass
// --frontend=clang
//lockstep: verify
// 1 kernel: 1 proved; nothing found
//
// The twin of `binned` in launch_data_wrong.cu: a barrier comes between clearing and counting.
#include <cuda_runtime.h>

__global__ void binned(int *all, const unsigned char *value, int n) {
    __shared__ int bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[value[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&all[i], bins[i]);
}

void run(int *out, const unsigned char *bytes, int n) {
    binned<<<8, 128>>>(out, bytes, n);
}
