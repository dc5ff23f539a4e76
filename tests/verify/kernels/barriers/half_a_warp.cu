//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//threads of a block can disagree on reaching this barrier
//
// Threads that go round the barrier and on are not gone: compute-sanitizer calls it divergent threads in a warp.
__global__ void k(int *d) {
    if (threadIdx.x < 10) __syncthreads();
    d[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
