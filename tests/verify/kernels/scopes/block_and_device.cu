//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//atomic access-atomic access race on 'd' between threads of different blocks
//
// … which the narrower one does not.
__global__ void k(unsigned *d) {
    if (blockIdx.x == 0)
        atomicAdd_block(d, 1u);
    else
        atomicAdd(d, 2u);
}
