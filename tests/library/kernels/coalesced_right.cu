//pass
//lockstep: verify --block 128
//4 proved
//
// Ranks among the lanes of a mask: each lane writes to a place of its own behind the counter.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void coalesced(const int *in, int *out, int *count) {
    unsigned i = blockIdx.x * 128 + threadIdx.x;
    if (in[i] > 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        int base;
        if (active.thread_rank() == 0)
            base = atomicAdd(count, active.size());
        base = active.shfl(base, 0);
        out[base + active.thread_rank()] = in[i];
    }
}

__global__ void by_hand(const int *in, int *out, int *count) {
    unsigned i = blockIdx.x * 128 + threadIdx.x;
    if (in[i] > 0) {
        unsigned mask = __activemask(), lane = threadIdx.x & 31;
        unsigned rank = __popc(mask & ((1u << lane) - 1));
        int base;
        if (rank == 0)
            base = atomicAdd(count, __popc(mask));
        base = __shfl_sync(mask, base, __ffs(mask) - 1);
        out[base + rank] = in[i];
    }
}

__global__ void by_vote(const int *in, int *out, int *count) {
    unsigned i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x & 31;
    bool keep = in[i] > 0;
    unsigned mask = __ballot_sync(0xffffffff, keep);
    int base;
    if (lane == 0)
        base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(0xffffffff, base, 0);
    if (keep)
        out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
}

__global__ void within_the_warp(const int *in, int *out) {
    __shared__ int s[128];
    unsigned i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x & 31;
    int v = in[i];
    unsigned mask = __ballot_sync(0xffffffff, v > 0);
    s[threadIdx.x] = 0;
    __syncthreads();
    if (v > 0)
        s[threadIdx.x / 32 * 32 + __popc(mask & ((1u << lane) - 1))] = v;
    __syncthreads();
    out[i] = s[threadIdx.x];
}
