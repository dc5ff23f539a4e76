//pass
//lockstep: verify --block 256
//
// Of the threads that come for an element, one is the first: it finds what the others replace.
__global__ void by_exchange(const int *in, int *taken, int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && atomicExch(&taken[in[i]], 1) == 0) data[in[i]] = i;
}

__global__ void by_comparing(const int *in, int *owner, int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && atomicCAS(&owner[in[i]], -1, i & 1023) == -1) data[in[i]] = i;
}

__global__ void by_bit(const unsigned *in, unsigned *seen, int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = in[i], bit = 1u << (v & 31);
    if (!(atomicOr(&seen[v >> 5], bit) & bit)) data[v] = i;
}

__global__ void by_round(const int *in, int *round_of, int *data, int round, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && atomicMax(&round_of[in[i]], round) < round) data[in[i]] = i;
}

__global__ void by_counting(const int *in, unsigned *count, int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && atomicAdd(&count[in[i]], 1) == 0) data[in[i]] = i;
}

// Each block has its own flags, which it clears first.
__global__ void in_shared_memory(const unsigned *in, int *data) {
    __shared__ int taken[64];
    if (threadIdx.x < 64) taken[threadIdx.x] = 0;
    __syncthreads();
    unsigned v = in[threadIdx.x] & 63;
    if (atomicExch(&taken[v], 1) == 0) data[blockIdx.x * 64 + v] = threadIdx.x;
}
