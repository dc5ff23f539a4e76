// Named barriers at which some warps arrive and go on (bar.arrive ID, COUNT) while others wait (bar.sync ID, COUNT), as
// FlashAttention-3 has them to pass memory to a producer and to let groups of warps take turns; each right, and wrong.
//: verify hands_over hands_over_once takes_turns copies_behind_barrier --arch sm_90a --block 64 --grid 1 => proved
//: verify nobody_hands_back arrives_before_writing hands_back_before_reading --arch sm_90a --block 64 --grid 1 => refuted
//: verify meets_on_either_way --arch sm_90a --block 96 --grid 1 => proved
//: verify meets_on_one_way --arch sm_90a --block 96 --grid 1 => refuted
//: verify one_warp_too_few --arch sm_90a --block 96 --grid 1 => refuted
//: verify nobody_begins another_number --arch sm_90a --block 64 --grid 1 => unknown
//: verify half_a_warp_arrives --arch sm_90a --block 96 --grid 1 => unknown
#include "async.h"

#define bar_arrive(id, n) asm volatile("bar.arrive %0, %1;" ::"n"(int(id)), "n"(n) : "memory")
#define bar_sync(id, n)   asm volatile("bar.sync %0, %1;" ::"n"(int(id)), "n"(n) : "memory")
#define LOOP              _Pragma("unroll 1") for (int k = 0; k < n; k++)

enum { FULL = 1, FREE = 2 };

// One warp writes, the other one reads and says that it has.
//: hands_over --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => nothing
extern "C" __global__ void hands_over(const int *in, int *out, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        LOOP {
            bar_sync(FREE, 64);
            s[t] = in[32 * k + t];
            bar_arrive(FULL, 64);
        }
    } else {
        if (n > 0) bar_arrive(FREE, 64);
        LOOP {
            bar_sync(FULL, 64);
            out[32 * k + t - 32] = s[63 - t];
            if (k + 1 < n) bar_arrive(FREE, 64);
        }
    }
}

//: hands_over_once --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => nothing
extern "C" __global__ void hands_over_once(const int *in, int *out, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t];
        bar_arrive(FULL, 64);
    } else {
        bar_sync(FULL, 64);
        out[t - 32] = s[63 - t] + n;
    }
}

// Both warps use the same memory in turn, the first one first.
//: takes_turns --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => nothing
extern "C" __global__ void takes_turns(const int *in, int *out, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        LOOP {
            bar_sync(1, 64);
            s[t] = in[k];
            out[t] = s[t];
            bar_arrive(2, 64);
        }
    } else {
        if (n > 0) bar_arrive(1, 64);
        LOOP {
            bar_sync(2, 64);
            s[t - 32] = in[k];
            out[t] = s[t - 32];
            if (k + 1 < n) bar_arrive(1, 64);
        }
    }
}

// A copy fills what the readers have said to be free; its end is told by an mbarrier.
//: copies_behind_barrier --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => nothing
extern "C" __global__ void copies_behind_barrier(const int *in, int *out, int n) {
    __shared__ __align__(128) int s[32];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncthreads();
    if (t < 32) {
        LOOP {
            bar_sync(FREE, 64);
            if (t == 0) {
                expect(&full, 128);
                load(s, in + 32 * k, 128, &full);
            }
        }
    } else {
        if (n > 0) bar_arrive(FREE, 64);
        LOOP {
            wait(&full, k & 1);
            out[32 * k + t - 32] = s[63 - t];
            fence_proxy();
            if (k + 1 < n) bar_arrive(FREE, 64);
        }
    }
}

// The writer does not wait for the readers, and arrives for a phase before the last one is over.
//: nobody_hands_back --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => barrier.divergence nd
extern "C" __global__ void nobody_hands_back(const int *in, int *out, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        LOOP {
            s[t] = in[32 * k + t];
            bar_arrive(FULL, 64);
        }
    } else {
        LOOP {
            bar_sync(FULL, 64); // [nd]
            out[32 * k + t - 32] = s[63 - t];
        }
    }
}

//: arrives_before_writing --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => race.shared aw ar
extern "C" __global__ void arrives_before_writing(const int *in, int *out, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        LOOP {
            bar_sync(FREE, 64);
            bar_arrive(FULL, 64);
            s[t] = in[32 * k + t]; // [aw]
        }
    } else {
        if (n > 0) bar_arrive(FREE, 64);
        LOOP {
            bar_sync(FULL, 64);
            out[32 * k + t - 32] = s[63 - t]; // [ar]
            if (k + 1 < n) bar_arrive(FREE, 64);
        }
    }
}

//: hands_back_before_reading --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => race.shared hw hr
extern "C" __global__ void hands_back_before_reading(const int *in, int *out, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        LOOP {
            bar_sync(FREE, 64);
            s[t] = in[32 * k + t]; // [hw]
            bar_arrive(FULL, 64);
        }
    } else {
        if (n > 0) bar_arrive(FREE, 64);
        LOOP {
            bar_sync(FULL, 64);
            if (k + 1 < n) bar_arrive(FREE, 64);
            out[32 * k + t - 32] = s[63 - t]; // [hr]
        }
    }
}

// The reader waits at a barrier that nobody arrives at.
//: another_number --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => barrier.divergence an
extern "C" __global__ void another_number(const int *in, int *out, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t];
        bar_arrive(3, 64);
    } else {
        bar_sync(FULL, 64); // [an]
        out[t - 32] = s[63 - t] + n;
    }
}

// Nobody says that the memory is free at the start.
//: nobody_begins --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => barrier.divergence nf nb
extern "C" __global__ void nobody_begins(const int *in, int *out, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (n < 1) return;
    if (t < 32) {
        LOOP {
            bar_sync(FREE, 64); // [nb]
            s[t] = in[32 * k + t];
            bar_arrive(FULL, 64);
        }
    } else {
        LOOP {
            bar_sync(FULL, 64); // [nf]
            out[32 * k + t - 32] = s[63 - t];
            bar_arrive(FREE, 64);
        }
    }
}

// Two warps write, and the barrier waits for one of them.
//: one_warp_too_few --arch sm_90a --block 96 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => race.shared ow or
extern "C" __global__ void one_warp_too_few(const int *in, int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = in[t]; // [ow]
        if (t < 32) bar_arrive(FULL, 64);
    } else {
        bar_sync(FULL, 64);
        out[t - 64] = s[t - 64] + s[t - 32] + n; // [or]
    }
}

// The barrier counts whole warps.
//: half_a_warp_arrives --arch sm_90a --block 96 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => barrier.divergence hh
extern "C" __global__ void half_a_warp_arrives(const int *in, int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = in[t];
        if (t < 48) bar_arrive(FULL, 96);
    } else {
        bar_sync(FULL, 96); // [hh]
        out[t - 64] = s[t - 64] + n;
    }
}

// Two of three warps meet behind a wait that only one of the two ways there has.
#define BEGIN_MEETING()                                                                                                \
    __shared__ int s[64];                                                                                              \
    __shared__ mbarrier full;                                                                                          \
    int t = threadIdx.x;                                                                                               \
    if (t == 0) {                                                                                                      \
        init(&full, 32);                                                                                               \
        fence_init();                                                                                                  \
    }                                                                                                                  \
    __syncthreads();                                                                                                   \
    if (t >= 64) {                                                                                                     \
        if (n & 1) arrive(&full);                                                                                      \
        return;                                                                                                        \
    }

//: meets_on_either_way --arch sm_90a --block 96 --arg 's32[256]=iota' --arg 's32[256]' --arg 7 => nothing
extern "C" __global__ void meets_on_either_way(const int *in, int *out, int n) {
    BEGIN_MEETING();
    if (n & 1) {
        wait(&full, 0);
        s[t] = in[t];
    } else
        s[t] = in[t] + 1;
    bar_sync(FULL, 64);
    out[t] = s[63 - t];
}

//: meets_on_one_way --arch sm_90a --block 96 --arg 's32[256]=iota' --arg 's32[256]' --arg 6 => race.shared oneway onread
extern "C" __global__ void meets_on_one_way(const int *in, int *out, int n) {
    BEGIN_MEETING();
    if (n & 1) {
        wait(&full, 0);
        s[t] = in[t];
        bar_sync(FULL, 64);
    } else
        s[t] = in[t] + 1; // [oneway]
    out[t] = s[63 - t]; // [onread]
}
