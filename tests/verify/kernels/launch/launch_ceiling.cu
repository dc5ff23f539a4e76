// xfail:NOT_ALL_VERIFIED
// --frontend=clang
// A launch that can happen races: a width that is no multiple of 16 has threads beyond the end of a row.
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void rows(float *a, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    a[y * width + x] = x;
}

int main(int argc, char **argv) {
    int width = atoi(argv[1]), height = atoi(argv[2]);
    float *a;
    cudaMalloc(&a, width * height * sizeof *a);
    rows<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(a, width);
    return 0;
}
