//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 1
//race on .s.
//
// The group of the copy is closed behind the wait, which so does not wait for it.
#include "cp_async.h"

__global__ void reverse(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]);
    WAIT(0);
    COMMIT();
    __syncthreads();
    out[t] = s[63 - t];
}
