//pass
//lockstep: verify --block 64 --grid 2
//
#include <assert.h>
__global__ void k(int *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < 128);
    if (n > 5) assert(n >= 6);
    d[i] = 1;
}
