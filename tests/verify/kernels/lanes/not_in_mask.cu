//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//a lane that its own mask does not name can reach this shuffle
//
__global__ void k(int *d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
    if (i & 1) v = __shfl_down_sync(0x55555555u, i, 1);
    d[i] = v;
}
