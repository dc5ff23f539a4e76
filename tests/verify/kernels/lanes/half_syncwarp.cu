//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//lanes that the mask names can disagree on reaching this warp barrier
//
// The mask names all lanes, of which half come.
__global__ void k(int *d) {
    if (threadIdx.x % 32 < 16) __syncwarp();
    d[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
