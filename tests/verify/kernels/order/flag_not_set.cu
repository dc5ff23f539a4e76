//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//race on 'data'
//
// Who has seen that the flag is not set knows nothing.
__global__ void mp_unless(int *data, volatile int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else if (blockIdx.x == 1) {
        int f = *flag;
        __threadfence();
        if (f == 0) out[0] = data[0];
    }
}
