//pass
//lockstep: verify
//
// A block of more threads than __launch_bounds__ allows is no witness.
__global__ void __launch_bounds__(128) k(int *d) {
    if (threadIdx.x < 128) d[blockIdx.x * 128 + threadIdx.x] = 1;
    if (threadIdx.x >= 128) d[0] = threadIdx.x;
}
