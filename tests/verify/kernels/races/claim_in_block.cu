//xfail:FOUND
//lockstep: verify --block 256 --grid 2
//race on 'taken' between threads of different blocks
//
// The scope of the exchange is the block, but the flag is everybody's.
__global__ void k(int *taken, int *data) {
    if (atomicExch_block(taken, 1) == 0) data[0] = threadIdx.x;
}
