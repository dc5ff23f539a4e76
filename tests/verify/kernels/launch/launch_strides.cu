// unknown
// --frontend=clang
// lockstep: verify
// it depends on strides that the caller chooses
//
// The layout of a tensor is given by callers that the file does not show: that it overlaps is no finding.
#include <cuda_runtime.h>

__global__ void copy(char *out, const float *in, size_t element, size_t row) {
    *(float *)(out + blockIdx.x * row + threadIdx.x * element) = in[blockIdx.x * 64 + threadIdx.x];
}

void run(char *out, const float *in, int rows, size_t element, size_t row) {
    copy<<<rows, 64>>>(out, in, element, row);
}
