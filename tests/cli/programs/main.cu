// A program in three files: two with kernels, one plain C.
#include "parts.h"
#include <cstdio>
__constant__ float factor;
__global__ void scale(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= factor;
}
int main() {
    const int n = 1000;
    float host[n], *device, f = FACTOR;
    for (int i = 0; i < n; i++) host[i] = (float)i;
    cudaMemcpyToSymbol(factor, &f, sizeof f);
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    scale<<<(n + 255) / 256, 256>>>(device, n);
    add(device, n);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g, %d devices\n", host[1], host[999], devices());
    return cudaFree(device);
}
