//pass
//lockstep: verify --block 64 --grid 2
//
// Volatile accesses are strong, with the scope of the system: they may meet each other and atomic ones.
__global__ void k(volatile int *flag, int *out) {
    if (threadIdx.x == 0) *flag = blockIdx.x;
    atomicAdd((int *)flag, 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = *flag;
}
