//pass
//lockstep: verify --block 128
//
// A barrier of the whole grid.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void two_phases(int *a, int *b) {
    cg::grid_group grid = cg::this_grid();
    unsigned i = blockIdx.x * 128 + threadIdx.x, n = gridDim.x * 128;
    a[i] = i;
    grid.sync();
    b[i] = a[n - 1 - i];
}
