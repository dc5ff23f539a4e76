//unknown
//lockstep: verify --block 256
//possible write-write race on 'data'
//
// Two elements have one place in 'data', but not one in 'taken'.
__global__ void k(const unsigned *in, int *taken, int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && atomicExch(&taken[in[i]], 1) == 0) data[in[i] / 2] = i;
}
