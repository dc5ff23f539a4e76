// mbarriers: who arrives, how often, for which phase. Each kernel as it was reported, and mended.
//: verify all_lanes_arrive warp_then_one_arrives init_barrier invalid_in_time copy_before_wait --arch sm_90a --block 64 --grid 1 => proved
//: verify one_lane_arrives init_no_barrier invalid_too_early copy_behind_wait --arch sm_90a --block 64 --grid 1 => refuted
//: verify count_of_warps --arch sm_90a --block 160 --grid 1 => proved
//: verify count_too_high --arch sm_90a --block 160 --grid 1 => refuted
//: verify count_of_all --arch sm_90a --block 96 --grid 1 => proved
//: verify count_too_low --arch sm_90a --block 96 --grid 1 => refuted
//: verify right_bytes parity_of_barrier --arch sm_90a --block 32 --grid 1 => proved
//: verify too_many_bytes parity_of_loop init_again --arch sm_90a --block 32 --grid 1 => refuted
//: verify init_once --arch sm_90a --block 32 --grid 1 => unknown
#include "async.h"

// cudnn-frontend #426: 32 lanes write, one of them arrives. What the others wrote is not released.
//: one_lane_arrives --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => race.shared ow or
extern "C" __global__ void one_lane_arrives(const int *in, int *out) {
    __shared__ int w[32];
    __shared__ mbarrier loaded;
    int t = threadIdx.x;
    if (t == 0) init(&loaded, 1);
    __syncthreads();
    if (t < 32) {
        w[t] = in[t]; // [ow]
        if (t == 0) arrive(&loaded);
    } else {
        wait(&loaded, 0);
        out[t] = w[63 - t]; // [or]
    }
}

//: all_lanes_arrive --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void all_lanes_arrive(const int *in, int *out) {
    __shared__ int w[32];
    __shared__ mbarrier loaded;
    int t = threadIdx.x;
    if (t == 0) init(&loaded, 32);
    __syncthreads();
    if (t < 32) {
        w[t] = in[t];
        arrive(&loaded);
    } else {
        wait(&loaded, 0);
        out[t] = w[63 - t];
    }
}

// The same, mended by a barrier of the warp in front of the one arrival.
//: warp_then_one_arrives --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void warp_then_one_arrives(const int *in, int *out) {
    __shared__ int w[32];
    __shared__ mbarrier loaded;
    int t = threadIdx.x;
    if (t == 0) init(&loaded, 1);
    __syncthreads();
    if (t < 32) {
        w[t] = in[t];
        __syncwarp();
        if (t == 0) arrive(&loaded);
    } else {
        wait(&loaded, 0);
        out[t] = w[63 - t];
    }
}

// tilelang #2566: the count is that of all threads of a warpgroup, but one of each warp arrives: the phase never ends.
//: count_too_high --arch sm_90a --block 160 --arg 's32[160]=iota' --arg 's32[160]' => async.mbarrier cw
extern "C" __global__ void count_too_high(const int *in, int *out) {
    __shared__ int w[4];
    __shared__ mbarrier ready;
    int t = threadIdx.x;
    if (t == 0) init(&ready, 128);
    __syncthreads();
    if (t < 128) {
        if (t % 32 == 0) {
            w[t / 32] = in[t];
            arrive(&ready);
        }
    } else {
        wait(&ready, 0); // [cw]
        out[t] = w[t % 4];
    }
}

//: count_of_warps --arch sm_90a --block 160 --arg 's32[160]=iota' --arg 's32[160]' => nothing
extern "C" __global__ void count_of_warps(const int *in, int *out) {
    __shared__ int w[4];
    __shared__ mbarrier ready;
    int t = threadIdx.x;
    if (t == 0) init(&ready, 4);
    __syncthreads();
    if (t < 128) {
        if (t % 32 == 0) {
            w[t / 32] = in[t];
            arrive(&ready);
        }
    } else {
        wait(&ready, 0);
        out[t] = w[t % 4];
    }
}

// vllm #26026 has it the other way round: more threads arrive than the phase expects, so that it ends before all of them
// have written.
//: count_too_low --arch sm_90a --block 96 --arg 's32[96]=iota' --arg 's32[96]' => race.shared lw lr
extern "C" __global__ void count_too_low(const int *in, int *out) {
    __shared__ int w[64];
    __shared__ mbarrier ready;
    int t = threadIdx.x;
    if (t == 0) init(&ready, 48);
    __syncthreads();
    if (t < 64) {
        w[t] = in[t]; // [lw]
        arrive(&ready);
    } else {
        wait(&ready, 0);
        out[t] = w[t - 64] + w[t - 32]; // [lr]
    }
}

//: count_of_all --arch sm_90a --block 96 --arg 's32[96]=iota' --arg 's32[96]' => nothing
extern "C" __global__ void count_of_all(const int *in, int *out) {
    __shared__ int w[64];
    __shared__ mbarrier ready;
    int t = threadIdx.x;
    if (t == 0) init(&ready, 64);
    __syncthreads();
    if (t < 64) {
        w[t] = in[t];
        arrive(&ready);
    } else {
        wait(&ready, 0);
        out[t] = w[t - 64] + w[t - 32];
    }
}

// The bytes that are announced are those of both operands, and only one is copied (as where a tile at the edge is left
// out): the phase never ends.
//: too_many_bytes --arch sm_90a --block 32 --arg 's32[32]=iota' --arg 's32[32]' => async.mbarrier bw
extern "C" __global__ void too_many_bytes(const int *in, int *out) {
    __shared__ __align__(128) int a[32], b[32];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    b[t] = 0;
    if (t == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncwarp();
    if (t == 0) {
        expect(&full, sizeof a + sizeof b);
        load(a, in, sizeof a, &full);
    }
    wait(&full, 0); // [bw]
    out[t] = a[31 - t] + b[t];
}

//: right_bytes --arch sm_90a --block 32 --arg 's32[32]=iota' --arg 's32[32]' => nothing
extern "C" __global__ void right_bytes(const int *in, int *out) {
    __shared__ __align__(128) int a[32], b[32];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    b[t] = 0;
    if (t == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncwarp();
    if (t == 0) {
        expect(&full, sizeof a);
        load(a, in, sizeof a, &full);
    }
    wait(&full, 0);
    out[t] = a[31 - t] + b[t];
}

// tilelang #2927: the parity is that of the loop, but each mbarrier is used for the first time: every second wait is
// over before it begins.
//: parity_of_loop --schedule reverse --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.shared pc pr, async.unfinished pc
extern "C" __global__ void parity_of_loop(const int *in, int *out) {
    __shared__ __align__(128) int s[4][32];
    __shared__ mbarrier full[4];
    int t = threadIdx.x;
    if (t == 0) {
        for (int k = 0; k < 4; k++) init(&full[k], 1);
        fence_init();
    }
    __syncwarp();
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        if (t == 0) {
            expect(&full[k], 128);
            load(s[k], in + 32 * k, 128, &full[k]); // [pc]
        }
        wait(&full[k], k & 1);
        out[32 * k + t] = s[k][31 - t]; // [pr]
    }
}

//: parity_of_barrier --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void parity_of_barrier(const int *in, int *out) {
    __shared__ __align__(128) int s[4][32];
    __shared__ mbarrier full[4];
    int t = threadIdx.x;
    if (t == 0) {
        for (int k = 0; k < 4; k++) init(&full[k], 1);
        fence_init();
    }
    __syncwarp();
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        if (t == 0) {
            expect(&full[k], 128);
            load(s[k], in + 32 * k, 128, &full[k]);
        }
        wait(&full[k], 0);
        out[32 * k + t] = s[k][31 - t];
    }
}

// TransformerEngine #3417: nothing is between the initialisation and the other threads' waits.
//: init_no_barrier --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => async.mbarrier nw ni
extern "C" __global__ void init_no_barrier(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1); // [ni]
        fence_init();
        expect(&full, sizeof s);
        load(s, in, sizeof s, &full);
    }
    __syncwarp();
    wait(&full, 0); // [nw]
    out[t] = s[63 - t];
}

//: init_barrier --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void init_barrier(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        fence_init();
        expect(&full, sizeof s);
        load(s, in, sizeof s, &full);
    }
    __syncthreads();
    wait(&full, 0);
    out[t] = s[63 - t];
}

// TransformerEngine #3417: the mbarrier is made invalid while other warps may still look at it.
//: invalid_too_early --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => async.mbarrier vw vi
extern "C" __global__ void invalid_too_early(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        fence_init();
        expect(&full, sizeof s);
        load(s, in, sizeof s, &full);
    }
    __syncthreads();
    if (t < 32) {
        wait(&full, 0);
        __syncwarp();
    }
    if (t == 0) invalidate(&full); // [vi]
    if (t >= 32) wait(&full, 0); // [vw]
    out[t] = s[63 - t];
}

//: invalid_in_time --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void invalid_in_time(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        fence_init();
        expect(&full, sizeof s);
        load(s, in, sizeof s, &full);
    }
    __syncthreads();
    wait(&full, 0);
    __syncthreads();
    if (t == 0) invalidate(&full);
    out[t] = s[63 - t];
}

// Work of a persistent kernel: the mbarrier is initialised anew for every tile, with a copy of the last one under way.
//: init_again --arch sm_90a --block 32 --arg 's32[64]=iota' --arg 's32[64]' => async.mbarrier an
extern "C" __global__ void init_again(const int *in, int *out) {
    __shared__ __align__(128) int s[2][32];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            init(&full, 2); // [an]
            fence_init();
            expect(&full, 128);
            load(s[k], in + 32 * k, 128, &full);
        }
        __syncwarp();
    }
    if (t == 0) arrive(&full);
    wait(&full, 0);
    out[t] = s[1][31 - t];
}

//: init_once --arch sm_90a --block 32 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void init_once(const int *in, int *out) {
    __shared__ __align__(128) int s[2][32];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncwarp();
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            expect(&full, 128);
            load(s[k], in + 32 * k, 128, &full);
        }
        wait(&full, k);
    }
    out[t] = s[1][31 - t];
}

// The bytes are announced and awaited before the copy that brings them is started: the wait never ends.
//: copy_behind_wait --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => async.mbarrier kw kw, async.mbarrier kv kv
extern "C" __global__ void copy_behind_wait(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncthreads();
    if (t == 0) {
        expect(&full, sizeof s);
        wait(&full, 0); // [kw]
        load(s, in, sizeof s, &full);
    }
    wait(&full, 0); // [kv]
    out[t] = s[63 - t];
}

//: copy_before_wait --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void copy_before_wait(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncthreads();
    if (t == 0) {
        expect(&full, sizeof s);
        load(s, in, sizeof s, &full);
        wait(&full, 0);
    }
    wait(&full, 0);
    out[t] = s[63 - t];
}
