//unknown
//lockstep: verify --block 32 --grid 4
//order by fences and atomics, which is not proved
//
// Whoever did not get the lock gives it back all the same.
__global__ void lock_unasked(int *m, int *sum) {
    if (threadIdx.x == 0) {
        bool got = atomicCAS(m, 0, 1) == 0;
        __threadfence();
        if (got) *sum += 1;
        __threadfence();
        atomicExch(m, 0);
    }
}
