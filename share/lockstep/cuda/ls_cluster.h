/* Clusters of blocks: their registers, their barrier, and the shared memory of their other blocks, under the
 * names of the toolkit's sm_90_rt.h. */
#ifndef LS_CLUSTER_H
#define LS_CLUSTER_H
#pragma GCC system_header

#define LS_CLUSTER_NUMBER(NAME, REGISTER) \
    LS_DEVICE unsigned NAME() { unsigned r; __asm__("mov.u32 %0, %%" REGISTER ";" : "=r"(r)); return r; }
#define LS_CLUSTER_SIZES(NAME, REGISTER) \
    LS_CLUSTER_NUMBER(NAME##_x, REGISTER ".x") \
    LS_CLUSTER_NUMBER(NAME##_y, REGISTER ".y") \
    LS_CLUSTER_NUMBER(NAME##_z, REGISTER ".z") \
    LS_DEVICE dim3 NAME() { return dim3(NAME##_x(), NAME##_y(), NAME##_z()); }
LS_CLUSTER_SIZES(__clusterDim, "cluster_nctaid")
LS_CLUSTER_SIZES(__clusterRelativeBlockIdx, "cluster_ctaid")
LS_CLUSTER_SIZES(__clusterGridDimInClusters, "nclusterid")
LS_CLUSTER_SIZES(__clusterIdx, "clusterid")
LS_CLUSTER_NUMBER(__clusterRelativeBlockRank, "cluster_ctarank")
LS_CLUSTER_NUMBER(__clusterSizeInBlocks, "cluster_nctarank")
#undef LS_CLUSTER_SIZES
#undef LS_CLUSTER_NUMBER
LS_DEVICE unsigned __clusterDimIsSpecified() {
    unsigned r;
    __asm__("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(r));
    return r;
}

LS_DEVICE __attribute__((convergent)) void __cluster_barrier_arrive() { __asm__ volatile("barrier.cluster.arrive;" ::: "memory"); }
LS_DEVICE __attribute__((convergent)) void __cluster_barrier_arrive_relaxed() { __asm__ volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }
LS_DEVICE __attribute__((convergent)) void __cluster_barrier_wait() { __asm__ volatile("barrier.cluster.wait;" ::: "memory"); }

LS_DEVICE void *__cluster_map_shared_rank(const void *p, unsigned rank) {
    void *there;
    __asm__("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(rank));
    return there;
}
LS_DEVICE unsigned __cluster_query_shared_rank(const void *p) {
    unsigned rank;
    __asm__("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(p));
    return rank;
}
#endif
