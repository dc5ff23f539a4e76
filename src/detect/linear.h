/* Offsets as linear forms of a thread's numbers. Internal to src/detect. */
#ifndef LS_DETECT_LINEAR_H
#define LS_DETECT_LINEAR_H

#include "detect/kernel.h"

/* %tid.x and %tid.y by their bits, where the block has a power of two of them; else %tid.x by lane and warp,
 * and %tid.y as it is. */
enum { BITS = 10 };
enum {
    BLOCK_X,
    BLOCK_Y,
    BLOCK_Z,
    THREAD_X,
    THREAD_Y = THREAD_X + BITS,
    THREAD_Z = THREAD_Y + BITS,
    DIMENSIONS
};

/* Σ of · number + constant + a multiple of step from 0 to spread, another one at each access. */
typedef struct {
    int64_t of[DIMENSIONS], constant, step, spread;
} linear;

/* What the counters of a loop are in one of its turns. */
enum { MOST_COUNTERS = 8 };
typedef struct {
    const ls_ir_phi *phi[MOST_COUNTERS];
    int64_t value[MOST_COUNTERS];
    uint32_t count;
} bound_counters;

typedef struct {
    const kernel *k;
    const ls_detect_launch *launch;
    const bound_counters *counters; /* or NULL */
    int64_t extent[DIMENSIONS];     /* how many values each number has */
    int64_t fixed[DIMENSIONS];      /* the only value that it has, or negative */
    bool by_bits[2];                /* x, y */
    struct { /* forms without a constant, and the least value that conditions leave them */
        linear form;
        int64_t least;
    } low[4];
    uint32_t low_count;
    uint32_t depth;
} decomposer;

/* by_bits: where that is possible. */
decomposer dt_decomposer(const kernel *k, const ls_detect_launch *launch, bool by_bits);
/* Bounds the thread's numbers by the branches that lead to the instruction, and by its own guard. */
void dt_apply_conditions(decomposer *d, const ls_ir_instr *instr);
/* The offset of the access in its object. */
bool dt_access_offset(decomposer d, const ls_ir_access *access, linear *out);
/* The highest value; -1 where one may be negative or past 2^31. */
int64_t dt_highest(const decomposer *d, const linear *v);
/* A value as a linear form, which is not negative but for a constant. */
bool dt_decompose(decomposer d, ls_ir_value *value, linear *out);
bool dt_is_constant(const linear *v);
/* --- counters.c --- */
/* The value that the phi has in the next turn is this one more than it has, always; NULL: it is not so. */
ls_ir_value *dt_next_of(decomposer d, const ls_ir_phi *phi, uint32_t back, int64_t *more);
/* Adds what a counter that starts with *out has more in later turns, where one of its loop says how often it
 * is gone through. */
bool dt_add_turns(decomposer d, const ls_ir_phi *phi, uint32_t back, linear *out);
/* A loop's counter: what it starts with, and a multiple of its step. */
bool dt_bound_counter(decomposer d, const ls_ir_phi *phi, linear *out);
/* Whether it holds: 1 or 0; -1 where it is another comparison. Neither number is negative. */
int dt_compares(uint16_t op, int64_t a, int64_t b);
/* --- linear.c --- */
/* A value that is the same for all threads, and known. */
bool dt_constant(decomposer d, ls_ir_value *value, int64_t *out);
/* Whether a predicate holds: 1 or 0; -1 where it depends on the thread, or is not known. */
int dt_truth(decomposer d, ls_ir_value *predicate);
linear dt_sum(linear a, linear b);
linear dt_scaled(linear v, int64_t by);
/* The least value of the form, by the thread's numbers that are fixed and by conditions. */
int64_t dt_lowest(const decomposer *d, const linear *v);

#endif
