// Registers of wgmma: the sums and the fragments of A belong to the matrix unit until the group of the product has been waited
// for, and registers that were written are handed over by wgmma.fence (PTX manual, "wgmma.fence"; what CUTLASS's
// warpgroup_wait, warpgroup_arrive and warpgroup_fence_operand are for, cutlass #2162). Every kernel multiplies the same tile.
//: verify sums_read_early wait_without_commit fragment_written_early wait_leaves_the_group scaled_without_fence no_fence_at_all --arch sm_90a --block 128 --grid 1 => refuted
//: verify sums_read_after_wait wait_leaves_another fragment_written_after_wait sums_stay_under_way --arch sm_90a --block 128 --grid 1 => proved
#include "async.h"

#define MMA_FENCE()  PTX("wgmma.fence.sync.aligned")
#define MMA_COMMIT() PTX("wgmma.commit_group.sync.aligned")
#define MMA_WAIT(n)  PTX("wgmma.wait_group.sync.aligned " #n)
#define DESCRIPTOR(tile)                                                                                               \
    ((unsigned long long)((AT(tile) & 0x3ffff) >> 4) | (unsigned long long)(128 >> 4) << 16 |                          \
     (unsigned long long)(256 >> 4) << 32)
#define MMA(d, a, b)                                                                                                   \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"          \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                      \
                 : "l"(DESCRIPTOR(a)), "l"(DESCRIPTOR(b))                                                              \
                 : "memory")
#define MMA_OF_REGISTERS(d, a, b)                                                                                      \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;" \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(DESCRIPTOR(b))                                      \
                 : "memory")
// A register of its own for the value, written here: compilers keep it where it is.
#define WRITE(r, value) asm volatile("xor.b32 %0, %0, %1;" : "+r"(r) : "r"(value))
#define SCALE(r, value) asm volatile("mul.f32 %0, %0, %1;" : "+f"(r) : "f"(value))

#define BEGIN()                                                                                                        \
    __shared__ __align__(128) unsigned short a[64 * 16], b[16 * 8];                                                    \
    int t = threadIdx.x;                                                                                               \
    for (int k = t; k < 64 * 16; k += 128) a[k] = 0x3c00 + (in[k % 128] & 15);                                         \
    b[t] = 0x3c00 + (in[t] & 7);                                                                                       \
    fence_proxy();                                                                                                     \
    __syncthreads();                                                                                                   \
    float d[4] = {0}
#define END()                                                                                                          \
    for (int k = 0; k < 4; k++) out[4 * t + k] = __float_as_int(d[k])

//: sums_read_early --arch sm_90a --block 128 --arg 's32[128]=iota' --arg 's32[512]' => async.registers sr sp
extern "C" __global__ void sums_read_early(const int *in, int *out) {
    BEGIN();
    MMA_FENCE();
    MMA(d, a, b); // [sp]
    MMA_COMMIT();
    SCALE(d[0], 2.f); // [sr]
    MMA_WAIT(0);
    END();
}

//: sums_read_after_wait --arch sm_90a --block 128 --arg 's32[128]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void sums_read_after_wait(const int *in, int *out) {
    BEGIN();
    MMA_FENCE();
    MMA(d, a, b);
    MMA_COMMIT();
    MMA_WAIT(0);
    SCALE(d[0], 2.f);
    END();
}

// The wait is for groups: a product that was not committed belongs to none.
//: wait_without_commit --arch sm_90a --block 128 --arg 's32[128]=iota' --arg 's32[512]' => async.registers wr wp
extern "C" __global__ void wait_without_commit(const int *in, int *out) {
    BEGIN();
    MMA_FENCE();
    MMA(d, a, b); // [wp]
    MMA_WAIT(0);
    SCALE(d[0], 2.f); // [wr]
    MMA_COMMIT();
    MMA_WAIT(0);
    END();
}

// One group may be left open, and it is the last one: that of e, whose sums are read.
//: wait_leaves_the_group --arch sm_90a --block 128 --arg 's32[128]=iota' --arg 's32[512]' => async.registers lr lp
extern "C" __global__ void wait_leaves_the_group(const int *in, int *out) {
    BEGIN();
    float e[4] = {0};
    MMA_FENCE();
    MMA(d, a, b);
    MMA_COMMIT();
    MMA(e, a, b); // [lp]
    MMA_COMMIT();
    MMA_WAIT(1);
    SCALE(e[0], 2.f); // [lr]
    MMA_WAIT(0);
    d[0] += e[0] + e[1] + e[2] + e[3];
    END();
}

//: wait_leaves_another --arch sm_90a --block 128 --arg 's32[128]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void wait_leaves_another(const int *in, int *out) {
    BEGIN();
    float e[4] = {0};
    MMA_FENCE();
    MMA(d, a, b);
    MMA_COMMIT();
    MMA(e, a, b);
    MMA_COMMIT();
    MMA_WAIT(1);
    SCALE(d[0], 2.f);
    MMA_WAIT(0);
    d[0] += e[0] + e[1] + e[2] + e[3];
    END();
}

// A in registers, as the probabilities of attention: they are written again with the product still under way.
//: fragment_written_early --arch sm_90a --block 128 --arg 's32[128]=iota' --arg 's32[512]' => async.registers fw fp
extern "C" __global__ void fragment_written_early(const int *in, int *out) {
    BEGIN();
    unsigned p[4] = {0x3c003c00u, 0x3c003c00u, 0x3c003c00u, 0x3c003c00u};
    for (int k = 0; k < 4; k++) WRITE(p[k], t & 15);
#pragma unroll 1
    for (int k = 0; k < 3; k++) {
        MMA_FENCE();
        MMA_OF_REGISTERS(d, p, b); // [fp]
        MMA_COMMIT();
        WRITE(p[1], k + 1); // [fw]
        MMA_WAIT(0);
    }
    END();
}

//: fragment_written_after_wait --arch sm_90a --block 128 --arg 's32[128]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void fragment_written_after_wait(const int *in, int *out) {
    BEGIN();
    unsigned p[4] = {0x3c003c00u, 0x3c003c00u, 0x3c003c00u, 0x3c003c00u};
    for (int k = 0; k < 4; k++) WRITE(p[k], t & 15);
#pragma unroll 1
    for (int k = 0; k < 3; k++) {
        MMA_FENCE();
        MMA_OF_REGISTERS(d, p, b);
        MMA_COMMIT();
        MMA_WAIT(0);
        WRITE(p[1], k + 1);
    }
    END();
}

// The sums are scaled between two products, as in attention, without a fence.
//: scaled_without_fence --arch sm_90a --block 128 --arg 's32[128]=iota' --arg 's32[512]' => async.registers uw up
extern "C" __global__ void scaled_without_fence(const int *in, int *out) {
    BEGIN();
    MMA_FENCE();
    MMA(d, a, b);
    MMA_COMMIT();
    MMA_WAIT(0);
    SCALE(d[2], 3.f); // [uw]
    MMA(d, a, b); // [up]
    MMA_COMMIT();
    MMA_WAIT(0);
    END();
}

//: scaled_with_fence --arch sm_90a --block 128 --arg 's32[128]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void scaled_with_fence(const int *in, int *out) {
    BEGIN();
    MMA_FENCE();
    MMA(d, a, b);
    MMA_COMMIT();
    MMA_WAIT(0);
    SCALE(d[2], 3.f);
    MMA_FENCE();
    MMA(d, a, b);
    MMA_COMMIT();
    MMA_WAIT(0);
    END();
}

//: no_fence_at_all --arch sm_90a --block 128 --arg 's32[128]=iota' --arg 's32[512]' => async.registers np
extern "C" __global__ void no_fence_at_all(const int *in, int *out) {
    BEGIN();
    MMA(d, a, b); // [np]
    MMA_COMMIT();
    MMA_WAIT(0);
    END();
}

// Products into the same registers are ordered by themselves, also with a group left open in every iteration.
//: sums_stay_under_way --arch sm_90a --block 128 --arg 's32[128]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void sums_stay_under_way(const int *in, int *out) {
    BEGIN();
    MMA_FENCE();
#pragma unroll 1
    for (int k = 0; k < 5; k++) {
        MMA(d, a, b);
        MMA_COMMIT();
        MMA_WAIT(1);
    }
    MMA_WAIT(0);
    END();
}
