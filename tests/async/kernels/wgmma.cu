// Matrix units read shared memory long after the instruction, by the asynchronous proxy, until wgmma.wait_group says that
// they are done. Each kernel as it was reported, and mended. A and B are tiles of 64 × 16 and 16 × 8 elements (bf16) of
// core matrices without a swizzle; every product is with ones, so that the results are small whole numbers.
//: verify mma_no_fence mma_not_waited --arch sm_90a --block 128 --grid 1 => refuted
//: verify mma_fence mma_waited --arch sm_90a --block 128 --grid 1 => proved
//: verify stage_released_too_early --arch sm_90a --block 160 --grid 1 => refuted
//: verify stage_released_in_time --arch sm_90a --block 160 --grid 1 => proved
#include "async.h"

typedef unsigned short bf16;

// start, leading and stride byte offsets of a tile without a swizzle, in units of 16 bytes
#define DESCRIPTOR(tile, leading, stride)                                                                              \
    ((unsigned long long)((AT(tile) & 0x3ffff) >> 4) | (unsigned long long)(leading) << 12 |                           \
     (unsigned long long)(stride) << 28)
#define MMA_FENCE()  PTX("wgmma.fence.sync.aligned")
#define MMA_COMMIT() PTX("wgmma.commit_group.sync.aligned")
#define MMA_WAIT(n)  PTX("wgmma.wait_group.sync.aligned " #n)
#define MMA(d, a, b)                                                                                                   \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"        \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                      \
                 : "l"(DESCRIPTOR(a, 128, 256)), "l"(DESCRIPTOR(b, 128, 256))                                          \
                 : "memory")

static __device__ __forceinline__ bf16 small(int n) { // a whole number below 256, exactly
    return (bf16)(__float_as_uint((float)n) >> 16);
}

// tilelang #2634: the operands are written by ordinary stores, and the matrix unit need not see them.
//: mma_no_fence --arch sm_90a --block 128 --arg 's32[1024]=iota' --arg 's32[512]' => async.proxy aw am, async.proxy bw am
extern "C" __global__ void mma_no_fence(const int *in, int *out) {
    __shared__ __align__(128) bf16 a[64 * 16];
    __shared__ __align__(128) bf16 b[16 * 8];
    int t = threadIdx.x;
    for (int k = t; k < 1024; k += 128) a[k] = small((in[k] * 7 >> 3) & 15); // [aw]
    b[t] = small(1); // [bw]
    __syncthreads();
    float d[4] = {0, 0, 0, 0};
    MMA_FENCE();
    MMA(d, a, b); // [am]
    MMA_COMMIT();
    MMA_WAIT(0);
    for (int k = 0; k < 4; k++) out[4 * t + k] = (int)d[k];
}

//: mma_fence --arch sm_90a --block 128 --arg 's32[1024]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void mma_fence(const int *in, int *out) {
    __shared__ __align__(128) bf16 a[64 * 16];
    __shared__ __align__(128) bf16 b[16 * 8];
    int t = threadIdx.x;
    for (int k = t; k < 1024; k += 128) a[k] = small((in[k] * 7 >> 3) & 15);
    b[t] = small(1);
    fence_proxy();
    __syncthreads();
    float d[4] = {0, 0, 0, 0};
    MMA_FENCE();
    MMA(d, a, b);
    MMA_COMMIT();
    MMA_WAIT(0);
    for (int k = 0; k < 4; k++) out[4 * t + k] = (int)d[k];
}

// The next tile is written while the product of the last one may still be under way: it was committed, but not waited
// for.
//: mma_not_waited --arch sm_90a --block 128 --arg 's32[1024]=iota' --arg 's32[512]' => race.shared nw nm
extern "C" __global__ void mma_not_waited(const int *in, int *out) {
    __shared__ __align__(128) bf16 a[64 * 16];
    __shared__ __align__(128) bf16 b[16 * 8];
    int t = threadIdx.x;
    float d[4] = {0, 0, 0, 0};
    b[t] = small(1);
#pragma unroll 1
    for (int n = 0; n < 2; n++) {
        for (int k = t; k < 1024; k += 128) a[k] = small(((in[k] + n) * 7 >> 3) & 15); // [nw]
        fence_proxy();
        __syncthreads();
        MMA_FENCE();
        MMA(d, a, b); // [nm]
        MMA_COMMIT();
        MMA_WAIT(1);
        __syncthreads();
    }
    MMA_WAIT(0);
    for (int k = 0; k < 4; k++) out[4 * t + k] = (int)d[k];
}

//: mma_waited --arch sm_90a --block 128 --arg 's32[1024]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void mma_waited(const int *in, int *out) {
    __shared__ __align__(128) bf16 a[64 * 16];
    __shared__ __align__(128) bf16 b[16 * 8];
    int t = threadIdx.x;
    float d[4] = {0, 0, 0, 0};
    b[t] = small(1);
#pragma unroll 1
    for (int n = 0; n < 2; n++) {
        for (int k = t; k < 1024; k += 128) a[k] = small(((in[k] + n) * 7 >> 3) & 15);
        fence_proxy();
        __syncthreads();
        MMA_FENCE();
        MMA(d, a, b);
        MMA_COMMIT();
        MMA_WAIT(0);
        __syncthreads();
    }
    for (int k = 0; k < 4; k++) out[4 * t + k] = (int)d[k];
}

// The shape of a warp-specialised main loop (CUTLASS's sm90_mma_tma_gmma_ss): the consumers give the stage back one product
// too early, with that product still under way.
//: stage_released_too_early --arch sm_90a --block 160 --arg 's32[4096]=iota' --arg 's32[512]' => race.shared sl sm
extern "C" __global__ void stage_released_too_early(const int *in, int *out) {
    __shared__ __align__(128) bf16 a[2][64 * 16];
    __shared__ __align__(128) bf16 b[16 * 8];
    __shared__ mbarrier full[2], empty[2];
    int t = threadIdx.x;
    if (t < 128) b[t] = small(1);
    if (t == 0) {
        for (int k = 0; k < 2; k++) {
            init(&full[k], 1);
            init(&empty[k], 128);
        }
        fence_init();
    }
    fence_proxy();
    __syncthreads();
    if (t >= 128) {
#pragma unroll 1
        for (int k = 0; k < 6 && t == 128; k++) {
            if (k >= 2) wait(&empty[k & 1], (k / 2 - 1) & 1);
            expect(&full[k & 1], 2048);
            load(a[k & 1], in + 512 * k, 2048, &full[k & 1]); // [sl]
        }
        return;
    }
    float d[4] = {0, 0, 0, 0};
#pragma unroll 1
    for (int k = 0; k < 6; k++) {
        wait(&full[k & 1], k >> 1 & 1);
        MMA_FENCE();
        MMA(d, a[k & 1], b); // [sm]
        MMA_COMMIT();
        MMA_WAIT(1);
        arrive(&empty[k & 1]);
    }
    MMA_WAIT(0);
    for (int k = 0; k < 4; k++) out[4 * t + k] = d[k] == d[k];
}

//: stage_released_in_time --arch sm_90a --block 160 --arg 's32[4096]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void stage_released_in_time(const int *in, int *out) {
    __shared__ __align__(128) bf16 a[2][64 * 16];
    __shared__ __align__(128) bf16 b[16 * 8];
    __shared__ mbarrier full[2], empty[2];
    int t = threadIdx.x;
    if (t < 128) b[t] = small(1);
    if (t == 0) {
        for (int k = 0; k < 2; k++) {
            init(&full[k], 1);
            init(&empty[k], 128);
        }
        fence_init();
    }
    fence_proxy();
    __syncthreads();
    if (t >= 128) {
#pragma unroll 1
        for (int k = 0; k < 6 && t == 128; k++) {
            if (k >= 2) wait(&empty[k & 1], (k / 2 - 1) & 1);
            expect(&full[k & 1], 2048);
            load(a[k & 1], in + 512 * k, 2048, &full[k & 1]);
        }
        return;
    }
    float d[4] = {0, 0, 0, 0};
#pragma unroll 1
    for (int k = 0; k < 6; k++) {
        wait(&full[k & 1], k >> 1 & 1);
        MMA_FENCE();
        MMA(d, a[k & 1], b);
        MMA_COMMIT();
        MMA_WAIT(1);
        if (k > 0) arrive(&empty[(k - 1) & 1]);
    }
    MMA_WAIT(0);
    for (int k = 0; k < 4; k++) out[4 * t + k] = d[k] == d[k];
}

// The registers with the sums belong to the unit until their group was waited for (more in registers.cu).
#define RESULTS_BEGIN                                                                                                  \
    __shared__ __align__(128) bf16 a[64 * 16];                                                                         \
    __shared__ __align__(128) bf16 b[16 * 8];                                                                          \
    int t = threadIdx.x;                                                                                               \
    float d[4] = {0, 0, 0, 0}, e[4] = {0, 0, 0, 0};                                                                    \
    for (int k = t; k < 1024; k += 128) a[k] = small((in[k] * 7 >> 3) & 15);                                           \
    b[t] = small(1);                                                                                                   \
    fence_proxy();                                                                                                     \
    __syncthreads();                                                                                                   \
    MMA_FENCE()

//: verify sums_read_early sums_of_open_group sums_read_in_loop --arch sm_90a --block 128 --grid 1 => refuted
//: verify sums_read_in_time sums_of_closed_group sums_read_behind_loop --arch sm_90a --block 128 --grid 1 => proved
//: sums_read_early --arch sm_90a --block 128 --arg 's32[1024]=iota' --arg 's32[512]' => async.registers xp xr
extern "C" __global__ void sums_read_early(const int *in, int *out) {
    RESULTS_BEGIN;
    MMA(d, a, b); // [xp]
    MMA_COMMIT();
    for (int k = 0; k < 4; k++) out[4 * t + k] = (int)(d[k] + e[k]); // [xr]
    MMA_WAIT(0);
}

//: sums_read_in_time --arch sm_90a --block 128 --arg 's32[1024]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void sums_read_in_time(const int *in, int *out) {
    RESULTS_BEGIN;
    MMA(d, a, b);
    MMA_COMMIT();
    MMA_WAIT(0);
    for (int k = 0; k < 4; k++) out[4 * t + k] = (int)(d[k] + e[k]);
}

// Of two groups the second may be open still.
//: sums_of_open_group --arch sm_90a --block 128 --arg 's32[1024]=iota' --arg 's32[512]' => async.registers yp yr
extern "C" __global__ void sums_of_open_group(const int *in, int *out) {
    RESULTS_BEGIN;
    MMA(d, a, b);
    MMA_COMMIT();
    MMA(e, a, b); // [yp]
    MMA_COMMIT();
    MMA_WAIT(1);
    for (int k = 0; k < 4; k++) out[4 * t + k] = (int)e[k]; // [yr]
    MMA_WAIT(0);
}

//: sums_of_closed_group --arch sm_90a --block 128 --arg 's32[1024]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void sums_of_closed_group(const int *in, int *out) {
    RESULTS_BEGIN;
    MMA(d, a, b);
    MMA_COMMIT();
    MMA(e, a, b);
    MMA_COMMIT();
    MMA_WAIT(1);
    for (int k = 0; k < 4; k++) out[4 * t + k] = (int)d[k];
    MMA_WAIT(0);
}

// Products that sum into the same registers need no wait between them; what is read in the loop does.
//: sums_read_behind_loop --arch sm_90a --block 128 --arg 's32[1024]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void sums_read_behind_loop(const int *in, int *out) {
    RESULTS_BEGIN;
#pragma unroll 1
    for (int n = 0; n < 5; n++) {
        MMA(d, a, b);
        MMA_COMMIT();
        MMA_WAIT(1);
    }
    MMA_WAIT(0);
    for (int k = 0; k < 4; k++) out[4 * t + k] = (int)(d[k] + e[k]);
}

//: sums_read_in_loop --arch sm_90a --block 128 --arg 's32[1024]=iota' --arg 's32[512]' => async.registers zp zr
extern "C" __global__ void sums_read_in_loop(const int *in, int *out) {
    RESULTS_BEGIN;
#pragma unroll 1
    for (int n = 0; n < 5; n++) {
        MMA(d, a, b); // [zp]
        MMA_COMMIT();
        MMA_WAIT(1);
        e[0] += d[1]; // [zr]
    }
    MMA_WAIT(0);
    for (int k = 0; k < 4; k++) out[4 * t + k] = (int)(d[k] + e[k]);
}
