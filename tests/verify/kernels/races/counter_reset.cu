//pass
//lockstep: verify --block 256 --grid 4
//
// The counter of a block is set before the barrier and read at the end: the numbers are apart all the same.
__global__ void compact(const int *in, int *out, int *counts) {
    __shared__ unsigned count;
    __shared__ int kept[256];
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    int v = in[blockIdx.x * 256 + threadIdx.x];
    if (v > 0) kept[atomicAdd(&count, 1)] = v;
    __syncthreads();
    if (threadIdx.x < count) out[blockIdx.x * 256 + threadIdx.x] = kept[threadIdx.x];
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}
