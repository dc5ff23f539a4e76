//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 1
//read-write race on 's'|write-read race on 's'
//
// A thread adds what its neighbour adds to.
__global__ void sum_up(int *out, int n) {
    __shared__ int s[2048];
    int t = threadIdx.x, offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 4) - 1];
        offset *= 2;
    }
}
