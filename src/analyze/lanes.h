/* Lane vectors: a value in the 32 lanes of one warp, as B[group] + offset + [0, slack].
 *
 * Lanes are partitioned into groups. Each group has a base B that is not known, except that it is a multiple
 * of `modulus` (0: it is 0, so the offsets are the values themselves); lanes of one group have the same B,
 * bases of different groups have nothing to do with each other. So a uniform value is one group with equal
 * offsets, threadIdx.x with an unknown warp number is one group of modulus 32 with offsets 0 … 31, and a
 * value of which nothing is known is 32 groups. slack is the room in which a lane's own offset may lie.
 *
 * Any function of lane vectors is sound when lanes with equal inputs are put into one group with offset 0:
 * that is what an operation falls back on. docs/analyze.md has the argument for each of the others. */
#ifndef LS_ANALYZE_LANES_H
#define LS_ANALYZE_LANES_H

#include "analyze/residue.h"

enum { LANES = LS_WARP_LANES };

/* Why there is more than one group: what decides between strided, scattered and unknown. */
enum {
    LS_CAUSE_STRIDE = 1,  /* an identifier times an unknown uniform number */
    LS_CAUSE_DATA = 2,    /* loaded from memory */
    LS_CAUSE_OTHER = 4,   /* an operation that lane vectors do not follow */
    LS_CAUSE_UNKNOWN = 8, /* an instruction or call that is not modelled */
    LS_CAUSE_CONTROL = 16 /* assigned under a condition on which lanes disagree */
};

typedef struct {
    int64_t offset[LANES];
    uint32_t slack[LANES];
    uint8_t group[LANES]; /* numbered by first occurrence */
    uint8_t group_count;
    bool seen;        /* false: no execution reaches it */
    bool has_slack;   /* some slack is not 0 */
    bool nonnegative; /* as a signed number */
    uint8_t cause;    /* LS_CAUSE_…; of all groups */
    uint64_t modulus;
    /* Predicates only: lanes that may hold, lanes that hold for sure, at most how many hold and do not. The
     * groups say which of the others have the same truth value; offsets are not used. */
    bool predicate;
    uint8_t most_true, most_false;
    uint32_t may, must;
} ls_lanes;

/* --- Making ------------------------------------------------------------------------------------------------
 */
ls_lanes ls_lanes_uniform(ls_residue number);
ls_lanes ls_lanes_vector(const int64_t values[LANES]);
/* Nothing is known of any lane. */
ls_lanes ls_lanes_any(uint8_t cause);
/* A function of the inputs: lanes that agree on all of them agree on it. */
ls_lanes ls_lanes_function(const ls_lanes *const *inputs, uint32_t count, uint8_t cause);
/* The same for predicates. */
ls_lanes ls_lanes_predicate_function(const ls_lanes *const *inputs, uint32_t count, uint8_t cause);
/* A predicate that is known in each lane. */
ls_lanes ls_lanes_mask(uint32_t mask);

static inline bool ls_lanes_exact(const ls_lanes *a) {
    return a->predicate ? a->may == a->must : !a->modulus && !a->has_slack;
}
bool ls_lanes_is_uniform(const ls_lanes *a, uint32_t active);
bool ls_lanes_equal(const ls_lanes *a, const ls_lanes *b);

/* --- Arithmetic --------------------------------------------------------------------------------------------
 */
ls_lanes ls_lanes_add(const ls_lanes *a, const ls_lanes *b);
ls_lanes ls_lanes_negate(const ls_lanes *a);
ls_lanes ls_lanes_scale(const ls_lanes *a, int64_t factor);
ls_lanes ls_lanes_multiply(const ls_lanes *a, const ls_lanes *b);
/* ⌊a / divisor⌋ (with truncation where `truncate` and a may be negative), and the rest; divisor > 0. */
ls_lanes ls_lanes_divide(const ls_lanes *a, int64_t divisor, bool truncate);
ls_lanes ls_lanes_rest(const ls_lanes *a, int64_t divisor, bool truncate);
typedef enum { LS_BIT_AND, LS_BIT_OR, LS_BIT_XOR } ls_bit_op;
ls_lanes ls_lanes_bits(const ls_lanes *a, const ls_lanes *b, ls_bit_op op);
/* The low bits as a number, sign-extended from there where is_signed. */
ls_lanes ls_lanes_narrow(const ls_lanes *a, uint32_t bits, bool is_signed);
ls_lanes ls_lanes_limit(const ls_lanes *a, const ls_lanes *b, bool minimum);
/* a + k for a k in [low, high] that each lane has of its own. */
ls_lanes ls_lanes_near(const ls_lanes *a, int64_t low, int64_t high);

/* --- Predicates and choices
 * --------------------------------------------------------------------------------- */
typedef enum { LS_CMP_EQ, LS_CMP_NE, LS_CMP_LT, LS_CMP_LE, LS_CMP_GT, LS_CMP_GE } ls_comparison;
ls_lanes ls_lanes_compare(const ls_lanes *a, const ls_lanes *b, ls_comparison op, bool is_unsigned);
ls_lanes ls_lanes_not(const ls_lanes *a);
ls_lanes ls_lanes_combine(const ls_lanes *a, const ls_lanes *b, ls_bit_op op);
ls_lanes ls_lanes_select(const ls_lanes *condition, const ls_lanes *a, const ls_lanes *b);
/* All lanes have the one, or all have the other. */
ls_lanes ls_lanes_join(const ls_lanes *a, const ls_lanes *b);

#endif
