//xfail:FOUND
//lockstep: verify --block 128
//groups_wrong.cu:[0-9]+:[0-9]+: error: write-read race on 's'
//can disagree on reaching this shuffle
//can disagree on reaching this barrier
//
// Barriers of a tile where the block is meant, and operations that not all threads of the group reach.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void tile_barrier_for_the_block(int *data) {
    __shared__ int s[128];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    s[t] = data[blockIdx.x * 128 + t];
    warp.sync();
    data[blockIdx.x * 128 + t] = s[127 - t];
}

__global__ void small_tile_barrier(int *data) {
    __shared__ int s[128];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    s[t] = data[blockIdx.x * 128 + t];
    tile.sync();
    data[blockIdx.x * 128 + t] = s[t ^ 8];
}

__global__ void not_all_threads(int *data) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    int v = data[blockIdx.x * 128 + t];
    if (t % 2)
        v = cg::reduce(warp, v, cg::plus<int>());
    data[blockIdx.x * 128 + t] = v;
}

__global__ void block_sync_in_branch(int *data) {
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() < 40)
        block.sync();
    data[blockIdx.x * 128 + threadIdx.x] = 1;
}

__global__ void scan_of_some(int *data) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int v = data[blockIdx.x * 128 + threadIdx.x];
    if (threadIdx.x % 32 < 20)
        v = cg::inclusive_scan(warp, v);
    data[blockIdx.x * 128 + threadIdx.x] = v;
}
