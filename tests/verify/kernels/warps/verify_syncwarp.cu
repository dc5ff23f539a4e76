//pass
//lockstep: verify --block 256 --grid 4
//
// A reduction within each warp by __syncwarp, in a loop, and only by the warps of the lower half.
__global__ void sums(int *out, const int *in) {
    __shared__ int s[256];
    int t = threadIdx.x, lane = t % 32;
    s[t] = in[blockIdx.x * 256 + t];
    if (t < 128) {
        __syncwarp();
        for (int d = 16; d > 0; d /= 2) {
            int other = lane < d ? s[t + d] : 0;
            __syncwarp();
            s[t] += other;
            __syncwarp();
        }
        if (lane == 0) out[blockIdx.x * 4 + t / 32] = s[t];
    }
}
