//pass
//lockstep: verify --block 64 --grid 2
//
// Threads that return before the barrier are gone, also some of a warp.
__global__ void k(int *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __syncthreads();
    d[i] = 1;
}
