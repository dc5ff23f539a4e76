// Products of matrix units whose operands come by tensor copies, over rings of stages, of any number of rounds: the shapes of
// CUTLASS's main loops (sm90_mma_tma_gmma_ss_warpspecialized: a warp that copies, one group of warps or two that multiply, a
// thread of each gives the stage before back) and of Triton's (one group that does both). Each right, and wrong.
//: verify specialised --arch sm_90a --block 160 --grid 1 => proved
//: verify cooperative --arch sm_90a --block 288 --grid 1 => proved
//: verify specialised_too_early --arch sm_90a --block 160 --grid 1 => refuted
//: verify broadcast_descriptors --arch sm_90a --block 160 --grid 1 => proved
//: verify broadcast_too_early --arch sm_90a --block 160 --grid 1 => refuted
//: verify first_product --arch sm_90a --block 160 --grid 1 => proved
//: verify first_product_too_early first_product_not_awaited --arch sm_90a --block 160 --grid 1 => refuted
//: verify tiles_of_products --arch sm_90a --block 160 --grid 2 => proved
//: verify tiles_of_two_groups --arch sm_90a --block 288 --grid 2 => proved
//: verify tiles_too_early --arch sm_90a --block 160 --grid 1 => refuted
//: verify pipelined_products --arch sm_90a --block 128 --grid 1 => proved
//: verify pipelined_products_no_wait --arch sm_90a --block 128 --grid 1 => refuted
#include "async.h"

typedef unsigned short bf16;
struct alignas(128) tensor_map {
    unsigned long long word[16];
};
enum { STAGES = 3 };

// start, leading and stride byte offsets of a tile without a swizzle, in units of 16 bytes
#define DESCRIPTOR(tile)                                                                                               \
    ((unsigned long long)((AT(tile) & 0x3ffff) >> 4) | (unsigned long long)(128 >> 4) << 16 |                          \
     (unsigned long long)(256 >> 4) << 32)
#define MMA_FENCE()  PTX("wgmma.fence.sync.aligned")
#define MMA_COMMIT() PTX("wgmma.commit_group.sync.aligned")
#define MMA_WAIT(n)  PTX("wgmma.wait_group.sync.aligned " #n)
#define MMA(a, b)                                                                                                      \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"        \
                 : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)                                                              \
                 : "l"(DESCRIPTOR(a)), "l"(DESCRIPTOR(b))                                                              \
                 : "memory")
#define LOAD_BOX(to, map, x, y, b)                                                                                     \
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "             \
                 "[%1, {%2, %3}], [%4];" ::"r"(AT(to)),                                                                \
                 "l"(map), "r"(x), "r"(y), "r"(AT(b))                                                                  \
                 : "memory")

// Where a map lies that is a parameter by value: not all compilers leave it there (__grid_constant__).
#define MAP(to, kernel, n)                                                                                             \
    unsigned long long to;                                                                                             \
    asm("{ .reg .b64 p; mov.b64 p, " #kernel "_param_" #n "; cvta.param.u64 %0, p; }" : "=l"(to))

#define BEGIN(kernel, consumers)                                                                                               \
    __shared__ __align__(128) bf16 as[STAGES][64 * 16];                                                                \
    __shared__ __align__(128) bf16 bs[STAGES][16 * 8];                                                                 \
    __shared__ mbarrier full[STAGES], empty[STAGES];                                                                   \
    MAP(a, kernel, 0);                                                                                                 \
    MAP(b, kernel, 1);                                                                                                 \
    int t = threadIdx.x;                                                                                               \
    if (t == 0) {                                                                                                      \
        for (int k = 0; k < STAGES; k++) {                                                                             \
            init(&full[k], 1);                                                                                         \
            init(&empty[k], consumers);                                                                                \
        }                                                                                                              \
        fence_init();                                                                                                  \
    }                                                                                                                  \
    __syncthreads();                                                                                                   \
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0

// The bits of a thread's four sums, which are not to be looked at before the wait in front of this: without the empty
// instruction the compiler computes with them before it (in CUTLASS: warpgroup_fence_operand).
#define SUMS_HERE() asm volatile("" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)::"memory")
#define SUMS (__float_as_int(d0) + 3 * __float_as_int(d1) + 5 * __float_as_int(d2) + 7 * __float_as_int(d3))

#define COPY(stage, round)                                                                                             \
    expect(&full[stage], sizeof as[0] + sizeof bs[0]);                                                                 \
    LOAD_BOX(as[stage], a, 16 * (round), 0, &full[stage]);                                                            \
    LOAD_BOX(bs[stage], b, 16 * (round), 0, &full[stage])

// What copies: one thread, which waits for a stage to be free.
#define PRODUCE(one)                                                                                                   \
    if (t == (one)) {                                                                                                  \
        int stage = 0, phase = 1;                                                                                      \
        for (int k = 0; k < n; k++) {                                                                                  \
            wait(&empty[stage], phase);                                                                                \
            COPY(stage, k);                                                                                            \
            if (++stage == STAGES) stage = 0, phase ^= 1;                                                              \
        }                                                                                                              \
    }

//: specialised --arch sm_90a --block 160 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[512]' --arg 7 => nothing
extern "C" __global__ void specialised(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(specialised, 1);
    if (t >= 128) {
        PRODUCE(128);
        return;
    }
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        wait(&full[k % STAGES], k / STAGES & 1);
        MMA_FENCE();
        MMA(as[k % STAGES], bs[k % STAGES]);
        MMA_COMMIT();
        MMA_WAIT(1);
        if (k > 0 && t == 0) arrive(&empty[(k - 1) % STAGES]);
    }
    MMA_WAIT(0);
    SUMS_HERE();
    out[t] = SUMS;
}

// The low half of a descriptor, which names the start, is given to all lanes by the first one, and the halves are put together
// for each product, as in DeepGEMM.
#define LOW(tile) __shfl_sync(~0u, (AT(tile) & 0x3ffff) >> 4 | (128 >> 4) << 16, 0)
#define MMA_AT(a, b)                                                                                                   \
    asm volatile("{ .reg .b64 a, b; mov.b64 a, {%4, %6}; mov.b64 b, {%5, %6};"                                         \
                 " wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, a, b, 1, 1, 1, 0, 0; }"       \
                 : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)                                                              \
                 : "r"(a), "r"(b), "r"(256 >> 4)                                                                       \
                 : "memory")

//: broadcast_descriptors --arch sm_90a --block 160 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[512]' --arg 7 => nothing
extern "C" __global__ void broadcast_descriptors(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(broadcast_descriptors, 1);
    if (t >= 128) {
        PRODUCE(128);
        return;
    }
    const unsigned a_low = LOW(as[0]), b_low = LOW(bs[0]);
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        wait(&full[k % STAGES], k / STAGES & 1);
        MMA_FENCE();
        MMA_AT(a_low + k % STAGES * unsigned(sizeof as[0] >> 4), b_low + k % STAGES * unsigned(sizeof bs[0] >> 4));
        MMA_COMMIT();
        MMA_WAIT(1);
        if (k > 0 && t == 0) arrive(&empty[(k - 1) % STAGES]);
    }
    MMA_WAIT(0);
    SUMS_HERE();
    out[t] = SUMS;
}

//: broadcast_too_early --arch sm_90a --block 160 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[512]' --arg 7 => race.shared bp bm
extern "C" __global__ void broadcast_too_early(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(broadcast_too_early, 1);
    if (t >= 128) {
        PRODUCE(128); // [bp]
        return;
    }
    const unsigned a_low = LOW(as[0]), b_low = LOW(bs[0]);
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        wait(&full[k % STAGES], k / STAGES & 1);
        MMA_FENCE();
        MMA_AT(a_low + k % STAGES * unsigned(sizeof as[0] >> 4), b_low + k % STAGES * unsigned(sizeof bs[0] >> 4)); // [bm]
        MMA_COMMIT();
        MMA_WAIT(1);
        if (t == 0) arrive(&empty[k % STAGES]);
    }
    MMA_WAIT(0);
    SUMS_HERE();
    out[t] = SUMS;
}

// The first product stands in front of the loop.
//: first_product --arch sm_90a --block 160 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[512]' --arg 7 => nothing
extern "C" __global__ void first_product(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(first_product, 1);
    if (n < 1) return;
    if (t >= 128) {
        PRODUCE(128);
        return;
    }
    wait(&full[0], 0);
    MMA_FENCE();
    MMA(as[0], bs[0]);
    MMA_COMMIT();
#pragma unroll 1
    for (int k = 1; k < n; k++) {
        wait(&full[k % STAGES], k / STAGES & 1);
        MMA_FENCE();
        MMA(as[k % STAGES], bs[k % STAGES]);
        MMA_COMMIT();
        MMA_WAIT(1);
        if (t == 0) arrive(&empty[(k - 1) % STAGES]);
    }
    MMA_WAIT(0);
    SUMS_HERE();
    out[t] = SUMS;
}

// Two products may still be under way where the stage of the first of them is given back.
//: first_product_too_early --arch sm_90a --block 160 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[512]' --arg 7 => race.shared fp fa, race.shared fp fb
extern "C" __global__ void first_product_too_early(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(first_product_too_early, 1);
    if (n < 1) return;
    if (t >= 128) {
        PRODUCE(128); // [fp]
        return;
    }
    wait(&full[0], 0);
    MMA_FENCE();
    MMA(as[0], bs[0]); // [fa]
    MMA_COMMIT();
#pragma unroll 1
    for (int k = 1; k < n; k++) {
        wait(&full[k % STAGES], k / STAGES & 1);
        MMA_FENCE();
        MMA(as[k % STAGES], bs[k % STAGES]); // [fb]
        MMA_COMMIT();
        MMA_WAIT(2);
        if (t == 0) arrive(&empty[(k - 1) % STAGES]);
    }
    MMA_WAIT(0);
    SUMS_HERE();
    out[t] = SUMS;
}

// The first stage is read before it is filled.
//: first_product_not_awaited --arch sm_90a --block 160 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[512]' --arg 7 => race.shared gp ga, race.shared gp gp
extern "C" __global__ void first_product_not_awaited(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(first_product_not_awaited, 1);
    if (n < 1) return;
    if (t >= 128) {
        PRODUCE(128); // [gp]
        return;
    }
    MMA_FENCE();
    MMA(as[0], bs[0]); // [ga]
    MMA_COMMIT();
#pragma unroll 1
    for (int k = 1; k < n; k++) {
        wait(&full[k % STAGES], k / STAGES & 1);
        MMA_FENCE();
        MMA(as[k % STAGES], bs[k % STAGES]);
        MMA_COMMIT();
        MMA_WAIT(1);
        if (t == 0) arrive(&empty[(k - 1) % STAGES]);
    }
    MMA_WAIT(0);
    SUMS_HERE();
    out[t] = SUMS;
}

// The stage is given back with its product still under way (cutlass #2162).
//: specialised_too_early --arch sm_90a --block 160 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[512]' --arg 7 => race.shared ea em, race.shared eb em
extern "C" __global__ void specialised_too_early(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(specialised_too_early, 1);
    if (t >= 128) {
        if (t == 128)
#pragma unroll 1
            for (int k = 0; k < n; k++) {
                wait(&empty[k % STAGES], (k / STAGES & 1) ^ 1);
                expect(&full[k % STAGES], sizeof as[0] + sizeof bs[0]);
                LOAD_BOX(as[k % STAGES], a, 16 * k, 0, &full[k % STAGES]); // [ea]
                LOAD_BOX(bs[k % STAGES], b, 16 * k, 0, &full[k % STAGES]); // [eb]
            }
        return;
    }
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        wait(&full[k % STAGES], k / STAGES & 1);
        MMA_FENCE();
        MMA(as[k % STAGES], bs[k % STAGES]); // [em]
        MMA_COMMIT();
        MMA_WAIT(1);
        if (t == 0) arrive(&empty[k % STAGES]);
    }
    MMA_WAIT(0);
    SUMS_HERE();
    out[t] = SUMS;
}

// Two groups of warps multiply what is in a stage; a thread of each says that it is done with it.
//: cooperative --arch sm_90a --block 288 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[512]' --arg 7 => nothing
extern "C" __global__ void cooperative(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(cooperative, 2);
    if (t >= 256) {
        PRODUCE(256);
        return;
    }
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        wait(&full[k % STAGES], k / STAGES & 1);
        MMA_FENCE();
        MMA(as[k % STAGES], bs[k % STAGES]);
        MMA_COMMIT();
        MMA_WAIT(0);
        if (t % 128 == 0) arrive(&empty[k % STAGES]);
    }
    SUMS_HERE();
    out[t] = SUMS;
}

// One group that copies and multiplies: the copy for a stage comes behind the barrier that all have come to with their
// product of the round before over.
//: pipelined_products --arch sm_90a --block 128 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[512]' --arg 7 => nothing
extern "C" __global__ void pipelined_products(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(pipelined_products, 1);
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        if (t == 0) {
            COPY(k % STAGES, k);
        }
        wait(&full[k % STAGES], k / STAGES & 1);
        MMA_FENCE();
        MMA(as[k % STAGES], bs[k % STAGES]);
        MMA_COMMIT();
        MMA_WAIT(1);
        __syncthreads();
    }
    MMA_WAIT(0);
    SUMS_HERE();
    out[t] = SUMS;
}

// Nobody waits for the products of the rounds before: after three of them their stage is copied over.
//: pipelined_products_no_wait --arch sm_90a --block 128 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[512]' --arg 7 => race.shared na nm, race.shared nb nm
extern "C" __global__ void pipelined_products_no_wait(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(pipelined_products_no_wait, 1);
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        if (t == 0) {
            expect(&full[k % STAGES], sizeof as[0] + sizeof bs[0]);
            LOAD_BOX(as[k % STAGES], a, 16 * k, 0, &full[k % STAGES]); // [na]
            LOAD_BOX(bs[k % STAGES], b, 16 * k, 0, &full[k % STAGES]); // [nb]
        }
        wait(&full[k % STAGES], k / STAGES & 1);
        MMA_FENCE();
        MMA(as[k % STAGES], bs[k % STAGES]); // [nm]
        MMA_COMMIT();
        __syncthreads();
    }
    MMA_WAIT(0);
    SUMS_HERE();
    out[t] = SUMS;
}

// Blocks that go from tile to tile, as in DeepGEMM: the ring goes on through the tiles, each product is waited for before its
// stage is given back, and each group of warps gives it back with one thread.
#define NEXT(stage, phase)                                                                                             \
    stage = stage == STAGES - 1 ? 0 : stage + 1;                                                                       \
    phase ^= stage == 0
#define PRODUCE_TILES(one, at)                                                                                         \
    if (t == (one)) {                                                                                                  \
        int stage = 0, phase = 1;                                                                                      \
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {                                                 \
            for (int k = 0; k < n; k++) {                                                                              \
                wait(&empty[stage], phase);                                                                            \
                COPY(stage, at);                                                                                       \
                NEXT(stage, phase);                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }
#define SUM_TILES(free)                                                                                                \
    int stage = 0, phase = 0;                                                                                          \
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {                                                     \
        d0 = d1 = d2 = d3 = 0;                                                                                         \
        for (int k = 0; k < n; k++) {                                                                                  \
            wait(&full[stage], phase);                                                                                 \
            MMA_FENCE();                                                                                               \
            MMA(as[stage], bs[stage]);                                                                                 \
            MMA_COMMIT();                                                                                              \
            free;                                                                                                      \
            NEXT(stage, phase);                                                                                        \
        }                                                                                                              \
        SUMS_HERE();                                                                                                   \
        out[256 * tile + t] = SUMS;                                                                                    \
    }

//: tiles_of_products --arch sm_90a --grid 2 --block 160 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[1024]' --arg 4 --arg 2 => nothing
extern "C" __global__ void tiles_of_products(const tensor_map, const tensor_map, int *out, int tiles, int n) {
    BEGIN(tiles_of_products, 1);
    if (t >= 128) {
        PRODUCE_TILES(128, tile * n + k);
        return;
    }
    SUM_TILES(MMA_WAIT(0); if (t == 0) arrive(&empty[stage]));
}

// Two groups of warps with one tile, and a stage is free when both have given it back.
//: tiles_of_two_groups --arch sm_90a --grid 2 --block 288 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[1024]' --arg 4 --arg 2 => nothing
extern "C" __global__ void tiles_of_two_groups(const tensor_map, const tensor_map, int *out, int tiles, int n) {
    BEGIN(tiles_of_two_groups, 2);
    if (t >= 256) {
        PRODUCE_TILES(256, tile * n + k);
        return;
    }
    SUM_TILES(MMA_WAIT(0); if (t % 128 == 0) arrive(&empty[stage]));
}

// The stage is given back before its product is over.
//: tiles_too_early --arch sm_90a --grid 1 --block 160 --arg 'tensor:bf16[128,64]box[16,64]=iota' --arg 'tensor:bf16[128,8]box[16,8]=iota' --arg 's32[1024]' --arg 4 --arg 2 => async.registers tm tm, race.shared tp tm
extern "C" __global__ void tiles_too_early(const tensor_map, const tensor_map, int *out, int tiles, int n) {
    BEGIN(tiles_too_early, 1);
    if (t >= 128) {
        PRODUCE_TILES(128, tile * n + k); // [tp]
        return;
    }
    SUM_TILES(if (t == 0) arrive(&empty[stage])); // [tm]
    MMA_WAIT(0);
}
