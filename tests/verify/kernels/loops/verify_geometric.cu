//pass
//lockstep: verify --grid 4 --assume 'n > 0'
//
// A scan of any length, a power of two or not: one value is doubled while another one is halved, so that there are
// few rounds, and in each of them the threads are an even distance apart.
__global__ void sum_up(int *out, int n) {
    __shared__ int s[2048];
    int t = threadIdx.x, offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
}
