// xfail:FOUND
// --frontend=clang
// lockstep: verify
// unknown: possible write-write race on 'a' with line 18 by threads of one block: it depends on an offset that the caller chooses \('off'\)
// kernel 'parts': unknown
// kernel 'halves': refuted
// kernel 'shifted': refuted
// 2 refuted, 1 unknown
//
// A number of 64 bits that is added to one of two addresses alone says where another part of the array begins: that the
// parts overlap is no mistake of the kernel. Threads that meet within a part are one, wherever it begins, and so is an
// element that is moved by a number of 32 bits.
#include <cuda_runtime.h>

__global__ void parts(float *a, long long off, long long n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = 1;
    if (i < n) a[off + i] = 2;
}

__global__ void halves(float *a, long long off) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[off + i / 2] = threadIdx.x;
}

__global__ void shifted(float *a, int off) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[off + i] = a[i];
}
