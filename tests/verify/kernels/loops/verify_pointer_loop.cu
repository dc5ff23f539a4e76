//pass
//lockstep: verify --grid 1
//
// A pointer that goes from thread to thread in strides, up to an end.
__global__ void fill(int *p, int n) {
    int *end = p + n;
    for (int *q = p + threadIdx.x; q < end; q += blockDim.x) *q = 1;
}
