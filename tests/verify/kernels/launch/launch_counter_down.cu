// xfail:NOT_ALL_VERIFIED
// --frontend=clang
// A loop that counts down passes 0: rows -1 and 0 of the last round are one.
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void sweep(float *a, int n, int t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int from = t < 0 ? 0 : t * n, to = t < 0 ? 1 : (t + 1) * n;
    if (i < n) a[to + i] = a[from + i];
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *a;
    cudaMalloc(&a, n * n * sizeof *a);
    for (int t = n; t >= -1; t--)
        sweep<<<(n + 255) / 256, 256>>>(a, n, t);
    return 0;
}
