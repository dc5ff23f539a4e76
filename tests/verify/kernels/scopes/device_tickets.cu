//pass
//lockstep: verify --block 64 --grid 2
//
// With the scope of the device they do.
__global__ void k(unsigned *d, unsigned *t) {
    unsigned x = atomicAdd(t, 1u);
    d[x] = threadIdx.x;
}
