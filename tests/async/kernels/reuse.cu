// A buffer is used again while a copy or a matrix unit still reads or writes it. Each kernel as it was reported, and
// mended.
//: verify no_group_left reduction_waited --arch sm_90a --block 32 --grid 1 => proved
//: verify one_group_left reduction_not_waited --arch sm_90a --block 32 --grid 1 => refuted
//: verify stage_rotated leader_waits_and_tells ring_guarded first_phase_passed ends_with_wait committed --arch sm_90a --block 64 --grid 1 => proved
//: verify stage_not_rotated leader_waits ring_not_guarded released_too_early first_phase_awaited ends_without_wait not_committed copies_do_not_arrive result_after_read_wait --arch sm_90a --block 64 --grid 1 => refuted
//: verify result_after_wait --arch sm_90a --block 64 --grid 1 => unknown
//: verify copies_arrive --arch sm_90a --block 64 --grid 1 => proved
#include "async.h"

// DeepEP #657: with two stages the wait leaves one group open, which is the one that reads the stage to be filled.
//: one_group_left --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.shared ol os
extern "C" __global__ void one_group_left(const int *in, int *out) {
    __shared__ __align__(128) int s[2][32];
    __shared__ mbarrier full[2];
    if (threadIdx.x) return;
    init(&full[0], 1);
    init(&full[1], 1);
    fence_init();
#pragma unroll 1
    for (int k = -2; k < 4; k++) {
        if (k >= 0) {
            wait(&full[k & 1], k >> 1 & 1);
            store(out + 32 * k, s[k & 1], 128); // [os]
            commit();
            WAIT_READ(1);
        }
        if (k < 2) {
            expect(&full[k & 1], 128);
            load(s[k & 1], in + 32 * (k + 2), 128, &full[k & 1]); // [ol]
        }
    }
    WAIT(0);
}

//: no_group_left --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void no_group_left(const int *in, int *out) {
    __shared__ __align__(128) int s[2][32];
    __shared__ mbarrier full[2];
    if (threadIdx.x) return;
    init(&full[0], 1);
    init(&full[1], 1);
    fence_init();
#pragma unroll 1
    for (int k = -2; k < 4; k++) {
        if (k >= 0) {
            wait(&full[k & 1], k >> 1 & 1);
            store(out + 32 * k, s[k & 1], 128);
            commit();
            WAIT_READ(0);
        }
        if (k < 2) {
            expect(&full[k & 1], 128);
            load(s[k & 1], in + 32 * (k + 2), 128, &full[k & 1]);
        }
    }
    WAIT(0);
}

// cutlass #3636: the counter that chooses the stage of the epilogue stands still, so that every tile takes stage 0, and
// the wait for all but one group is of no use.
//: stage_not_rotated --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' => race.shared rw rs
extern "C" __global__ void stage_not_rotated(const int *in, int *out) {
    __shared__ __align__(128) int s[2][64];
    int t = threadIdx.x, stage = 0;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        if (t == 0) WAIT_READ(1);
        __syncthreads();
        s[stage][t] = in[64 * k + t] + k; // [rw]
        fence_proxy();
        __syncthreads();
        if (t == 0) {
            store(out + 64 * k, s[stage], 256); // [rs]
            commit();
        }
    }
    if (t == 0) WAIT(0);
}

//: stage_rotated --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' => nothing
extern "C" __global__ void stage_rotated(const int *in, int *out) {
    __shared__ __align__(128) int s[2][64];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        if (t == 0) WAIT_READ(1);
        __syncthreads();
        s[k & 1][t] = in[64 * k + t] + k;
        fence_proxy();
        __syncthreads();
        if (t == 0) {
            store(out + 64 * k, s[k & 1], 256);
            commit();
        }
    }
    if (t == 0) WAIT(0);
}

// TransformerEngine #3417, cudnn-frontend #1049: groups belong to the thread that committed them. The others do not wait
// for anything, and no barrier tells them that the leader has.
//: leader_waits --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' => race.shared lw ls
extern "C" __global__ void leader_waits(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        s[t] = in[64 * k + t]; // [lw]
        fence_proxy();
        __syncthreads();
        if (t == 0) {
            store(out + 64 * k, s, 256); // [ls]
            commit();
        }
        WAIT_READ(0);
    }
    WAIT(0);
}

//: leader_waits_and_tells --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' => nothing
extern "C" __global__ void leader_waits_and_tells(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        s[t] = in[64 * k + t];
        fence_proxy();
        __syncthreads();
        if (t == 0) {
            store(out + 64 * k, s, 256);
            commit();
            WAIT_READ(0);
        }
        __syncthreads();
    }
    if (t == 0) WAIT(0);
}

// The staging buffer of a bulk reduction is filled again without a wait (TileOPs #1633).
//: reduction_not_waited --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[32]=0' => race.shared aw aa
extern "C" __global__ void reduction_not_waited(const int *in, int *out) {
    __shared__ __align__(128) int s[32];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        s[t] = in[32 * k + t]; // [aw]
        fence_proxy();
        __syncwarp();
        if (t == 0) {
            add(out, s, 128); // [aa]
            commit();
        }
    }
    if (t == 0) WAIT(0);
}

//: reduction_waited --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[32]=0' => nothing
extern "C" __global__ void reduction_waited(const int *in, int *out) {
    __shared__ __align__(128) int s[32];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        s[t] = in[32 * k + t];
        fence_proxy();
        __syncwarp();
        if (t == 0) {
            add(out, s, 128);
            commit();
            WAIT_READ(0);
        }
        __syncwarp();
    }
    if (t == 0) WAIT(0);
}

// tilelang #2613: a ring of two stages whose producer never looks whether the consumers are done.
//: ring_not_guarded --schedule reverse --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' => race.shared gl gr
extern "C" __global__ void ring_not_guarded(const int *in, int *out) {
    __shared__ __align__(128) int s[2][32];
    __shared__ mbarrier full[2];
    int t = threadIdx.x;
    if (t == 0) {
        init(&full[0], 1);
        init(&full[1], 1);
        fence_init();
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll 1
        for (int k = 0; k < 8 && t == 0; k++) {
            if (k >= 2) wait(&full[k & 1], (k / 2 - 1) & 1); // the copy before it, not who uses it
            expect(&full[k & 1], 128);
            load(s[k & 1], in + 32 * k, 128, &full[k & 1]); // [gl]
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < 8; k++) {
            wait(&full[k & 1], k >> 1 & 1);
            out[32 * k + t - 32] = s[k & 1][63 - t]; // [gr]
        }
    }
}

//: ring_guarded --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' => nothing
extern "C" __global__ void ring_guarded(const int *in, int *out) {
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
        for (int k = 0; k < 8 && t == 0; k++) {
            if (k >= 2) wait(&empty[k & 1], (k / 2 - 1) & 1);
            expect(&full[k & 1], 128);
            load(s[k & 1], in + 32 * k, 128, &full[k & 1]);
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < 8; k++) {
            wait(&full[k & 1], k >> 1 & 1);
            out[32 * k + t - 32] = s[k & 1][63 - t];
            fence_proxy();
            arrive(&empty[k & 1]);
        }
    }
}

// tilelang #2668: the consumer gives the stage back before it has read it.
//: released_too_early --arch sm_90a --block 64 --arg 's32[256]=iota' --arg 's32[256]' => race.shared el er
extern "C" __global__ void released_too_early(const int *in, int *out) {
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
        for (int k = 0; k < 8 && t == 0; k++) {
            if (k >= 2) wait(&empty[k & 1], (k / 2 - 1) & 1);
            expect(&full[k & 1], 128);
            load(s[k & 1], in + 32 * k, 128, &full[k & 1]); // [el]
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < 8; k++) {
            wait(&full[k & 1], k >> 1 & 1);
            fence_proxy();
            arrive(&empty[k & 1]);
            out[32 * k + t - 32] = s[k & 1][63 - t]; // [er]
        }
    }
}

// The producer waits for the phase that an empty stage is already in: it never starts (triton #10106).
//: first_phase_awaited --arch sm_90a --block 64 --arg 's32[128]=iota' --arg 's32[128]' => async.mbarrier fe, async.mbarrier ff
extern "C" __global__ void first_phase_awaited(const int *in, int *out) {
    __shared__ __align__(128) int s[32];
    __shared__ mbarrier full, empty;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        init(&empty, 32);
        fence_init();
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll 1
        for (int k = 0; k < 4 && t == 0; k++) {
            wait(&empty, k & 1); // [fe]
            expect(&full, 128);
            load(s, in + 32 * k, 128, &full);
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < 4; k++) {
            wait(&full, k & 1); // [ff]
            out[32 * k + t - 32] = s[63 - t];
            fence_proxy();
            arrive(&empty);
        }
    }
}

//: first_phase_passed --arch sm_90a --block 64 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void first_phase_passed(const int *in, int *out) {
    __shared__ __align__(128) int s[32];
    __shared__ mbarrier full, empty;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        init(&empty, 32);
        fence_init();
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll 1
        for (int k = 0; k < 4 && t == 0; k++) {
            wait(&empty, ~k & 1);
            expect(&full, 128);
            load(s, in + 32 * k, 128, &full);
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < 4; k++) {
            wait(&full, k & 1);
            out[32 * k + t - 32] = s[63 - t];
            fence_proxy();
            arrive(&empty);
        }
    }
}

// The block ends while the copy still reads its shared memory, which the next block gets (cutlass #2002 asks whether the
// wait is needed).
//: ends_without_wait --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => async.unfinished us
extern "C" __global__ void ends_without_wait(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, s, 256); // [us]
        commit();
    }
}

//: ends_with_wait --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void ends_with_wait(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, s, 256);
        commit();
        WAIT_READ(0);
    }
}

// The copy is in no group, so that there is nothing to wait for.
//: not_committed --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => race.shared nw ns, async.unfinished ns
extern "C" __global__ void not_committed(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, s, 256); // [ns]
        WAIT(0);
    }
    __syncthreads();
    s[63 - t] = t; // [nw]
}

//: committed --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void committed(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, s, 256);
        commit();
        WAIT(0);
    }
    __syncthreads();
    s[63 - t] = t;
}

// cp.async fills the stage, and the thread arrives by itself instead of having its copies arrive (the shape of cutlass
// #3324 within one block).
//: copies_do_not_arrive --arch sm_90a --block 64 --arg 's32[32]=iota' --arg 's32[32]' => race.shared cc cr
extern "C" __global__ void copies_do_not_arrive(const int *in, int *out) {
    __shared__ __align__(128) int s[32];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) init(&full, 32);
    __syncthreads();
    if (t < 32) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(AT(&s[t])), "l"(in + t) : "memory"); // [cc]
        arrive(&full);
        asm volatile("cp.async.wait_all;" ::: "memory");
    } else {
        wait(&full, 0);
        out[t - 32] = s[63 - t]; // [cr]
    }
}

//: copies_arrive --arch sm_90a --block 64 --arg 's32[32]=iota' --arg 's32[32]' => nothing
extern "C" __global__ void copies_arrive(const int *in, int *out) {
    __shared__ __align__(128) int s[32];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) init(&full, 32);
    __syncthreads();
    if (t < 32) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(AT(&s[t])), "l"(in + t) : "memory");
        PTX1("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0]", AT(&full));
    } else {
        wait(&full, 0);
        out[t - 32] = s[63 - t];
    }
}

// The wait for reads says that the source may be written, not that the target is there (cutlass #2002).
//: result_after_read_wait --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[128]' => race.global vs vr
extern "C" __global__ void result_after_read_wait(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, s, 256); // [vs]
        commit();
        WAIT_READ(0);
    }
    __syncthreads();
    out[64 + t] = out[63 - t]; // [vr]
}

//: result_after_wait --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void result_after_wait(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, s, 256);
        commit();
        WAIT(0);
    }
    __syncthreads();
    out[64 + t] = out[63 - t];
}
