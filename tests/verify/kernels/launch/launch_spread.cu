// pass
// --frontend=clang
// lockstep: verify
// kernel 'rows.*: proved for block 64.*line 14
//
// Blanks between the brackets of a launch, which nvcc takes: the launch is not lost, and its line stays.
#include <cuda_runtime.h>

__global__ void rows(float *a, int width) {
    a[blockIdx.x * width + threadIdx.x] = threadIdx.x;
}

void run(float *a, int blocks) {
    rows << < blocks, dim3(64) >> > (a, 64);
}
