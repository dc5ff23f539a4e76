// unknown
// --frontend=clang --bounds
// lockstep: verify
// possible access out of bounds of 'table': it depends on 'gridDim.x', which the host code leaves open
// possible access out of bounds of 'table': it depends on what the program stored in 'at'
// kernel 'by_count': unknown
// kernel 'by_data': unknown
// kernel 'by_thread': proved
//
// Whether the first two leave the table is decided by the command line and by what lies in memory: a proof is asked for,
// and there is none, but nothing that the program does is known to be wrong.
#include <cuda_runtime.h>
#include <stdlib.h>

__device__ int table[256];

__global__ void by_count(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) table[i] = i;
}

__global__ void by_data(const int *at) {
    if (threadIdx.x == 0) table[at[0]] = 1;
}

__global__ void by_thread() {
    if (blockIdx.x == 0) table[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
    int *at, n = atoi(argv[1]);
    cudaMalloc(&at, 256 * sizeof *at);
    by_count<<<(n + 255) / 256, 256>>>(n);
    by_data<<<1, 256>>>(at);
    by_thread<<<argc, 256>>>();
}
