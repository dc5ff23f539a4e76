//xfail:FOUND
//lockstep: run --block 64 --grid 1 --check barrier --arg i32[64] --arg 64
//some threads of the block skip this barrier
//
// The same in the emulator, with a loop that the compiler does not unroll.
__global__ void k(int *d, int n) {
    for (int i = 0; i < n; i++) {
        __syncthreads();
        if (threadIdx.x == i) break;
    }
}
