//pass
//lockstep: verify --block 64 --grid 2
//
__global__ void k(int *d) {
    if (threadIdx.x > 64) __trap();
    __syncthreads();
    d[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
