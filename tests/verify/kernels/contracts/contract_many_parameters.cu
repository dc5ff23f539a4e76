// unknown
// --frontend=clang
// lockstep: verify
// kernel 'store': proved if .*pitch >= 
//
// The rows' length is the fifth number that the kernel is given, and the one that matters.
#include <cuda_runtime.h>

extern size_t pitch_of_image; /* of another file */

__global__ void store(float *image, int red, int green, int blue, int scale, size_t pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float *row = (float *)((char *)image + y * pitch);
    row[x] = red + x * scale;
}

void fill(float *image, int red, int green, int blue, int width, int height) {
    store<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(image, red, green, blue, 2, pitch_of_image);
}
