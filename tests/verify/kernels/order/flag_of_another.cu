//xfail:FOUND
//lockstep: verify --block 32 --grid 4
//race on 'data'
//
// The flag of another block is waited for.
__global__ void chain_wrong(int *data, volatile int *flag) {
    if (threadIdx.x == 0) {
        int b = blockIdx.x;
        int sum = 0;
        if (b > 1) {
            while (flag[b - 2] == 0) {}
            __threadfence();
            sum = data[b - 1];
        }
        data[b] = sum + b;
        __threadfence();
        flag[b] = 1;
    }
}
