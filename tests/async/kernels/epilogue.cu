// Pipelined loops and epilogues as Triton emits them: one thread announces the bytes and an elected lane starts the copy,
// stages count from -1, everybody waits; behind the loop results go out by tensor copies of elected lanes of two warps, and
// all threads commit and wait for groups. Each right, and wrong.
//: verify tiled --arch sm_90a --block 64 --grid 2 => proved
//: verify mbarrier_reused --arch sm_90a --block 64 --grid 1 => proved
//: verify tiled_no_fence --arch sm_90a --block 64 --grid 2 => refuted
//: verify tiled_overwritten --arch sm_90a --block 64 --grid 2 => refuted
//: verify tiled_waited_by_others --arch sm_90a --block 64 --grid 2 => refuted
//: verify tiled_parity --arch sm_90a --block 64 --grid 2 => refuted
//: verify tiled_refilled_early --arch sm_90a --block 64 --grid 1 => refuted
//: verify mbarrier_reused_early --arch sm_90a --block 64 --grid 1 => refuted
//: verify tiles_overwritten --arch sm_90a --block 64 --grid 1 => proved
//: verify stored_in_rounds --arch sm_90a --block 64 --grid 1 => proved
//: verify stored_in_one_box --arch sm_90a --block 64 --grid 1 --no-replay --as-written => unknown
//: verify tiles_not_awaited --arch sm_90a --block 64 --grid 1 => refuted
//: verify stored_in_rounds_early --arch sm_90a --block 64 --grid 1 => refuted
//: verify tiled_same_box --arch sm_90a --block 64 --grid 2 => unknown
#include "async.h"

struct alignas(128) tensor_map {
    unsigned long long word[16];
};
enum { STAGES = 3 };

#define ELECTED(yes)                                                                                                   \
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(yes)::"memory")
#define LOAD_BOX(to, map, x, y, b)                                                                                     \
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "             \
                 "[%1, {%2, %3}], [%4];" ::"r"(AT(to)),                                                                \
                 "l"(map), "r"(x), "r"(y), "r"(AT(b))                                                                  \
                 : "memory")
#define STORE_BOX(map, x, y, from)                                                                                     \
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),        \
                 "r"(x), "r"(y), "r"(AT(from))                                                                         \
                 : "memory")
// Where a map lies that is a parameter by value: not all compilers leave it there (__grid_constant__).
#define MAP(to, kernel, n)                                                                                             \
    unsigned long long to;                                                                                             \
    asm("{ .reg .b64 p; mov.b64 p, " #kernel "_param_" #n "; cvta.param.u64 %0, p; }" : "=l"(to))

#define BEGIN(kernel, fence)                                                                                           \
    __shared__ __align__(128) int tile[STAGES][64];                                                                    \
    __shared__ __align__(128) int result[64];                                                                          \
    __shared__ mbarrier full[STAGES];                                                                                  \
    MAP(a, kernel, 0);                                                                                                 \
    MAP(c, kernel, 1);                                                                                                 \
    int t = threadIdx.x, sum = 0;                                                                                      \
    unsigned yes;                                                                                                      \
    if (t == 0) {                                                                                                      \
        for (int k = 0; k < STAGES; k++) init(&full[k], 1);                                                            \
        fence;                                                                                                         \
    }                                                                                                                  \
    __syncthreads()

// The bytes are thread 0's to announce, the copy is an elected lane's.
#define FILL(on, stage, round)                                                                                         \
    if ((on) && t == 0) expect(&full[stage], sizeof tile[0]);                                                          \
    __syncthreads();                                                                                                   \
    ELECTED(yes);                                                                                                      \
    if ((on) && yes && t < 32) LOAD_BOX(tile[stage], a, 0, round, &full[stage]);                                       \
    __syncthreads()

#define LOOP(before_refill, phase_of_first) ROUNDS(n, before_refill, phase_of_first)
#define ROUNDS(last, before_refill, phase_of_first)                                                                    \
    FILL(n > 0, 0, 0);                                                                                                 \
    FILL(n > 1, 1, 1);                                                                                                 \
    int stage = -1, phase = phase_of_first, next = 1;                                                                  \
    _Pragma("unroll 1") for (int k = 0; k < (last); k++) {                                                             \
        const bool wraps = stage + 1 > STAGES - 1;                                                                     \
        stage = wraps ? 0 : stage + 1;                                                                                 \
        phase ^= wraps;                                                                                                \
        wait(&full[stage], phase);                                                                                     \
        sum += tile[stage][t];                                                                                         \
        before_refill;                                                                                                 \
        next = next + 1 > STAGES - 1 ? 0 : next + 1;                                                                   \
        FILL(k < n - 2, next, k + 2);                                                                                  \
    }

#define GUARD() fence_proxy(), __syncthreads()

// tiled: rows of a tensor are summed up, and the sums are stored by two elected lanes.
#define STORE(at)                                                                                                      \
    ELECTED(yes);                                                                                                      \
    if (yes) STORE_BOX(c, at, (int)blockIdx.x, result + t / 32 * 32);                                                   \
    commit()

//: tiled --arch sm_90a --block 64 --grid 2 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,4]box[32,1]' --arg 's32[64]' --arg 7 => nothing
extern "C" __global__ void tiled(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(tiled, fence_init());
    LOOP(fence_proxy(); __syncthreads(), 0);
    result[t] = sum;
    fence_proxy();
    __syncthreads();
    STORE(t / 32 * 32);
    WAIT_READ(0);
    __syncthreads();
    result[t] = 0;
}

// What ordinary stores have written need not be seen by the copy.
//: tiled_no_fence --arch sm_90a --block 64 --grid 2 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,4]box[32,1]' --arg 's32[64]' --arg 7 => async.proxy fw fs
extern "C" __global__ void tiled_no_fence(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(tiled_no_fence, fence_init());
    LOOP(fence_proxy(); __syncthreads(), 0);
    result[t] = sum; // [fw]
    __syncthreads();
    STORE(t / 32 * 32); // [fs]
    WAIT_READ(0);
}

// The results are written over before the copies have read them.
//: tiled_overwritten --arch sm_90a --block 64 --grid 2 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,4]box[32,1]' --arg 's32[64]' --arg 7 => race.shared os ow
extern "C" __global__ void tiled_overwritten(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(tiled_overwritten, fence_init());
    LOOP(fence_proxy(); __syncthreads(), 0);
    result[t] = sum;
    fence_proxy();
    __syncthreads();
    STORE(t / 32 * 32); // [os]
    __syncthreads();
    result[t] = 0; // [ow]
    WAIT_READ(0);
}

// Groups belong to the thread that commits them: the wait of lanes that have copied nothing is none.
//: tiled_waited_by_others --arch sm_90a --block 64 --grid 2 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,4]box[32,1]' --arg 's32[64]' --arg 7 => race.shared vs vw
extern "C" __global__ void tiled_waited_by_others(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(tiled_waited_by_others, fence_init());
    LOOP(fence_proxy(); __syncthreads(), 0);
    result[t] = sum;
    fence_proxy();
    __syncthreads();
    STORE(t / 32 * 32); // [vs]
    if (!yes) WAIT_READ(0);
    __syncthreads();
    result[t] = 0; // [vw]
    WAIT_READ(0);
}

// Without a barrier in front of the announcement and the copy, other threads may still read the stage.
//: tiled_refilled_early --arch sm_90a --block 64 --grid 2 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,4]box[32,1]' --arg 's32[64]' --arg 7 => async.mbarrier rw rw, async.proxy rl rc, race.shared rl rc
extern "C" __global__ void tiled_refilled_early(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(tiled_refilled_early, fence_init());
    if (n > 0 && t == 0) expect(&full[0], sizeof tile[0]);
    ELECTED(yes);
    if (n > 0 && yes && t < 32) LOAD_BOX(tile[0], a, 0, 0, &full[0]);
    int phase = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        wait(&full[0], phase); // [rw]
        phase ^= 1;
        sum += tile[0][t]; // [rl]
        if (k < n - 1 && t == 0) expect(&full[0], sizeof tile[0]);
        ELECTED(yes);
        if (k < n - 1 && yes && t < 32) LOAD_BOX(tile[0], a, 0, k + 1, &full[0]); // [rc]
    }
    result[t] = sum;
    fence_proxy();
    __syncthreads();
    STORE(t / 32 * 32);
    WAIT_READ(0);
}

// The first phase has the parity 0: a wait for the other one is over at once.
//: tiled_parity --schedule reverse --arch sm_90a --block 64 --grid 2 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,4]box[32,1]' --arg 's32[64]' --arg 7 => async.mbarrier pl pl, race.shared pl pl
extern "C" __global__ void tiled_parity(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(tiled_parity, fence_init());
    LOOP(fence_proxy(); __syncthreads(), 1); // [pl]
    result[t] = sum;
    fence_proxy();
    __syncthreads();
    STORE(t / 32 * 32);
    WAIT_READ(0);
}

// Both lanes store to one place.
//: tiled_same_box --arch sm_90a --block 64 --grid 2 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,4]box[32,1]' --arg 's32[64]' --arg 7 => race.global ss ss
extern "C" __global__ void tiled_same_box(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(tiled_same_box, fence_init());
    LOOP(fence_proxy(); __syncthreads(), 0);
    result[t] = sum;
    fence_proxy();
    __syncthreads();
    STORE(0); // [ss]
    WAIT_READ(0);
}

// As Triton leaves it: no fence between the initialisation and the copies that count there.
//: tiled_init_no_fence --arch sm_90a --block 64 --grid 2 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,4]box[32,1]' --arg 's32[64]' --arg 7 => async.proxy ni nl
extern "C" __global__ void tiled_init_no_fence(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(tiled_init_no_fence, (void)0);       // [ni]
    LOOP(fence_proxy(); __syncthreads(), 0); // [nl]
    result[t] = sum;
    fence_proxy();
    __syncthreads();
    STORE(t / 32 * 32);
    WAIT_READ(0);
}

// The memory of an mbarrier that is not needed any more is a tile's, as in Triton's attention.
#define TWO_TILES(kernel, between)                                                                                     \
    __shared__ __align__(128) int memory[128];                                                                         \
    MAP(a, kernel, 0);                                                                                                 \
    mbarrier *first = (mbarrier *)memory, *second = (mbarrier *)(memory + 64);                                         \
    int t = threadIdx.x;                                                                                               \
    if (t == 0) {                                                                                                      \
        init(first, 1);                                                                                                \
        init(second, 1);                                                                                               \
        fence_init();                                                                                                  \
        expect(first, 128);                                                                                            \
        LOAD_BOX(memory + 96, a, 0, 0, first);                                                                         \
    }                                                                                                                  \
    __syncthreads();                                                                                                   \
    wait(first, 0);                                                                                                    \
    int sum = memory[96 + t % 32];                                                                                     \
    __syncthreads();                                                                                                   \
    if (t == 0) invalidate(first);                                                                                     \
    between;                                                                                                           \
    if (t == 32) {                                                                                                     \
        expect(second, 128);                                                                                           \
        LOAD_BOX(memory, a, 0, 1, second);                                                                             \
    }                                                                                                                  \
    wait(second, 0);                                                                                                   \
    out[t] = sum + memory[t % 32]

//: mbarrier_reused --arch sm_90a --block 64 --arg 'tensor:s32[32,16]box[32,1]=iota' --arg 0 --arg 's32[64]' --arg 7 => nothing
extern "C" __global__ void mbarrier_reused(const tensor_map, long, int *out, int n) {
    TWO_TILES(mbarrier_reused, fence_proxy(); __syncthreads());
}

// Nothing is between the end of the mbarrier and the copy over it.
//: mbarrier_reused_early --arch sm_90a --block 64 --arg 'tensor:s32[32,16]box[32,1]=iota' --arg 0 --arg 's32[64]' --arg 7 => race.shared el el
extern "C" __global__ void mbarrier_reused_early(const tensor_map, long, int *out, int n) {
    TWO_TILES(mbarrier_reused_early, fence_proxy()); // [el]
}

// Behind the loop all copies are over, as each was waited for in one of its rounds: the tiles may be written over.
//: tiles_overwritten --arch sm_90a --block 64 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,16]box[32,1]' --arg 's32[64]' --arg 7 => nothing
extern "C" __global__ void tiles_overwritten(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(tiles_overwritten, fence_init());
    LOOP(fence_proxy(); __syncthreads(), 0);
    __syncthreads();
    for (int k = 0; k < STAGES; k++) tile[k][t] = sum;
    out[t] = tile[n % STAGES][t];
}

// The last one was not.
//: tiles_not_awaited --arch sm_90a --block 64 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,16]box[32,1]' --arg 's32[64]' --arg 7 => async.unfinished al, race.shared al aw
extern "C" __global__ void tiles_not_awaited(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(tiles_not_awaited, fence_init());
    ROUNDS(n - 1, fence_proxy(); __syncthreads(), 0); // [al]
    __syncthreads();
    for (int k = 0; k < STAGES; k++) tile[k][t] = sum; // [aw]
}

// Groups of two lanes in a loop: the buffer is written again when each lane's copy has read it.
//: stored_in_rounds --arch sm_90a --block 64 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,16]box[32,1]' --arg 's32[64]' --arg 7 => nothing
extern "C" __global__ void stored_in_rounds(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(stored_in_rounds, fence_init());
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        result[t] = k;
        fence_proxy();
        __syncthreads();
        ELECTED(yes);
        if (yes) STORE_BOX(c, t / 32 * 32, k, result + t / 32 * 32);
        commit();
        WAIT_READ(0);
        __syncthreads();
    }
}

// All rounds are stored to one box, and only what is read is waited for: the last copy need not be the last to write.
//: stored_in_one_box --arch sm_90a --block 64 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,16]box[32,1]' --arg 's32[64]' --arg 7 => race.global ob ob
extern "C" __global__ void stored_in_one_box(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(stored_in_one_box, fence_init());
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        result[t] = k;
        fence_proxy();
        __syncthreads();
        ELECTED(yes);
        if (yes) STORE_BOX(c, t / 32 * 32, 0, result + t / 32 * 32); // [ob]
        commit();
        WAIT_READ(0);
        __syncthreads();
    }
}

// One group may be open: that of the copy that reads it.
//: stored_in_rounds_early --arch sm_90a --block 64 --arg 'tensor:s32[64,16]box[64,1]=iota' --arg 'tensor:s32[64,16]box[32,1]' --arg 's32[64]' --arg 7 => race.shared gs gw
extern "C" __global__ void stored_in_rounds_early(const tensor_map, const tensor_map, int *out, int n) {
    BEGIN(stored_in_rounds_early, fence_init());
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        result[t] = k; // [gw]
        fence_proxy();
        __syncthreads();
        ELECTED(yes);
        if (yes) STORE_BOX(c, t / 32 * 32, k, result + t / 32 * 32); // [gs]
        commit();
        WAIT_READ(1);
        __syncthreads();
    }
    WAIT_READ(0);
}
