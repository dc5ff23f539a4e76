//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//race on 'sum'
//
// Given back without a fence.
__global__ void lock_no_release(int *m, int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(m, 0, 1) != 0) {}
        __threadfence();
        *sum += 1;
        atomicExch(m, 0);
    }
}
