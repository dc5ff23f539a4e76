//pass
//lockstep: verify --block 64 --grid 2
//
// A pipeline of three stages: two tiles are under way while one is worked on, and one barrier a round is enough. The
// compiler writes the remainder as a product with a reciprocal.
#include "cp_async.h"

__global__ void sum(const int *in, int *out, int n) {
    __shared__ int s[3][64];
    int t = threadIdx.x, sum = 0;
    COPY(&s[0][t], &in[t]);
    COMMIT();
    COPY(&s[1][t], &in[64 + t]);
    COMMIT();
    for (int k = 0; k < n; k++) {
        WAIT(1);
        __syncthreads();
        if (k + 2 < n) COPY(&s[(k + 2) % 3][t], &in[(k + 2) * 64 + t]);
        COMMIT();
        sum += s[k % 3][t ^ 1];
    }
    out[blockIdx.x * 64 + t] = sum;
}
