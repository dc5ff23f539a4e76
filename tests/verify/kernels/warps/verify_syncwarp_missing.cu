//xfail:FOUND
//lockstep: verify --block 256 --grid 4
//error: read-write race on 's' between threads of one block
//
// The same without the __syncwarp between the read and the write of an iteration.
__global__ void sums(int *out, const int *in) {
    __shared__ int s[256];
    int t = threadIdx.x, lane = t % 32;
    s[t] = in[blockIdx.x * 256 + t];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        int other = lane < d ? s[t + d] : 0;
        s[t] += other;
        __syncwarp();
    }
    if (lane == 0) out[blockIdx.x * 8 + t / 32] = s[t];
}
