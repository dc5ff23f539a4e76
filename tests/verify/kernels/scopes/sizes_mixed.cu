//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//atomic access-atomic access race on 'd'
//
// Atomic operations of different sizes overlap in part: neither is one to the other.
__global__ void k(unsigned long long *d) {
    if (threadIdx.x % 2)
        atomicAdd(d, 1ull);
    else
        atomicAdd((unsigned *)d, 1u);
}
