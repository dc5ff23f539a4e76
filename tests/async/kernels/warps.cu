// Barriers of some warps (bar.sync ID, COUNT) beside mbarriers, as in the main loops and epilogues of CUTLASS, DeepGEMM and
// FlashAttention-3: one thread arrives for several warps that have met, and a group of consumers exchanges results while the
// producer goes on. They order what their own warps do, and nothing else; and waits can hang on each other by way of them.
//: verify meet_then_one consumers_exchange two_groups lanes_beside_warps refill_after_meeting --arch sm_90a --block 160 --grid 1 => proved
//: verify one_without_meeting meet_too_early exchange_without_meeting other_groups_barrier refill_before_meeting --arch sm_90a --block 160 --grid 1 => refuted
//: verify meets_before_arriving waits_for_other_half --arch sm_90a --block 160 --grid 1 => refuted
#include "async.h"

enum { ROUNDS = 6 };

// Warps 1 and 2, and 3 and 4, are groups of 64 threads.
#define BEGIN(writers, readers)                                                                                        \
    __shared__ __align__(16) int s[2][64];                                                                             \
    __shared__ int r[128];                                                                                             \
    __shared__ mbarrier full[2], empty[2];                                                                             \
    int t = threadIdx.x, sum = 0;                                                                                      \
    (void)r;                                                                                                           \
    if (t == 0) {                                                                                                      \
        for (int k = 0; k < 2; k++) {                                                                                  \
            init(&full[k], writers);                                                                                   \
            init(&empty[k], readers);                                                                                  \
        }                                                                                                              \
        fence_init();                                                                                                  \
    }                                                                                                                  \
    __syncthreads()

#define LOOP _Pragma("unroll 1") for (int k = 0; k < ROUNDS; k++)

#define meet(id)       asm volatile("bar.sync %0, 64;" ::"n"(id) : "memory")
#define meet_by(group) asm volatile("bar.sync %0, 64;" ::"r"(group) : "memory")

// One thread copies; its group of warps takes part in nothing else.
#define PRODUCE                                                                                                        \
    if (t < 32) {                                                                                                      \
        if (t == 0) LOOP {                                                                                             \
                wait(&empty[k % 2], (k / 2 & 1) ^ 1);                                                                  \
                expect(&full[k % 2], 256);                                                                             \
                load(s[k % 2], in + 64 * k, 256, &full[k % 2]);                                                        \
            }                                                                                                          \
        return;                                                                                                        \
    }

// Two warps fill the stage, meet, and one thread arrives for both.
//: meet_then_one --arch sm_90a --block 160 --arg 's32[384]=iota' --arg 's32[160]' => nothing
extern "C" __global__ void __launch_bounds__(160) meet_then_one(const int *in, int *out) {
    BEGIN(1, 32);
    if (t >= 96) return;
    if (t >= 32) {
        LOOP {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            s[k % 2][t - 32] = in[64 * k + t - 32];
            meet(1);
            if (t == 32) arrive(&full[k % 2]);
        }
        return;
    }
    LOOP {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t] + s[k % 2][63 - t];
        arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

// Nothing says that the other threads have written.
//: one_without_meeting --arch sm_90a --block 160 --arg 's32[384]=iota' --arg 's32[160]' => race.shared aw ar
extern "C" __global__ void __launch_bounds__(160) one_without_meeting(const int *in, int *out) {
    BEGIN(1, 32);
    if (t >= 96) return;
    if (t >= 32) {
        LOOP {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            s[k % 2][t - 32] = in[64 * k + t - 32]; // [aw]
            if (t == 32) arrive(&full[k % 2]);
        }
        return;
    }
    LOOP {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t] + s[k % 2][63 - t]; // [ar]
        arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

// They meet before they write.
//: meet_too_early --arch sm_90a --block 160 --arg 's32[384]=iota' --arg 's32[160]' => race.shared bw br
extern "C" __global__ void __launch_bounds__(160) meet_too_early(const int *in, int *out) {
    BEGIN(1, 32);
    if (t >= 96) return;
    if (t >= 32) {
        LOOP {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            meet(1);
            s[k % 2][t - 32] = in[64 * k + t - 32]; // [bw]
            if (t == 32) arrive(&full[k % 2]);
        }
        return;
    }
    LOOP {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t] + s[k % 2][63 - t]; // [br]
        arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

// The consumers exchange their sums behind the loop, while the producer may still be on its way.
//: consumers_exchange --arch sm_90a --block 160 --arg 's32[384]=iota' --arg 's32[160]' => nothing
extern "C" __global__ void __launch_bounds__(160) consumers_exchange(const int *in, int *out) {
    BEGIN(1, 64);
    PRODUCE;
    if (t >= 96) return;
    t -= 32;
    LOOP {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t];
        fence_proxy();
        arrive(&empty[k % 2]);
    }
    r[t] = sum;
    meet(1);
    out[t] = r[63 - t];
}

//: exchange_without_meeting --arch sm_90a --block 160 --arg 's32[384]=iota' --arg 's32[160]' => race.shared cw cr
extern "C" __global__ void __launch_bounds__(160) exchange_without_meeting(const int *in, int *out) {
    BEGIN(1, 64);
    PRODUCE;
    if (t >= 96) return;
    t -= 32;
    LOOP {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t];
        fence_proxy();
        arrive(&empty[k % 2]);
    }
    r[t] = sum;         // [cw]
    out[t] = r[63 - t]; // [cr]
}

// Two groups of consumers, each of which meets at a barrier of its own: the number is the group's.
//: two_groups --arch sm_90a --block 160 --arg 's32[384]=iota' --arg 's32[160]' => nothing
extern "C" __global__ void __launch_bounds__(160) two_groups(const int *in, int *out) {
    BEGIN(1, 128);
    PRODUCE;
    t -= 32;
    LOOP {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t % 64];
        fence_proxy();
        arrive(&empty[k % 2]);
    }
    r[t] = sum;
    meet_by(1 + t / 64);
    out[t] = r[t ^ 63];
}

// What the other group has written is not ordered by it.
//: other_groups_barrier --arch sm_90a --block 160 --arg 's32[384]=iota' --arg 's32[160]' => race.shared dw dr
extern "C" __global__ void __launch_bounds__(160) other_groups_barrier(const int *in, int *out) {
    BEGIN(1, 128);
    PRODUCE;
    t -= 32;
    LOOP {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t % 64];
        fence_proxy();
        arrive(&empty[k % 2]);
    }
    r[t] = sum; // [dw]
    meet_by(1 + t / 64);
    out[t] = r[t ^ 64]; // [dr]
}

// Lanes of a warp meet, and then the warps: two ways for one thread to speak for others.
//: lanes_beside_warps --arch sm_90a --block 160 --arg 's32[384]=iota' --arg 's32[160]' => nothing
extern "C" __global__ void __launch_bounds__(160) lanes_beside_warps(const int *in, int *out) {
    BEGIN(1, 2);
    if (t < 64) {
        LOOP {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            s[k % 2][t] = in[64 * k + t];
            meet(1);
            if (t == 0) arrive(&full[k % 2]);
        }
        return;
    }
    if (t >= 128) return;
    LOOP {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][127 - t];
        __syncwarp();
        if (t % 32 == 0) arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

// The producer takes part in the consumers' barrier and then refills the stage: no mbarrier says that it is empty.
//: refill_after_meeting --arch sm_90a --block 160 --arg 's32[384]=iota' --arg 's32[160]' => nothing
extern "C" __global__ void __launch_bounds__(160) refill_after_meeting(const int *in, int *out) {
    BEGIN(1, 1);
    if (t >= 64) return;
    LOOP {
        if (t == 0) {
            expect(&full[0], 256);
            load(s[0], in + 64 * k, 256, &full[0]);
        }
        wait(&full[0], k & 1);
        sum += s[0][t];
        fence_proxy();
        meet(1);
    }
    out[t] = sum;
}

//: refill_before_meeting --arch sm_90a --block 160 --arg 's32[384]=iota' --arg 's32[160]' => race.shared ew er
extern "C" __global__ void __launch_bounds__(160) refill_before_meeting(const int *in, int *out) {
    BEGIN(1, 1);
    if (t >= 64) return;
    LOOP {
        if (t == 0) {
            expect(&full[0], 256);
            load(s[0], in + 64 * k, 256, &full[0]); // [ew]
        }
        wait(&full[0], k & 1);
        meet(1);
        sum += s[0][t]; // [er]
        fence_proxy();
    }
    out[t] = sum;
}

// The barrier is in front of the arrival that the others of the group wait for before they come to it.
//: meets_before_arriving --arch sm_90a --block 160 --arg 's32[384]=iota' --arg 's32[160]' => async.mbarrier fw
extern "C" __global__ void __launch_bounds__(160) meets_before_arriving(const int *in, int *out) {
    BEGIN(32, 1);
    if (t >= 64) return;
    if (t >= 32) wait(&full[0], 0); // [fw]
    meet(1);
    if (t < 32) arrive(&full[0]);
    out[t] = in[t];
}

// Both groups wait for what the other one says behind its barrier.
//: waits_for_other_half --arch sm_90a --block 160 --arg 's32[384]=iota' --arg 's32[160]' => async.mbarrier gw gw, async.mbarrier hw hw
extern "C" __global__ void __launch_bounds__(160) waits_for_other_half(const int *in, int *out) {
    BEGIN(1, 1);
    if (t >= 128) return;
    if (t < 64)
        wait(&full[0], 0); // [gw]
    else
        wait(&empty[0], 0); // [hw]
    meet_by(1 + t / 64);
    if (t == 0) arrive(&empty[0]);
    if (t == 64) arrive(&full[0]);
    out[t] = in[t];
}
