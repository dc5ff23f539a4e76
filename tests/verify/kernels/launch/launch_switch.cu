// pass
// --frontend=clang
// lockstep: verify
// kernel 'void tile.*<64>.*: proved for block 64
// kernel 'halve.*: proved
//
// What a switch has found is known behind it, as where templates are chosen by the number of threads; and a number that a
// loop around the launch halves stays a power of two.
#include <cuda_runtime.h>

template <int threads> __global__ void tile(float *a) {
    __shared__ float s[threads];
    s[threadIdx.x % threads] = a[blockIdx.x * threads + threadIdx.x];
    __syncthreads();
    a[blockIdx.x * threads + threadIdx.x] = s[threads - 1 - threadIdx.x % threads];
}

__global__ void halve(float *a, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int low = i & (stride - 1), first = (i - low) * 2 + low;
    if (stride > 0) a[first] += a[first + stride];
}

void run(float *a, int threads, int blocks) {
    switch (threads) {
    case 64: tile<64><<<blocks, threads>>>(a); break;
    case 128: tile<128><<<blocks, threads>>>(a); break;
    default: break;
    }
}

void transform(float *a, int bits) {
    for (int n = 1 << bits; n > 1; n >>= 1) halve<<<32, 256>>>(a, n / 2);
}
