//unknown
//lockstep: verify --block 256
//possible write-write race on 'data'
//
// Who has taken the element gives it back, so that the next one finds it free; there are no fences.
__global__ void k(const int *in, int *taken, int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && atomicExch(&taken[in[i]], 1) == 0) {
        data[in[i]] = i;
        atomicExch(&taken[in[i]], 0);
    }
}
