// unknown
// --frontend=clang
// Pointers into the same memory: that parameters do not overlap must not be assumed.
#include <cuda_runtime.h>

__global__ void shift(float *to, const float *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

int main() {
    float *a;
    cudaMalloc(&a, 4096);
    shift<<<2, 256>>>(a, a + 256, 512);
    return 0;
}
