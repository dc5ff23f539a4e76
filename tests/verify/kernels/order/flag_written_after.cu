//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//race on 'data'
//
// What is written behind the signal is not handed over.
__global__ void mp_after(int *data, volatile int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
        data[0] = 43;
    } else if (blockIdx.x == 1) {
        while (*flag == 0) {}
        __threadfence();
        out[0] = data[0];
    }
}
