//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//threads of a block can disagree on reaching this barrier
//
// Each round one thread leaves the loop, and the others wait for it at the next barrier. This hangs on a GPU.
__global__ void k(int *d) {
    for (int i = 0; i < 64; i++) {
        __syncthreads();
        if (threadIdx.x == i) break;
    }
    d[threadIdx.x] = 1;
}
