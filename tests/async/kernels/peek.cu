// A look at a phase before it is waited for, as in CUTLASS's pipelines (consumer_try_wait, consumer_wait): who has seen that
// it is over does not wait.
//: verify peeks_then_waits --arch sm_90a --block 64 --grid 1 => proved
//: verify peeks_and_goes_on peeks_at_other_phase --arch sm_90a --block 64 --grid 1 => refuted
#include "async.h"

#define PRODUCE                                                                                              \
    for (int k = 0; k < n && t == 0; k++) {                                                                  \
        wait(&empty[k & 1], ~(k / 2) & 1);                                                                   \
        expect(&full[k & 1], 128);                                                                           \
        load(s[k & 1], in + 32 * k, 128, &full[k & 1]);                                                      \
    }

//: peeks_then_waits --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => nothing
extern "C" __global__ void peeks_then_waits(const int *in, int *out, int n) {
    RING(2, 32);
    if (t < 32) {
        PRODUCE
    } else {
#pragma unroll 1
        for (int k = 0; k < n; k++) {
            unsigned done;
            TRY_WAIT(done, &full[k & 1], k >> 1 & 1);
            if (!done) wait(&full[k & 1], k >> 1 & 1);
            out[32 * k + t - 32] = s[k & 1][63 - t];
            fence_proxy();
            arrive(&empty[k & 1]);
        }
    }
}

// What the look says is not heeded.
extern "C" __global__ void peeks_and_goes_on(const int *in, int *out, int n) {
    RING(2, 32);
    if (t < 32) {
        PRODUCE
    } else {
#pragma unroll 1
        for (int k = 0; k < n; k++) {
            unsigned done;
            TRY_WAIT(done, &full[k & 1], k >> 1 & 1);
            out[32 * k + t - 32] = s[k & 1][63 - t] + (int)done;
            fence_proxy();
            arrive(&empty[k & 1]);
        }
    }
}

// The look is at the phase before, which is always over.
extern "C" __global__ void peeks_at_other_phase(const int *in, int *out, int n) {
    RING(2, 32);
    if (t < 32) {
        PRODUCE
    } else {
#pragma unroll 1
        for (int k = 0; k < n; k++) {
            unsigned done;
            TRY_WAIT(done, &full[k & 1], ~(k >> 1) & 1);
            if (!done) wait(&full[k & 1], k >> 1 & 1);
            out[32 * k + t - 32] = s[k & 1][63 - t];
            fence_proxy();
            arrive(&empty[k & 1]);
        }
    }
}
