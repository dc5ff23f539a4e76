//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//threads of a block can disagree on reaching this barrier
//
// The same with nothing behind the loop: where the kernel ends, those that have left the loop join the others.
__global__ void k(int *d) {
    for (int i = 0; i < 64; i++) {
        __syncthreads();
        if (threadIdx.x == i) break;
    }

}
