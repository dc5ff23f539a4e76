// The two halves of a cluster's barrier apart, so that other work hides the wait: what lies between them is ordered neither
// with what other blocks do before it nor with what they do behind it. CUTLASS's kernels arrive when their mbarriers are
// initialised and wait when they need the other blocks.
//: verify halves_apart halves_around_branch halves_around_loop fence_then_relaxed own_work_between --arch sm_90a --grid 2 --block 32 => proved
//: verify exchange_in_loop --arch sm_90a --grid 2 --block 32 => proved
//: verify write_between read_between last_read_between relaxed_without_fence fence_of_block own_write_between --arch sm_90a --grid 2 --block 32 => refuted
//: verify exchange_in_loop_early --arch sm_90a --grid 2 --block 32 => refuted
#include "cluster.h"

#define BEGIN                                                                                                          \
    __shared__ int s[32];                                                                                              \
    unsigned t = threadIdx.x, rank, peer, value, other = 0;                                                            \
    RANK(rank);                                                                                                        \
    PEER(peer, &s[31 - t], rank ^ 1)

#define END                                                                                                            \
    out[32 * rank + t] = value + other;                                                                                \
    CLUSTER_ARRIVE();                                                                                                  \
    CLUSTER_WAIT()

// Between the halves it loads what nobody writes.
//: halves_apart --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) halves_apart(const int *in, int *out) {
    BEGIN;
    s[t] = in[32 * rank + t];
    CLUSTER_ARRIVE();
    other = in[63 - t];
    CLUSTER_WAIT();
    PEER_LOAD(value, peer);
    END;
}

//: halves_around_branch --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) halves_around_branch(const int *in, int *out) {
    BEGIN;
    s[t] = in[32 * rank + t];
    CLUSTER_ARRIVE();
    if (in[t] > 5) {
        other = in[63 - t];
        if (in[0] > 7) other += in[1];
    }
    CLUSTER_WAIT();
    PEER_LOAD(value, peer);
    END;
}

//: halves_around_loop --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) halves_around_loop(const int *in, int *out) {
    BEGIN;
    s[t] = in[32 * rank + t];
    CLUSTER_ARRIVE();
#pragma unroll 1
    for (int k = 0; k < in[3]; k++) other += in[k];
    CLUSTER_WAIT();
    PEER_LOAD(value, peer);
    END;
}

// A relaxed arrival behind a fence of the cluster's scope releases as well.
//: fence_then_relaxed --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) fence_then_relaxed(const int *in, int *out) {
    BEGIN;
    s[t] = in[32 * rank + t];
    PTX("fence.acq_rel.cluster");
    RELAXED_ARRIVE();
    other = in[63 - t];
    CLUSTER_WAIT();
    PEER_LOAD(value, peer);
    END;
}

//: relaxed_without_fence --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => race.shared aw ar
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) relaxed_without_fence(const int *in, int *out) {
    BEGIN;
    s[t] = in[32 * rank + t]; // [aw]
    RELAXED_ARRIVE();
    other = in[63 - t];
    CLUSTER_WAIT();
    PEER_LOAD(value, peer); // [ar]
    END;
}

// The fence is for threads of the block alone.
//: fence_of_block --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => race.shared bw br
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) fence_of_block(const int *in, int *out) {
    BEGIN;
    s[t] = in[32 * rank + t]; // [bw]
    PTX("fence.acq_rel.cta");
    RELAXED_ARRIVE();
    CLUSTER_WAIT();
    PEER_LOAD(value, peer); // [br]
    END;
}

// The peer may have passed its wait when this writes.
//: write_between --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => race.shared cw cr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) write_between(const int *in, int *out) {
    BEGIN;
    CLUSTER_ARRIVE();
    s[t] = in[32 * rank + t]; // [cw]
    CLUSTER_WAIT();
    PEER_LOAD(value, peer); // [cr]
    END;
}

// The peer need not have come to its arrival when this reads.
//: read_between --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => race.shared dw dr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) read_between(const int *in, int *out) {
    BEGIN;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    s[t] = in[32 * rank + t]; // [dw]
    CLUSTER_ARRIVE();
    PEER_LOAD(value, peer); // [dr]
    CLUSTER_WAIT();
    END;
}

// The arrival is in front of the last read, so that the peer may have ended.
//: last_read_between --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => async.unfinished er
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) last_read_between(const int *in, int *out) {
    BEGIN;
    s[t] = in[32 * rank + t];
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    CLUSTER_ARRIVE();
    PEER_LOAD(value, peer); // [er]
    out[32 * rank + t] = value + other;
    CLUSTER_WAIT();
}

// Memory that no other block sees.
//: own_work_between --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) own_work_between(const int *in, int *out) {
    __shared__ int own[32];
    BEGIN;
    s[t] = in[32 * rank + t];
    CLUSTER_ARRIVE();
    own[t] = in[t];
    __syncthreads();
    other = own[31 - t];
    CLUSTER_WAIT();
    PEER_LOAD(value, peer);
    END;
}

// Not even within the block: a thread that has passed the wait may read what another one has not written yet.
//: own_write_between --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => race.shared fw fr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) own_write_between(const int *in, int *out) {
    __shared__ int own[32];
    BEGIN;
    s[t] = in[32 * rank + t];
    CLUSTER_ARRIVE();
    own[t] = in[t]; // [fw]
    CLUSTER_WAIT();
    other = own[31 - t]; // [fr]
    PEER_LOAD(value, peer);
    END;
}

// Both directions in every iteration.
//: exchange_in_loop --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) exchange_in_loop(const int *in, int *out) {
    BEGIN;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        s[t] = in[32 * rank + t] + k;
        CLUSTER_ARRIVE();
        other += in[k];
        CLUSTER_WAIT();
        PEER_LOAD(value, peer);
        other += value;
        CLUSTER_ARRIVE();
        other += in[k + 1];
        CLUSTER_WAIT();
    }
    END;
}

// The second arrival is in front of the read: the peer may write again.
//: exchange_in_loop_early --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => race.shared gw gr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) exchange_in_loop_early(const int *in, int *out) {
    BEGIN;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        s[t] = in[32 * rank + t] + k; // [gw]
        CLUSTER_ARRIVE();
        other += in[k];
        CLUSTER_WAIT();
        CLUSTER_ARRIVE();
        PEER_LOAD(value, peer); // [gr]
        other += value;
        CLUSTER_WAIT();
    }
    END;
}

// Thread 0 waits for an arrival that comes behind the barrier of the cluster, and that barrier waits for thread 0.
//: verify waits_across_barrier --arch sm_90a --grid 2 --block 32 => refuted
//: waits_across_barrier --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => async.mbarrier hw hw, async.mbarrier hc hc
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) waits_across_barrier(const int *in, int *out) {
    __shared__ int own[32];
    __shared__ mbarrier b;
    unsigned t = threadIdx.x;
    if (t == 0) init(&b, 1);
    __syncthreads();
    if (t == 0) wait(&b, 0); // [hw]
    CLUSTER_ARRIVE();
    own[t] = in[t];
    CLUSTER_WAIT(); // [hc]
    if (t == 1) arrive(&b);
    out[32 * blockIdx.x + t] = own[t];
}
