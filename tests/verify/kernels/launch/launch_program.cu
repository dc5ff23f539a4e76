// pass
// --frontend=clang
//lockstep: verify
// proved for block 256
//
// A program in one file: how many threads there are is what main says.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void tables(int *out) {
    out[blockIdx.x * 256 + threadIdx.x] = threadIdx.x;
}

void run(int *out, int blocks, int threads) {
    printf("%d blocks\n", blocks);
    tables<<<blocks, threads>>>(out);
}

int main(int argc, char **argv) {
    int threads = 256, *out;
    cudaMalloc(&out, 1 << 24);
    if (argc > 1)
        run(out, argc, threads);
    else
        run(out, 1024, threads);
    return 0;
}
