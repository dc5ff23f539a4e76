// The rank is forgotten, and the counter is incremented by too little: what a run shows.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

//: no_rank --grid 2 --block 128 --arg "s32[256]=iota" --arg "s32[256]" --arg "s32[1]=zero" => race.global a
__global__ void no_rank(const int *in, int *out, int *count) {
    unsigned i = blockIdx.x * 128 + threadIdx.x;
    cg::coalesced_group active = cg::coalesced_threads();
    int base;
    if (active.thread_rank() == 0)
        base = atomicAdd(count, active.size());
    base = active.shfl(base, 0);
    out[base] = in[i]; // [a]
}

//: counted_once --grid 2 --block 128 --arg "s32[256]=iota" --arg "s32[256]" --arg "s32[1]=zero" => race.global b
__global__ void counted_once(const int *in, int *out, int *count) {
    unsigned i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x & 31;
    unsigned mask = __ballot_sync(0xffffffff, in[i] > 0);
    int base;
    if (lane == 0)
        base = atomicAdd(count, 1);
    base = __shfl_sync(0xffffffff, base, 0);
    if (in[i] > 0)
        out[base + __popc(mask & ((1u << lane) - 1))] = in[i]; // [b]
}

