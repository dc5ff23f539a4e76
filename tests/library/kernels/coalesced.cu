//unknown
//lockstep: verify --block 128
//
// That the ranks of a coalesced group are different numbers below its size is not followed through the counter.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void coalesced(const int *in, int *out, int *count) {
    unsigned i = blockIdx.x * 128 + threadIdx.x;
    if (in[i] > 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        int base;
        if (active.thread_rank() == 0)
            base = atomicAdd(count, active.size());
        base = active.shfl(base, 0);
        out[base + active.thread_rank()] = in[i];
    }
}
