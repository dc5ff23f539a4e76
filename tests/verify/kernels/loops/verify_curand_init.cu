//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//write-write race on 'state'
//
// All threads of the block initialise one state. That they would write the same words is cuRAND's own matter.
#include <curand_kernel.h>
__global__ void seed(curandState *state, unsigned *out) {
    curand_init(7, 0, 0, state);
    __syncthreads();
    out[threadIdx.x] = state->d;
}
