//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//trap is reached
//
__global__ void k(int *d) {
    if (threadIdx.x == 3) __trap();
}
