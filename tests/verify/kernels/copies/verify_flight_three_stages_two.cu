//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 2
//race on .s.
//
// With two buffers, the copy goes to the one that others still read from.
#include "cp_async.h"

__global__ void sum(const int *in, int *out, int n) {
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    COPY(&s[0][t], &in[t]);
    COMMIT();
    COPY(&s[1][t], &in[64 + t]);
    COMMIT();
    for (int k = 0; k < n; k++) {
        WAIT(1);
        __syncthreads();
        if (k + 2 < n) COPY(&s[(k + 2) % 2][t], &in[(k + 2) * 64 + t]);
        COMMIT();
        sum += s[k % 2][t ^ 1];
    }
    out[blockIdx.x * 64 + t] = sum;
}
