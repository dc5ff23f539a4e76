//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//race on 'a' between threads of different blocks
//
// The second barrier is that of the block alone.
#include <cooperative_groups.h>
__global__ void relax(float *a, float *b, int steps) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int k = 0; k < steps; k++) {
        b[i] = a[(i + 1) % n];
        grid.sync();
        a[i] = b[i];
        __syncthreads();
    }
}
