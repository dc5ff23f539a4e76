// unknown
// --frontend=clang
// lockstep: verify
// kernel 'scan': proved for block 256
// kernel 'scan': proved if \(size & \(size - 1\)\) == 0 for block 256, any grid \(launched at line 34\); with unsigned\(size\) > 1, unsigned\(size\) < 257; assumes that accesses stay in their arrays and pointers do not overlap$
//
// Scans of groups of `size` threads, whose places are found with a mask: an assertion says that it is a power of two,
// or callers have to give one, and each of those that the assertion leaves is proved by itself.
#include <cassert>
#include <cuda_runtime.h>

__global__ void scan(unsigned *out, const unsigned *in, unsigned size) {
    __shared__ volatile unsigned s[512];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = 2 * threadIdx.x - (threadIdx.x & (size - 1));
    s[at] = 0;
    at += size;
    s[at] = in[i];
    for (unsigned offset = 1; offset < size; offset <<= 1) {
        __syncthreads();
        unsigned sum = s[at] + s[at - offset];
        __syncthreads();
        s[at] = sum;
    }
    out[i] = s[at];
}

void run_checked(unsigned *out, const unsigned *in, unsigned blocks, unsigned size) {
    assert(size >= 2 && size <= 256 && (size & (size - 1)) == 0);
    scan<<<blocks, 256>>>(out, in, size);
}

void run(unsigned *out, const unsigned *in, unsigned blocks, unsigned size) {
    assert(size >= 2 && size <= 256);
    scan<<<blocks, 256>>>(out, in, size);
}
