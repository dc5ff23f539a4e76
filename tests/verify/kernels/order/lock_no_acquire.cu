//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//race on 'sum'
//
// Taken without a fence.
__global__ void lock_no_acquire(int *m, int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(m, 0, 1) != 0) {}
        *sum += 1;
        __threadfence();
        atomicExch(m, 0);
    }
}
