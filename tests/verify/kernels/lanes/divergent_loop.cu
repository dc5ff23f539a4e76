//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//lanes that the mask names can disagree on reaching this warp barrier
//
// Lanes go round the loop different numbers of times.
__global__ void k(int *d) {
    for (int i = 0; i < threadIdx.x; i++) __syncwarp();
    d[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
