//pass
//lockstep: verify --block 128
//'arrived' is 0 before the launch
//
// A barrier of the grid, used once: each block counts itself, and waits until all have. The thread that counts and
// waits does so for its block.
__device__ unsigned arrived;

__device__ void wait_for_all(unsigned *count) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1u);
        while (*(volatile unsigned *)count < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
}

__global__ void reverse(int *a, int *b) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    wait_for_all(&arrived);
    b[i] = a[n - 1 - i];
}
