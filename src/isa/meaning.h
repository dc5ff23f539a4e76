/* What an instruction computes, exactly: the one place that says it, by opcode, types and modifiers. Whoever
 * needs a result finds the function once and calls it with the bits of the operands: the emulator for every
 * lane, the analyses and the prover to fold constants. Every other form of an instruction (vector loops,
 * abstract values, terms) is held to this one by tests/isa/test_forms.c.
 *
 * Where the PTX manual leaves a result open, or a GPU differs from it, the result is an H200's
 * (docs/meaning.md). */
#ifndef LS_ISA_MEANING_H
#define LS_ISA_MEANING_H

#include "lockstep/ptx.h"

typedef struct ls_isa ls_isa;
/* s: the sources, in the order of the IR (carry-in last), zero-extended; the bits above a source's type are
 * ignored. more: the results after the first, at most LS_ISA_MORE: a carry, a second predicate, the further
 * parts of what is unpacked. */
typedef uint64_t (*ls_isa_fn)(const ls_isa *x, const uint64_t *s, uint64_t *more);
enum { LS_ISA_MORE = 3, LS_ISA_SOURCES = 6 };

enum { LS_VIDEO_PLAIN = 0xff }; /* no part of a register is selected */

typedef struct {
    uint16_t op;          /* of the scalar form: LS_OP_VADD for vadd2 and vadd4, too */
    uint8_t lanes;        /* 1, 2 or 4 */
    bool is_signed[3];    /* d, a, b */
    uint8_t part[3];      /* scalar forms: of d, a, b: 0–3 bytes, 4, 5 halves, LS_VIDEO_PLAIN */
    uint8_t select[2][4]; /* SIMD forms: which of the parts of a (0 …) and b (lanes …) */
    uint8_t mask;         /* SIMD forms: the parts of d that are written */
    bool wrap, add, plus_one;
    bool negate[3];  /* vmad: a, b, c */
    uint8_t shift;   /* vmad: 0, 7, 15 */
    uint16_t second; /* LS_MOD_ADD, MIN, MAX, or 0 */
} ls_isa_video;

struct ls_isa {
    ls_isa_fn fn;
    uint16_t op;                 /* ls_ptx_op */
    uint8_t type[4];             /* ls_ptx_type of the form, in order */
    uint8_t src_count;           /* of the IR's instruction: tells whether there is a carry-in, … */
    uint8_t dst_count, dst_bits; /* the first destination register's width as declared */
    uint16_t round;              /* LS_MOD_RN … */
    uint16_t compare;            /* LS_MOD_EQ … */
    uint16_t mode;               /* combination, clamp or wrap, what is tested …: a modifier */
    bool ftz, sat, approx, full, hi, wide, relu, nan, xorsign, satfinite, shiftamt, oob;
    bool left; /* shf.l */
    ls_isa_video video;
};

/* An instruction as it is asked for. */
typedef struct {
    const ls_ptx_form *form;
    const ls_ptx_instr
        *ast; /* the parts of operands that video instructions name; NULL for other instructions */
    uint8_t src_count, dst_count, dst_bits;
} ls_isa_ask;

/* False where the instruction is not a function of its operands' bits, or is not modelled. */
bool ls_isa_find(const ls_isa_ask *ask, ls_isa *out);
/* Whether a GPU's result is exactly this one. It is not for approximate functions (sin.approx, …), which are
 * computed to more than the documented accuracy. */
bool ls_isa_is_exact(const ls_isa *x);

static inline uint64_t ls_isa_compute(const ls_isa *x, const uint64_t *s) {
    uint64_t more[LS_ISA_MORE];
    return x->fn(x, s, more);
}

/* Integers of 8 to 64 bits, one in a register. */
bool ls_isa_is_plain_integer(ls_ptx_type t);

#endif
