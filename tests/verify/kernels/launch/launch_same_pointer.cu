// xfail:NOT_ALL_VERIFIED
// --frontend=clang
// The second launch gives both parameters the same pointer.
#include <cuda_runtime.h>

__global__ void shift(float *to, const float *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) to[i] = from[i + 1];
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 4096);
    cudaMalloc(&b, 4096);
    shift<<<4, 256>>>(a, b, 1024);
    shift<<<4, 256>>>(a, a, 1024);
    return 0;
}
