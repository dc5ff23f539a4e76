// Blocks that go from tile to tile: the stages of the ring are counted on from one tile to the next, in a loop within a loop.
//: verify tiles_carry_stage tiles_count_on --arch sm_90a --block 64 --grid 2 => proved
//: verify stage_starts_again consumer_skips --arch sm_90a --block 64 --grid 2 => refuted
#include "async.h"


#define NEXT(stage, phase)                                                                                   \
    do {                                                                                                     \
        stage = stage == 2 ? 0 : stage + 1;                                                                  \
        phase ^= stage == 0;                                                                                 \
    } while (0)

// One thread fills the ring, tile after tile.
#define PRODUCE                                                                                              \
    for (int tile = blockIdx.x; tile < tiles && t == 0; tile += gridDim.x)                                   \
        for (int k = 0; k < n; k++) {                                                                        \
            wait(&empty[stage], phase ^ 1);                                                                  \
            expect(&full[stage], 128);                                                                       \
            load(s[stage], in + 32 * (tile * n + k), 128, &full[stage]);                                     \
            NEXT(stage, phase);                                                                              \
        }

// Each tile has as many steps as the caller likes; the stage and the phase are carried through the tiles.
//: tiles_carry_stage --arch sm_90a --grid 2 --block 64 --arg 's32[640]=iota' --arg 's32[160]' --arg 5 --arg 4 => nothing
extern "C" __global__ void tiles_carry_stage(const int *in, int *out, int tiles, int n) {
    RING(3, 32);
    int stage = 0;
    unsigned phase = 0;
    if (t < 32) {
        PRODUCE;
    } else {
#pragma unroll 1
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            int sum = 0;
#pragma unroll 1
            for (int k = 0; k < n; k++) {
                wait(&full[stage], phase);
                sum += s[stage][63 - t];
                fence_proxy();
                arrive(&empty[stage]);
                NEXT(stage, phase);
            }
            out[32 * tile + t - 32] = sum;
        }
    }
}

// The same with a number that goes on through the tiles.
//: tiles_count_on --arch sm_90a --grid 2 --block 64 --arg 's32[640]=iota' --arg 's32[160]' --arg 5 --arg 4 => nothing
extern "C" __global__ void tiles_count_on(const int *in, int *out, int tiles, int n) {
    RING(3, 32);
    unsigned step = 0;
    if (t < 32) {
        if (t == 0) {
#pragma unroll 1
            for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
#pragma unroll 1
                for (int k = 0; k < n; k++, step++) {
                    wait(&empty[step % 3], ~(step / 3) & 1);
                    expect(&full[step % 3], 128);
                    load(s[step % 3], in + 32 * (tile * n + k), 128, &full[step % 3]);
                }
            }
        }
    } else {
#pragma unroll 1
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            int sum = 0;
#pragma unroll 1
            for (int k = 0; k < n; k++, step++) {
                wait(&full[step % 3], step / 3 & 1);
                sum += s[step % 3][63 - t];
                fence_proxy();
                arrive(&empty[step % 3]);
            }
            out[32 * tile + t - 32] = sum;
        }
    }
}

// Every tile begins with stage 0 and phase 0 again, whatever the one before has left: with two steps to a tile, both sides
// wait for phases that are over, and the producer overwrites what is being read.
extern "C" __global__ void stage_starts_again(const int *in, int *out, int tiles, int n) {
    RING(3, 32);
    if (t < 32) {
        if (t == 0) {
#pragma unroll 1
            for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
                int stage = 0;
                unsigned phase = 0;
#pragma unroll 1
                for (int k = 0; k < n; k++) {
                    wait(&empty[stage], phase ^ 1);
                    expect(&full[stage], 128);
                    load(s[stage], in + 32 * (tile * n + k), 128, &full[stage]);
                    NEXT(stage, phase);
                }
            }
        }
    } else {
#pragma unroll 1
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            int stage = 0, sum = 0;
            unsigned phase = 0;
#pragma unroll 1
            for (int k = 0; k < n; k++) {
                wait(&full[stage], phase);
                sum += s[stage][63 - t];
                fence_proxy();
                arrive(&empty[stage]);
                NEXT(stage, phase);
            }
            out[32 * tile + t - 32] = sum;
        }
    }
}

// The consumers leave out the last step of a tile: they fall behind, and the producer waits for ever.
//: consumer_skips --arch sm_90a --grid 1 --block 64 --arg 's32[640]=iota' --arg 's32[160]' --arg 5 --arg 4 => async.mbarrier cs
extern "C" __global__ void consumer_skips(const int *in, int *out, int tiles, int n) {
    RING(3, 32);
    int stage = 0;
    unsigned phase = 0;
    if (t < 32) {
        PRODUCE; // [cs]
    } else {
#pragma unroll 1
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            int sum = 0;
#pragma unroll 1
            for (int k = 0; k < n - 1; k++) {
                wait(&full[stage], phase);
                sum += s[stage][63 - t];
                fence_proxy();
                arrive(&empty[stage]);
                NEXT(stage, phase);
            }
            out[32 * tile + t - 32] = sum;
        }
    }
}
