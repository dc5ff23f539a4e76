//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//threads of different blocks can disagree on reaching this barrier
//
// The last block leaves the loop earlier.
#include <cooperative_groups.h>
__global__ void relax(float *a) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4 - (blockIdx.x == 3); k++) {
        a[i] += 1;
        grid.sync();
    }
}
