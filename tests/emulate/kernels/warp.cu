// Lanes of a warp that exchange data: __syncwarp, votes, shuffles, tiles; and what is missing without them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

//: sum_syncwarp --grid 2 --block 64 --arg 's32[128]=ones' --arg 's32[2]' => nothing
extern "C" __global__ void sum_syncwarp(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, lane = t & 31;
    s[t] = in[blockIdx.x * 64 + t];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        int v = lane < d ? s[t + d] : 0;
        __syncwarp();
        if (lane < d) s[t] += v;
        __syncwarp();
    }
    if (lane == 0) atomicAdd(&out[blockIdx.x], s[t]);
}

//: sum_no_syncwarp --block 32 --arg 's32[32]=ones' --arg 's32[1]' => race.shared nsr nsw
extern "C" __global__ void sum_no_syncwarp(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
#pragma unroll 1
    for (int d = 16; d > 0; d /= 2) {
        int v = 0;
        if (t < d) v = s[t + d]; // [nsr]
        if (t < d) s[t] += v; // [nsw]
    }
    if (t == 0) out[0] = s[0];
}

// The last steps of old reductions: right where a warp runs in lock-step.
//: sum_volatile --block 32 --warp-synchronous --arg 's32[32]=ones' --arg 's32[1]' => nothing
extern "C" __global__ void sum_volatile(const int *in, int *out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = 0;
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
    if (t == 0) out[0] = s[0];
}

//: neighbours --block 32 --arg 's32[32]=iota' --arg 's32[32]' => race.shared nw nr
extern "C" __global__ void neighbours(const int *in, int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x]; // [nw]
    out[threadIdx.x] = s[threadIdx.x ^ 1]; // [nr]
}

//: shuffles --grid 3 --block 96 --arg 's32[288]=iota' --arg 's32[9]' => nothing
extern "C" __global__ void shuffles(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if ((threadIdx.x & 31) == 0) out[i / 32] = v;
}

//: block_sum --grid 2 --block 256 --arg 's32[512]=iota' --arg 's32[2]' => nothing
extern "C" __global__ void block_sum(const int *in, int *out) {
    __shared__ int part[8];
    int t = threadIdx.x, v = in[blockIdx.x * 256 + t];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    if (t % 32 == 0) part[t / 32] = v;
    __syncthreads();
    if (t < 8) {
        v = part[t];
        for (int d = 4; d > 0; d >>= 1) v += __shfl_down_sync(0xff, v, d);
        if (t == 0) out[blockIdx.x] = v;
    }
}

//: block_sum_no_barrier --grid 2 --block 256 --arg 's32[512]=iota' --arg 's32[2]' => race.shared pw pr
extern "C" __global__ void block_sum_no_barrier(const int *in, int *out) {
    __shared__ int part[8];
    int t = threadIdx.x, v = in[blockIdx.x * 256 + t];
    if (t < 8) part[t] = 0;
    __syncthreads();
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    if (t % 32 == 0) part[t / 32] = v; // [pw]
    if (t < 8) {
        v = part[t]; // [pr]
        for (int d = 4; d > 0; d >>= 1) v += __shfl_down_sync(0xff, v, d);
        if (t == 0) out[blockIdx.x] = v;
    }
}

// One atomic for all lanes of a warp that have something to add.
//: aggregated --grid 4 --block 128 --arg 's32[512]=random:3' --arg 's32[512]' --arg 'u32[1]' => nothing
extern "C" __global__ void aggregated(const int *in, int *out, unsigned *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    if (v & 1) {
        unsigned active = __activemask(), lane = threadIdx.x & 31;
        int leader = __ffs((int)active) - 1;
        unsigned base = 0;
        if ((int)lane == leader) base = atomicAdd(count, __popc(active));
        base = __shfl_sync(active, base, leader);
        out[base + __popc(active & ((1u << lane) - 1))] = v;
    }
}

//: compacted --block 256 --arg 's32[256]=random:5' --arg 's32[256]' --arg 'u32[1]' => nothing
extern "C" __global__ void compacted(const int *in, int *out, unsigned *total) {
    __shared__ unsigned offset[9];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    bool keep = in[t] > 1000;
    unsigned votes = __ballot_sync(~0u, keep);
    if (lane == 0) offset[warp + 1] = __popc(votes);
    if (t == 0) offset[0] = 0;
    __syncthreads();
    if (t == 0)
        for (int k = 1; k <= 8; k++) offset[k] += offset[k - 1];
    __syncthreads();
    if (keep) out[offset[warp] + __popc(votes & ((1u << lane) - 1))] = in[t];
    if (t == 0) *total = offset[8];
}

//: tiles --grid 2 --block 64 --arg 's32[128]=iota' --arg 's32[8]' => nothing
extern "C" __global__ void tiles(const int *in, int *out) {
    __shared__ int s[64];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    tile.sync();
    int v = 0;
    if (tile.thread_rank() == 0)
        for (int k = 0; k < 16; k++) v += s[t + k];
    tile.sync();
    s[t] = v;
    block.sync();
    if (t < 4) out[blockIdx.x * 4 + t] = s[16 * t];
}

//: tile_too_small --block 32 --arg 's32[32]=iota' --arg 's32[2]' => race.shared tw tr
extern "C" __global__ void tile_too_small(const int *in, int *out) {
    __shared__ int s[32];
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x, v = 0;
    s[t] = in[t]; // [tw]
    tile.sync();
    if (t == 0) {
        for (int k = 0; k < 32; k++) v += s[k]; // [tr]
        out[0] = v;
    }
}

//: halves --block 32 --arg 's32[32]=iota' --arg 's32[32]' => nothing
extern "C" __global__ void halves(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 16) {
        s[t] = in[t];
        __syncwarp(0xffff);
        out[t] = s[15 - t];
    } else {
        s[t] = 2 * in[t];
        __syncwarp(0xffff0000);
        out[t] = s[47 - t];
    }
}

//: tile_reduce --block 128 --arg 's32[128]=iota' --arg 's32[4]' => nothing
extern "C" __global__ void tile_reduce(const int *in, int *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = cg::reduce(warp, in[threadIdx.x], cg::plus<int>());
    if (warp.thread_rank() == 0) out[threadIdx.x / 32] = sum;
}

//: matched --block 64 --arg 's32[64]=random:9' --arg 'u32[16]' => nothing
extern "C" __global__ void matched(const int *in, unsigned *histogram) {
    int key = in[threadIdx.x] & 15;
    unsigned peers = __match_any_sync(~0u, key);
    if ((int)(threadIdx.x & 31) == __ffs((int)peers) - 1) atomicAdd(&histogram[key], __popc(peers));
}

// A bitonic network in one warp, each exchange between two barriers of the warp.
//: bitonic --block 32 --arg 's32[32]=random:2' => nothing
extern "C" __global__ void bitonic(int *data) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t];
    for (int k = 2; k <= 32; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            __syncwarp();
            int mine = s[t], other = s[t ^ j];
            bool up = (t & k) == 0, low = (t & j) == 0;
            __syncwarp();
            s[t] = (up == low) == (mine < other) ? mine : other;
        }
    __syncwarp();
    data[t] = s[t];
}

// Two lanes write one word in one instruction; where the values are equal it is a note.
//: same_word --block 32 --arg 's32[32]' => race.global sw
extern "C" __global__ void same_word(int *out) {
    out[threadIdx.x / 2] = threadIdx.x; // [sw]
}
//: same_word_same_value --block 32 --arg 's32[32]' => nothing
extern "C" __global__ void same_word_same_value(int *out) {
    out[threadIdx.x / 2] = 7;
}
