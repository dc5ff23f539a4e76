//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 4,4
//race on
//
// Blocks of one column share a row: blockIdx.y is forgotten.
__global__ void planes(float ***cube) {
    cube[0][blockIdx.x][threadIdx.x] += blockIdx.y;
}
