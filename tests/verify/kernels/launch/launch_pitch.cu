// pass
// --frontend=clang
//lockstep: verify
// 1 kernel: 1 proved
//
// Rows that cudaMallocPitch has made are at least as long as was asked for, also where they are then counted in
// elements.
#include <cuda_runtime.h>

__global__ void fill(float *image, int stride) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    image[y * stride + x] = x;
}

void run(int width, int height) {
    float *image;
    size_t stride;
    cudaMallocPitch((void **)&image, &stride, width * sizeof(float), height);
    stride /= sizeof(float);
    fill<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(image, (int)stride);
}
