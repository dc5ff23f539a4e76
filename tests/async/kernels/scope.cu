// Scopes between the blocks of a cluster: what releases or acquires for the block (.cta) hands nothing on to another one. Each
// kernel as it is wrong, and mended.
//: verify fence_of_block arrival_behind_fence_of_block wait_before_fence_of_block flag_for_block flag_read_for_block fence_of_leader_block --arch sm_90a --grid 2 --block 32 => refuted
//: verify fence_of_cluster --arch sm_90a --grid 2 --block 32 => proved
//: verify arrival_behind_fence_of_cluster wait_before_fence_of_cluster flag_for_cluster fence_of_leader --arch sm_90a --grid 2 --block 32 => unknown
//: verify fence_of_block_within --arch sm_90a --grid 2 --block 64 => unknown
#include "cluster.h"

#define relaxed_wait(b, parity)                                                                                        \
    do {                                                                                                               \
        unsigned over;                                                                                                 \
        do                                                                                                             \
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], %2;"       \
                         " selp.u32 %0, 1, 0, p; }"                                                                    \
                         : "=r"(over)                                                                                  \
                         : "r"(AT(b)), "r"(parity)                                                                     \
                         : "memory");                                                                                  \
        while (!over);                                                                                                 \
    } while (0)

// A relaxed arrival at the barrier of the cluster hands on what a fence in front of it has released, and that fence was for
// the block.
//: fence_of_block --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.shared aw ar
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) fence_of_block(const int *in, int *out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x, rank, peer, value;
    RANK(rank);
    s[t] = in[32 * rank + t]; // [aw]
    PTX("fence.acq_rel.cta");
    RELAXED_ARRIVE();
    CLUSTER_WAIT();
    PEER(peer, &s[31 - t], rank ^ 1);
    PEER_LOAD(value, peer); // [ar]
    out[32 * rank + t] = value;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

//: fence_of_cluster --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) fence_of_cluster(const int *in, int *out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x, rank, peer, value;
    RANK(rank);
    s[t] = in[32 * rank + t];
    PTX("fence.acq_rel.cluster");
    RELAXED_ARRIVE();
    CLUSTER_WAIT();
    PEER(peer, &s[31 - t], rank ^ 1);
    PEER_LOAD(value, peer);
    out[32 * rank + t] = value;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// To the threads of the same block it does hand it on.
//: fence_of_block_within --arch sm_90a --grid 2 --block 64 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(64) fence_of_block_within(const int *in, int *out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x, rank;
    RANK(rank);
    s[t] = in[64 * rank + t];
    PTX("fence.acq_rel.cta");
    RELAXED_ARRIVE();
    CLUSTER_WAIT();
    out[64 * rank + t] = s[63 - t];
}

// One thread, which knows what the others have written, has the fence.
//: fence_of_leader_block --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.shared lw lr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) fence_of_leader_block(const int *in, int *out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x, rank, peer, value;
    RANK(rank);
    s[t] = in[32 * rank + t]; // [lw]
    __syncthreads();
    if (t == 0) PTX("fence.acq_rel.cta");
    RELAXED_ARRIVE();
    CLUSTER_WAIT();
    PEER(peer, &s[31 - t], rank ^ 1);
    PEER_LOAD(value, peer); // [lr]
    out[32 * rank + t] = value;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

//: fence_of_leader --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) fence_of_leader(const int *in, int *out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x, rank, peer, value;
    RANK(rank);
    s[t] = in[32 * rank + t];
    __syncthreads();
    if (t == 0) PTX("fence.acq_rel.cluster");
    RELAXED_ARRIVE();
    CLUSTER_WAIT();
    PEER(peer, &s[31 - t], rank ^ 1);
    PEER_LOAD(value, peer);
    out[32 * rank + t] = value;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// The same of an arrival at the other block's mbarrier …
//: arrival_behind_fence_of_block --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.shared mw mr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) arrival_behind_fence_of_block(const int *in, int *out) {
    __shared__ int s[32];
    __shared__ mbarrier ready;
    unsigned t = threadIdx.x, rank, peer, bar;
    RANK(rank);
    if (t == 0) {
        init(&ready, 32);
        fence_init();
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (rank == 1) {
        PEER(peer, &s[t], 0);
        PEER(bar, &ready, 0);
        PEER_STORE(peer, in[t]); // [mw]
        PTX("fence.acq_rel.cta");
        REMOTE_ARRIVE(".relaxed.cluster", bar);
    } else {
        cluster_wait(&ready, 0);
        out[t] = s[31 - t]; // [mr]
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

//: arrival_behind_fence_of_cluster --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) arrival_behind_fence_of_cluster(const int *in, int *out) {
    __shared__ int s[32];
    __shared__ mbarrier ready;
    unsigned t = threadIdx.x, rank, peer, bar;
    RANK(rank);
    if (t == 0) {
        init(&ready, 32);
        fence_init();
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (rank == 1) {
        PEER(peer, &s[t], 0);
        PEER(bar, &ready, 0);
        PEER_STORE(peer, in[t]);
        PTX("fence.acq_rel.cluster");
        REMOTE_ARRIVE(".relaxed.cluster", bar);
    } else {
        cluster_wait(&ready, 0);
        out[t] = s[31 - t];
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// … and of a relaxed wait in front of a fence.
//: wait_before_fence_of_block --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.shared vw vr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) wait_before_fence_of_block(const int *in, int *out) {
    __shared__ int s[32];
    __shared__ mbarrier ready;
    unsigned t = threadIdx.x, rank, peer, bar;
    RANK(rank);
    if (t == 0) {
        init(&ready, 32);
        fence_init();
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (rank == 1) {
        PEER(peer, &s[t], 0);
        PEER(bar, &ready, 0);
        PEER_STORE(peer, in[t]); // [vw]
        REMOTE_ARRIVE(".release.cluster", bar);
    } else {
        relaxed_wait(&ready, 0);
        PTX("fence.acq_rel.cta");
        out[t] = s[31 - t]; // [vr]
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

//: wait_before_fence_of_cluster --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) wait_before_fence_of_cluster(const int *in, int *out) {
    __shared__ int s[32];
    __shared__ mbarrier ready;
    unsigned t = threadIdx.x, rank, peer, bar;
    RANK(rank);
    if (t == 0) {
        init(&ready, 32);
        fence_init();
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (rank == 1) {
        PEER(peer, &s[t], 0);
        PEER(bar, &ready, 0);
        PEER_STORE(peer, in[t]);
        REMOTE_ARRIVE(".release.cluster", bar);
    } else {
        relaxed_wait(&ready, 0);
        PTX("fence.acq_rel.cluster");
        out[t] = s[31 - t];
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// A flag in shared memory: written for the block …
//: flag_for_block --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.shared fw fr, race.shared ff fl
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) flag_for_block(const int *in, int *out) {
    __shared__ int s[32];
    __shared__ unsigned flag;
    unsigned t = threadIdx.x, rank, peer, far, seen;
    RANK(rank);
    if (t == 0) flag = 0;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (rank == 1 && t == 0) {
        PEER(peer, &s[0], 0);
        PEER(far, &flag, 0);
        PEER_STORE(peer, in[5]); // [fw]
        PTX2("st.release.cta.shared::cluster.u32 [%0], %1", far, 1); // [ff]
    }
    if (rank == 0 && t == 1) {
        do asm volatile("ld.acquire.cluster.shared::cluster.u32 %0, [%1];" : "=r"(seen) : "r"(AT(&flag)) : "memory"); // [fl]
        while (!seen);
        out[0] = s[0]; // [fr]
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// … or read for the block.
//: flag_read_for_block --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.shared gw gr, race.shared gf gl
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) flag_read_for_block(const int *in, int *out) {
    __shared__ int s[32];
    __shared__ unsigned flag;
    unsigned t = threadIdx.x, rank, peer, far, seen;
    RANK(rank);
    if (t == 0) flag = 0;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (rank == 1 && t == 0) {
        PEER(peer, &s[0], 0);
        PEER(far, &flag, 0);
        PEER_STORE(peer, in[5]); // [gw]
        PTX2("st.release.cluster.shared::cluster.u32 [%0], %1", far, 1); // [gf]
    }
    if (rank == 0 && t == 1) {
        do asm volatile("ld.acquire.cta.shared::cluster.u32 %0, [%1];" : "=r"(seen) : "r"(AT(&flag)) : "memory"); // [gl]
        while (!seen);
        out[0] = s[0]; // [gr]
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

//: flag_for_cluster --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) flag_for_cluster(const int *in, int *out) {
    __shared__ int s[32];
    __shared__ unsigned flag;
    unsigned t = threadIdx.x, rank, peer, far, seen;
    RANK(rank);
    if (t == 0) flag = 0;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (rank == 1 && t == 0) {
        PEER(peer, &s[0], 0);
        PEER(far, &flag, 0);
        PEER_STORE(peer, in[5]);
        PTX2("st.release.cluster.shared::cluster.u32 [%0], %1", far, 1);
    }
    if (rank == 0 && t == 1) {
        do asm volatile("ld.acquire.cluster.shared::cluster.u32 %0, [%1];" : "=r"(seen) : "r"(AT(&flag)) : "memory");
        while (!seen);
        out[0] = s[0];
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}
