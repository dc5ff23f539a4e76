//xfail:NOT_ALL_VERIFIED
//lockstep: verify
//kernel 'place': unknown
//it depends on what the program stored in 'to'
//kernel 'count': refuted
//kernel 'steps': proved if gridDim.x\*blockDim.x <= 512
//
// Nobody is seen to launch these kernels. Whoever does decides what lies in memory, and keeps places apart; counting is written
// for values that occur more than once, so that no program's data excuses it. A loop that steps by a constant is right as
// long as there are no more threads than that.
__global__ void place(float *out, const float *in, const int *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[to[i]] = in[i];
}

__global__ void count(int *bins, const int *bin) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bins[bin[i]]++;
}

__global__ void steps(int *sums, const int *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 512) sums[i] += x[i];
}
