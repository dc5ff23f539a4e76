//unknown
//lockstep: verify --block 256 --grid 8
//write-write race on 'list'
//
// What the counter of the block holds is taken away as well.
__global__ void k(const int *in, int *list, int *count, int n) {
    __shared__ int kept[256], size, base;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) size = 0;
    __syncthreads();
    if (i < n && in[i] > 0) kept[atomicAdd(&size, 1)] = i;
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, size);
    if (in[i] == 7) atomicSub(count, 1);
    __syncthreads();
    if (threadIdx.x < size) list[base + threadIdx.x] = kept[threadIdx.x];
}
