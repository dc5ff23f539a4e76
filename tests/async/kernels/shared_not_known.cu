//pass
//lockstep: run --arch sm_90a --block 32
//
// As FlashAttention-3's forward kernel has it: mbarriers behind tiles that take more shared memory than there is without
// asking for it. How much there is nobody says here, so that it is no finding that they lie behind 48 KB.
#include "async.h"

extern "C" __global__ void behind_large_tiles(int *out) {
    extern __shared__ __align__(128) char s[];
    mbarrier *full = (mbarrier *)(s + 200 * 1024);
    int t = threadIdx.x;
    if (t == 0) init(full, 32);
    __syncwarp();
    arrive(full);
    wait(full, 0);
    out[t] = t;
}
