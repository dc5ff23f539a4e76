//pass
//lockstep: verify --block 256
//assumes .*atomic counters do not overflow
//
// A block gathers what it keeps, and one thread draws as many places of the list as it needs.
__global__ void gather(const int *in, int *list, int *count, int n) {
    __shared__ int kept[256], size, base;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) size = 0;
    __syncthreads();
    if (i < n && in[i] > 0) kept[atomicAdd(&size, 1)] = i;
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, size);
    __syncthreads();
    if (threadIdx.x < size) list[base + threadIdx.x] = kept[threadIdx.x];
}

// More is kept than there are threads: they write the part in turns.
__global__ void gather_in_turns(const int *in, int *list, int *count, int n) {
    __shared__ int kept[512], size, base;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) size = 0;
    __syncthreads();
    if (i < n && in[i] > 0) kept[atomicAdd(&size, 1)] = i;
    if (i < n && in[i] > 9) kept[atomicAdd(&size, 1)] = -i;
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, size);
    __syncthreads();
    for (unsigned t = threadIdx.x; t < size; t += blockDim.x) list[base + t] = kept[t];
}

// Each block takes a part of the list that is as long as the block.
__global__ void parts(const int *in, int *list, int *count) {
    __shared__ int base;
    if (threadIdx.x == 0) base = atomicAdd(count, blockDim.x);
    __syncthreads();
    list[base + threadIdx.x] = in[threadIdx.x];
}

// Threads draw chunks of the work until there is none left.
__global__ void chunks(const float *in, float *out, int *next, int n) {
    for (;;) {
        int first = atomicAdd(next, 32);
        if (first >= n) return;
        for (int k = 0; k < 32; k++) out[first + k] = 2 * in[first + k];
    }
}
