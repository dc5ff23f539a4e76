//pass
//lockstep: verify --block 64 --grid 1
//
// Within one block its scope is enough.
__global__ void k(unsigned *d) { atomicExch_block(d, threadIdx.x); }
