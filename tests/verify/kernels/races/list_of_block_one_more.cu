//unknown
//lockstep: verify --block 256 --grid 8
//write-write race on 'list'
//
// One place more is written than was drawn.
__global__ void k(const int *in, int *list, int *count, int n) {
    __shared__ int kept[256], size, base;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) size = 0;
    __syncthreads();
    if (i < n && in[i] > 0) kept[atomicAdd(&size, 1)] = i;
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, size);
    __syncthreads();
    if (threadIdx.x <= size) list[base + threadIdx.x] = kept[threadIdx.x];
}
