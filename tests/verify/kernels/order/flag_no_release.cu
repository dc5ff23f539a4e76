//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//race on 'data'
//
// Without a fence before the flag is set the data may come later.
__global__ void mp_no_release(int *data, volatile int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        *flag = 1;
    } else if (blockIdx.x == 1) {
        while (*flag == 0) {}
        __threadfence();
        out[0] = data[0];
    }
}
