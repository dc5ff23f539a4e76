//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//race on 'data'
//
// Only what the signalling thread itself has written is handed over.
__global__ void bb_no_barrier(int *data, volatile int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;
        if (t == 0) { __threadfence(); *flag = 1; }
    } else {
        if (t == 0) { while (*flag == 0) {} __threadfence(); }
        __syncthreads();
        out[(blockIdx.x - 1) * blockDim.x + t] = data[t];
    }
}
