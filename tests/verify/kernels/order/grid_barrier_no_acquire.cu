//unknown
//lockstep: verify --block 128 --grid 8
//the thread needs a __threadfence.. behind line 13
//
// No fence behind the wait: the barrier of the block is none by the letter of the memory model.
__global__ void k(int *a, int *b, unsigned *arrived) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned *)arrived < gridDim.x) {}
    }
    __syncthreads();
    b[i] = a[n - 1 - i];
}
