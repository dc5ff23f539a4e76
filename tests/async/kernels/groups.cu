// Clusters by cooperative groups, and the numbers that a kernel reads of its cluster.
//: verify one_place_for_all_clusters peer_of_group_not_awaited --grid 4 --block 32 => refuted
//: verify place_of_its_own --block 32 => proved
//: verify peer_of_group_awaited --block 32 => proved
//: verify left_to_the_launch --grid 4 --block 32 => proved
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// The rank of a block in its cluster is no number of its own: the other clusters have it, too.
//: one_place_for_all_clusters --grid 4 --block 32 --arg 's32[128]' => race.global same
extern "C" __global__ void __cluster_dims__(2, 1, 1) one_place_for_all_clusters(int *out) {
    out[cg::this_cluster().thread_rank()] = blockIdx.x; // [same]
}

//: place_of_its_own --grid 4 --block 32 --arg 's32[128]' => nothing
extern "C" __cluster_dims__(2, 1, 1) __global__ void place_of_its_own(int *out) {
    auto cluster = cg::this_cluster();
    out[__clusterIdx().x * cluster.num_threads() + cluster.thread_rank()] = blockIdx.x;
}

// A block's barrier, where the cluster's is needed.
//: peer_of_group_not_awaited --grid 4 --block 32 --arg 's32[128]' => race.shared written read
extern "C" __global__ void __cluster_dims__(2, 1, 1) peer_of_group_not_awaited(int *out) {
    __shared__ int s[32];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = blockIdx.x; // [written]
    cg::this_thread_block().sync();
    out[blockIdx.x * 32 + threadIdx.x] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[31 - (int)threadIdx.x]; // [read]
    cluster.sync();
}

//: peer_of_group_awaited --grid 4 --block 32 --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__(2, 1, 1) peer_of_group_awaited(int *out) {
    __shared__ int s[32];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = blockIdx.x;
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[31 - (int)threadIdx.x];
    cluster.sync();
}

// How large the cluster is, is said at the launch.
//: left_to_the_launch --cluster 2 --grid 4 --block 32 --arg 's32[128]' => nothing
extern "C" __global__ void __cluster_dims__() left_to_the_launch(int *out) {
    out[blockIdx.x * 32 + threadIdx.x] = cg::this_cluster().block_rank();
    cg::this_cluster().sync();
}
