// xfail:NOT_ALL_VERIFIED
// --frontend=clang
// lockstep: verify
// write-write race on 'out' between threads of one block
//
// With any layout that callers may give, two threads write one element.
#include <cuda_runtime.h>

__global__ void copy(char *out, const float *in, size_t element, size_t row) {
    *(float *)(out + blockIdx.x * row + (threadIdx.x / 2) * element) = threadIdx.x;
}

void run(char *out, const float *in, int rows, size_t element, size_t row) {
    copy<<<rows, 64>>>(out, in, element, row);
}
