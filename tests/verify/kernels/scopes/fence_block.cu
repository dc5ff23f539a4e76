//xfail:FOUND
//lockstep: verify --block 64 --grid 8
//write-read race on 'part' .*between threads of different blocks
//
// The last block reads what all have written, but the fence is for the block alone.
__global__ void sum(int *part, unsigned *done, int *out) {
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x;
        __threadfence_block();
        if (atomicInc(done, gridDim.x) == gridDim.x - 1) *out = part[0];
    }
}
