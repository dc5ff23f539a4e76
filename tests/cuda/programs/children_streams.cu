// Kernels that kernels launch on several streams, in an order that is right: blocks on parts of their own, one after
// another in one stream, with launches of their own, and after all others in the tail stream.
//: nvcc only
//: flags -rdc=true
//: output values 3 3 7 7
#include <cstdio>

__global__ void put(int *p, int v) {
    p[threadIdx.x] = v;
}
__global__ void twice(int *p) {
    put<<<1, 32>>>(p, 1);
    put<<<1, 32>>>(p, 2);
}

__global__ void parent(int *p) {
    int *mine = p + 32 * blockIdx.x;
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    twice<<<1, 1>>>(mine);
    twice<<<1, 1>>>(mine);
    put<<<1, 32>>>(mine, 3);
    put<<<1, 32, 0, s>>>(mine + 1024, 5);
    put<<<1, 32, 0, s>>>(mine + 1024, 6);
    put<<<1, 32, 0, cudaStreamTailLaunch>>>(mine + 1024, 7);
    cudaStreamDestroy(s);
}

int main() {
    int *p, h[2048];
    cudaMalloc(&p, sizeof h);
    for (int k = 0; k < 2; k++) parent<<<8, 1>>>(p);
    cudaMemset(p + 256, 0, 4);
    cudaMemcpy(h, p, sizeof(int) * 256, cudaMemcpyDeviceToHost);
    cudaMemcpy(h + 1024, p + 1024, sizeof(int) * 256, cudaMemcpyDeviceToHost);
    printf("values %d %d %d %d\n", h[0], h[255], h[1024], h[1279]);
    cudaFree(p);
    return cudaDeviceSynchronize() != cudaSuccess;
}
