//unknown
//lockstep: verify --block 64 --grid 8
//
// The last block to finish reads what all have written: ordered by a fence and a counter, on devices; the model asks
// for a fence behind the counter, too (order/last_block.cu).
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
