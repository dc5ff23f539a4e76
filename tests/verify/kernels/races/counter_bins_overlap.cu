//unknown
//lockstep: verify --block 256
//possible write-write race on 'bin'
//
// A bin with more than 256 keys runs into the next one.
__global__ void k(const unsigned *key, int *bin, unsigned *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned b = key[i] & 15, slot = atomicAdd(&count[b], 1u);
    if (slot < 300) bin[b * 256 + slot] = i;
}
