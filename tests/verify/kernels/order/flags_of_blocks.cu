//pass
//lockstep: verify --block 32 --grid 4
//
// One thread signals for its block, and one waits for its block, with barriers between them and the others.
__global__ void bb(int *data, volatile int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;
        __syncthreads();
        if (t == 0) { __threadfence(); *flag = 1; }
    } else {
        if (t == 0) { while (*flag == 0) {} __threadfence(); }
        __syncthreads();
        out[(blockIdx.x - 1) * blockDim.x + t] = data[t];
    }
}
