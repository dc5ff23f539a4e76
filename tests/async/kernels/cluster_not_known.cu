//unknown
//lockstep: run --arch sm_90a --block 32 --grid 2
//the size of the clusters is not known
//
// How large clusters are is the launch's to say (cudaLaunchAttributeClusterDimension): where nobody does, it is no finding
// that there is no second block.
#include "async.h"

extern "C" __global__ void peer_of_open_cluster(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    unsigned peer;
    int v;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(peer) : "r"(AT(&s[t])));
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(peer) : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x * 32 + t] = v;
}
