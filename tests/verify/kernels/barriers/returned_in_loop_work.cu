//pass
//lockstep: verify --block 64 --grid 2
//
// Threads that leave a loop and the kernel with it, after work of their own, do not come by the others again.
__global__ void k(int *d, const int *ends) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < 8; r++) {
        __syncthreads();
        if (ends[i] == r) {
            d[i] = 7;
            return;
        }
        __syncthreads();
    }
    d[i] = 1;
}
