/* Terms: what a thread computes, as a hash-consed DAG over symbols. A term of width w denotes a w-bit vector
 * with PTX's exact modular meaning; predicates have width 1. Sums are kept as linear combinations of other
 * terms and products as monomials, both modulo 2^w, so that equal polynomials are the same node; every term
 * has its range, as a signed and as an unsigned number, by which extensions are pushed inwards where nothing
 * wraps. Nothing here knows of threads: a symbol is instantiated for a thread by substitution. */
#ifndef LS_SOLVE_TERMS_H
#define LS_SOLVE_TERMS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* T(op, name): MUL is a monomial of two or more factors; LIN is value + Σ coefficient · argument; EXTRACT
 * takes `width` bits from bit `value` on; UF is a function of its arguments of which nothing else is known.
 */
#define LS_TERM_OPS(T)                                                                                       \
    T(CONST, "const")                                                                                        \
    T(SYM, "sym")                                                                                            \
    T(LIN, "lin")                                                                                            \
    T(MUL, "mul")                                                                                            \
    T(UDIV, "udiv")                                                                                          \
    T(UREM, "urem")                                                                                          \
    T(SDIV, "sdiv")                                                                                          \
    T(SREM, "srem")                                                                                          \
    T(AND, "and")                                                                                            \
    T(OR, "or")                                                                                              \
    T(XOR, "xor")                                                                                            \
    T(NOT, "not")                                                                                            \
    T(SHL, "shl")                                                                                            \
    T(LSHR, "lshr")                                                                                          \
    T(ASHR, "ashr")                                                                                          \
    T(EQ, "eq")                                                                                              \
    T(ULT, "ult")                                                                                            \
    T(SLT, "slt")                                                                                            \
    T(ITE, "ite")                                                                                            \
    T(ZEXT, "zext")                                                                                          \
    T(SEXT, "sext")                                                                                          \
    T(EXTRACT, "extract")                                                                                    \
    T(UF, "uf")

typedef enum {
#define LS_TERM_ENUM(op, name) LS_T_##op,
    LS_TERM_OPS(LS_TERM_ENUM)
#undef LS_TERM_ENUM
        LS_T_COUNT
} ls_term_op;

/* The smallest group of threads that always agrees on a symbol or term. */
typedef enum { LS_SCOPE_GRID, LS_SCOPE_BLOCK, LS_SCOPE_THREAD } ls_scope;

typedef struct ls_term ls_term;
struct ls_term {
    uint8_t op, width, scope;
    uint32_t id, count, hash;
    uint64_t value; /* CONST: bits; LIN: constant; SYM: symbol; EXTRACT: low bit; UF: which function */
    int64_t slo, shi;
    uint64_t ulo, uhi;
    const ls_term *const *args;
    const uint64_t *coefs; /* LIN */
};

typedef enum {
    LS_SYM_INPUT,   /* of the launch: thread and block ids, sizes, parameters, addresses of objects */
    LS_SYM_COUNT,   /* number of iterations that a loop has gone through */
    LS_SYM_STATE,   /* a loop-carried value of which only invariants are known */
    LS_SYM_LOAD,    /* what a load returns: anything, but a function of the address where nobody writes */
    LS_SYM_CHOICE,  /* anything else that is not modelled exactly */
    LS_SYM_UNSET,   /* the value of a variable that was never set: anything, in an execution too */
    LS_SYM_LOG,     /* what is in the log of accesses (logs.c) */
    LS_SYM_OTHER,   /* what the other thread has for the term in `key` */
    LS_SYM_ENABLED, /* __enabled(): 1 for a thread that is there; `key`: the path condition */
    LS_SYM_EPOCH,   /* a time from which on memory holds what it holds (contents.c); `key`: the block */
    LS_SYM_EVENT,   /* of a copy (async.c) */
    LS_SYM_RESULT,  /* what a function will return (contracts.c): `tag` is the byte in it */
} ls_sym_kind;

typedef struct {
    const char *name;
    const ls_term *term;
    uint8_t kind; /* ls_sym_kind */
    uint8_t scope;
    bool memory_written; /* LOAD: from an object that the kernel also writes */
    uint32_t origin;     /* what it is an instance of (itself where of none) */
    uint32_t thread;     /* of an instance: 1 or 2, 0 for one that both threads share */
    const void *key;     /* COUNT: the loop; STATE: the phi; LOAD: the access */
    uint32_t tag;        /* COUNT, STATE: the state it belongs to; ENABLED: the builtin */
} ls_sym;

/* What an UF term stands for: a function of its arguments of which nothing else is known. */
typedef enum {
    LS_UF_CONTENTS,  /* what memory held at some time; `of`: the object */
    LS_UF_READ_ONLY, /* what memory that nobody writes holds; `of`: the object */
    LS_UF_OPEN,      /* what the language leaves open; `of`: the form of the instruction */
    LS_UF_BITS,      /* how many bits are 1 */
    LS_UF_RANK,      /* of a mask and a number below 32: how many bits below that one are 1 */
    LS_UF_LOWEST,    /* which bit is the lowest that is 1 */
    LS_UF_REVERSED,  /* the bits in the opposite order */
    LS_UF_NAMES,     /* of a mask and a number: whether that bit is 1 */
    LS_UF_RESULT,    /* the result of an operation or of a pure function; `of`: its form or the function */
} ls_uf_kind;

typedef struct {
    ls_uf_kind kind;
    const void *of;
    uint32_t part; /* which of several results */
} ls_function;

typedef struct { /* the hash is here as well, so that other terms need not be looked at */
    const ls_term *term;
    uint32_t hash;
} ls_term_slot;

typedef struct ls_terms {
    ls_arena arena;
    ls_term_slot *table;
    uint32_t mask, count;
    uint64_t visits; /* of terms by substitutions, whether they make new ones or not */
    LS_VEC(ls_sym) syms;
    ls_map names;
    ls_intmap instances; /* (origin, thread) to symbol */
    LS_VEC(ls_function) functions;
    ls_map function_numbers; /* bytes of a function to its place in the list + 1 */
} ls_terms;

void ls_terms_init(ls_terms *ctx);
void ls_terms_free(ls_terms *ctx);

static inline uint64_t ls_mask(uint32_t width) {
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}
static inline int64_t ls_signed(uint64_t value, uint32_t width) {
    uint32_t shift = 64 - width;
    return (int64_t)(value << shift) >> shift;
}

const ls_term *ls_const(ls_terms *ctx, uint32_t width, uint64_t value);
const ls_term *ls_true(ls_terms *ctx);
const ls_term *ls_false(ls_terms *ctx);
/* A new symbol; its values are lo…hi as unsigned numbers (all, where lo > hi). */
const ls_term *ls_symbol(ls_terms *ctx, const char *name, uint32_t width, ls_scope scope, ls_sym_kind kind,
                         uint64_t lo, uint64_t hi);
const ls_term *ls_symbol_signed(ls_terms *ctx, const char *name, uint32_t width, ls_scope scope,
                                ls_sym_kind kind, int64_t lo, int64_t hi);
/* An input that is the same in the whole grid, in both ranges. */
const ls_term *ls_symbol_within(ls_terms *ctx, const char *name, uint32_t width, int64_t slo, int64_t shi,
                                uint64_t ulo, uint64_t uhi);
static inline ls_sym *ls_sym_of(ls_terms *ctx, const ls_term *term) {
    return &ctx->syms.items[term->value];
}

const ls_term *ls_add(ls_terms *ctx, const ls_term *a, const ls_term *b);
const ls_term *ls_sub(ls_terms *ctx, const ls_term *a, const ls_term *b);
const ls_term *ls_scale(ls_terms *ctx, const ls_term *a, uint64_t factor);
/* sums.c: the largest number that divides all numbers of a sum (or a constant), and the sum of which each is
 * divided. */
uint64_t ls_common_divisor(uint64_t a, uint64_t b);
uint64_t ls_content(const ls_term *sum);
const ls_term *ls_divided(ls_terms *ctx, const ls_term *sum, uint64_t by);
const ls_term *ls_mul(ls_terms *ctx, const ls_term *a, const ls_term *b);
/* Any two-operand operator from UDIV to ASHR, and EQ, ULT, SLT. Division by zero gives what SMT-LIB says. */
const ls_term *ls_binary(ls_terms *ctx, ls_term_op op, const ls_term *a, const ls_term *b);
const ls_term *ls_not(ls_terms *ctx, const ls_term *a);
const ls_term *ls_and(ls_terms *ctx, const ls_term *a, const ls_term *b);
const ls_term *ls_or(ls_terms *ctx, const ls_term *a, const ls_term *b);
const ls_term *ls_implies(ls_terms *ctx, const ls_term *a, const ls_term *b);
const ls_term *ls_eq(ls_terms *ctx, const ls_term *a, const ls_term *b);
const ls_term *ls_ult(ls_terms *ctx, const ls_term *a, const ls_term *b);
const ls_term *ls_slt(ls_terms *ctx, const ls_term *a, const ls_term *b);
const ls_term *ls_ite(ls_terms *ctx, const ls_term *c, const ls_term *a, const ls_term *b);
const ls_term *ls_zext(ls_terms *ctx, const ls_term *a, uint32_t width);
const ls_term *ls_sext(ls_terms *ctx, const ls_term *a, uint32_t width);
/* To a wider (zero- or sign-extended) or narrower width. */
const ls_term *ls_resize(ls_terms *ctx, const ls_term *a, uint32_t width, bool is_signed);
const ls_term *ls_extract(ls_terms *ctx, const ls_term *a, uint32_t low, uint32_t width);
const ls_term *ls_uf(ls_terms *ctx, ls_function function, uint32_t width, const ls_term *const *args,
                     uint32_t count);
/* The same function of as many other arguments. */
const ls_term *ls_uf_again(ls_terms *ctx, const ls_term *term, const ls_term *const *args);
/* The function of an UF term. */
static inline const ls_function *ls_function_of(const ls_terms *ctx, const ls_term *term) {
    return &ctx->functions.items[term->value];
}
static inline bool ls_is_uf(const ls_terms *ctx, const ls_term *term, ls_uf_kind kind) {
    return term->op == LS_T_UF && ls_function_of(ctx, term)->kind == kind;
}
static inline bool ls_is_const(const ls_term *t) {
    return t->op == LS_T_CONST;
}
static inline bool ls_is_true(const ls_term *t) {
    return t->op == LS_T_CONST && t->width == 1 && t->value == 1;
}
static inline bool ls_is_false(const ls_term *t) {
    return t->op == LS_T_CONST && t->width == 1 && t->value == 0;
}

/* Substitution of symbols by terms. `replace` gives what a symbol becomes (itself, or another term). */
typedef struct ls_subst ls_subst;
struct ls_subst {
    ls_terms *ctx;
    const ls_term *(*replace)(ls_subst *subst, const ls_term *symbol);
    void *data;
    ls_intmap memo;
    uint32_t first; /* terms with a smaller id stay as they are: none of what changes can be in them */
};
const ls_term *ls_substitute(ls_subst *subst, const ls_term *term);
static inline void ls_subst_free(ls_subst *subst) {
    ls_intmap_free(&subst->memo);
}

/* The instance of a symbol for a thread (1, 2; 0: one that both threads share). */
const ls_term *ls_instance(ls_terms *ctx, const ls_term *symbol, uint32_t thread);

/* Exact value under an assignment: `lookup` gives the value of a symbol or UF term. */
typedef struct {
    uint64_t (*lookup)(void *data, const ls_term *leaf);
    void *data;
    ls_intmap memo;
} ls_eval;
uint64_t ls_evaluate(ls_eval *eval, const ls_term *term);
/* The value of a term that is no leaf from those of its arguments; to be cut to its width. */
uint64_t ls_compute(const ls_term *term, const uint64_t *args);

typedef LS_VEC(const ls_term *) ls_term_list;

enum { LS_WALK_FIRST = 8 };

/* A walk through the terms below some roots, each once: add the roots, then take one after the other, NULL at
 * the end, adding its arguments where they are wanted (ls_walk_down). */
typedef struct {
    ls_term_list stack;
    uint32_t count; /* of those that were taken */
    const ls_term *first[LS_WALK_FIRST];
    ls_intmap rest;
} ls_term_walk;
void ls_walk_add(ls_term_walk *walk, const ls_term *const *terms, uint32_t count);
const ls_term *ls_walk_next(ls_term_walk *walk);
/* The same, and its arguments are added. */
const ls_term *ls_walk_down(ls_term_walk *walk);
void ls_walk_free(ls_term_walk *walk);

/* Every symbol and UF below the roots, each once, into `out`. */
void ls_leaves(const ls_term *const *roots, uint32_t count, ls_term_list *out);
/* Whether `part` is the term itself or stands somewhere in it. */
bool ls_occurs(const ls_term *term, const ls_term *part);
/* More than so many different terms are in it. */
bool ls_is_large(const ls_term *term, uint32_t most);

void ls_term_print(ls_terms *ctx, const ls_term *term, char *out, size_t size);

#endif
