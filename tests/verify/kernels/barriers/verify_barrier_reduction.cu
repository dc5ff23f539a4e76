//pass
//lockstep: verify --strict-exit --block 64 --grid 1
//
// What __syncthreads_or gives is the same for all threads, so that they leave the loop together.
__global__ void relax(int *out, const int *in) {
    __shared__ int s[64];
    int t = threadIdx.x, x = in[t];
    while (__syncthreads_or(x > 3)) {
        s[t] = x;
        __syncthreads();
        x = s[t ^ 1] - 1;
        __syncthreads();
    }
    out[t] = x;
}
