//pass
//lockstep: verify --block 64 --grid 1
//
// Different sizes at different places.
__global__ void k(unsigned long long *d) {
    if (threadIdx.x % 2)
        atomicAdd(d, 1ull);
    else
        atomicAdd((unsigned *)(d + 1), 1u);
}
