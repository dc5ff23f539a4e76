//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//error: access out of bounds of 'b'
//
// The guard lets one too many through for b.
#include <lockstep.h>
__global__ void copy(int *a, const int *b, int n) {
    __requires_size(a, n * sizeof(int));
    __requires_size(b, n * sizeof(int));
    __requires(n >= 0);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i + 1];
}
