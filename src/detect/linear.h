/* Offsets as linear forms of a thread's numbers. Internal to src/detect. */
#ifndef LS_DETECT_LINEAR_H
#define LS_DETECT_LINEAR_H

#include "detect/kernel.h"

/* %tid.x: its bits; or lane and warp, where the block has no power of two of them. */
enum { BITS_OF_X = 10 };
enum { BLOCK_X, BLOCK_Y, BLOCK_Z, THREAD_X, THREAD_Y = THREAD_X + BITS_OF_X, THREAD_Z, DIMENSIONS };

/* Σ of · number + constant + a multiple of step from 0 to spread, another one at each access. */
typedef struct {
    int64_t of[DIMENSIONS], constant, step, spread;
} linear;

typedef struct {
    const kernel *k;
    const ls_detect_launch *launch;
    int64_t extent[DIMENSIONS]; /* how many values each number has */
    int64_t fixed[DIMENSIONS];  /* the only value that it has, or negative */
    bool by_bits;
    struct { /* forms without a constant, and the least value that conditions leave them */
        linear form;
        int64_t least;
    } low[4];
    uint32_t low_count;
    uint32_t depth;
} decomposer;

decomposer dt_decomposer(const kernel *k, const ls_detect_launch *launch);
/* Bounds the thread's numbers by the branches that lead to the instruction, and by its own guard. */
void dt_apply_conditions(decomposer *d, const ls_ir_instr *instr);
/* The offset of the access in its object. */
bool dt_access_offset(decomposer d, const ls_ir_access *access, linear *out);
/* The highest value; -1 where one may be negative or past 2^31. */
int64_t dt_highest(const decomposer *d, const linear *v);
linear dt_sum(linear a, linear b);
linear dt_scaled(linear v, int64_t by);
/* The least value of the form, by the thread's numbers that are fixed and by conditions. */
int64_t dt_lowest(const decomposer *d, const linear *v);

#endif
