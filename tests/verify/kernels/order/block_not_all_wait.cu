//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//race on 'data'
//
// The other threads of the block do not wait for the one that does.
__global__ void bb_not_all_wait(int *data, volatile int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;
        __syncthreads();
        if (t == 0) { __threadfence(); *flag = 1; }
    } else {
        if (t == 0) { while (*flag == 0) {} __threadfence(); }
        out[(blockIdx.x - 1) * blockDim.x + t] = data[t];
    }
}
