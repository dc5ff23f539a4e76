// xfail:FOUND
// --frontend=clang
// lockstep: verify
// unknown: possible write-write race on .* by threads of different blocks: it depends on strides that the caller chooses
// kernel 'rows': unknown
// kernel 'halves': refuted
//
// The distance of rows is a member of a structure that the host code fills: that rows may overlap for some number there
// is no mistake of the kernel. Threads of one row that meet are one, however far apart the rows lie.
#include <cuda_runtime.h>

struct matrix {
    float *data;
    long long pitch;
    int width;
};

__global__ void rows(matrix m) {
    if (threadIdx.x < m.width) m.data[blockIdx.x * m.pitch + threadIdx.x] = blockIdx.x;
}

__global__ void halves(matrix m) {
    if (threadIdx.x < m.width) m.data[blockIdx.x * m.pitch + threadIdx.x / 2] = threadIdx.x;
}

void fill(matrix *m, float *data, int width);

void run(float *data, int width, int height) {
    matrix m;
    fill(&m, data, width);
    rows<<<height, 256>>>(m);
    halves<<<height, 256>>>(m);
}
