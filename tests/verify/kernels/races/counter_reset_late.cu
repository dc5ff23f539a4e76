//unknown
//lockstep: verify --block 256 --grid 1
//possible write-write race on 'kept'
//
// The counter is set behind the first draw: the numbers of the second may be those of the first.
__global__ void twice(int *kept) {
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    unsigned one = atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    unsigned two = atomicAdd(&count, 1);
    kept[threadIdx.x % 2 ? one : two] = threadIdx.x;
}
