//pass
//lockstep: verify --block 64 --grid 2
//
// The same from a loop.
__global__ void k(int *d, const int *ends) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < 8; r++) {
        __syncthreads();
        if (ends[i] == r) return;
        __syncthreads();
    }
    d[i] = 1;
}
