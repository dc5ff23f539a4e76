// What the kernels with clusters say by their PTX: the block's rank, the barrier of the cluster, and the
// shared memory of another block.
#ifndef CLUSTER_H
#define CLUSTER_H
#include "async.h"

#define RANK(r)               asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r))
#define CLUSTER_ARRIVE()      PTX("barrier.cluster.arrive.release.aligned")
#define CLUSTER_WAIT()        PTX("barrier.cluster.wait.acquire.aligned")
#define RELAXED_ARRIVE()      PTX("barrier.cluster.arrive.relaxed.aligned")
#define PEER(to, p, r)        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(AT(p)), "r"(r))
#define PEER_LOAD(v, a)       asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(a) : "memory")
#define PEER_STORE(a, v)      PTX2("st.shared::cluster.u32 [%0], %1", a, v)
#define REMOTE_ARRIVE(how, a) PTX1("mbarrier.arrive" how ".shared::cluster.b64 _, [%0]", a)
#define TRY_WAIT_CLUSTER(over, b, parity)                                                                    \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;"     \
                 " selp.u32 %0, 1, 0, p; }"                                                                  \
                 : "=r"(over)                                                                                \
                 : "r"(AT(b)), "r"(parity)                                                                   \
                 : "memory")
#define cluster_wait(b, parity)                                                                              \
    do {                                                                                                     \
        unsigned over;                                                                                       \
        do TRY_WAIT_CLUSTER(over, b, parity);                                                                \
        while (!over);                                                                                       \
    } while (0)

#endif
