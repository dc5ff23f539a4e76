// Kernels whose accesses have the shapes that CUDA code has: a base (parameter, struct field, variable) and
// an affine offset. accesses_o3.ptx is this file as nvcc -O3 compiles it, where loops are strength-reduced and
// pointers go round phis; accesses_o0.ptx as nvcc -Xcicc -O0 does: generic accesses, a depot, calls not inlined.
#include <stddef.h>

struct view {
    int rows;
    float *data;
    const float *other;
};

__constant__ float table[64];
__device__ int counter;
__device__ float *pool;

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void strided(float *p, int n, int stride) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += stride) sum += p[i];
    p[threadIdx.x] = sum;
}

extern "C" __global__ void tile(const float *in, float *out, int width) {
    __shared__ float s[16][17];
    extern __shared__ float dynamic[];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = in[(blockIdx.y * 16 + y) * width + blockIdx.x * 16 + x];
    dynamic[x] = table[x];
    __syncthreads();
    out[(blockIdx.x * 16 + y) * width + blockIdx.y * 16 + x] = s[x][y] + dynamic[y];
}

extern "C" __global__ void fields(struct view v, int k) {
    v.data[threadIdx.x + k] = v.other[threadIdx.x] + v.rows;
    atomicAdd(&counter, 1);
}

extern "C" __global__ void chosen(float *a, float *b, int which) {
    float *p = which ? a : b;
    p[threadIdx.x] = 1.0f;
    pool[threadIdx.x] = 2.0f;
}

__device__ __noinline__ int clamp(int x, int *limits) {
    return x < limits[0] ? limits[0] : x > limits[1] ? limits[1] : x;
}

extern "C" __global__ void calls(int *p) {
    int limits[2] = {3, 77};
    p[threadIdx.x] = clamp(p[threadIdx.x], limits);
}

extern "C" __global__ void locals(int *p, int k) {
    int window[8];
    for (int i = 0; i < 8; i++) window[i] = p[i];
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += window[(i * k) & 7];
    p[threadIdx.x] = sum;
}
