//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//error: write-read race on 's' between threads of one block
//
// __syncwarp does not order the threads of another warp.
__global__ void swap(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    out[t] = s[t ^ 32];
}
