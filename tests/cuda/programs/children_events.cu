// Kernels that kernels launch on several streams, of which one waits for an event: that is not followed, and said.
//: nvcc only
//: flags -rdc=true
//: output value 2
//: says whether those that may run at the same time touch the same bytes is not checked
#include <cstdio>

__global__ void put(int *p, int v) {
    p[threadIdx.x] = v;
}

__global__ void parent(int *p) {
    cudaStream_t s;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    put<<<1, 32>>>(p, 1);
    cudaEventRecord(e, 0);
    cudaStreamWaitEvent(s, e, 0);
    put<<<1, 32, 0, s>>>(p, 2);
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
}

int main() {
    int *p, h[32];
    cudaMalloc(&p, sizeof h);
    parent<<<1, 1>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("value %d\n", h[31]);
    cudaFree(p);
    return cudaDeviceSynchronize() != cudaSuccess;
}
