//xfail:NOT_ALL_VERIFIED
//lockstep: verify
//race on
//
// All blocks take the same row.
__global__ void rows(float **row, int which) {
    row[which][threadIdx.x] += blockIdx.x;
}
