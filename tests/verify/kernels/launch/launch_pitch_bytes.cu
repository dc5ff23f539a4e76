// unknown
// --frontend=clang
//lockstep: verify
// 1 kernel: 1 proved if
//
// Rows of bytes, taken for rows of numbers: that they are long enough is not said.
#include <cuda_runtime.h>

__global__ void fill(float *image, int stride) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    image[y * stride + x] = x;
}

void run(int width, int height) {
    float *image;
    size_t stride;
    cudaMallocPitch((void **)&image, &stride, width, height);
    stride /= sizeof(float);
    fill<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(image, (int)stride);
}
