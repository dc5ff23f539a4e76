//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//threads of a block can disagree on reaching this barrier
//confirmed in the emulator
//
// There is one way out of the loop, so that all meet there, though nothing follows: a GPU hangs in such a loop.
__global__ void k(int *d) {
    for (int i = 0; i <= threadIdx.x; i++) __syncthreads();
}
