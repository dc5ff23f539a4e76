// The instructions of asynchronous copies and mbarriers, by their PTX, for the kernels of this folder:
// macros, so that what is said about them is said where they stand. Every kernel is (const int *in, int *out)
// with in[k] = k, so that one host program can run them all.
#ifndef ASYNC_H
#define ASYNC_H

typedef unsigned long long mbarrier;

#define AT(p)            ((unsigned)__cvta_generic_to_shared(p))
#define PTX(text)        asm volatile(text ";" ::: "memory")
#define PTX1(text, a)    asm volatile(text ";" ::"r"(a) : "memory")
#define PTX2(text, a, b) asm volatile(text ";" ::"r"(a), "r"((unsigned)(b)) : "memory")

// --- mbarriers ---
#define init(b, count)   PTX2("mbarrier.init.shared::cta.b64 [%0], %1", AT(b), count)
#define invalidate(b)    PTX1("mbarrier.inval.shared::cta.b64 [%0]", AT(b))
#define fence_init()     PTX("fence.mbarrier_init.release.cluster")
#define arrive(b)        PTX1("mbarrier.arrive.shared::cta.b64 _, [%0]", AT(b))
#define expect(b, bytes) PTX2("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1", AT(b), bytes)
#define TRY_WAIT(over, b, parity)                                                                            \
    asm volatile(                                                                                            \
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"      \
        : "=r"(over)                                                                                         \
        : "r"(AT(b)), "r"(parity)                                                                            \
        : "memory")
#define wait(b, parity)                                                                                      \
    do {                                                                                                     \
        unsigned over;                                                                                       \
        do TRY_WAIT(over, b, parity);                                                                        \
        while (!over);                                                                                       \
    } while (0)

// --- Proxies ---
#define fence_proxy() PTX("fence.proxy.async.shared::cta")

// --- Bulk copies ---
#define load(to, from, bytes, b)                                                                             \
    asm volatile(                                                                                            \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(     \
            AT(to)),                                                                                         \
        "l"(from), "r"((unsigned)(bytes)), "r"(AT(b))                                                        \
        : "memory")
#define store(to, from, bytes)                                                                               \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(AT(from)),     \
                 "r"((unsigned)(bytes))                                                                      \
                 : "memory")
#define add(to, from, bytes)                                                                                 \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(to),     \
                 "r"(AT(from)), "r"((unsigned)(bytes))                                                       \
                 : "memory")
#define commit()     PTX("cp.async.bulk.commit_group")
#define WAIT_READ(n) PTX("cp.async.bulk.wait_group.read " #n)
#define WAIT(n)      PTX("cp.async.bulk.wait_group " #n)

// --- A ring of stages that a thread fills and so many give back ---
#define RING(stages, consumers)                                                                              \
    __shared__ __align__(128) int s[stages][32];                                                             \
    __shared__ mbarrier full[stages], empty[stages];                                                         \
    int t = threadIdx.x;                                                                                     \
    if (t == 0) {                                                                                            \
        for (int k = 0; k < (stages); k++) {                                                                 \
            init(&full[k], 1);                                                                               \
            init(&empty[k], consumers);                                                                      \
        }                                                                                                    \
        fence_init();                                                                                        \
    }                                                                                                        \
    __syncthreads()

#endif
