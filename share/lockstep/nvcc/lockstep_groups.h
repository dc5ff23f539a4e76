/* For nvcc: barriers of a grid and of a block are what they mean, not what they are made of. NVIDIA's
 * grid.sync() is a counter in memory that the driver provides; __lockstep_grid_sync() stands for it, in
 * proofs and in the emulator. There block.sync() is __syncthreads(), which all threads must reach: none may have
 * left before, as __lockstep_whole_block() says. */
#ifndef LOCKSTEP_GROUPS_H
#define LOCKSTEP_GROUPS_H
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ >= 12
#define sync nvidia_sync
#define get_grid_workspace nvidia_get_grid_workspace
#include <cooperative_groups/details/info.h>
#include <cooperative_groups/details/driver_abi.h>
#include <cooperative_groups/details/helpers.h>
#undef sync
#undef get_grid_workspace

extern "C" __device__ void __lockstep_grid_sync(void);
extern "C" __device__ void __lockstep_whole_block(void);

_CG_BEGIN_NAMESPACE
namespace details {
/* The grid is taken to be one of a cooperative launch. */
static __device__ __forceinline__ grid_workspace *get_grid_workspace() { return (grid_workspace *)16; }

namespace cta {
static __device__ __forceinline__ void sync() {
#if defined(__LOCKSTEP_SOURCE__) || defined(__LOCKSTEP_RUN__)
    __lockstep_whole_block();
    __syncthreads();
#else
    nvidia_sync();
#endif
}
}
namespace grid {
static __device__ __forceinline__ void sync(unsigned int *) { __lockstep_grid_sync(); }
}
#if defined(_CG_HAS_CLUSTER_GROUP)
namespace cluster {
static __device__ __forceinline__ void sync() { nvidia_sync(); }
}
#endif
}
_CG_END_NAMESPACE
#endif
#endif
