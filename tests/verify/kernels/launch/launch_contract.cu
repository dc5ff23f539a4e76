// unknown
// --frontend=clang
// proved if width >= gridDim\.x\*blockDim\.x
// The host code does not say how long a row is: the launch is right where it is as long as the grid is wide.
#include <cuda_runtime.h>

__global__ void rows(float *a, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    a[y * width + x] = x;
}

void fill(float *a, int width, int height) {
    rows<<<dim3(4, height / 16), dim3(16, 16)>>>(a, width);
}
