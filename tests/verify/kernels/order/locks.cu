//pass
//lockstep: verify --block 32 --grid 4 --assume 'n == 3'
//
// Spin locks, one for all and one for each element.
__global__ void lock(int *m, int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(m, 0, 1) != 0) {}
        __threadfence();
        *sum += 1;
        __threadfence();
        atomicExch(m, 0);
    }
}

__global__ void lock_idiom(int *m, int *sum, int n) {
    for (int i = 0; i < n; i++) {
        bool done = false;
        while (!done) {
            if (atomicCAS(&m[i], 0, 1) == 0) {
                __threadfence();
                sum[i] += threadIdx.x;
                __threadfence();
                atomicExch(&m[i], 0);
                done = true;
            }
        }
    }
}
