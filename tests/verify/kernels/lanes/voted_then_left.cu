//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//lanes that the mask names can disagree on reaching this shuffle
//
// A lane of the vote goes another way behind it.
__global__ void k(int *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
    unsigned m = __ballot_sync(~0u, i < n);
    if (i < n - 1) v = __shfl_down_sync(m, i, 1);
    d[i] = v;
}
