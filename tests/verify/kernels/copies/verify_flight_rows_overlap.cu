//unknown
//lockstep: verify --as-written --block 32 --grid 1
//no proof that this copy has ended before the same thread accesses .s. in line 11
//
// Two rounds copy to the same row.
#include "cp_async.h"

__global__ void tile(const int *in, int *out, int rows) {
    __shared__ int s[8][32];
    int t = threadIdx.x;
    for (int r = 0; r < 8; r++) COPY(&s[r >> 1][t], &in[r * 32 + t]);
    COMMIT();
    WAIT(0);
    __syncthreads();
    out[t] = s[t & 3][31 - t];
}
