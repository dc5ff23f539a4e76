// Shapes that `verify` proves for any number of rounds, and others that look like them.
//: verify ring_of_any_length --arch sm_90a --block 64 --grid 1 => proved
//: verify commit_stops arrives_sometimes barrier_sometimes same_target fence_behind_loop never_committed --arch sm_90a --block 64 --grid 1 => refuted
//: verify leaves_on_data --arch sm_90a --block 64 --grid 1 => unknown
#include "async.h"

// A ring of two stages, as long as the caller likes.
extern "C" __global__ void ring_of_any_length(const int *in, int *out, int n) {
    __shared__ __align__(128) int s[2][32];
    __shared__ mbarrier full[2], empty[2];
    int t = threadIdx.x;
    if (t == 0) {
        for (int k = 0; k < 2; k++) {
            init(&full[k], 1);
            init(&empty[k], 32);
        }
        fence_init();
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll 1
        for (int k = 0; k < n && t == 0; k++) {
            if (k >= 2) wait(&empty[k & 1], (k / 2 - 1) & 1);
            expect(&full[k & 1], 128);
            load(s[k & 1], in + 32 * k, 128, &full[k & 1]);
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < n; k++) {
            wait(&full[k & 1], k >> 1 & 1);
            out[32 * k + t - 32] = s[k & 1][63 - t];
            fence_proxy();
            arrive(&empty[k & 1]);
        }
    }
}

// Groups are committed in the first rounds only; then one that may stay open is the last one, and its source is written again.
extern "C" __global__ void commit_stops(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 6; k++) {
        s[t] = in[64 * k + t];
        fence_proxy();
        __syncthreads();
        if (t == 0) {
            if (k < 3) { store(out + 64 * k, s, 256); commit(); }
            WAIT_READ(1);
        }
        __syncthreads();
    }
    if (t == 0) WAIT(0);
}

// The consumers give the stage back in every second round: the producer waits for ever.
extern "C" __global__ void arrives_sometimes(const int *in, int *out, int n) {
    __shared__ __align__(128) int s[32];
    __shared__ mbarrier full, empty;
    int t = threadIdx.x;
    if (t == 0) { init(&full, 1); init(&empty, 32); fence_init(); }
    __syncthreads();
    if (t < 32) {
#pragma unroll 1
        for (int k = 0; k < n && t == 0; k++) {
            wait(&empty, ~k & 1);
            expect(&full, 128);
            load(s, in + 32 * k, 128, &full);
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < n; k++) {
            wait(&full, k & 1);
            out[32 * k + t - 32] = s[63 - t];
            fence_proxy();
            if (k & 1) arrive(&empty);
        }
    }
}

// The barrier behind the copy is crossed in every second round only.
extern "C" __global__ void barrier_sometimes(const int *in, int *out, int n) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        s[t] = in[64 * k + t];
        fence_proxy();
        __syncthreads();
        if (t == 0) { store(out + 64 * k, s, 256); commit(); WAIT_READ(0); }
        if (k & 1) __syncthreads();
    }
}

// Every round writes the same place of global memory, and only reads are waited for.
extern "C" __global__ void same_target(const int *in, int *out, int n) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        s[t] = in[64 * k + t];
        fence_proxy();
        __syncthreads();
        if (t == 0) { store(out, s, 256); commit(); WAIT_READ(0); }
        __syncthreads();
    }
}

// Consumers may leave on what they read: the producer then waits for ever, or copies are under way at the end.
extern "C" __global__ void leaves_on_data(const int *in, int *out, int n) {
    __shared__ __align__(128) int s[2][32];
    __shared__ mbarrier full[2], empty[2];
    int t = threadIdx.x;
    if (t == 0) {
        for (int k = 0; k < 2; k++) { init(&full[k], 1); init(&empty[k], 32); }
        fence_init();
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll 1
        for (int k = 0; k < n && t == 0; k++) {
            if (k >= 2) wait(&empty[k & 1], (k / 2 - 1) & 1);
            expect(&full[k & 1], 128);
            load(s[k & 1], in + 32 * k, 128, &full[k & 1]);
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < n; k++) {
            wait(&full[k & 1], k >> 1 & 1);
            int v = s[k & 1][63 - t];
            if (v < 0) break;
            out[32 * k + t - 32] = v;
            fence_proxy();
            arrive(&empty[k & 1]);
        }
    }
}

// The fence behind the loop is none for the copies in it.
extern "C" __global__ void fence_behind_loop(const int *in, int *out, int n) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        __syncthreads();
        if (t == 0 && k > 0) { store(out + 64 * k, s, 256); commit(); WAIT_READ(0); }
        __syncthreads();
        s[t] = in[64 * k + t];
    }
    fence_proxy();
    __syncthreads();
}

// The wait at the end is for nothing, as the copy is in no group.
extern "C" __global__ void never_committed(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, s, 256);
        WAIT(0);
    }
}
