//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//a lane that its own mask does not name can reach this warp barrier
//
// The masks of the first two tiles, given by the lanes of all four.
__global__ void k(int *data) {
    __shared__ int s[64];
    s[threadIdx.x] = data[threadIdx.x];
    __syncwarp(0xffu << (threadIdx.x & 8));
    data[threadIdx.x] = s[threadIdx.x ^ 1];
}
