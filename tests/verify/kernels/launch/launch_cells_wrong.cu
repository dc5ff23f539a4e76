// xfail:FOUND
// --frontend=clang
//lockstep: verify
// 1 kernel: 1 refuted
//
// Two blocks have the same tile.
#include <cuda_runtime.h>

__global__ void grow(int *m, int width, int tiles, int diagonal) {
    int x = blockIdx.x / 2 + tiles - diagonal, y = tiles - blockIdx.x / 2 - 1;
    int corner = width * 16 * y + 16 * x + threadIdx.x + width + 1;
    int above = m[corner - width];
    __syncthreads();
    for (int i = 0; i < 16; i++)
        m[corner + i * width] = above + i + blockIdx.x;
}

void sweep(int *m, int size) {
    int width = size + 1, tiles = size / 16;
    for (int diagonal = 1; diagonal <= tiles; diagonal++)
        grow<<<diagonal, 16>>>(m, width, tiles, diagonal);
}
