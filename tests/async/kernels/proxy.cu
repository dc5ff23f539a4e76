// Proxies: ordinary accesses and those of asynchronous units go different ways to memory, and a barrier alone does not
// join them. Each kernel as it was reported, and mended.
//: verify store_fence empty_sequence_fence init_fence fence_of_all fence_in_time fence_of_everything --arch sm_90a --block 64 --grid 1 => proved
//: verify store_no_fence empty_sequence_no_fence fence_of_one fence_too_early fence_of_global --arch sm_90a --block 64 --grid 1 => refuted
//: verify next_stage_fence --arch sm_90a --block 64 --grid 1 => unknown
//: verify refill_fence --arch sm_90a --block 32 --grid 1 => proved
#include "async.h"

// FlashKDA #24: all threads write a tile, and the bulk store behind the barrier need not see what they wrote.
//: store_no_fence --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => async.proxy nw ns
extern "C" __global__ void store_no_fence(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = 2 * in[t]; // [nw]
    __syncthreads();
    if (t == 0) {
        store(out, s, sizeof s); // [ns]
        commit();
        WAIT(0);
    }
}

//: store_fence --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void store_fence(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = 2 * in[t];
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, s, sizeof s);
        commit();
        WAIT(0);
    }
}

// FlashKDA #24: the state is cleared by ordinary stores, and the only fence is in a loop that an empty sequence does
// not enter.
//: empty_sequence_no_fence --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => async.proxy zw zs
extern "C" __global__ void empty_sequence_no_fence(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = 0; // [zw]
    for (int k = 0; k < in[0]; k++) {
        s[t] += k;
        fence_proxy();
    }
    __syncthreads();
    if (t == 0) {
        store(out, s, sizeof s); // [zs]
        commit();
        WAIT(0);
    }
}

//: empty_sequence_fence --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void empty_sequence_fence(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = 0;
    for (int k = 0; k < in[0]; k++) s[t] += k;
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, s, sizeof s);
        commit();
        WAIT(0);
    }
}

// FlashKDA #24: mbarrier.init is an ordinary write, the copy's count of its bytes is not.
//: init_no_fence --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => async.proxy iw ic
extern "C" __global__ void init_no_fence(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) init(&full, 1); // [iw]
    __syncthreads();
    if (t == 0) {
        expect(&full, sizeof s);
        load(s, in, sizeof s, &full); // [ic]
    }
    wait(&full, 0);
    out[t] = s[63 - t];
}

//: init_fence --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void init_fence(const int *in, int *out) {
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
    }
    wait(&full, 0);
    out[t] = s[63 - t];
}

// DeepEP #642: the tile is read by ordinary loads, and the next copy into it may overtake them.
//: refill_no_fence --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[128]' => async.proxy rr rc
extern "C" __global__ void refill_no_fence(const int *in, int *out) {
    __shared__ __align__(128) int s[32];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncwarp();
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        if (t == 0) {
            expect(&full, sizeof s);
            load(s, in + 32 * k, sizeof s, &full); // [rc]
        }
        wait(&full, k & 1);
        out[32 * k + t] = s[31 - t]; // [rr]
        __syncwarp();
    }
}

//: refill_fence --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void refill_fence(const int *in, int *out) {
    __shared__ __align__(128) int s[32];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncwarp();
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        if (t == 0) {
            expect(&full, sizeof s);
            load(s, in + 32 * k, sizeof s, &full);
        }
        wait(&full, k & 1);
        out[32 * k + t] = s[31 - t];
        fence_proxy();
        __syncwarp();
    }
}

// TransformerEngine #2695: between the loads of a stage and the copy of the next one into it there is a barrier of the
// block, but no fence.
//: next_stage_no_fence --arch sm_90a --block 64 --arg 's32[512]=iota' --arg 's32[512]' => async.proxy tr tc
extern "C" __global__ void next_stage_no_fence(const int *in, int *out) {
    __shared__ __align__(128) int s[2][64];
    __shared__ mbarrier full[2];
    int t = threadIdx.x;
    if (t == 0) {
        init(&full[0], 1);
        init(&full[1], 1);
        fence_init();
    }
    __syncthreads();
#pragma unroll 1
    for (int k = -1; k < 8; k++) {
        if (t == 0 && k < 7) {
            expect(&full[(k + 1) & 1], 256);
            load(s[(k + 1) & 1], in + 64 * (k + 1), 256, &full[(k + 1) & 1]); // [tc]
        }
        if (k < 0) continue;
        wait(&full[k & 1], k >> 1 & 1);
        out[64 * k + t] = s[k & 1][63 - t]; // [tr]
        __syncthreads();
    }
}

//: next_stage_fence --arch sm_90a --block 64 --arg 's32[512]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void next_stage_fence(const int *in, int *out) {
    __shared__ __align__(128) int s[2][64];
    __shared__ mbarrier full[2];
    int t = threadIdx.x;
    if (t == 0) {
        init(&full[0], 1);
        init(&full[1], 1);
        fence_init();
    }
    __syncthreads();
#pragma unroll 1
    for (int k = -1; k < 8; k++) {
        if (t == 0 && k < 7) {
            expect(&full[(k + 1) & 1], 256);
            load(s[(k + 1) & 1], in + 64 * (k + 1), 256, &full[(k + 1) & 1]);
        }
        if (k < 0) continue;
        wait(&full[k & 1], k >> 1 & 1);
        out[64 * k + t] = s[k & 1][63 - t];
        fence_proxy();
        __syncthreads();
    }
}

// NVIDIA/Fuser #4813, #4814: the fence is where the store is, under its predicate, but in front of the barrier: it covers
// the writes of that one thread.
//: fence_of_one --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => async.proxy fw fs
extern "C" __global__ void fence_of_one(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = 3 * in[t]; // [fw]
    if (t == 0) fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, s, sizeof s); // [fs]
        commit();
        WAIT(0);
    }
}

//: fence_of_all --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void fence_of_all(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = 3 * in[t];
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, s, sizeof s);
        commit();
        WAIT(0);
    }
}

// A fence in front of the writes that it is for, as a compiler pass places it when it takes the wrong statement for the
// last writer (tilelang #2634).
//: fence_too_early --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => async.proxy ew es
extern "C" __global__ void fence_too_early(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    fence_proxy();
    s[t] = in[t] + 1; // [ew]
    __syncthreads();
    if (t == 0) {
        store(out, s, sizeof s); // [es]
        commit();
        WAIT(0);
    }
}

//: fence_in_time --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void fence_in_time(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = in[t] + 1;
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, s, sizeof s);
        commit();
        WAIT(0);
    }
}

// A fence for global memory does nothing for shared memory.
//: fence_of_global --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => async.proxy gw gs
extern "C" __global__ void fence_of_global(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = in[t] + 5; // [gw]
    asm volatile("fence.proxy.async.global;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        store(out, s, sizeof s); // [gs]
        commit();
        WAIT(0);
    }
}

//: fence_of_everything --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void fence_of_everything(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = in[t] + 5;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        store(out, s, sizeof s);
        commit();
        WAIT(0);
    }
}
