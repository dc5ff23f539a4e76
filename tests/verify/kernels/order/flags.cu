//pass
//lockstep: verify --block 32 --grid 4
//assumes that 'flag' is 0 before the launch
//
// A flag that is set behind a fence and seen before one orders what stands around it: in a loop that waits, in an
// `if`, and with a flag for each block.
__global__ void mp_loop(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else if (blockIdx.x == 1) {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        out[0] = data[0];
    }
}

__global__ void mp_volatile(int *data, volatile int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else if (blockIdx.x == 1) {
        while (*flag == 0) {}
        __threadfence();
        out[0] = data[0];
    }
}

__global__ void mp_if(int *data, volatile int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else if (blockIdx.x == 1) {
        if (*flag == 1) {
            __threadfence();
            out[0] = data[0];
        }
    }
}

__global__ void mp_chain(int *data, volatile int *flag) {
    if (threadIdx.x == 0) {
        int b = blockIdx.x;
        int sum = 0;
        if (b > 0) {
            while (flag[b - 1] == 0) {}
            __threadfence();
            sum = data[b - 1];
        }
        data[b] = sum + b;
        __threadfence();
        flag[b] = 1;
    }
}
