// xfail:FOUND
// --frontend=clang
// lockstep: verify -v
// kernel 'enough': proved for block 256, grid 1
// for 'parts' of 2048 bytes \(allocated at line 43\)
// access out of bounds of 'parts'
// kernel 'short_by_half': refuted for block 256, grid 1
// kernel 'rows': proved for any block
// kernel 'beyond': refuted for any block, grid 1
// kernel 'forgotten': refuted for block 64, grid 1
//
// Dynamic shared memory is as large as the launch says: two arrays in it, and one that each thread has a row of. Half of
// what two arrays need, one element too few, or none at all, is an error, and no contract excuses it.
#include <cuda_runtime.h>
#include <stdlib.h>

extern __shared__ float parts[];

__device__ void turn(float *a, int n) {
    float *first = parts, *second = parts + n;
    first[threadIdx.x] = a[threadIdx.x];
    second[n - 1 - threadIdx.x] = first[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = second[threadIdx.x];
}

__global__ void enough(float *a, int n) { turn(a, n); }
__global__ void short_by_half(float *a, int n) { turn(a, n); }
__global__ void rows(float *a) {
    parts[2 * threadIdx.x + 1] = a[threadIdx.x];
    a[threadIdx.x] = parts[2 * threadIdx.x + 1];
}
__global__ void beyond(float *a) {
    parts[threadIdx.x + 1] = a[threadIdx.x];
    a[threadIdx.x] = parts[threadIdx.x + 1];
}
__global__ void forgotten(float *a) { parts[threadIdx.x] = a[threadIdx.x]; }

int main(int count, char **words) {
    const int n = 256, threads = atoi(words[1]);
    float *a;
    cudaMalloc(&a, n * sizeof *a);
    enough<<<1, n, 2 * n * sizeof(float)>>>(a, n);
    short_by_half<<<1, n, n * sizeof(float)>>>(a, n);
    rows<<<1, threads, 2 * threads * sizeof(float)>>>(a);
    beyond<<<1, threads, threads * sizeof(float)>>>(a);
    forgotten<<<1, 64>>>(a);
}
