// Data that a block sends to another block of its cluster: st.async, red.async and bulk copies between shared
// memories, which end at an mbarrier of the block that receives; and mbarriers that threads leave.
#include "cluster.h"

#define ST_ASYNC(a, v, b)                                                                                              \
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(a), "r"(v), "r"(b)  \
                 : "memory")
#define RED_ASYNC(a, v, b)                                                                                             \
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"( \
                     a),                                                                                               \
                 "r"(v), "r"(b)                                                                                        \
                 : "memory")
#define SEND(to, from, bytes, b)                                                                                       \
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"( \
                     to),                                                                                              \
                 "r"(AT(from)), "r"((unsigned)(bytes)), "r"(b)                                                         \
                 : "memory")
#define ARRIVE_DROP(b) PTX1("mbarrier.arrive_drop.shared::cta.b64 _, [%0]", AT(b))

// What every kernel begins with: a tile and an mbarrier that expects the bytes of the peer.
#define BEGIN(bytes)                                                                                                   \
    __shared__ __align__(128) unsigned s[32], own[32];                                                                 \
    __shared__ mbarrier full;                                                                                          \
    unsigned t = threadIdx.x, rank, there, bar;                                                                        \
    RANK(rank);                                                                                                        \
    s[t] = 1000;                                                                                                       \
    if (t == 0) {                                                                                                      \
        init(&full, 1);                                                                                                \
        fence_init();                                                                                                  \
        expect(&full, bytes);                                                                                          \
    }                                                                                                                  \
    CLUSTER_ARRIVE();                                                                                                  \
    CLUSTER_WAIT();                                                                                                    \
    PEER(there, &s[31 - t], rank ^ 1);                                                                                 \
    PEER(bar, &full, rank ^ 1)
#define END()                                                                                                          \
    CLUSTER_ARRIVE();                                                                                                  \
    CLUSTER_WAIT()

// The words that the peer sends are read without waiting for them.
//: sent_not_awaited --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => race.shared sw sr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) sent_not_awaited(const int *in, int *out) {
    BEGIN(128);
    ST_ASYNC(there, in[32 * rank + t], bar); // [sw]
    out[32 * rank + t] = s[t];               // [sr]
    cluster_wait(&full, 0);
    END();
}

//: sent_awaited --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) sent_awaited(const int *in, int *out) {
    BEGIN(128);
    ST_ASYNC(there, in[32 * rank + t], bar);
    cluster_wait(&full, 0);
    out[32 * rank + t] = s[t];
    END();
}

// The block waits for more bytes than the peer sends: its last lane sends nothing.
//: too_few_sent --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => async.mbarrier fw
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) too_few_sent(const int *in, int *out) {
    BEGIN(128);
    if (t < 31) ST_ASYNC(there, in[32 * rank + t], bar);
    cluster_wait(&full, 0); // [fw]
    out[32 * rank + t] = s[t];
    END();
}

// Sums that the peer adds to are read while it may still be adding.
//: added_not_awaited --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => race.shared dw dr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) added_not_awaited(const int *in, int *out) {
    BEGIN(128);
    RED_ASYNC(there, in[32 * rank + t], bar); // [dw]
    out[32 * rank + t] = s[t];                // [dr]
    cluster_wait(&full, 0);
    END();
}

//: added_awaited --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) added_awaited(const int *in, int *out) {
    BEGIN(128);
    RED_ASYNC(there, in[32 * rank + t], bar);
    cluster_wait(&full, 0);
    out[32 * rank + t] = s[t];
    END();
}

// A tile is sent as a whole; its next contents are written while the copy may still read it.
//: tile_written_early --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => race.shared tw tc
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) tile_written_early(const int *in, int *out) {
    BEGIN(128);
    own[t] = in[32 * rank + t];
    fence_proxy();
    __syncthreads();
    PEER(there, s, rank ^ 1);
    if (t == 0) SEND(there, own, 128, bar); // [tc]
    __syncthreads();
    own[t] = 7; // [tw]
    cluster_wait(&full, 0);
    out[32 * rank + t] = s[t] + (own[t] - 7);
    END();
}

// The peer's mbarrier says when the copy is over, and the barrier of the cluster tells it to the sender.
//: tile_written_later --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) tile_written_later(const int *in, int *out) {
    BEGIN(128);
    own[t] = in[32 * rank + t];
    fence_proxy();
    __syncthreads();
    PEER(there, s, rank ^ 1);
    if (t == 0) SEND(there, own, 128, bar);
    cluster_wait(&full, 0);
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    own[t] = 7;
    out[32 * rank + t] = s[t] + (own[t] - 7);
    END();
}

// The copy may not see what the threads have written: no fence hands it to the asynchronous proxy.
//: tile_without_fence --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => async.proxy gi gc, async.proxy gw gc
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) tile_without_fence(const int *in, int *out) {
    BEGIN(128); // [gi]
    own[t] = in[32 * rank + t]; // [gw]
    __syncthreads();
    PEER(there, s, rank ^ 1);
    if (t == 0) SEND(there, own, 128, bar); // [gc]
    cluster_wait(&full, 0);
    out[32 * rank + t] = s[t];
    END();
}

// One warp leaves after the first phase, and says so: the phases after it expect the other warp alone.
#define PHASES()                                                                                                       \
    __shared__ mbarrier b;                                                                                             \
    __shared__ int v[32];                                                                                              \
    int t = threadIdx.x;                                                                                               \
    if (t == 0) {                                                                                                      \
        init(&b, 64);                                                                                                  \
        fence_init();                                                                                                  \
    }                                                                                                                  \
    __syncthreads()

//: warp_leaves --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void warp_leaves(const int *in, int *out) {
    PHASES();
    if (t >= 32) {
        v[t - 32] = in[t];
        ARRIVE_DROP(&b);
        return;
    }
    arrive(&b);
    wait(&b, 0);
    int x = v[t];
    arrive(&b);
    wait(&b, 1);
    out[t] = x;
}

// It leaves without saying so: the second phase never completes.
//: warp_leaves_unsaid --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => async.mbarrier lw
extern "C" __global__ void warp_leaves_unsaid(const int *in, int *out) {
    PHASES();
    if (t >= 32) {
        v[t - 32] = in[t];
        arrive(&b);
        return;
    }
    arrive(&b);
    wait(&b, 0);
    int x = v[t];
    arrive(&b);
    wait(&b, 1); // [lw]
    out[t] = x;
}
