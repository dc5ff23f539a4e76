//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//lanes with different masks can reach this shuffle
//
// Each lane names the lanes below it and itself.
__global__ void k(int *d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d[i] = __shfl_up_sync(0xffffffffu >> (31 - threadIdx.x % 32), i, 1);
}
