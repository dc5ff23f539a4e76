// pass
// --frontend=clang
// lockstep: verify --bounds -v
// for 'a' of n \* 4 bytes \(allocated at line 25\): accesses stay inside
// for 'sums' of .* bytes .*: accesses stay inside
//
// How much memory the host code allocates for a launch's pointers is known, and all accesses stay within it. An argument
// whose address is taken for cudaLaunchKernel is known, too.
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void scale(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}

__global__ void sum(double *sums) {
    if (threadIdx.x == 0) sums[blockIdx.x] = 0;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1024, blocks = (n + 255) / 256;
    float *a = NULL;
    double *sums;
    if (cudaMalloc(&a, n * sizeof *a) != cudaSuccess) return 1;
    if (cudaMallocManaged(&sums, blocks * sizeof *sums)) return 1;
    scale<<<(n + 255) / 256, 256>>>(a, n);
    sum<<<blocks, 256>>>(sums);
    void *arguments[] = {&a, &n};
    cudaLaunchKernel((const void *)scale, dim3((n + 127) / 128), dim3(128), arguments, 0, 0);
    return cudaDeviceSynchronize() != cudaSuccess;
}
