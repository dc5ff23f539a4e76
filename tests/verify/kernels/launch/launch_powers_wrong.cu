// xfail:FOUND
// --frontend=clang
// lockstep: verify
// error: .*race on 's'
// kernel 'scan': refuted for block 256
//
// As launch_powers.cu without the second barrier.
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
        s[at] = sum;
    }
    out[i] = s[at];
}

void run(unsigned *out, const unsigned *in, unsigned blocks, unsigned size) {
    assert(size >= 2 && size <= 256);
    scan<<<blocks, 256>>>(out, in, size);
}
