//unknown
//lockstep: verify --block 256
//possible write-write race on 'data'
//
// Thread 0 writes 0, which is what the next one looks for.
__global__ void k(const int *in, int *owner, int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && atomicCAS(&owner[in[i]], 0, i) == 0) data[in[i]] = i;
}
