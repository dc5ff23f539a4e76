// Blocks that go from tile to tile, with an epilogue behind each tile's steps: the warps that compute meet at a
// named barrier, write the tile to shared memory, and one of them has it copied out, while the ring goes on
// (DeepGEMM's kernels; cutlass #2162, #3636 of the buffer that is used again).
//: verify tile_stored --arch sm_90a --block 96 --grid 2 => proved
//: verify tile_stored_steps_known --arch sm_90a --block 96 --grid 2 => proved
//: verify tile_overwritten tile_not_met --arch sm_90a --block 96 --grid 2 => refuted
//: verify tile_not_fenced tile_left_behind --arch sm_90a --block 96 --grid 2 => refuted
//: verify tile_in_one_place --arch sm_90a --block 96 --grid 1 --no-replay --as-written => unknown
//: verify steps_by_tile --arch sm_90a --block 96 --grid 2 --no-replay --as-written => unknown
//: verify steps_by_data --arch sm_90a --block 96 --grid 2 --no-replay --as-written => unknown
#include "async.h"

#define NEXT(stage, phase)                                                                                   \
    do {                                                                                                     \
        stage = stage == 2 ? 0 : stage + 1;                                                                  \
        phase ^= stage == 0;                                                                                 \
    } while (0)

// 32 threads fill the ring, of which one copies; 64 compute.
#define PREPARE                                                                                              \
    __shared__ __align__(128) int tile_of[64];                                                               \
    RING(3, 64);                                                                                             \
    int stage = 0;                                                                                           \
    unsigned phase = 0

#define PRODUCE(steps)                                                                                       \
    for (int tile = blockIdx.x; tile < tiles && t == 64; tile += gridDim.x)                                  \
        for (int k = 0; k < (steps); k++) {                                                                  \
            wait(&empty[stage], phase ^ 1);                                                                  \
            expect(&full[stage], 128);                                                                       \
            load(s[stage], in + 32 * (tile + k), 128, &full[stage]);                                         \
            NEXT(stage, phase);                                                                              \
        }

#define COMPUTE(steps)                                                                                       \
    int sum = 0;                                                                                             \
    for (int k = 0; k < (steps); k++) {                                                                      \
        wait(&full[stage], phase);                                                                           \
        sum += s[stage][t % 32];                                                                             \
        fence_proxy();                                                                                       \
        arrive(&empty[stage]);                                                                               \
        NEXT(stage, phase);                                                                                  \
    }

#define MEET() asm volatile("bar.sync 1, 64;" ::: "memory")

#define COPY_OUT(tile)                                                                                       \
    if (t == 0) {                                                                                            \
        store(out + 64 * (tile), tile_of, 256);                                                              \
        commit();                                                                                            \
    }

// The buffer is read before it is written again, and before the block ends.
//: tile_stored --arch sm_90a --grid 2 --block 96 --arg 's32[512]=iota' --arg 's32[320]' --arg 5 --arg 4 => nothing
extern "C" __global__ void tile_stored(const int *in, int *out, int tiles, int n) {
    PREPARE;
    if (t >= 64) {
        PRODUCE(n);
    } else {
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            COMPUTE(n);
            if (t == 0) WAIT_READ(0);
            MEET();
            tile_of[t] = sum;
            fence_proxy();
            MEET();
            COPY_OUT(tile);
        }
        if (t == 0) WAIT_READ(0);
    }
}

// A number of steps that is at least one on every launch.
//: tile_stored_steps_known --arch sm_90a --grid 2 --block 96 --arg 's32[512]=iota' --arg 's32[320]' --arg 5 => nothing
extern "C" __global__ void tile_stored_steps_known(const int *in, int *out, int tiles) {
    PREPARE;
    if (t >= 64) {
        PRODUCE(7);
    } else {
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            COMPUTE(7);
            if (t == 0) WAIT_READ(0);
            MEET();
            tile_of[t] = sum;
            fence_proxy();
            MEET();
            COPY_OUT(tile);
        }
        if (t == 0) WAIT_READ(0);
    }
}

// Nobody waits until the last tile has been read.
//: tile_overwritten --arch sm_90a --grid 2 --block 96 --arg 's32[512]=iota' --arg 's32[320]' --arg 5 --arg 4 => race.shared ow os
extern "C" __global__ void tile_overwritten(const int *in, int *out, int tiles, int n) {
    PREPARE;
    if (t >= 64) {
        PRODUCE(n);
    } else {
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            COMPUTE(n);
            MEET();
            tile_of[t] = sum; // [ow]
            fence_proxy();
            MEET();
            COPY_OUT(tile); // [os]
        }
        if (t == 0) WAIT_READ(0);
    }
}

// The thread that copies does not wait for what the others write.
//: tile_not_met --arch sm_90a --grid 2 --block 96 --arg 's32[512]=iota' --arg 's32[320]' --arg 5 --arg 4 => race.shared mw ms
extern "C" __global__ void tile_not_met(const int *in, int *out, int tiles, int n) {
    PREPARE;
    if (t >= 64) {
        PRODUCE(n);
    } else {
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            COMPUTE(n);
            if (t == 0) WAIT_READ(0);
            MEET();
            tile_of[t] = sum; // [mw]
            fence_proxy();
            COPY_OUT(tile); // [ms]
        }
        if (t == 0) WAIT_READ(0);
    }
}

// What was written is not made visible to the copy.
//: tile_not_fenced --arch sm_90a --grid 2 --block 96 --arg 's32[512]=iota' --arg 's32[320]' --arg 5 --arg 4 => async.proxy fw fs
extern "C" __global__ void tile_not_fenced(const int *in, int *out, int tiles, int n) {
    PREPARE;
    if (t >= 64) {
        PRODUCE(n);
    } else {
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            COMPUTE(n);
            if (t == 0) WAIT_READ(0);
            MEET();
            tile_of[t] = sum; // [fw]
            MEET();
            COPY_OUT(tile); // [fs]
        }
        if (t == 0) WAIT_READ(0);
    }
}

// The last tile may not have been read when the block ends.
//: tile_left_behind --arch sm_90a --grid 2 --block 96 --arg 's32[512]=iota' --arg 's32[320]' --arg 5 --arg 4 => async.unfinished ls
extern "C" __global__ void tile_left_behind(const int *in, int *out, int tiles, int n) {
    PREPARE;
    if (t >= 64) {
        PRODUCE(n);
    } else {
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            COMPUTE(n);
            if (t == 0) WAIT_READ(0);
            MEET();
            tile_of[t] = sum;
            fence_proxy();
            MEET();
            COPY_OUT(tile); // [ls]
        }
    }
}

// Every tile is copied to the same place, and only what is read is waited for: the last copy need not be the last to write.
//: tile_in_one_place --arch sm_90a --grid 1 --block 96 --arg 's32[512]=iota' --arg 's32[320]' --arg 5 --arg 4 => race.global gs gs
extern "C" __global__ void tile_in_one_place(const int *in, int *out, int tiles, int n) {
    PREPARE;
    if (t >= 64) {
        PRODUCE(n);
    } else {
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            COMPUTE(n);
            if (t == 0) WAIT_READ(0);
            MEET();
            tile_of[t] = sum;
            fence_proxy();
            MEET();
            COPY_OUT(0); // [gs]
        }
        if (t == 0) WAIT_READ(0);
    }
}

// Where a tile has no steps, its epilogue runs without them: one that skips the wait there is wrong, though
// every tile with steps is right.
//: steps_by_tile --arch sm_90a --grid 2 --block 96 --arg 's32[512]=iota' --arg 's32[320]' --arg 5 --arg 0 => race.shared bw bs
extern "C" __global__ void steps_by_tile(const int *in, int *out, int tiles, int n) {
    PREPARE;
    if (t >= 64) {
        PRODUCE(n);
    } else {
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            COMPUTE(n);
            if (t == 0 && n > 0) WAIT_READ(0);
            MEET();
            tile_of[t] = sum; // [bw]
            fence_proxy();
            MEET();
            COPY_OUT(tile); // [bs]
        }
        if (t == 0) WAIT_READ(0);
    }
}

// How many steps a tile has is read from memory: whether a tile has any is not the launch's affair.
//: steps_by_data --arch sm_90a --grid 2 --block 96 --arg 's32[512]=iota' --arg 's32[320]' --arg 5 --arg 's32[5]=iota' => nothing
extern "C" __global__ void steps_by_data(const int *in, int *out, int tiles, const int *steps) {
    PREPARE;
    if (t >= 64) {
        PRODUCE(steps[tile]);
    } else {
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            COMPUTE(steps[tile]);
            if (t == 0) WAIT_READ(0);
            MEET();
            tile_of[t] = sum;
            fence_proxy();
            MEET();
            COPY_OUT(tile);
        }
        if (t == 0) WAIT_READ(0);
    }
}
