// A whole program for `lockstep detect -- PROGRAM`: the CUDA runtime, a variable and a constant of the device, a
// kernel with a race and kernels without, results that the program checks itself.
#include <cstdio>
#include <cstdlib>

__constant__ int factor[4];
__device__ int counters[64];

__global__ void racy_sum(int *out, const int *in) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d]; // RACE: no barrier in the loop
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void sum(int *out, const int *in) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t] * factor[t & 3];
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) s[t] += s[t + d];
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void mark(const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] == 77) counters[i & 63] = 1; // one element only: no race
}

__global__ void twice(int *data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] *= 2;
}

int main() {
    const int n = 64 * 256;
    int *in, *out, *host = (int *)malloc(n * 4), results[64], marks[64], factors[4] = {1, 2, 3, 4}, wrong = 0;
    for (int i = 0; i < n; i++) host[i] = i % 50;
    host[1234] = 77;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, 64 * 4);
    cudaMemcpy(in, host, n * 4, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(factor, factors, sizeof factors);
    racy_sum<<<64, 256>>>(out, in);
    sum<<<64, 256>>>(out, in);
    cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 64; b++) {
        int expected = 0;
        for (int t = 0; t < 256; t++) expected += host[b * 256 + t] * factors[t & 3];
        wrong += results[b] != expected;
    }
    mark<<<64, 256>>>(in);
    cudaMemcpyFromSymbol(marks, counters, sizeof marks);
    for (int i = 0; i < 64; i++) wrong += marks[i] != (i == (1234 & 63));
    twice<<<64, 256>>>(in);
    int *after = (int *)malloc(n * 4);
    cudaMemcpy(after, in, n * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) wrong += after[i] != 2 * host[i];
    printf("program: %s, %d wrong results\n", cudaGetErrorString(cudaGetLastError()), wrong);
    return wrong != 0;
}
