//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//threads of a block can disagree on reaching this barrier
//
// The twin: those for which both conditions hold go round the barrier, and on with the others.
__global__ void k(int *d, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        if (threadIdx.x >= m) goto behind;
        d[i + 1000] = 2;
    }
    __syncthreads();
behind:
    d[i] = 1;
}
