//unknown
//lockstep: verify --as-written --block 64 --grid 1
//possible write-write race on 'state'
//
// All threads of the block initialise one state. They write the same words, which only running it shows.
#include <curand_kernel.h>
__global__ void seed(curandState *state, unsigned *out) {
    curand_init(7, 0, 0, state);
    __syncthreads();
    out[threadIdx.x] = state->d;
}
