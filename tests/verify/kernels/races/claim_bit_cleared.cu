//unknown
//lockstep: verify --block 256
//possible write-write race on 'data'
//
// Others clear the bit meanwhile.
__global__ void k(const unsigned *in, unsigned *seen, int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (!(atomicOr(&seen[in[i]], 4u) & 4u)) data[in[i]] = i;
    if (in[i] & 1) atomicAnd(&seen[i], ~4u);
}
