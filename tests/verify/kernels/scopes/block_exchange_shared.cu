//pass
//lockstep: verify --block 64 --grid 8
//
// Shared memory is the block's own.
__global__ void k(unsigned *d) {
    __shared__ unsigned s;
    atomicExch_block(&s, threadIdx.x);
    d[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
