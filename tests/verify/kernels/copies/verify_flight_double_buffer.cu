//pass
//lockstep: verify --block 64 --grid 2
//
// Two buffers: the next tile is under way while this one is worked on.
#include "cp_async.h"

__global__ void by_parity(const int *in, int *out, int n) {
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    COPY(&s[0][t], &in[t]);
    COMMIT();
    for (int k = 0; k < n; k++) {
        if (k + 1 < n) COPY(&s[(k + 1) & 1][t], &in[(k + 1) * 64 + t]);
        COMMIT();
        WAIT(1);
        __syncthreads();
        sum += s[k & 1][t ^ 1];
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}

// The buffers take turns by a variable.
__global__ void by_turns(const int *in, int *out, int n) {
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0, b = 0;
    COPY(&s[0][t], &in[t]);
    COMMIT();
    for (int k = 0; k < n; k++) {
        if (k + 1 < n) COPY(&s[b ^ 1][t], &in[(k + 1) * 64 + t]);
        COMMIT();
        WAIT(1);
        __syncthreads();
        sum += s[b][t ^ 1];
        b ^= 1;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}
