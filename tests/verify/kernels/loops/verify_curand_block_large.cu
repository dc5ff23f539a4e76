//xfail:FOUND
//lockstep: verify --block 512 --grid 1
//
// The Mersenne twister has one state for a block of up to 256 threads: these are too many.
#include <curand_kernel.h>
__global__ void draw(curandStateMtgp32 *state, unsigned *out) {
    out[threadIdx.x] = curand(state);
}
