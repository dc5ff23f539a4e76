//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 2
//read-write race on .s. between threads of one block
//
// A barrier does not wait for the copies.
#include "cp_async.h"

__global__ void reverse(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    COPY(&s[t], &in[blockIdx.x * 64 + t]);
    COMMIT();
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
