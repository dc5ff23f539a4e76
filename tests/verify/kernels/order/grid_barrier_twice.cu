//xfail:FOUND
//lockstep: verify --block 128 --grid 8
//race on 'a'
//
// A block counts for two.
__global__ void k(int *a, int *b, unsigned *arrived) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 2u);
        while (*(volatile unsigned *)arrived < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    b[i] = a[n - 1 - i];
}
