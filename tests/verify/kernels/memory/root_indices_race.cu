//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 8
//race on
//
// Every second block takes the same pointer.
__global__ void rows(float **row) {
    row[blockIdx.x & 1][threadIdx.x] += blockIdx.x;
}
