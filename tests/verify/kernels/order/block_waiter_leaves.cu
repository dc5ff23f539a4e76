//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//race on 'data'
//
// The one that waits leaves where nothing has come; the others go on.
__global__ void bb_early(int *data, volatile int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;
        __syncthreads();
        if (t == 0) { __threadfence(); *flag = 1; }
    } else {
        if (t == 0 && *flag == 0) return;
        __syncthreads();
        out[(blockIdx.x - 1) * blockDim.x + t] = data[t];
    }
}
