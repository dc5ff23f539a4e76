//unknown
//lockstep: verify --block 256
//possible write-write race on 'list'
//
// Behind 63 comes 0.
__global__ void k(const int *in, int *list, unsigned *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) list[atomicInc(count, 63u)] = i;
}
