// unknown
// --frontend=clang
// lockstep: verify
// kernel 'halves.*: proved if \(size & \(size - 1\)\) == 0
// note: write-write race on 's'
//
// Threads are masked with what callers give that the file does not show: that is a power of two, and what happens with
// 62 is a note.
#include <cuda_runtime.h>

__global__ void halves(unsigned *out, unsigned size) {
    __shared__ unsigned s[512];
    unsigned t = threadIdx.x, place = 2 * t - (t & (size - 1));
    s[place] = t;
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[place];
}

void run(unsigned *out, unsigned count, unsigned size) {
    if (size < 1 || size > 256) return;
    halves<<<count, 256>>>(out, size);
}
