//pass
//lockstep: verify --null --block 32 --grid 2
//
// Every use of a pointer is behind a test of it.
__global__ void copy(int *a, const int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!a) return;
    a[i] = b ? b[i] : 0;
}
