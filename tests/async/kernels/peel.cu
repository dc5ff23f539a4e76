// The first step of a loop stands in front of it, as in the main loops of CUTLASS (the first product of a tile) and of
// FlashAttention-3, and the producer fills the first stages without waiting; each right, and wrong.
//: verify first_in_front two_in_front filled_ahead --arch sm_90a --block 64 --grid 1 => proved
//: verify first_not_awaited first_of_other_parity first_given_back_early loop_starts_too_late filled_too_far --arch sm_90a --block 64 --grid 1 => refuted
#include "async.h"

// What one thread copies from round `from` on, where it waits for a stage to be free.
#define FILL(from)                                                                                           \
    for (int k = from; k < n && t == 0; k++) {                                                               \
        wait(&empty[k % 3], ~(k / 3) & 1);                                                                   \
        COPY(k);                                                                                             \
    }
#define COPY(k)                                                                                              \
    do {                                                                                                     \
        expect(&full[(k) % 3], 128);                                                                         \
        load(s[(k) % 3], in + 32 * (k), 128, &full[(k) % 3]);                                                \
    } while (0)
#define READ(k)                                                                                              \
    do {                                                                                                     \
        out[32 * (k) + t - 32] = s[(k) % 3][63 - t];                                                         \
        fence_proxy();                                                                                       \
    } while (0)
#define STEP(k)                                                                                              \
    do {                                                                                                     \
        wait(&full[(k) % 3], (k) / 3 & 1);                                                                   \
        READ(k);                                                                                             \
        arrive(&empty[(k) % 3]);                                                                             \
    } while (0)

//: first_in_front --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => nothing
extern "C" __global__ void first_in_front(const int *in, int *out, int n) {
    RING(3, 32);
    if (n < 1) return;
    if (t < 32) {
        FILL(0)
    } else {
        STEP(0);
#pragma unroll 1
        for (int k = 1; k < n; k++) STEP(k);
    }
}

//: two_in_front --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => nothing
extern "C" __global__ void two_in_front(const int *in, int *out, int n) {
    RING(3, 32);
    if (n < 2) return;
    if (t < 32) {
        FILL(0)
    } else {
        STEP(0);
        STEP(1);
#pragma unroll 1
        for (int k = 2; k < n; k++) STEP(k);
    }
}

// The first three stages are free.
//: filled_ahead --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => nothing
extern "C" __global__ void filled_ahead(const int *in, int *out, int n) {
    RING(3, 32);
    if (n < 3) return;
    if (t < 32) {
        if (t == 0) {
            COPY(0);
            COPY(1);
            COPY(2);
        }
        FILL(3)
    } else {
        STEP(0);
#pragma unroll 1
        for (int k = 1; k < n; k++) STEP(k);
    }
}

// Whoever gives the stage back before it was filled does so for a phase that the producer does not mean.
//: first_not_awaited --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => async.mbarrier nw, async.mbarrier ns, memory.uninitialized nr
extern "C" __global__ void first_not_awaited(const int *in, int *out, int n) {
    RING(3, 32);
    if (n < 1) return;
    if (t < 32) {
        FILL(0) // [nw]
    } else {
        READ(0); // [nr]
        arrive(&empty[0]);
#pragma unroll 1
        for (int k = 1; k < n; k++) STEP(k); // [ns]
    }
}

// The phase before the first counts as complete.
//: first_of_other_parity --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => async.mbarrier pw, async.mbarrier ps, memory.uninitialized pr
extern "C" __global__ void first_of_other_parity(const int *in, int *out, int n) {
    RING(3, 32);
    if (n < 1) return;
    if (t < 32) {
        FILL(0) // [pw]
    } else {
        wait(&full[0], 1);
        READ(0); // [pr]
        arrive(&empty[0]);
#pragma unroll 1
        for (int k = 1; k < n; k++) STEP(k); // [ps]
    }
}

//: first_given_back_early --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => race.shared ew er
extern "C" __global__ void first_given_back_early(const int *in, int *out, int n) {
    RING(3, 32);
    if (n < 1) return;
    if (t < 32) {
        FILL(0) // [ew]
    } else {
        wait(&full[0], 0);
        arrive(&empty[0]);
        READ(0); // [er]
#pragma unroll 1
        for (int k = 1; k < n; k++) STEP(k);
    }
}

// Round 1 is left out: the producer waits for its stage for ever.
//: loop_starts_too_late --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => async.mbarrier lw, async.mbarrier ls
extern "C" __global__ void loop_starts_too_late(const int *in, int *out, int n) {
    RING(3, 32);
    if (n < 1) return;
    if (t < 32) {
        FILL(0) // [lw]
    } else {
        STEP(0);
#pragma unroll 1
        for (int k = 2; k < n; k++) STEP(k); // [ls]
    }
}

// There are three stages, and the fourth copy does not wait.
//: filled_too_far --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => race.shared fw fc, async.mbarrier fl, async.mbarrier fr
extern "C" __global__ void filled_too_far(const int *in, int *out, int n) {
    RING(3, 32);
    if (n < 4) return;
    if (t < 32) {
        if (t == 0) {
            COPY(0); // [fc]
            COPY(1);
            COPY(2);
            COPY(3); // [fw]
        }
        FILL(4) // [fl]
    } else {
        STEP(0); // [fr]
#pragma unroll 1
        for (int k = 1; k < n; k++) STEP(k);
    }
}
