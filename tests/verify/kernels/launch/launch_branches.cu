// pass
// --frontend=clang
// Both branches of the host code leave sizes that go together: rows of 512, or one block.
#include <cuda_runtime.h>
#include <math.h>
#include <stdlib.h>

#define MOST 512

__global__ void mark(char *visited, int n) {
    int i = blockIdx.x * MOST + threadIdx.x;
    if (i < n) visited[i] = visited[i] + 1;
}

__global__ void sweep(float *a, int n, int t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && t >= 0) a[n * (t + 1) + i] = a[n * t + i];
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]), blocks = 1, threads = n;
    char *visited;
    float *a;
    if (n > MOST) {
        blocks = (int)ceil(n / (double)MOST);
        threads = MOST;
    }
    cudaMalloc(&visited, n);
    cudaMalloc(&a, n * n * sizeof *a);
    mark<<<blocks, threads>>>(visited, n);
    for (int t = 0; t < 3; t++)
        sweep<<<blocks, threads>>>(a, n, t);
    return 0;
}
