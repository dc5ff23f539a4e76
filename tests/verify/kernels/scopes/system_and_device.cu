//pass
//lockstep: verify --block 64 --grid 2
//
// Scopes need not be the same, as long as each includes the other thread.
__global__ void k(unsigned *d) {
    if (blockIdx.x == 0)
        atomicAdd_system(d, 1u);
    else
        atomicAdd(d, 2u);
}
