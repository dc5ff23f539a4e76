// The heap of the device: blocks that run at the same time allocate, use and free memory.
//: output sum 2016
#include <cstdio>

__global__ void use_heap(int *sum) {
    int *own = (int *)malloc(blockDim.x * sizeof(int));
    if (!own) return;
    for (int i = 0; i < blockDim.x; i++) own[i] = blockIdx.x;
    if (threadIdx.x == 0) atomicAdd(sum, own[blockDim.x - 1]);
    free(own);
}

int main() {
    int *p, sum = -1;
    cudaMalloc(&p, sizeof sum);
    cudaMemset(p, 0, sizeof sum);
    use_heap<<<64, 32>>>(p);
    cudaMemcpy(&sum, p, sizeof sum, cudaMemcpyDeviceToHost);
    printf("sum %d\n", sum);
    cudaFree(p);
    return cudaGetLastError() != cudaSuccess;
}
