// pass
// --frontend=clang
//lockstep: verify
// 2 kernels: 2 proved
//
// Blocks along a diagonal of a matrix of tiles: each reads the last row of the tile above its own, in columns that
// other tiles of the diagonal do not have, and writes its own tile. Rows and columns tell them apart.
#include <cuda_runtime.h>

__global__ void grow(int *m, int width, int tiles, int diagonal) {
    int x = blockIdx.x + tiles - diagonal, y = tiles - blockIdx.x - 1;
    int corner = width * 16 * y + 16 * x + threadIdx.x + width + 1;
    int above = m[corner - width];
    __syncthreads();
    for (int i = 0; i < 16; i++)
        m[corner + i * width] = above + i;
}

__global__ void shrink(int *m, int width, int tiles, int diagonal) {
    int x = blockIdx.x + tiles - diagonal, y = tiles - blockIdx.x - 1;
    int corner = width * 16 * y + 16 * x + threadIdx.x + width + 1;
    for (int i = 0; i < 16; i++)
        m[corner + i * width] = i;
}

void sweep(int *m, int size) {
    int width = size + 1, tiles = size / 16;
    for (int diagonal = 1; diagonal <= tiles; diagonal++)
        grow<<<diagonal, 16>>>(m, width, tiles, diagonal);
    for (int diagonal = tiles; diagonal >= 1; diagonal--)
        shrink<<<diagonal, 16>>>(m, width, tiles, diagonal);
}
