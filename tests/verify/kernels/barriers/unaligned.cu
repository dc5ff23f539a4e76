//unknown
//lockstep: verify --block 64 --grid 1
//meet at barriers in different places, which is not modelled
//
// barrier.sync without .aligned may be met from different places: no error.
__global__ void k(int *d) {
    if (threadIdx.x < 32) {
        d[threadIdx.x] = 1;
        asm volatile("barrier.sync 1;" ::: "memory");
    } else {
        asm volatile("barrier.sync 1;" ::: "memory");
        d[threadIdx.x] = 2;
    }
    d[threadIdx.x + 64] = 3;
}
