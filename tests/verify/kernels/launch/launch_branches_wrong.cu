// xfail:NOT_ALL_VERIFIED
// --frontend=clang
// As launch_branches.cu, but one branch makes blocks that are larger than what the kernel steps by.
#include <cuda_runtime.h>
#include <math.h>
#include <stdlib.h>

#define MOST 512

__global__ void mark(char *visited, int n) {
    int i = blockIdx.x * MOST + threadIdx.x;
    if (i < n) visited[i] = visited[i] + 1;
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]), blocks = 1, threads = n;
    char *visited;
    if (n > MOST) {
        blocks = (int)ceil(n / (double)MOST);
        threads = 2 * MOST;
    }
    cudaMalloc(&visited, n);
    mark<<<blocks, threads>>>(visited, n);
    return 0;
}
