//pass
//--frontend=clang
//lockstep: verify
//
// Launches that are made again, and counters and flags that are 0 before each of them: the kernel leaves its counter at
// 0, or the host code sets it between, by a fill, a copy, another kernel or new memory.
#include <cuda_runtime.h>

__device__ unsigned count;

__device__ void add_up(const float *part, float *out) {
    float s = 0;
    for (unsigned i = 0; i < gridDim.x; i++) s += part[i];
    *out = s;
}

__global__ void set_back(const float *in, float *part, float *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(&count, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        add_up(part, out);
        count = 0;
    }
}

__global__ void comes_around(const float *in, float *part, float *out, unsigned *ticket) {
    if (threadIdx.x) return;
    part[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    bool last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
    if (last) add_up(part, out);
}

__global__ void not_set_back(const float *in, float *part, float *out, unsigned *ticket) {
    if (threadIdx.x) return;
    part[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    bool last = atomicAdd(ticket, 1) == gridDim.x - 1;
    __threadfence();
    if (last) add_up(part, out);
}

__device__ unsigned arrived;

__global__ void clear() {
    if (threadIdx.x == 0) arrived = 0;
}

__global__ void in_variable(const float *in, float *part, float *out) {
    if (threadIdx.x) return;
    part[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    bool last = atomicAdd(&arrived, 1) == gridDim.x - 1;
    __threadfence();
    if (last) add_up(part, out);
}

int main() {
    float *in, *part, *out;
    unsigned *a, *b, zero = 0;
    cudaMalloc(&in, 4096);
    cudaMalloc(&part, 4096);
    cudaMalloc(&out, 4);
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    for (int i = 0; i < 8; i++) {
        set_back<<<64, 128>>>(in, part, out);
        comes_around<<<64, 128>>>(in, part, out, a);
        cudaMemset(b, 0, 4);
        not_set_back<<<64, 128>>>(in, part, out, b);
    }
    for (int i = 0; i < 8; i++) {
        unsigned *c;
        cudaMalloc(&c, 4);
        cudaMemcpy(c, &zero, 4, cudaMemcpyHostToDevice);
        not_set_back<<<32, 128>>>(in, part, out, c);
        clear<<<1, 1>>>();
        in_variable<<<64, 128>>>(in, part, out);
    }
    for (int i = 0; i < 8; i++) {
        cudaMemcpyToSymbol(arrived, &zero, sizeof zero);
        in_variable<<<32, 128>>>(in, part, out);
    }
    return 0;
}
