// xfail:FOUND
// --frontend=clang
// lockstep: verify
// kernel 'shift': refuted for block 256, grid 2
// kernel 'scatter': unknown
//
// Pointers into the same memory: that parameters do not overlap must not be assumed, neither where it is known how far
// apart they are nor where it is not.
#include <cuda_runtime.h>

__global__ void shift(float *to, const float *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

__global__ void scatter(float *to, const float *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

struct cell {
    float value[2];
};

int main() {
    float *a;
    cudaMalloc(&a, 4096);
    shift<<<2, 256>>>(a, a + 256, 512);
    extern int somewhere(cell *);
    cell *c = (cell *)a;
    scatter<<<2, 256>>>(a, &c[somewhere(c)].value[somewhere(c + 1)], 512);
    return 0;
}
