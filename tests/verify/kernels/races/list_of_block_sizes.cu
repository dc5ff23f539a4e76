//unknown
//lockstep: verify --block 64 --grid 8
//write-write race on 'list'
//
// Each thread has a size of its own, but as many places are drawn as the first one needs.
__global__ void k(const int *in, int *list, int *count) {
    __shared__ int size[64], base;
    size[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&size[in[threadIdx.x] & 63], 1);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, size[threadIdx.x]);
    __syncthreads();
    for (int k = 0; k < size[threadIdx.x]; k++) list[base + k] = blockIdx.x;
}
