//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 1
//the thread accesses .s. while this copy may still be in flight
//
// A thread reads its own element too early.
#include "cp_async.h"

__global__ void move(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]);
    COMMIT();
    out[t] = s[t];
}
