//xfail:FOUND
//--block=32 --grid=1
//lockstep: verify
//confirmed in the emulator

#include <cooperative_groups.h>

__global__ void k(int *a) {
    if (threadIdx.x < 20) {
        int next = a[threadIdx.x + 1];
        cooperative_groups::sync(cooperative_groups::this_thread_block());
        a[threadIdx.x] = next;
    }
}
