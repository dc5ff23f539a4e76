//pass
//lockstep: verify --block 128
//
// The same with an atomic operation that reads, and with accesses that order by themselves.
__global__ void by_addition(int *a, int *b, unsigned *arrived) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (atomicAdd(arrived, 0u) != gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    b[i] = a[n - 1 - i];
}

__global__ void by_release(int *a, int *b, unsigned *arrived) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, seen;
    a[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
        while (seen < gridDim.x);
    }
    __syncthreads();
    b[i] = a[n - 1 - i];
}
