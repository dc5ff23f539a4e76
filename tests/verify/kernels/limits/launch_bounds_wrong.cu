//xfail:ERROR
//lockstep: verify --block 132
//the kernel is for blocks of at most 128 threads
//
__global__ void __launch_bounds__(128) k(int *d) { d[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
