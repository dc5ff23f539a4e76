//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//lanes that the mask names can disagree on reaching this shuffle
//
__global__ void k(int *d) {
    int v = threadIdx.x;
    if (threadIdx.x < 16) v = __shfl_sync(~0u, v, 0);
    d[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
