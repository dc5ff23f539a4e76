// xfail:NOT_ALL_VERIFIED
// --frontend=clang
// lockstep: verify
// kernel 'scale.*: refuted for block 256.*line 19
// kernel 'scale.*: refuted for block 128.*line 23
// kernel 'scale.*: proved for block 64.*line 27
//
// cudaLaunchKernelEx: sizes by a struct, arguments as they are passed.
#include <cuda_runtime.h>

__global__ void scale(float *a, int n) {
    a[blockIdx.x * blockDim.x + threadIdx.x] *= n;
}

void run(int n) {
    float *a;
    cudaMalloc(&a, n * sizeof *a);
    cudaLaunchConfig_t config = {.gridDim = dim3((n + 255) / 256), .blockDim = dim3(256)};
    cudaLaunchKernelEx(&config, scale, a, n);
    cudaLaunchConfig_t other = {};
    other.gridDim = (n + 127) / 128;
    other.blockDim = 128;
    cudaLaunchKernelEx(&other, scale, a, n);
    cudaLaunchConfig_t floor = {};
    floor.gridDim = n / 64;
    floor.blockDim = 64;
    cudaLaunchKernelEx(&floor, scale, a, n);
}
