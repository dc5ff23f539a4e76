//unknown
//lockstep: verify --block 256
//possible write-write race on 'data'
//
// Each thread has a number of its own: whoever comes with a greater one gets in after the others.
__global__ void k(const int *in, int *round_of, int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && atomicMax(&round_of[in[i]], i) < i) data[in[i]] = i;
}
