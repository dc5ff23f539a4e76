/* One block of a launch, worked out on paper: what its threads' numbers are, where they branch, and which
 * bytes of shared memory each warp touches between two barriers. Internal to src/detect. */
#ifndef LS_DETECT_REHEARSAL_H
#define LS_DETECT_REHEARSAL_H

#include "analyze/fold.h"
#include "base/recover.h"
#include "base/vec.h"
#include "detect/kernel.h"

enum { MOST_THREADS = 1024, CROWD_WORDS = MOST_THREADS / 64 };

/* A set of threads of the block. */
typedef struct {
    uint64_t words[CROWD_WORDS];
} crowd;

static inline bool crowd_has(const crowd *c, uint32_t thread) {
    return c->words[thread / 64] >> (thread % 64) & 1;
}
static inline void crowd_add(crowd *c, uint32_t thread) {
    c->words[thread / 64] |= UINT64_C(1) << (thread % 64);
}
static inline void crowd_join(crowd *c, const crowd *with) {
    for (int i = 0; i < CROWD_WORDS; i++) c->words[i] |= with->words[i];
}
static inline void crowd_leave(crowd *c, const crowd *those) {
    for (int i = 0; i < CROWD_WORDS; i++) c->words[i] &= ~those->words[i];
}
static inline void crowd_keep(crowd *c, const crowd *those) {
    for (int i = 0; i < CROWD_WORDS; i++) c->words[i] &= those->words[i];
}
static inline bool crowd_is_empty(const crowd *c) {
    uint64_t any = 0;
    for (int i = 0; i < CROWD_WORDS; i++) any |= c->words[i];
    return !any;
}
static inline bool crowd_equal(const crowd *a, const crowd *b) {
    return memcmp(a, b, sizeof *a) == 0;
}
static inline uint32_t crowd_warp(const crowd *c, uint32_t warp) { /* its lanes */
    return (uint32_t)(c->words[warp / 2] >> (warp % 2 * 32));
}

/* A value in all threads, as fold.h keeps numbers: what it is in block 0, how much more it is from block to
 * block along each axis, and, of an address in global memory, the object from whose start it is counted. */
typedef enum { UNKNOWN, SAME, EACH } number_kind;
typedef struct {
    int64_t of[3];
    uint32_t base; /* number of the object, plus one; 0: none */
} number_rest;
typedef struct {
    number_kind kind;
    int64_t same;
    int64_t *each;  /* by thread */
    uint8_t *known; /* EACH: whether it is */
    number_rest rest;
} number;

/* It is the same number in all blocks. */
static inline bool is_plain_number(const number *n) {
    static const number_rest none;
    return memcmp(&n->rest, &none, sizeof none) == 0;
}

/* A copy or product that may be under way: by thread how many groups the thread had committed before it. */
typedef struct {
    const ls_ir_instr *instr;
    crowd who;
    uint32_t *group;
    int64_t *place; /* of a copy, by thread */
    uint32_t bytes;
    uint64_t of_a, of_b; /* descriptors of a product */
} departure;

/* A piece of shared memory, as long as the shortest access: the number of the thread that accessed it last in
 * the interval. Lanes of a warp are distinguished between the barriers of the warp, which are counted. */
enum { WHOLE_WARP = UINT16_MAX }; /* instead of a lane */
typedef struct {
    uint32_t wrote, read, store;
    uint32_t wrote_turn, read_turn; /* the warp's barriers before it */
    uint8_t writer, reader;         /* warps … */
    uint16_t writer_lane, reader_lane;
    bool many, lanes; /* several warps read it; several lanes of the reader */
} touched;

/* What block 0 touches in global memory, from the start of the first object that is in the same allocation.
 */
typedef struct {
    int64_t at;
    uint32_t thread, bytes;
    bool writes;
} global_touch;
typedef struct {
    bool any, writes; /* it was executed */
    bool full;        /* too often to be written down: its range alone counts */
    int64_t of[3];
    int64_t from, to; /* in all blocks */
    LS_VEC(global_touch) touches;
} global_access;

typedef struct {
    kernel *k;
    const ls_detect_launch *launch;
    ls_arena *arena;
    uint32_t threads, warps;
    int64_t block[3];   /* its number, or negative: any */
    uint64_t budget;    /* steps that may still be taken: a number of one thread, a piece touched, … */
    const char *failed; /* NULL, or why nothing can be said */
    crowd everyone, alive;

    ls_bitset acting;      /* instructions that touch memory or make such values */
    ls_bitset needed;      /* values that addresses and branches depend on */
    number *values, *next; /* by value: as it is; of a loop's phi, for the next turn */
    number made;           /* the one that is being computed */
    ls_folder **folders;   /* by instruction; NULL: its result is not known */
    int64_t *tid[3], *lane;

    uint32_t *rank, *loop_end; /* by block; by loop: the rank behind its last block */
    const ls_ir_block **order; /* by rank */
    crowd *waiting;            /* by rank: threads that are to run the block */
    ls_bitset busy;            /* ranks with such */
    crowd *again;              /* by loop: threads that have gone through it and turn */
    crowd *opened, *widened;   /* by loop: that may have left it; whose counters are not known any more */
    crowd stopped;             /* at barrier */
    const ls_ir_instr *barrier;
    crowd may;                 /* threads of which it is not known which way they go … */
    const ls_ir_block **until; /* … until they come here */

    uint32_t interval, region; /* number of this one; where it begins */
    bool *bad;                 /* by region: warps may meet in it */
    bool *met;   /* by object that atomic operations are used on: plain accesses may meet, or them */
    bool *meets; /* the one of those that is being looked at */
    uint32_t *plain, *atomic; /* by object: the interval in which there were such accesses */
    bool *writes;             /* by region and object: whether an instruction there may write to it */
    touched *marks;
    uint32_t turns[MOST_THREADS / 32]; /* by warp: its own barriers */
    uint32_t granule, stores;          /* a mark's bytes (exponent); stores so far */
    uint32_t *wild, *written; /* by object: the interval in which it was read anywhere, was written */
    uint32_t *committed[2], *waited[2]; /* copies, products; by thread: groups */
    LS_VEC(departure) under_way[2];
    bool *asked;            /* by group of objects in global memory: whether threads meet there */
    int64_t *shift;         /* by object: how far behind the first of its group it begins */
    global_access *globals; /* by access */
    ls_bitset filled;       /* pieces that were written for certain (contents.c) */
    bool *lacking;          /* by object: something may be read of it that was not written */
} rehearsal;

/* Steps that are not left any more. */
static inline void spend(rehearsal *r, uint64_t steps) {
    r->budget -= r->budget < steps ? r->budget : steps;
}

/* numbers.c */
void dt_find_numbers(rehearsal *r);
void dt_need(rehearsal *r, ls_ir_value *value);
const number *dt_number_of(const rehearsal *r, const ls_ir_value *value);
void dt_run_numbers(rehearsal *r, const ls_ir_instr *instr, const crowd *who);
/* What those threads have in `to` from now on; `there`, if not NULL: threads that have something from another
 * way to the same place. */
void dt_assign(rehearsal *r, number *to, const number *from, const crowd *who, const crowd *there);
void dt_forget(rehearsal *r, number *n, const crowd *who);
/* Threads for which the predicate holds, does not, or is not known. */
void dt_split(const rehearsal *r, const number *predicate, bool negated, const crowd *who, crowd *holds,
              crowd *fails, crowd *open);

/* touches.c */
void dt_begin_touches(rehearsal *r);
void dt_need_touches(rehearsal *r);
/* Whether the instruction touches memory that is looked at, or goes on beside the threads. */
bool dt_acts(const rehearsal *r, const ls_ir_instr *instr);
void dt_run_touches(rehearsal *r, const ls_ir_instr *instr, const crowd *who);
void dt_next_interval(rehearsal *r, uint32_t begins);
/* Whether the access may go to the object, by whatever name. */
bool dt_may_be(const kernel *k, const access_info *info, uint32_t which);
/* Where it goes to in a thread; false where that is not known. The number is the same in all blocks. */
bool dt_place_in(const number *address, int64_t offset, uint32_t t, int64_t *at);

/* contents.c: whether what is read of shared memory was written, where that is asked. */
void dt_begin_contents(rehearsal *r);
/* Threads that may do it, and those that do. */
void dt_run_contents(rehearsal *r, const ls_ir_instr *instr, const crowd *who, const crowd *sure);

/* spread.c: objects in global memory of which every thread of the launch has its own part. */
void dt_begin_globals(rehearsal *r);
void dt_need_globals(rehearsal *r);
void dt_run_globals(rehearsal *r, const ls_ir_instr *instr, const crowd *all);
/* Those that are not become false. */
void dt_end_globals(rehearsal *r, bool *own);

#endif
