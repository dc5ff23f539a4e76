//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//race on 'data'
//
// Without one behind the wait the data may be read before.
__global__ void mp_no_acquire(int *data, volatile int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else if (blockIdx.x == 1) {
        while (*flag == 0) {}
        out[0] = data[0];
    }
}
