//pass
//lockstep: verify --block 128
//
// The barrier of a tile orders its eight lanes …
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void k(int *data) {
    __shared__ int s[128];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    s[t] = data[blockIdx.x * 128 + t];
    tile.sync();
    data[blockIdx.x * 128 + t] = s[t ^ 1];
}
