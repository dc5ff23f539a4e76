//xfail:FOUND
//lockstep: verify --block 128
//write-read race on 'a' between threads of different blocks
//
// A barrier of the block does not order the blocks.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void block_barrier_for_the_grid(int *a, int *b) {
    cg::thread_block block = cg::this_thread_block();
    unsigned i = blockIdx.x * 128 + threadIdx.x, n = gridDim.x * 128;
    a[i] = i;
    block.sync();
    b[i] = a[n - 1 - i];
}
