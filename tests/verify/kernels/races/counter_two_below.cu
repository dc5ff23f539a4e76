//unknown
//lockstep: verify --block 256
//possible write-write race on 'list'
//
// Two numbers are used, of which one was drawn.
__global__ void k(const int *in, int *list, int *left, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] <= 0) return;
    int last = atomicSub(left, 1);
    list[last] = i;
    list[last - 1] = -i;
}
