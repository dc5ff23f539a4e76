//pass
//lockstep: verify --block 64 --grid 2
//accesses stay in their arrays
//
// What hangs on a parameter is told as a part of what is proved.
__global__ void k(int *o, int n) {
    __shared__ int s[64];
    if (threadIdx.x < n) s[threadIdx.x + n] = 1;
    __syncthreads();
    o[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}
