//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//threads of a block can disagree on reaching this barrier
//
// CUDA's guide forbids it for whole warps as well.
__global__ void k(int *d) {
    if (threadIdx.x < 32) __syncthreads();
    d[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
