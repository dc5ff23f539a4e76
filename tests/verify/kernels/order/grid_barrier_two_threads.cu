//xfail:FOUND
//lockstep: verify --block 128 --grid 8
//race on 'a'
//
// Two threads of a block count it.
__global__ void k(int *a, int *b, unsigned *arrived) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    __syncthreads();
    if (threadIdx.x < 2) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned *)arrived < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    b[i] = a[n - 1 - i];
}
