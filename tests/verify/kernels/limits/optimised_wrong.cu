//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 32 --grid 1
//of the optimised code \(-O3\)
//
// Digits that the prover does not follow as they are written; unrolled, two rounds of the loop write one row.
#include "../copies/cp_async.h"

__global__ void tile(const int *in, int *out) {
    __shared__ int s[8][32];
    int t = threadIdx.x;
    for (int r = 0; r < 8; r++) COPY(&s[r >> 1][t], &in[r * 32 + t]);
    COMMIT();
    WAIT(0);
    __syncthreads();
    out[t] = s[t & 3][31 - t];
}
