// pass
// --frontend=clang
//lockstep: verify
// 1 kernel: 1 proved; nothing found
//
// A size that is rounded up to a power of two: written out it is too long for one expression, so its parts have
// names. The allocation, the grid and the argument must still speak of the same number.
#include <cuda_runtime.h>

__global__ void number(int *table, int size) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += blockDim.x * gridDim.x)
        table[i] = i;
}

void launch(int wanted) {
    int size = wanted - 1;
    size |= size >> 1;
    size |= size >> 2;
    size |= size >> 4;
    size |= size >> 8;
    size |= size >> 16;
    size++;
    int *table;
    cudaMalloc(&table, size * sizeof(int));
    number<<<(size + 255) / 256, 256>>>(table, size);
}
