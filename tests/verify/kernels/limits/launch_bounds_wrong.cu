//xfail:ERROR
//lockstep: verify --block 132
//the kernel allows at most 128 threads per block
//
__global__ void __launch_bounds__(128) k(int *d) { d[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
