//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 1
//write-write race on 'p'
//
// The stride is one too short: a thread meets what its neighbour has written.
__global__ void fill(int *p, int n) {
    int *end = p + n;
    for (int *q = p + threadIdx.x; q < end; q += blockDim.x - 1) *q = threadIdx.x;
}
