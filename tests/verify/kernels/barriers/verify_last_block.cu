//pass
//lockstep: verify --block 64 --grid 8
//assumes that 'done' is 0 before the launch
//
// The last block to finish reads what all have written: ordered by a fence and a counter.
__global__ void sum(int *part, unsigned *done, int *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0) {
        part[blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicInc(done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int all = 0;
        for (int i = 0; i < gridDim.x; i++) all += part[i];
        *out = all;
    }
}
