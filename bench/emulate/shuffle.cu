// Sums of 256 by shuffles within warps and one step in shared memory.
extern "C" __global__ void shuffle(const int *in, int *out) {
    __shared__ int sums[8];
    int t = threadIdx.x, sum = in[blockIdx.x * 256 + t];
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0) sums[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < 8 ? sums[t] : 0;
        for (int d = 4; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
        if (t == 0) out[blockIdx.x] = sum;
    }
}
