//unknown
//lockstep: verify --block 256
//possible write-write race on 'data'
//
// It is 1 that is replaced, not the 0 that is looked for: everybody finds it.
__global__ void k(const int *in, int *owner, int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && atomicCAS(&owner[in[i]], 1, 2) == 0) data[in[i]] = i;
}
