//xfail:NOT_ALL_VERIFIED
//lockstep: verify --grid 1
//write-write race on 'out'
//
// A block of any size: where it is no power of two, the mask lets two threads meet.
__global__ void turn(int *out, int shift) {
    out[(threadIdx.x * 5 + shift) & (blockDim.x - 1)] = threadIdx.x;
}
