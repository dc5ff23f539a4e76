//xfail:FOUND
//lockstep: verify --null --block 32 --grid 2
//error: access through a null pointer 'b'
//
// b is not tested.
__global__ void copy(int *a, const int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!a) return;
    a[i] = b[i];
}
