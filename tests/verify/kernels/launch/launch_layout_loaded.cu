// xfail:FOUND
// --frontend=clang
// lockstep: verify
// kernel 'planes': unknown
// kernel 'sized': refuted
//
// The distances of rows and planes are read from a description in memory, which callers have filled: that they may
// overlap is no mistake of the launch. Where the grid is computed from one of them, it is.
#include <cuda_runtime.h>

struct tensor {
    long long rows, planes, row_bytes, plane_bytes;
};

__global__ void planes(float *a, long long row, long long plane) {
    a[blockIdx.y * plane + blockIdx.x * row + threadIdx.x] = blockIdx.x + 3 * blockIdx.y;
}

__global__ void sized(float *a, long long row, long long plane) {
    a[blockIdx.y * plane + blockIdx.x * row + threadIdx.x] = blockIdx.x + 3 * blockIdx.y;
}

void run(float *a, const tensor *t) {
    dim3 grid(t->rows, t->planes);
    planes<<<grid, 256>>>(a, t->row_bytes / 4, t->plane_bytes / 4);
    sized<<<dim3(t->plane_bytes / 4, t->planes), 256>>>(a, t->row_bytes / 4, t->plane_bytes / 4);
}
