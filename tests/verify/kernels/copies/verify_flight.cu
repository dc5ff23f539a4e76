//pass
//lockstep: verify --block 64 --grid 2
//
// Copies in the background: waited for, and a barrier, before others read what was copied.
#include "cp_async.h"

__global__ void reverse(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    COPY(&s[t], &in[blockIdx.x * 64 + t]);
    COMMIT();
    WAIT(0);
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
