// Global memory between blocks of a cluster: the barrier of the cluster, mbarriers and flags hand on what was released for the
// cluster. Each kernel as it is wrong, and right.
#include "cluster.h"

//: global_by_barrier --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) global_by_barrier(int *in, int *out) {
    unsigned t = threadIdx.x, rank;
    RANK(rank);
    out[32 * rank + t] = t;
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    in[32 * rank + t] = out[32 * (rank ^ 1) + t];
}

// A relaxed arrival hands nothing on …
//: global_by_relaxed --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.global aw ar
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) global_by_relaxed(int *in, int *out) {
    unsigned t = threadIdx.x, rank;
    RANK(rank);
    out[32 * rank + t] = t; // [aw]
    RELAXED_ARRIVE();
    CLUSTER_WAIT();
    in[32 * rank + t] = out[32 * (rank ^ 1) + t]; // [ar]
}

// … nor with a fence for the block, …
//: global_by_fence_of_block --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.global bw br
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) global_by_fence_of_block(int *in, int *out) {
    unsigned t = threadIdx.x, rank;
    RANK(rank);
    out[32 * rank + t] = t; // [bw]
    PTX("fence.acq_rel.cta");
    RELAXED_ARRIVE();
    CLUSTER_WAIT();
    in[32 * rank + t] = out[32 * (rank ^ 1) + t]; // [br]
}

// … but with one for the cluster, or for more.
//: global_by_fence_of_cluster --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) global_by_fence_of_cluster(int *in, int *out) {
    unsigned t = threadIdx.x, rank;
    RANK(rank);
    out[32 * rank + t] = t;
    PTX("fence.acq_rel.cluster");
    RELAXED_ARRIVE();
    CLUSTER_WAIT();
    in[32 * rank + t] = out[32 * (rank ^ 1) + t];
}

//: global_by_fence_of_gpu --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) global_by_fence_of_gpu(int *in, int *out) {
    unsigned t = threadIdx.x, rank;
    RANK(rank);
    out[32 * rank + t] = t;
    PTX("fence.acq_rel.gpu");
    RELAXED_ARRIVE();
    CLUSTER_WAIT();
    in[32 * rank + t] = out[32 * (rank ^ 1) + t];
}

// Between two barriers of the cluster nothing orders the blocks: that one of them has come to the second is no news for
// those who wait for the first.
//: global_between_barriers --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.global cw cr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) global_between_barriers(int *in, int *out) {
    unsigned t = threadIdx.x, rank;
    RANK(rank);
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (rank == 1)
        out[t] = t; // [cw]
    else
        in[t] = out[31 - t]; // [cr]
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// An arrival at the other block's mbarrier, for the block only.
//: global_by_arrival_of_block --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.global dw dr
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) global_by_arrival_of_block(int *in, int *out) {
    __shared__ mbarrier ready;
    unsigned t = threadIdx.x, rank, bar;
    RANK(rank);
    if (t == 0) {
        init(&ready, 32);
        fence_init();
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (rank == 1) {
        out[t] = t; // [dw]
        PEER(bar, &ready, 0);
        REMOTE_ARRIVE(".release.cta", bar);
    } else {
        cluster_wait(&ready, 0);
        in[t] = out[31 - t]; // [dr]
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

//: global_by_arrival --arch sm_90a --grid 2 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) global_by_arrival(int *in, int *out) {
    __shared__ mbarrier ready;
    unsigned t = threadIdx.x, rank, bar;
    RANK(rank);
    if (t == 0) {
        init(&ready, 32);
        fence_init();
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
    if (rank == 1) {
        out[t] = t;
        PEER(bar, &ready, 0);
        REMOTE_ARRIVE(".release.cluster", bar);
    } else {
        cluster_wait(&ready, 0);
        in[t] = out[31 - t];
    }
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
}

// A flag for the cluster: within it …
//: flag_in_cluster --arch sm_90a --grid 4 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) flag_in_cluster(int *in, int *out) {
    unsigned t = threadIdx.x, seen;
    if (blockIdx.x == 1 && t == 0) {
        out[0] = 5;
        asm volatile("st.release.cluster.global.u32 [%0], 1;" ::"l"(in + 40) : "memory");
    }
    if (blockIdx.x == 0 && t == 0) {
        do asm volatile("ld.acquire.cluster.global.u32 %0, [%1];" : "=r"(seen) : "l"(in + 40) : "memory");
        while (seen != 1);
        in[0] = out[0];
    }
}

// … and between two clusters, which it does not order.
//: flag_between_clusters --arch sm_90a --grid 4 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.global ew er, race.global ef el
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) flag_between_clusters(int *in, int *out) {
    unsigned t = threadIdx.x, seen;
    if (blockIdx.x == 2 && t == 0) {
        out[0] = 5; // [ew]
        asm volatile("st.release.cluster.global.u32 [%0], 1;" ::"l"(in + 40) : "memory"); // [ef]
    }
    if (blockIdx.x == 0 && t == 0) {
        do asm volatile("ld.acquire.cluster.global.u32 %0, [%1];" : "=r"(seen) : "l"(in + 40) : "memory"); // [el]
        while (seen != 1);
        in[0] = out[0]; // [er]
    }
}

//: flag_of_gpu --arch sm_90a --grid 4 --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32) flag_of_gpu(int *in, int *out) {
    unsigned t = threadIdx.x, seen;
    if (blockIdx.x == 2 && t == 0) {
        out[0] = 5;
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(in + 40) : "memory");
    }
    if (blockIdx.x == 0 && t == 0) {
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(in + 40) : "memory");
        while (seen != 1);
        in[0] = out[0];
    }
}
