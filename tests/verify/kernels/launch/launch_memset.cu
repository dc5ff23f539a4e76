// pass
// --frontend=clang
// lockstep: verify -v
// 'flag' holds zeros before the launch
//
// Memory that the host code has set to zero, and that nothing has written since, is zero in the kernel: no thread gets to the
// write.
#include <cuda_runtime.h>

__global__ void last(const int *flag, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (flag[i]) out[0] = i;
}

int main() {
    int *flag, *out;
    cudaMalloc(&flag, 1024 * sizeof *flag);
    cudaMalloc(&out, sizeof *out);
    cudaMemset(flag, 0, 1024 * sizeof *flag);
    last<<<4, 256>>>(flag, out);
    cudaFree(flag);
    return cudaDeviceSynchronize();
}
