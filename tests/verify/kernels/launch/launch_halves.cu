// xfail:FOUND
// --frontend=clang
// lockstep: verify
// kernel 'turn': proved for block 256, any grid .*with m == n / 2
// kernel 'copy': proved for block 256, grid 4
// kernel 'whole': refuted for block 256, any grid
// kernel 'by_one': refuted for block 256, grid 4
//
// Two parts of one array, which are as far apart as the launch says: far enough, or not.
#include <cuda_runtime.h>
#include <stdlib.h>

__device__ int index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void turn(const int *a, int *b, int m) {
    if (index() < m) b[index()] = a[m - 1 - index()];
}
__global__ void copy(const int *a, int *b) { b[index()] = a[index()]; }
__global__ void whole(const int *a, int *b, int m) {
    if (index() < m) b[index()] = a[m - 1 - index()];
}
__global__ void by_one(const int *a, int *b) { b[index()] = a[index()]; }

int main(int count, char **words) {
    int n = atoi(words[1]), *a, *b;
    cudaMalloc(&a, 2 * n * sizeof *a);
    cudaMalloc(&b, 2048 * sizeof *b);
    turn<<<(n / 2 + 255) / 256, 256>>>(a, a + n / 2, n / 2);
    copy<<<4, 256>>>(b + 1024, b);
    whole<<<(n + 255) / 256, 256>>>(a, a + n / 2, n);
    by_one<<<4, 256>>>(b, b + 1023);
}
