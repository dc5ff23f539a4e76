//xfail:FOUND
//lockstep: verify --block 256
//write-write race on .data.
//
// The bit that is looked at is not the one that is set.
__global__ void k(const unsigned *in, unsigned *seen, int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !(atomicOr(&seen[in[i]], 4u) & 2u)) data[in[i]] = i;
}
