//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//threads of a block can disagree on reaching this barrier
//
// All threads of a group must come to its barrier; the hardware does not wait for those that have left.
#include <cooperative_groups.h>
__global__ void half_block(float *a) {
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    if (threadIdx.x >= 32) return;
    float x = a[blockIdx.x * 64 + threadIdx.x + 1];
    block.sync();
    a[blockIdx.x * 64 + threadIdx.x] = x;
}
