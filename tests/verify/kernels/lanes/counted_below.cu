//unknown
//lockstep: verify --block 64 --grid 2
//no proof that all lanes that the mask names reach this shuffle
//
// Lanes of one group have the same mask, but not as many lanes of it below them: they leave the loop in different
// iterations.
__global__ void counted_below(int *d, const int *keys) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    unsigned m = __match_any_sync(__activemask(), keys[i]), below = m & ((1u << threadIdx.x % 32) - 1);
    for (int k = 0; k < __popc(below); k++) sum += __shfl_sync(m, i, __ffs(m) - 1);
    d[i] = sum;
}
