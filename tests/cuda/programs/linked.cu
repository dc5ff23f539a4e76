// Device code of two files, compiled apart: functions and variables of the other one, and variables of the
// same name that each has for itself.
//: with parts/linked_other.cu
//: output values 11 14 17 20
//: output the other's 10
//: output counter 104
#include <cstdio>

extern __device__ int scale(int x);
extern __device__ int counter;
__device__ int factor = 3;
static __device__ int hidden = 1;
int read_counter();

__global__ void compute(int *p) {
    p[threadIdx.x] = scale(threadIdx.x) + hidden;
    atomicAdd(&counter, 1);
}

int main() {
    int *p, h[4];
    cudaMalloc(&p, sizeof h);
    compute<<<1, 4>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("values %d %d %d %d\n", h[0], h[1], h[2], h[3]);
    int count = read_counter();
    printf("counter %d\n", count);
    cudaFree(p);
    return cudaGetLastError() != cudaSuccess;
}
