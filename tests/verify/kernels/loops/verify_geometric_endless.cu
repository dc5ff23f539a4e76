//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//error: write-write race on 's'
//found by running the kernel in the emulator
//
// The rounds are counted by something else, and doubling overflows in the end: then all threads write to one place.
__global__ void sum_up(int *out, int n) {
    __shared__ int s[2048];
    int t = threadIdx.x, offset = n | 1;
    for (int d = 0; d < n; d++) {
        __syncthreads();
        s[(offset * t) & 2047] = t;
        offset *= 2;
    }
}
