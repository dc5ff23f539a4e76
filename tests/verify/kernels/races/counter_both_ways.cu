//unknown
//lockstep: verify --block 256
//possible write-write race on 'list'
//
// What one adds another takes away: a number may come again.
__global__ void k(const int *in, int *list, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (in[i] > 0) list[atomicAdd(count, 1)] = i;
    else atomicSub(count, 1);
}
