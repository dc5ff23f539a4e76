//unknown
//--frontend=clang
//lockstep: verify
//kernel 'twice': proved .*launched at line 109
//kernel 'twice': unknown .*launched at line 110
//kernel 'in_loop': unknown
//kernel 'in_function': unknown
//kernel 'set_at_first': unknown
//kernel 'set_back_at_times': proved if back > 0
//kernel 'wraps_later': unknown
//kernel 'another_is_set': unknown
//2 proved, 1 proved if its contract holds, 6 unknown; nothing found
//
// A flag, a counter or a barrier of the grid that holds what the launch before has left: the first launch is right, the
// next one is not. Setting it in the first round alone, at times, or setting another one does not help.
#include <cuda_runtime.h>

__device__ void add_up(const float *part, float *out) {
    float s = 0;
    for (unsigned i = 0; i < gridDim.x; i++) s += part[i];
    *out = s;
}

__global__ void twice(int *data, volatile int *flag, int *out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag != 1) {}
        __threadfence();
        *out = *data;
    }
}

__device__ unsigned arrived, tickets, others;

__global__ void in_loop(int *data, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1);
        while (*(volatile unsigned *)&arrived < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    out[i] = data[(i + 1) % (gridDim.x * blockDim.x)];
}

#define LAST_BLOCK(ticket)                                                                                             \
    if (threadIdx.x) return;                                                                                           \
    part[blockIdx.x] = in[blockIdx.x];                                                                                 \
    __threadfence();                                                                                                   \
    bool last = (ticket) == gridDim.x - 1;                                                                             \
    __threadfence();                                                                                                   \
    if (last) add_up(part, out)

__global__ void in_function(const float *in, float *part, float *out, unsigned *n) { LAST_BLOCK(atomicAdd(n, 1)); }

__global__ void set_at_first(const float *in, float *part, float *out, unsigned *n) { LAST_BLOCK(atomicAdd(n, 1)); }

__global__ void set_back_at_times(const float *in, float *part, float *out, unsigned *n, int back) {
    if (threadIdx.x) return;
    part[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    bool last = atomicAdd(n, 1) == gridDim.x - 1;
    __threadfence();
    if (last) {
        add_up(part, out);
        if (back) *n = 0;
    }
}

__global__ void wraps_later(const float *in, float *part, float *out, unsigned *n) {
    LAST_BLOCK(atomicInc(n, gridDim.x));
}

__global__ void another_is_set(const float *in, float *part, float *out) { LAST_BLOCK(atomicAdd(&tickets, 1)); }

__attribute__((noinline)) static void launch(const float *in, float *part, float *out, unsigned *n) {
    in_function<<<64, 128>>>(in, part, out, n);
}

__global__ void clear() {
    if (threadIdx.x == 0) others = 0;
}

int main(int argc, char **argv) {
    float *in, *part, *out;
    int *data, *flag, *result;
    unsigned *a, *b, *c, *d, zero = 0;
    cudaMalloc(&in, 4096);
    cudaMalloc(&part, 4096);
    cudaMalloc(&out, 4);
    cudaMalloc(&data, 16384);
    cudaMalloc(&flag, 4);
    cudaMalloc(&result, 16384);
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMalloc(&c, 4);
    cudaMalloc(&d, 4);
    cudaMemset(flag, 0, 4);
    cudaMemset(c, 0, 4);
    cudaMemset(d, 0, 4);

    twice<<<2, 32>>>(data, flag, result);
    twice<<<2, 32>>>(data, flag, result);

    launch(in, part, out, a);
    for (int i = 0; i < 8; i++) {
        float sum;
        in_loop<<<16, 128>>>(data, result);
        if (i == 0) cudaMemset(b, 0, 4);
        set_at_first<<<64, 128>>>(in, part, out, b);
        set_back_at_times<<<64, 128>>>(in, part, out, c, argc);
        wraps_later<<<64, 128>>>(in, part, out, d);
        cudaMemcpyToSymbol(others, &zero, sizeof zero);
        clear<<<1, 1>>>();
        another_is_set<<<64, 128>>>(in, part, out);
        cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost);
    }
    launch(in, part, out, a);
    return 0;
}
