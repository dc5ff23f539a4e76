//xfail:FOUND
//lockstep: verify --block 128 --grid 8
//race on 'a'
//
// Other threads of the block do not wait for the first one.
__global__ void k(int *a, int *b, unsigned *arrived) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned *)arrived < gridDim.x) {}
        __threadfence();
    }
    b[i] = a[n - 1 - i];
}
