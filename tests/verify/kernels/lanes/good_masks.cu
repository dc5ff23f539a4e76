//pass
//lockstep: verify --block 64 --grid 2
//
// Lanes that come are those that the mask names: by a vote, by what is active, by numbers, by warps, by groups, and
// where the others have returned.
#include <cooperative_groups.h>
__global__ void voted(int *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned m = __ballot_sync(~0u, i < n);
    if (i < n) d[i] = __shfl_down_sync(m, i, 1);
}
__global__ void returned(int *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    d[i] = __shfl_down_sync(~0u, i, 1);
}
__global__ void active(int *d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
    if (i & 1) v = __shfl_down_sync(__activemask(), i, 1);
    d[i] = v;
}
__global__ void of_warp(int *d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
    if (threadIdx.x / 32 == 1)
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, i, o);
    d[i] = v;
}
__global__ void odd(int *d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
    if (i & 1) v = __shfl_down_sync(0xaaaaaaaau, i, 1);
    d[i] = v;
}
__global__ void tiles(int *d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto t = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
    d[i] = t.shfl_down(i, 1);
    if (i / 16 % 2) d[i] = t.shfl(i, 3);
}
__global__ void matched(int *d, const int *keys) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned m = __match_any_sync(~0u, keys[i]);
    d[i] = __popc(m) + __shfl_sync(m, i, __ffs(m) - 1);
}
__global__ void counted(int *d, const int *keys) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    unsigned m = __match_any_sync(__activemask(), keys[i]);
    for (int k = 0; k < __popc(m); k++) sum += __shfl_sync(m, i, __ffs(m) - 1 + k);
    d[i] = sum;
}
