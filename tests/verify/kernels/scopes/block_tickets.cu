//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//race on 't' between threads of different blocks
//
// Tickets of one counter, drawn with block scope by two blocks, need not differ.
__global__ void k(unsigned *d, unsigned *t) {
    unsigned x = atomicAdd_block(t, 1u);
    d[x] = threadIdx.x;
}
