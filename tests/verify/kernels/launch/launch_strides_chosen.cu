// unknown
// --frontend=clang
//lockstep: verify
// strides that the caller chooses
//
// The distances are members of one of two tensors that callers give, handed on by a function of the file: which of
// the two it is makes no difference.
#include <cuda_runtime.h>

struct tensor {
    float *data;
    int rows, columns, row, plane;
};

static __global__ void copy(float *out, const float *in, int row, int plane, int rows) {
    for (int i = 0; i < rows; i++)
        out[blockIdx.x * plane + i * row + threadIdx.x] = in[i * 128 + threadIdx.x];
}

static __attribute__((noinline)) void launch(float *out, const float *in, int row, int plane, int rows, int planes) {
    copy<<<planes, 128>>>(out, in, row, plane, rows);
}

void copy_tensor(const tensor *a, const tensor *b, const float *in, int planes) {
    const tensor *to = b ? b : a;
    launch(to->data, in, to->row, to->plane, to->rows, planes);
}
