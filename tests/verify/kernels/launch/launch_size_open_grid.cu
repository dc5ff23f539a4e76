// xfail:FOUND
// --frontend=clang
// lockstep: verify
// error: access out of bounds of 'a'
// confirmed in the emulator
// kernel 'half_fits': refuted for block 512
// kernel 'in_first_block': refuted for block 512
// kernel 'in_a_row': refuted for block 512
// kernel 'by_block': proved for block 32
// assumes that accesses stay in their arrays
//
// How many blocks there are comes from the command line. Threads of the first three kernels leave the memory in any
// launch; whether blocks of the last one do hangs on that number.
#include <cuda_runtime.h>

__global__ void half_fits(int *a) {
    a[threadIdx.x] = threadIdx.x;
}

__global__ void in_first_block(int *a) {
    if (blockIdx.x == 0) a[threadIdx.x] = threadIdx.x;
}

__global__ void in_a_row(int *a) {
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void by_block(int *a) {
    if (threadIdx.x == 0) a[blockIdx.x] = 1;
}

int main(int argc, char **argv) {
    int *a;
    cudaMalloc(&a, 256 * sizeof *a);
    half_fits<<<argc, 512>>>(a);
    in_first_block<<<argc, 512>>>(a);
    in_a_row<<<argc, 512>>>(a);
    by_block<<<argc, 32>>>(a);
}
