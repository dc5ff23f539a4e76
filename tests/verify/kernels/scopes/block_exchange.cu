//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//atomic access-atomic access race on 'd' between threads of different blocks
//
// An atomic operation of block scope is none to the threads of another block.
__global__ void k(unsigned *d) { atomicExch_block(d, blockIdx.x); }
