//xfail:FOUND
//lockstep: verify --block 128
//error: write-write race on 's'
//2 refuted
//
// The rank is one among other lanes, and the rank within the warp is taken for one within the block.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void rank_of_others(const int *in, int *out) {
    __shared__ int s[128];
    unsigned i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x & 31;
    unsigned mask = __ballot_sync(0xffffffff, in[i] > 0);
    s[threadIdx.x / 32 * 32 + __popc(mask & ((1u << lane) - 1))] = in[i];
    __syncthreads();
    out[i] = s[threadIdx.x];
}

__global__ void one_place_for_all_warps(const int *in, int *out) {
    __shared__ int s[128];
    unsigned i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x & 31;
    unsigned mask = __ballot_sync(0xffffffff, in[i] > 0);
    s[threadIdx.x] = 0;
    __syncthreads();
    if (in[i] > 0)
        s[__popc(mask & ((1u << lane) - 1))] = in[i];
    __syncthreads();
    out[i] = s[threadIdx.x];
}
