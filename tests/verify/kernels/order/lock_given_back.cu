//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//race on 'sum'
//
// An access behind the unlock.
__global__ void lock_after(int *m, int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(m, 0, 1) != 0) {}
        __threadfence();
        *sum += 1;
        __threadfence();
        atomicExch(m, 0);
        *sum += 1;
    }
}
