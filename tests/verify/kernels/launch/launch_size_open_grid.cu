// xfail:FOUND
// --frontend=clang
// lockstep: verify
// error: access out of bounds of 'a'
// confirmed in the emulator
// kernel 'half_fits': refuted for block 512
// kernel 'by_block': proved for block 32
// assumes that accesses stay in their arrays
//
// How many blocks there are comes from the command line. The threads of the first kernel leave the memory in each of
// them; whether blocks of the second one do hangs on that number.
#include <cuda_runtime.h>

__global__ void half_fits(int *a) {
    a[threadIdx.x] = threadIdx.x;
}

__global__ void by_block(int *a) {
    if (threadIdx.x == 0) a[blockIdx.x] = 1;
}

int main(int argc, char **argv) {
    int *a;
    cudaMalloc(&a, 256 * sizeof *a);
    half_fits<<<argc, 512>>>(a);
    by_block<<<argc, 32>>>(a);
}
