// xfail:FOUND
// --frontend=clang
// lockstep: verify
// kernel 'sort': proved for block 512, grid 128
// kernel 'swap': proved for any block, any grid
// kernel 'both': refuted
// kernel 'apart': refuted
//
// A step of a bitonic sort over many blocks, with any mask: the thread with the lower number of a pair exchanges the two
// values. Where both threads of a pair do so, or two threads with different masks, they meet.
#include <cuda_runtime.h>

__device__ void exchange(int *a, unsigned one, unsigned other) {
    int first = a[one], second = a[other];
    a[one] = min(first, second);
    a[other] = max(first, second);
}

__global__ void sort(int *a, int j, int k) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other > i && (i & k) == 0) exchange(a, i, other);
    if (other > i && (i & k) != 0) exchange(a, other, i);
}
__global__ void swap(int *a, unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (i ^ mask)) exchange(a, i, i ^ mask);
}
__global__ void both(int *a, unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i != (i ^ mask)) exchange(a, i, i ^ mask);
}
__global__ void apart(int *a, unsigned mask, unsigned more) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ (i & 1 ? mask : more);
    if (i < other) exchange(a, i, other);
}

int main() {
    const int n = 1 << 16;
    int *a;
    cudaMalloc(&a, n * sizeof *a);
    for (int k = 2; k <= n; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) sort<<<n / 512, 512>>>(a, j, k);
}
