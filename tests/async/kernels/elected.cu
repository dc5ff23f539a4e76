// One lane of a warp that elect.sync elects does what one thread must do, and a warp's number by a shuffle, as CUTLASS
// has them (elect_one_sync, canonical_warp_idx_sync). Which lane it is the manual leaves open.
//: verify ring_of_elected one_writes elected_tells_warp --arch sm_90a --block 96 --grid 1 => proved
//: verify ring_of_elected_too_early each_writes --arch sm_90a --block 96 --grid 1 => refuted
//: verify first_and_elected others_left neighbours_elected elected_waits_for_lane --arch sm_90a --block 96 --grid 1 => unknown
#include "async.h"

enum { STAGES = 3 };

#define ELECT(one)                                                                                                     \
    unsigned one;                                                                                                      \
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(one))

#define BEGIN()                                                                                                        \
    __shared__ __align__(128) int ring[STAGES][64];                                                                    \
    __shared__ mbarrier full[STAGES], empty[STAGES];                                                                   \
    int t = threadIdx.x, warp = __shfl_sync(0xffffffff, t / 32, 0), sum = 0;                                           \
    ELECT(one);                                                                                                        \
    if (warp == 0 && one) {                                                                                            \
        for (int k = 0; k < STAGES; k++) {                                                                             \
            init(&full[k], 1);                                                                                         \
            init(&empty[k], 64);                                                                                       \
        }                                                                                                              \
        fence_init();                                                                                                  \
    }                                                                                                                  \
    __syncthreads()

// The elected lane of the last warp copies, all threads of the others give the stage back.
//: ring_of_elected --arch sm_90a --block 96 --arg 's32[448]=iota' --arg 's32[64]' --arg 7 => nothing
extern "C" __global__ void ring_of_elected(const int *in, int *out, int n) {
    BEGIN();
    if (warp == 2) {
        if (one)
#pragma unroll 1
            for (int k = 0; k < n; k++) {
                wait(&empty[k % STAGES], (k / STAGES & 1) ^ 1);
                expect(&full[k % STAGES], sizeof ring[0]);
                load(ring[k % STAGES], in + 64 * k, sizeof ring[0], &full[k % STAGES]);
            }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        wait(&full[k % STAGES], k / STAGES & 1);
        sum += ring[k % STAGES][t];
        fence_proxy();
        arrive(&empty[k % STAGES]);
    }
    out[t] = sum;
}

// The stage is given back before it is read.
//: ring_of_elected_too_early --arch sm_90a --block 96 --arg 's32[448]=iota' --arg 's32[64]' --arg 7 => race.shared cl cr
extern "C" __global__ void ring_of_elected_too_early(const int *in, int *out, int n) {
    BEGIN();
    if (warp == 2) {
        if (one)
#pragma unroll 1
            for (int k = 0; k < n; k++) {
                wait(&empty[k % STAGES], (k / STAGES & 1) ^ 1);
                expect(&full[k % STAGES], sizeof ring[0]);
                load(ring[k % STAGES], in + 64 * k, sizeof ring[0], &full[k % STAGES]); // [cl]
            }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        wait(&full[k % STAGES], k / STAGES & 1);
        arrive(&empty[k % STAGES]);
        sum += ring[k % STAGES][t]; // [cr]
    }
    out[t] = sum;
}

// Without copies: one thread of the block, …
//: one_writes --arch sm_90a --block 96 --arg 's32[96]=iota' --arg 's32[96]' --arg 7 => nothing
extern "C" __global__ void one_writes(const int *in, int *out, int n) {
    __shared__ int s;
    int t = threadIdx.x, warp = __shfl_sync(0xffffffff, t / 32, 0);
    ELECT(one);
    if (warp == 1 && one) s = in[t];
    __syncthreads();
    out[t] = s;
}

// … and one of every warp.
//: each_writes --arch sm_90a --block 96 --arg 's32[96]=iota' --arg 's32[96]' --arg 7 => race.shared ew ew
extern "C" __global__ void each_writes(const int *in, int *out, int n) {
    __shared__ int s;
    int t = threadIdx.x;
    ELECT(one);
    if (one) s = in[t]; // [ew]
    __syncthreads();
    out[t] = s;
}

// Right only where the first lane is elected, as it is in a run here.
//: first_and_elected --arch sm_90a --block 96 --arg 's32[96]=iota' --arg 's32[96]' --arg 7 => nothing
extern "C" __global__ void first_and_elected(const int *in, int *out, int n) {
    __shared__ int s;
    int t = threadIdx.x, warp = __shfl_sync(0xffffffff, t / 32, 0);
    ELECT(one);
    if (t == 0) s = in[t];
    if (warp == 0 && one) s += n;
    __syncthreads();
    out[t] = s;
}

// The first lanes have left: another one is elected, and it is not known which.
//: others_left --arch sm_90a --block 96 --arg 's32[96]=iota' --arg 's32[96]' --arg 7 => nothing
extern "C" __global__ void others_left(const int *in, int *out, int n) {
    if (threadIdx.x % 32 < n) return;
    ELECT(one);
    if (one) out[threadIdx.x / 32] = in[threadIdx.x];
}

// Warps may elect different lanes: what is apart where they elect the same one need not be.
//: neighbours_elected --arch sm_90a --block 96 --arg 's32[96]=iota' --arg 's32[96]' --arg 7 => nothing
extern "C" __global__ void neighbours_elected(const int *in, int *out, int n) {
    __shared__ int s[32];
    BEGIN();
    if (warp == 0 && one) s[t % 32] = n;
    if (warp == 1 && one) s[(t + 1) % 32] = n + 1;
    if (t == 64) arrive(&empty[0]);
    out[64 + warp] = sum;
}

// The lane that is to arrive may be the one that waits for it.
//: elected_waits_for_lane --arch sm_90a --block 96 --arg 's32[96]=iota' --arg 's32[96]' --arg 7 => nothing
extern "C" __global__ void elected_waits_for_lane(const int *in, int *out, int n) {
    BEGIN();
    if (warp == 1 && one) wait(&full[0], 0);
    if (t == 37) arrive(&full[0]);
    out[t] = in[t] + sum + n;
}

// Whichever it is, the lanes meet it.
//: elected_tells_warp --arch sm_90a --block 96 --arg 's32[96]=iota' --arg 's32[96]' --arg 7 => nothing
extern "C" __global__ void elected_tells_warp(const int *in, int *out, int n) {
    __shared__ int s[3];
    BEGIN();
    if (one) s[warp] = in[n];
    __syncwarp();
    out[t] = s[warp] + sum;
    if (t == 40) arrive(&full[0]);
    if (t == 70) wait(&full[0], 0);
}
