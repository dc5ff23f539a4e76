//pass
//lockstep: verify --block 256
//
// Counters that go down, that count with atomicInc up to where the number ends, and one for each bin.
__global__ void down(const int *in, int *list, int *left, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) list[atomicSub(left, 1) - 1] = i;
}

__global__ void two_down(const int *in, int *list, int *left, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] <= 0) return;
    int last = atomicSub(left, 2);
    list[last] = i;
    list[last - 1] = -i;
}

__global__ void wrapping(const int *in, int *list, unsigned *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) list[atomicInc(count, 0xffffffffu)] = i;
}

__global__ void bins(const unsigned *key, int *bin, unsigned *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned b = key[i] & 15, slot = atomicAdd(&count[b], 1u);
    if (slot < 256) bin[b * 256 + slot] = i;
}
