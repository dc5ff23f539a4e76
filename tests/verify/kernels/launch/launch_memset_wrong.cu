// xfail:NOT_ALL_VERIFIED
// --frontend=clang
// lockstep: verify
// kernel 'last.*: refuted .*launched at line 22 and 2 more
//
// Memory is not zero any more where something was copied to it, another kernel was given it, a part alone was set, or the
// launch comes round again after a kernel that writes it.
#include <cuda_runtime.h>

__global__ void last(const int *flag, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (flag[i]) out[0] = i;
}

__global__ void mark(int *flag) { flag[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

void copied(const int *from, int *out) {
    int *flag;
    cudaMalloc(&flag, 1024 * sizeof *flag);
    cudaMemset(flag, 0, 1024 * sizeof *flag);
    cudaMemcpy(flag, from, 64 * sizeof *flag, cudaMemcpyHostToDevice);
    last<<<4, 256>>>(flag, out);
}

void again(int *out, int rounds) {
    int *flag;
    cudaMalloc(&flag, 1024 * sizeof *flag);
    cudaMemset(flag, 0, 1024 * sizeof *flag);
    for (int i = 0; i < rounds; i++) {
        last<<<4, 256>>>(flag, out + i);
        mark<<<4, 256>>>(flag);
    }
}

void part(int *out) {
    int *flag;
    cudaMalloc(&flag, 1024 * sizeof *flag);
    cudaMemset(flag, 0, 512 * sizeof *flag);
    last<<<4, 256>>>(flag, out);
}
