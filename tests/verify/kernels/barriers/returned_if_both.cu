//pass
//lockstep: verify --block 64 --grid 2
//
// Two conditions in front of an early return are two branches; threads that disagree on the first have not parted for
// longer than it takes to find out whether they return.
__global__ void k(int *d, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        if (threadIdx.x >= m) return;
        d[i + 1000] = 2;
    }
    __syncthreads();
    d[i] = 1;
}
