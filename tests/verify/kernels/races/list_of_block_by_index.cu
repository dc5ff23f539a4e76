//xfail:FOUND
//lockstep: verify --block 64 --grid 8
//write-write race on 'list'
//
// Each thread looks at an element of its own, of which only the first one is ever written.
__global__ void k(int *list, int *count) {
    __shared__ int base[64];
    if (threadIdx.x == 0) base[threadIdx.x] = atomicAdd(count, 64);
    __syncthreads();
    list[base[threadIdx.x] + threadIdx.x] = threadIdx.x;
}
