//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//lanes that the mask names can disagree on reaching this vote
//
__global__ void k(unsigned *d, const int *in) {
    unsigned v = 0;
    if (in[threadIdx.x] > 3) v = __ballot_sync(~0u, in[threadIdx.x] > 5);
    d[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
