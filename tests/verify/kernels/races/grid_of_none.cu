// xfail:NOT_ALL_VERIFIED
// --frontend=clang
// lockstep: verify --grid 4 --block 64
// error: write-write race on 'out' between threads of different blocks
//
// As grid_of_columns.cu, but the kernel does not ask for the number of its block at all, and there are four.
__global__ void rows(float *out, int width) {
    if (threadIdx.x < width) out[threadIdx.x] = threadIdx.x + clock();
}
