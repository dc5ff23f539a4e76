// Clusters: blocks that see each other's shared memory. Each kernel as it was reported, and mended.
//: verify peer_not_awaited relaxed_arrival arrival_of_block peer_init_not_awaited multicast_too_early --arch sm_90a --grid 2 --block 32 => refuted
//: verify peer_awaited fence_and_relaxed_arrival --arch sm_90a --grid 2 --block 32 => proved
//: verify init_by_proxy_fence written_beside_init --arch sm_90a --grid 2 --block 32 => refuted
//: verify init_by_relaxed_arrival arrival_of_cluster multicast --arch sm_90a --grid 2 --block 32 => unknown
//: verify peer_ends --arch sm_90a --grid 4 --block 32 => refuted
#include "cluster.h"

// A block reads its peer's tile behind a barrier of the block, which does not wait for the peer.
//: peer_not_awaited --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => race.shared pw pr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) peer_not_awaited(const int *in, int *out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x, rank, peer, value;
    RANK(rank);
    s[t] = in[32 * rank + t]; // [pw]
    __syncthreads();
    PEER(peer, &s[31 - t], rank ^ 1);
    PEER_LOAD(value, peer); // [pr]
    out[32 * rank + t] = value;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

//: peer_awaited --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) peer_awaited(const int *in, int *out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x, rank, peer, value;
    RANK(rank);
    s[t] = in[32 * rank + t];
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    PEER(peer, &s[31 - t], rank ^ 1);
    PEER_LOAD(value, peer);
    out[32 * rank + t] = value;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// The last barrier is missing: a block may have ended, and its shared memory be another's, when the peer reads it.
//: peer_ends --arch sm_90a --grid 4 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => async.unfinished er
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) peer_ends(const int *in, int *out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x, rank, peer, value;
    RANK(rank);
    s[t] = in[32 * blockIdx.x + t];
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    PEER(peer, &s[31 - t], rank ^ 1);
    PEER_LOAD(value, peer); // [er]
    out[32 * blockIdx.x + t] = value;
}

// One block has returned before the other looks: a barrier that only those come to who stay waits for nobody.
//: peer_returns --arch sm_90a --grid 4 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => async.unfinished vr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) peer_returns(const int *in, int *out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x, rank, peer, value;
    RANK(rank);
    s[t] = in[32 * blockIdx.x + t];
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (rank == 1) return;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    PEER(peer, &s[31 - t], 1);
    PEER_LOAD(value, peer); // [vr]
    out[32 * blockIdx.x + t] = value;
}

//: peer_stays --arch sm_90a --grid 4 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) peer_stays(const int *in, int *out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x, rank, peer, value;
    RANK(rank);
    s[t] = in[32 * blockIdx.x + t];
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (rank == 0) {
        PEER(peer, &s[31 - t], 1);
        PEER_LOAD(value, peer);
        out[32 * blockIdx.x + t] = value;
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// A relaxed arrival hands nothing on.
//: relaxed_arrival --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => race.shared rw rr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) relaxed_arrival(const int *in, int *out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x, rank, peer, value;
    RANK(rank);
    s[t] = in[32 * rank + t]; // [rw]
    PTX("barrier.cluster.arrive.relaxed.aligned");
    CLUSTER_WAIT();
    PEER(peer, &s[31 - t], rank ^ 1);
    PEER_LOAD(value, peer); // [rr]
    out[32 * rank + t] = value;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// CUTLASS's pipelines: fence.mbarrier_init and a relaxed arrival hand on that mbarriers are initialised (the manual has it as
// an example) …
//: init_by_relaxed_arrival --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) init_by_relaxed_arrival(const int *in, int *out) {
    __shared__ mbarrier ready, own;
    unsigned t = threadIdx.x, rank, bar;
    RANK(rank);
    if (t == 0) {
        init(&ready, 32);
        init(&own, 32);
        fence_init();
    }
    PTX("barrier.cluster.arrive.relaxed.aligned");
    CLUSTER_WAIT();
    PEER(bar, &ready, rank ^ 1);
    REMOTE_ARRIVE(".release.cluster", bar);
    cluster_wait(&ready, 0);
    arrive(&own);
    wait(&own, 0);
    out[32 * rank + t] = in[32 * rank + t];
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// … which a proxy fence does not do, …
//: init_by_proxy_fence --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => async.mbarrier qi qa, async.mbarrier qi qw
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) init_by_proxy_fence(const int *in, int *out) {
    __shared__ mbarrier own;
    unsigned t = threadIdx.x, rank;
    RANK(rank);
    if (t == 0) {
        init(&own, 32); // [qi]
        fence_proxy();
    }
    PTX("barrier.cluster.arrive.relaxed.aligned");
    CLUSTER_WAIT();
    arrive(&own); // [qa]
    wait(&own, 0); // [qw]
    out[32 * rank + t] = in[32 * rank + t];
}

// … and nothing else: what the thread has written is not handed on.
//: written_beside_init --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => race.shared bw br
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) written_beside_init(const int *in, int *out) {
    __shared__ mbarrier own;
    __shared__ int s;
    unsigned t = threadIdx.x, rank;
    RANK(rank);
    if (t == 0) {
        s = in[rank]; // [bw]
        init(&own, 32);
        fence_init();
    }
    PTX("barrier.cluster.arrive.relaxed.aligned");
    CLUSTER_WAIT();
    out[32 * rank + t] = s; // [br]
}

// A fence for all that was written, and the relaxed arrival, hand it on.
//: fence_and_relaxed_arrival --arch sm_90a --grid 2 --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) fence_and_relaxed_arrival(const int *in, int *out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x, rank, peer, value;
    RANK(rank);
    s[t] = in[32 * rank + t];
    PTX("fence.acq_rel.cluster");
    PTX("barrier.cluster.arrive.relaxed.aligned");
    CLUSTER_WAIT();
    PEER(peer, &s[31 - t], rank ^ 1);
    PEER_LOAD(value, peer);
    out[32 * rank + t] = value;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// cutlass #3324, #3643: one block fills the other's tile and arrives at its mbarrier for the block only, so that what it
// wrote is not handed on to the other block.
//: arrival_of_block --arch sm_90a --grid 2 --block 32 --arg 's32[32]=iota' --arg 's32[32]' => race.shared sw sr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) arrival_of_block(const int *in, int *out) {
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
        PEER_STORE(peer, in[t]); // [sw]
        REMOTE_ARRIVE(".release.cta", bar);
    } else {
        cluster_wait(&ready, 0);
        out[t] = s[31 - t]; // [sr]
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

//: arrival_of_cluster --arch sm_90a --grid 2 --block 32 --arg 's32[32]=iota' --arg 's32[32]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) arrival_of_cluster(const int *in, int *out) {
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
        cluster_wait(&ready, 0);
        out[t] = s[31 - t];
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// facebookexperimental/triton #1240: the peer arrives at an mbarrier that may not be initialised yet.
//: peer_init_not_awaited --arch sm_90a --grid 2 --block 32 --schedule reverse --arg 's32[32]=iota' --arg 's32[32]' => async.mbarrier iw ia
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) peer_init_not_awaited(const int *in, int *out) {
    __shared__ mbarrier ready;
    unsigned t = threadIdx.x, rank, bar;
    RANK(rank);
    if (t == 0) {
        init(&ready, 32); // [iw]
        fence_init();
    }
    __syncthreads();
    if (rank == 1) {
        PEER(bar, &ready, 0);
        REMOTE_ARRIVE(".release.cluster", bar); // [ia]
    } else {
        cluster_wait(&ready, 0);
        out[t] = in[31 - t];
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// One copy for two blocks: each of them waits at its own mbarrier, which must be initialised before the copy of the other
// one comes.
//: multicast_too_early --arch sm_90a --grid 2 --block 32 --arg 's32[32]=iota' --arg 's32[64]' => async.mbarrier ml, async.mbarrier mw, async.mbarrier mc
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) multicast_too_early(const int *in, int *out) {
    __shared__ __align__(128) int s[32];
    __shared__ mbarrier full;
    unsigned t = threadIdx.x, rank;
    RANK(rank);
    if (t == 0) {
        init(&full, 1);
        fence_init();
        expect(&full, 128);
        if (rank == 0)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster" // [ml]
                         " [%0], [%1], %2, [%3], %4;" ::"r"(AT(s)), "l"(in), "r"(128), "r"(AT(&full)), "h"((short)3)
                         : "memory");
    }
    __syncthreads();
    wait(&full, 0); // [mw]
    out[32 * rank + t] = s[31 - t];
    CLUSTER_ARRIVE();
    CLUSTER_WAIT(); // [mc]
}

//: multicast --arch sm_90a --grid 2 --block 32 --arg 's32[32]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) multicast(const int *in, int *out) {
    __shared__ __align__(128) int s[32];
    __shared__ mbarrier full;
    unsigned t = threadIdx.x, rank;
    RANK(rank);
    if (t == 0) {
        init(&full, 1);
        fence_init();
        expect(&full, 128);
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (t == 0 && rank == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                     " [%0], [%1], %2, [%3], %4;" ::"r"(AT(s)), "l"(in), "r"(128), "r"(AT(&full)), "h"((short)3)
                     : "memory");
    wait(&full, 0);
    out[32 * rank + t] = s[31 - t];
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}
