// pass
// --frontend=clang
// lockstep: verify --bounds -v
// kernel 'turn': proved for block 256
// for 'b' of .* bytes \(allocated at line 20\): accesses stay inside
//
// A number that is negative, as an unsigned one of 64 bits, is no size that memory has been allocated with.
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void turn(float *a, const float *b, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[n - 1 - i];
}

int main(int count, char **words) {
    size_t n = atoi(words[1]);
    float *a, *b;
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    turn<<<(n + 255) / 256, 256>>>(a, b, n);
}
