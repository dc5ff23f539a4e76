//pass
//lockstep: verify --block 64 --grid 1
//
// Inside for all threads; by a parameter and by data, which the scope speaks of.
__global__ void k(int *d, const int *data, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    d[t] = s[63 - t] + s[n] + s[data[t]];
}
