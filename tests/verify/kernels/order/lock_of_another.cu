//xfail:FOUND
//lockstep: verify --block 32 --grid 4 --assume 'n == 3'
//race on 'sum'
//
// Two elements share a sum, but not a lock.
__global__ void lock_other(int *m, int *sum, int n) {
    for (int i = 0; i < n; i++) {
        bool done = false;
        while (!done) {
            if (atomicCAS(&m[i], 0, 1) == 0) {
                __threadfence();
                sum[i / 2] += threadIdx.x;
                __threadfence();
                atomicExch(&m[i], 0);
                done = true;
            }
        }
    }
}
