// Lanes of a warp that meet (__syncwarp) in blocks of several warps: one lane may then arrive at an mbarrier for all of them; and
// no lane goes on before the others have come, so that waits can hang on each other by way of it. cudnn-frontend #426 and
// DeepGEMM's kernels have one lane that arrives for the 32 of its warp.
//: verify lane_arrives_for_warps lane_gives_back one_waits_for_warp waits_then_meets --arch sm_90a --block 96 --grid 1 => proved
//: verify lane_arrives_alone lane_arrives_for_other_warp meets_before_writing shuffle_is_no_barrier gives_back_unread one_waits_late --arch sm_90a --block 96 --grid 1 => refuted
//: verify meets_then_arrives shuffles_then_arrives --arch sm_90a --block 96 --grid 1 => refuted
#include "async.h"

enum { ROUNDS = 6 };

#define BEGIN(writers, readers)                                                                                        \
    __shared__ int s[2][64];                                                                                           \
    __shared__ mbarrier full[2], empty[2];                                                                             \
    int t = threadIdx.x, lane = t % 32, sum = 0;                                                                       \
    if (t == 0) {                                                                                                      \
        for (int k = 0; k < 2; k++) {                                                                                  \
            init(&full[k], writers);                                                                                   \
            init(&empty[k], readers);                                                                                  \
        }                                                                                                              \
        fence_init();                                                                                                  \
    }                                                                                                                  \
    __syncthreads()

// Two warps fill the stage, and of each one lane arrives, behind the others.
//: lane_arrives_for_warps --arch sm_90a --block 96 --arg 's32[384]=iota' --arg 's32[32]' => nothing
extern "C" __global__ void __launch_bounds__(96) lane_arrives_for_warps(const int *in, int *out) {
    BEGIN(2, 32);
    if (t >= 32) {
#pragma unroll 1
        for (int k = 0; k < ROUNDS; k++) {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            s[k % 2][t - 32] = in[64 * k + t - 32];
            __syncwarp();
            if (lane == 0) arrive(&full[k % 2]);
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++) {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t] + s[k % 2][63 - t];
        arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

// Nothing says that the others have written.
//: lane_arrives_alone --arch sm_90a --block 96 --arg 's32[384]=iota' --arg 's32[32]' => race.shared aw ar
extern "C" __global__ void __launch_bounds__(96) lane_arrives_alone(const int *in, int *out) {
    BEGIN(2, 32);
    if (t >= 32) {
#pragma unroll 1
        for (int k = 0; k < ROUNDS; k++) {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            s[k % 2][t - 32] = in[64 * k + t - 32]; // [aw]
            if (lane == 0) arrive(&full[k % 2]);
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++) {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t] + s[k % 2][63 - t]; // [ar]
        arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

// … nor of the other warp.
//: lane_arrives_for_other_warp --arch sm_90a --block 96 --arg 's32[384]=iota' --arg 's32[32]' => race.shared bw br
extern "C" __global__ void __launch_bounds__(96) lane_arrives_for_other_warp(const int *in, int *out) {
    BEGIN(1, 32);
    if (t >= 32) {
#pragma unroll 1
        for (int k = 0; k < ROUNDS; k++) {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            s[k % 2][t - 32] = in[64 * k + t - 32]; // [bw]
            __syncwarp();
            if (t == 32) arrive(&full[k % 2]);
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++) {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t] + s[k % 2][63 - t]; // [br]
        arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

// They meet before they write.
//: meets_before_writing --arch sm_90a --block 96 --arg 's32[384]=iota' --arg 's32[32]' => race.shared cw cr
extern "C" __global__ void __launch_bounds__(96) meets_before_writing(const int *in, int *out) {
    BEGIN(2, 32);
    if (t >= 32) {
#pragma unroll 1
        for (int k = 0; k < ROUNDS; k++) {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            __syncwarp();
            s[k % 2][t - 32] = in[64 * k + t - 32]; // [cw]
            if (lane == 0) arrive(&full[k % 2]);
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++) {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t] + s[k % 2][63 - t]; // [cr]
        arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

// A shuffle waits for the lanes, and orders no memory.
//: shuffle_is_no_barrier --arch sm_90a --block 96 --arg 's32[384]=iota' --arg 's32[32]' => race.shared dw dr
extern "C" __global__ void __launch_bounds__(96) shuffle_is_no_barrier(const int *in, int *out) {
    BEGIN(2, 32);
    if (t >= 32) {
#pragma unroll 1
        for (int k = 0; k < ROUNDS; k++) {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            s[k % 2][t - 32] = in[64 * k + t - 32]; // [dw]
            int first = __shfl_sync(0xffffffff, lane, 0);
            if (lane == first) arrive(&full[k % 2]);
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++) {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t] + s[k % 2][63 - t]; // [dr]
        arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

// The reader gives the stage back by one lane, too.
//: lane_gives_back --arch sm_90a --block 96 --arg 's32[384]=iota' --arg 's32[32]' => nothing
extern "C" __global__ void __launch_bounds__(96) lane_gives_back(const int *in, int *out) {
    BEGIN(2, 1);
    if (t >= 32) {
#pragma unroll 1
        for (int k = 0; k < ROUNDS; k++) {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            s[k % 2][t - 32] = in[64 * k + t - 32];
            __syncwarp();
            if (lane == 0) arrive(&full[k % 2]);
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++) {
        wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t] + s[k % 2][63 - t];
        __syncwarp();
        if (t == 0) arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

//: gives_back_unread --arch sm_90a --block 96 --arg 's32[384]=iota' --arg 's32[32]' => race.shared ew er
extern "C" __global__ void __launch_bounds__(96) gives_back_unread(const int *in, int *out) {
    BEGIN(2, 1);
    if (t >= 32) {
#pragma unroll 1
        for (int k = 0; k < ROUNDS; k++) {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            s[k % 2][t - 32] = in[64 * k + t - 32]; // [ew]
            __syncwarp();
            if (lane == 0) arrive(&full[k % 2]);
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++) {
        wait(&full[k % 2], k / 2 & 1);
        __syncwarp();
        sum += s[k % 2][t] + s[k % 2][63 - t]; // [er]
        if (t == 0) arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

// One lane waits for the warp, which then meets it …
//: one_waits_for_warp --arch sm_90a --block 96 --arg 's32[384]=iota' --arg 's32[32]' => nothing
extern "C" __global__ void __launch_bounds__(96) one_waits_for_warp(const int *in, int *out) {
    BEGIN(2, 32);
    if (t >= 32) {
#pragma unroll 1
        for (int k = 0; k < ROUNDS; k++) {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            s[k % 2][t - 32] = in[64 * k + t - 32];
            __syncwarp();
            if (lane == 0) arrive(&full[k % 2]);
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++) {
        if (t == 3) wait(&full[k % 2], k / 2 & 1);
        __syncwarp();
        sum += s[k % 2][t] + s[k % 2][63 - t];
        arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

// … or has met it before.
//: one_waits_late --arch sm_90a --block 96 --arg 's32[384]=iota' --arg 's32[32]' => race.shared fw fr
extern "C" __global__ void __launch_bounds__(96) one_waits_late(const int *in, int *out) {
    BEGIN(2, 32);
    if (t >= 32) {
#pragma unroll 1
        for (int k = 0; k < ROUNDS; k++) {
            wait(&empty[k % 2], (k / 2 & 1) ^ 1);
            s[k % 2][t - 32] = in[64 * k + t - 32]; // [fw]
            __syncwarp();
            if (lane == 0) arrive(&full[k % 2]);
        }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++) {
        __syncwarp();
        if (t == 3) wait(&full[k % 2], k / 2 & 1);
        sum += s[k % 2][t] + s[k % 2][63 - t]; // [fr]
        arrive(&empty[k % 2]);
    }
    out[t] = sum;
}

// The lane that is to arrive waits for one that waits for it.
//: meets_then_arrives --arch sm_90a --block 96 --arg 's32[384]=iota' --arg 's32[96]' => async.mbarrier hw
extern "C" __global__ void __launch_bounds__(96) meets_then_arrives(const int *in, int *out) {
    BEGIN(1, 1);
    if (t == 32) wait(&full[0], 0); // [hw]
    __syncwarp();
    if (t == 33) arrive(&full[0]);
    out[t] = in[t] + sum;
}

// A shuffle is not passed alone, either.
//: shuffles_then_arrives --arch sm_90a --block 96 --arg 's32[384]=iota' --arg 's32[96]' => async.mbarrier iw
extern "C" __global__ void __launch_bounds__(96) shuffles_then_arrives(const int *in, int *out) {
    BEGIN(1, 1);
    if (t == 32) wait(&full[0], 0); // [iw]
    sum = __shfl_down_sync(0xffffffff, in[t], 1);
    if (t == 33) arrive(&full[0]);
    out[t] = in[t] + sum;
}

// A lane of another warp arrives.
//: waits_then_meets --arch sm_90a --block 96 --arg 's32[384]=iota' --arg 's32[96]' => nothing
extern "C" __global__ void __launch_bounds__(96) waits_then_meets(const int *in, int *out) {
    BEGIN(1, 1);
    if (t == 32) wait(&full[0], 0);
    __syncwarp();
    if (t == 64) arrive(&full[0]);
    out[t] = in[t] + sum;
}
