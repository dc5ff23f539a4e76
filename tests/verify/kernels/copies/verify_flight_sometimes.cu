//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 1
//read-write race on .s. between threads of one block
//
// A group is closed in some rounds only, and then the wait is not for the copy of the round before. The last round
// reads what may still be under way.
#include "cp_async.h"

__global__ void sum(const int *in, int *out, int n) {
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    COPY(&s[0][t], &in[t]);
    COMMIT();
    for (int k = 0; k < n; k++) {
        if (k + 1 < n) {
            COPY(&s[(k + 1) & 1][t], &in[(k + 1) * 64 + t]);
            COMMIT();
        }
        WAIT(1);
        __syncthreads();
        sum += s[k & 1][t ^ 1];
        __syncthreads();
    }
    out[t] = sum;
}
