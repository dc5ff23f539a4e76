//pass
//lockstep: verify --block 128
//
// Tiles, scans, reductions and shuffles of cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void tiles(const int *in, int *out) {
    __shared__ int partial[4];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int v = in[block.group_index().x * 128 + block.thread_rank()];
    v = cg::reduce(warp, v, cg::plus<int>());
    if (warp.thread_rank() == 0)
        partial[warp.meta_group_rank()] = v;
    block.sync();
    if (block.thread_rank() == 0)
        out[block.group_index().x] = partial[0] + partial[1] + partial[2] + partial[3];
}

__global__ void small_tiles(int *data) {
    __shared__ int s[128];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    s[t] = data[blockIdx.x * 128 + t];
    tile.sync();
    data[blockIdx.x * 128 + t] = s[t ^ 1];
}

__global__ void scan(const int *in, int *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned i = blockIdx.x * 128 + threadIdx.x;
    out[i] = cg::inclusive_scan(warp, in[i]);
}

__global__ void butterfly(int *data) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned i = blockIdx.x * 128 + threadIdx.x;
    int v = data[i];
    for (int offset = 16; offset > 0; offset /= 2)
        v += warp.shfl_xor(v, offset);
    data[i] = v;
}
