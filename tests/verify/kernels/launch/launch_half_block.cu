// xfail:FOUND
// --frontend=clang
// lockstep: verify
// access out of bounds of 'a'
// kernel 'fill': refuted for block 256, any grid
//
// A multiple of half a block does not fill its last block. A search does not find that; a solver is asked.
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void fill(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main(int count, char **words) {
    int n = atoi(words[1]);
    float *a;
    cudaMalloc(&a, n * sizeof *a);
    if (n > 0 && n % 128 == 0) fill<<<(n + 255) / 256, 256>>>(a);
}
