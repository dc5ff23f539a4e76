//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//threads of a block can disagree on reaching this barrier
//
// A barrier on each side of a branch.
__global__ void k(int *d) {
    if (threadIdx.x < 32) {
        d[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
        d[threadIdx.x] = 2;
    }
    d[threadIdx.x + 64] = 3;
}
