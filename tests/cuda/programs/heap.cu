// The heap of the device: blocks that run at the same time allocate, use and free memory.
//: output sum 523776
#include <cstdio>

__global__ void use_heap(int *out) {
    __shared__ int *own;
    if (threadIdx.x == 0) own = (int *)malloc(blockDim.x * sizeof(int));
    __syncthreads();
    if (!own) return;
    for (int times = 0; times < 20; times++) own[threadIdx.x] = blockIdx.x;
    if (threadIdx.x == 0) out[blockIdx.x] = own[0];
    __syncthreads();
    if (threadIdx.x == 0) free(own);
}

int main() {
    static int values[1024];
    int *p, sum = 0;
    cudaMalloc(&p, sizeof values);
    use_heap<<<1024, 64>>>(p);
    cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost);
    for (int value : values) sum += value;
    printf("sum %d\n", sum);
    cudaFree(p);
    return cudaGetLastError() != cudaSuccess;
}
