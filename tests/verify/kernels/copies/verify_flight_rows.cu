//pass
//lockstep: verify --block 32 --grid 1
//
// Copies in a loop without a barrier: those of all rounds are under way at once.
#include "cp_async.h"

__global__ void tile(const int *in, int *out, int rows) {
    __shared__ int s[8][32];
    int t = threadIdx.x;
    for (int r = 0; r < 8; r++) COPY(&s[r][t], &in[r * 32 + t]);
    COMMIT();
    WAIT(0);
    __syncthreads();
    out[t] = s[t & 7][31 - t];
}
