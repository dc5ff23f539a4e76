/* The kernel language (000, §3.1): programs of basic blocks over shared and private variables, with
 * assignment, havoc, assume, assert, skip, barrier and a non-deterministic goto; extended by arrays, by typed
 * expressions (Booleans, integers, bit-vectors, block labels) and by the statements that predication (§4.1)
 * and the lock-step construction (§4.2) introduce.
 *
 * One representation serves every client: the parser and the random generator build it, predication and the
 * lock-step construction map programs to programs, the interpreter runs them over small domains, and a
 * verifier lowers real kernels to it. Nothing here limits domains or array lengths; the interpreter does.
 *
 * Expressions form a directed acyclic graph: equal expressions are the same node. Everything lives in the
 * program's arena. */
#ifndef LS_MODEL_LANG_H
#define LS_MODEL_LANG_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- Types ------------------------------------------------------------------------------------------- */

typedef enum {
    LS_KT_BOOL,
    LS_KT_INT,  /* mathematical integers; a variable holds lo…hi */
    LS_KT_BV,   /* bit-vectors of 1…64 bits */
    LS_KT_LABEL /* block labels: the type of v_active and v_next */
} ls_ktype_kind;

typedef struct {
    uint8_t kind;
    uint8_t width; /* LS_KT_BV: number of bits; otherwise 0 */
} ls_ktype;

#define LS_KTYPE_BOOL  ((ls_ktype){LS_KT_BOOL, 0})
#define LS_KTYPE_INT   ((ls_ktype){LS_KT_INT, 0})
#define LS_KTYPE_LABEL ((ls_ktype){LS_KT_LABEL, 0})
#define LS_KTYPE_BV(w) ((ls_ktype){LS_KT_BV, (uint8_t)(w)})

static inline bool ls_ktype_equal(ls_ktype a, ls_ktype b) {
    return a.kind == b.kind && a.width == b.width;
}

/* ---- Variables --------------------------------------------------------------------------------------- */

typedef struct ls_kexpr ls_kexpr;

typedef struct {
    uint32_t line, column; /* from 1; 0: made by a transformation */
} ls_kloc;

typedef enum {
    LS_KC_SHARED,  /* Vs: one copy, visible to all threads */
    LS_KC_PRIVATE, /* Vp: a copy per thread */
    LS_KC_CONST    /* one copy, never written: kernel parameters; allowed in guards */
} ls_kclass;

typedef enum {
    LS_KR_USER,
    LS_KR_TID,    /* the thread's number, from 0 */
    LS_KR_ACTIVE, /* v_active: the block the thread must execute (§4.1) */
    LS_KR_NEXT,   /* v_next: the block chosen by a goto (§4.1) */
    LS_KR_HAVOC   /* v_havoc: a value chosen by a havoc (Table 1) */
} ls_krole;

typedef struct ls_kvar {
    const char *name;
    uint32_t id; /* its index in the program */
    ls_ktype type;
    uint8_t class; /* ls_kclass */
    uint8_t role;  /* ls_krole */
    bool array;
    uint64_t length;             /* arrays: number of elements, 0 where unknown */
    int64_t low, high;           /* LS_KT_INT: the domain; assignment wraps into it */
    const ls_kexpr *const *init; /* initial value, or one per element; NULL: any value of the domain */
    uint32_t init_count;
    ls_kloc loc;
} ls_kvar;

/* ---- Expressions ------------------------------------------------------------------------------------- */

/* How operand and result types go together. */
typedef enum {
    LS_KSIG_LEAF,
    LS_KSIG_BOOLS,  /* Booleans to Boolean */
    LS_KSIG_EQUAL,  /* two of one type to Boolean */
    LS_KSIG_ORDER,  /* two numbers of one type to Boolean */
    LS_KSIG_ARITH,  /* numbers of one type to that type */
    LS_KSIG_BITS,   /* bit-vectors of one width to that width */
    LS_KSIG_BVORD,  /* bit-vectors of one width to Boolean */
    LS_KSIG_ITE,    /* Boolean and two of one type to that type */
    LS_KSIG_CONCAT, /* bit-vectors to one of the summed width */
    LS_KSIG_RESIZE, /* bit-vector to one of the width in `value` */
    LS_KSIG_TO_INT, /* bit-vector to integer */
    LS_KSIG_TO_BV   /* integer to bit-vector of the width in `value` */
} ls_ksig;

/* X(op, name, arity (0xff: two or more), infix text or NULL, precedence, signature). Operators without infix
 * text are written name(a, b). On bit-vectors `< <= > >= / %` are unsigned; integer division truncates
 * towards minus infinity. Division by zero is total: x / 0 = 0 and x % 0 = x for integers, all ones and x for
 * bit-vectors (SMT-LIB); bounds and division checks are the client's assertions. */
#define LS_KERNEL_OPS(X)                                                                                     \
    X(CONST, "const", 0, NULL, 0, LS_KSIG_LEAF)                                                              \
    X(TS, "TS", 0, NULL, 0, LS_KSIG_LEAF)                                                                    \
    X(VAR, "var", 0, NULL, 0, LS_KSIG_LEAF)                                                                  \
    X(SELECT, "select", 1, NULL, 0, LS_KSIG_LEAF)                                                            \
    X(ITE, "ite", 3, "?", 1, LS_KSIG_ITE)                                                                    \
    X(IMPLIES, "implies", 2, "==>", 2, LS_KSIG_BOOLS)                                                        \
    X(OR, "or", 0xff, "||", 3, LS_KSIG_BOOLS)                                                                \
    X(AND, "and", 0xff, "&&", 4, LS_KSIG_BOOLS)                                                              \
    X(EQ, "eq", 2, "==", 5, LS_KSIG_EQUAL)                                                                   \
    X(NE, "ne", 2, "!=", 5, LS_KSIG_EQUAL)                                                                   \
    X(LT, "lt", 2, "<", 6, LS_KSIG_ORDER)                                                                    \
    X(LE, "le", 2, "<=", 6, LS_KSIG_ORDER)                                                                   \
    X(GT, "gt", 2, ">", 6, LS_KSIG_ORDER)                                                                    \
    X(GE, "ge", 2, ">=", 6, LS_KSIG_ORDER)                                                                   \
    X(BOR, "bvor", 2, "|", 7, LS_KSIG_BITS)                                                                  \
    X(BXOR, "bvxor", 2, "^", 8, LS_KSIG_BITS)                                                                \
    X(BAND, "bvand", 2, "&", 9, LS_KSIG_BITS)                                                                \
    X(SHL, "shl", 2, "<<", 10, LS_KSIG_BITS)                                                                 \
    X(SHR, "shr", 2, ">>", 10, LS_KSIG_BITS)                                                                 \
    X(ADD, "add", 2, "+", 11, LS_KSIG_ARITH)                                                                 \
    X(SUB, "sub", 2, "-", 11, LS_KSIG_ARITH)                                                                 \
    X(MUL, "mul", 2, "*", 12, LS_KSIG_ARITH)                                                                 \
    X(DIV, "div", 2, "/", 12, LS_KSIG_ARITH)                                                                 \
    X(MOD, "mod", 2, "%", 12, LS_KSIG_ARITH)                                                                 \
    X(NOT, "not", 1, "!", 13, LS_KSIG_BOOLS)                                                                 \
    X(NEG, "neg", 1, "-", 13, LS_KSIG_ARITH)                                                                 \
    X(BNOT, "bvnot", 1, "~", 13, LS_KSIG_BITS)                                                               \
    X(MIN, "min", 2, NULL, 0, LS_KSIG_ARITH)                                                                 \
    X(MAX, "max", 2, NULL, 0, LS_KSIG_ARITH)                                                                 \
    X(SLT, "slt", 2, NULL, 0, LS_KSIG_BVORD)                                                                 \
    X(SLE, "sle", 2, NULL, 0, LS_KSIG_BVORD)                                                                 \
    X(SDIV, "sdiv", 2, NULL, 0, LS_KSIG_BITS)                                                                \
    X(SREM, "srem", 2, NULL, 0, LS_KSIG_BITS)                                                                \
    X(ASHR, "ashr", 2, NULL, 0, LS_KSIG_BITS)                                                                \
    X(CONCAT, "concat", 2, NULL, 0, LS_KSIG_CONCAT)                                                          \
    X(EXTRACT, "extract", 1, NULL, 0, LS_KSIG_RESIZE)                                                        \
    X(ZEXT, "zext", 1, NULL, 0, LS_KSIG_RESIZE)                                                              \
    X(SEXT, "sext", 1, NULL, 0, LS_KSIG_RESIZE)                                                              \
    X(TO_INT, "int", 1, NULL, 0, LS_KSIG_TO_INT)                                                             \
    X(TO_BV, "bv", 1, NULL, 0, LS_KSIG_TO_BV)

typedef enum {
#define LS_KERNEL_OP(op, name, arity, infix, precedence, signature) LS_KX_##op,
    LS_KERNEL_OPS(LS_KERNEL_OP)
#undef LS_KERNEL_OP
        LS_KX_COUNT
} ls_kop;

typedef struct {
    const char *name;
    uint8_t arity; /* 0xff: two or more */
    const char *infix;
    uint8_t precedence;
    uint8_t signature;
} ls_kop_info;

extern const ls_kop_info ls_kops[LS_KX_COUNT];

struct ls_kexpr {
    uint8_t op; /* ls_kop */
    ls_ktype type;
    uint16_t depth;     /* of the expression as a tree; saturates */
    bool shared;        /* a shared variable occurs in it */
    uint32_t id;        /* its index in the program: operands have smaller ones */
    uint32_t count;     /* number of operands */
    int64_t value;      /* CONST: the value (bit-vectors zero-extended; labels: the kernel's block index);
                           ZEXT, SEXT, TO_BV: the new width; EXTRACT: width * 256 + low bit */
    const ls_kvar *var; /* VAR, SELECT */
    const ls_kexpr *args[];
};

/* ---- Statements, blocks, programs -------------------------------------------------------------------- */

#define LS_KEND UINT32_MAX /* the label End in a goto: LS_GRAPH_END */

typedef enum {
    /* of a kernel (§3.1) and of its predicated form (Table 1, where `pred` says when the statement acts) */
    LS_KS_ASSIGN,  /* var[index] := value */
    LS_KS_HAVOC,   /* havoc var[index] */
    LS_KS_ASSUME,  /* assume value */
    LS_KS_ASSERT,  /* assert value */
    LS_KS_SKIP,    /* skip */
    LS_KS_BARRIER, /* barrier pred */
    LS_KS_CHOOSE,  /* var :∈ { labels } */
    /* of a lock-step program (Table 3): each acts for all threads t at once; the expressions are those of one
     * thread, and φ_t replaces every private variable v by v_t */
    LS_KS_VECTOR_ASSIGN,  /* ⟨v_t⟩ := ⟨pred_t ? value_t : v_t⟩ */
    LS_KS_VECTOR_HAVOC,   /* havoc ⟨v_t⟩ */
    LS_KS_VECTOR_CHOOSE,  /* ⟨v_t⟩ :∈ ⟨{ labels }⟩ */
    LS_KS_PSI,            /* v := ψ(⟨pred_t, value_t⟩); arrays: per element, among the threads that name it */
    LS_KS_ASSERT_ALL,     /* assert ∧ pred_t ⇒ value_t */
    LS_KS_ASSUME_ALL,     /* assume ∧ pred_t ⇒ value_t */
    LS_KS_ASSUME_ANY,     /* assume ∨ value_t */
    LS_KS_BARRIER_ASSERT, /* assert (∨ pred_t) ⇒ (∧ pred_t) */
    LS_KS_COUNT
} ls_kstmt_kind;

typedef struct {
    uint8_t kind; /* ls_kstmt_kind */
    ls_kloc loc;
    const ls_kvar *var;
    const ls_kexpr *index; /* NULL: var is a scalar */
    const ls_kexpr *value;
    const ls_kexpr
        *pred; /* NULL: true. A statement whose predicate is false does nothing, evaluates nothing */
    const uint32_t *labels; /* CHOOSE: block indices */
    uint32_t label_count;
    uint32_t origin; /* number of the statement in the kernel it comes from, counted over the whole program;
                        UINT32_MAX: introduced by a transformation */
} ls_kstmt;

typedef struct {
    const char *label;
    ls_kloc loc;
    LS_VEC(ls_kstmt) stmts;
    LS_VEC(uint32_t) targets; /* block indices or LS_KEND */
    uint32_t source; /* predicated and lock-step programs: the kernel's block that this one is made of */
} ls_kblock;

typedef enum { LS_KF_KERNEL, LS_KF_PREDICATED, LS_KF_LOCKSTEP } ls_kform;

/* What programs made from one another have in common: variables, expressions, memory. */
typedef struct ls_kctx {
    ls_arena arena;
    uint32_t threads; /* TS; 0 where it is not fixed */
    LS_VEC(ls_kvar *) vars;
    const ls_kvar *tid;
    const ls_kexpr **table; /* of expressions, open addressing */
    uint32_t table_mask, expr_count;
} ls_kctx;

typedef struct ls_kprog {
    ls_kctx *ctx;
    const char *name, *file;
    uint8_t form;                  /* ls_kform */
    LS_VEC(ls_kblock) blocks;      /* block 0 is Start */
    const struct ls_kprog *kernel; /* predicated and lock-step programs: what they are made from */
    const ls_kvar *active, *next;  /* predicated and lock-step programs */
    uint32_t stmt_count;           /* statements numbered so far (ls_kstmt.origin) */
} ls_kprog;

/* The context owns all that is made in it, its programs too. */
ls_kctx *ls_kctx_new(uint32_t threads);
void ls_kctx_free(ls_kctx *ctx);

ls_kprog *ls_kprog_new(ls_kctx *ctx, const char *name, const char *file);

/* A new variable; the name is copied, and made unique by appending primes where `fresh`. */
ls_kvar *ls_kvar_new(ls_kctx *ctx, const char *name, ls_kclass class, ls_ktype type);
ls_kvar *ls_kvar_fresh(ls_kctx *ctx, const char *name, ls_kclass class, ls_ktype type);
const ls_kvar *ls_kvar_find(const ls_kctx *ctx, const char *name);
/* Number of values in the domain of the variable (of one element); 0: 2^64, or labels. */
uint64_t ls_kvar_domain(const ls_kvar *var);

/* Appends an empty block and returns its index; the label is copied. */
uint32_t ls_kblock_new(ls_kprog *prog, const char *label);
/* A label that no block has yet: the given one, with primes appended where needed. */
const char *ls_klabel_fresh(ls_kprog *prog, const char *label);
void ls_kblock_add(ls_kprog *prog, uint32_t block, ls_kstmt stmt);
void ls_kblock_goto(ls_kprog *prog, uint32_t block, uint32_t target);

/* Expressions. ls_kexpr_check says what is wrong with the operand types (NULL: nothing) and gives the type
 * of the result; ls_kexpr_op asserts that nothing is. */
const char *ls_kexpr_check(ls_kop op, const ls_kexpr *const *args, uint32_t count, int64_t value,
                           ls_ktype *result);
const ls_kexpr *ls_kexpr_op(ls_kctx *ctx, ls_kop op, const ls_kexpr *const *args, uint32_t count,
                            int64_t value);
const ls_kexpr *ls_kexpr_const(ls_kctx *ctx, ls_ktype type, int64_t value);
const ls_kexpr *ls_kexpr_bool(ls_kctx *ctx, bool value);
const ls_kexpr *ls_kexpr_ts(ls_kctx *ctx);
const ls_kexpr *ls_kexpr_var(ls_kctx *ctx, const ls_kvar *var);
const ls_kexpr *ls_kexpr_select(ls_kctx *ctx, const ls_kvar *array, const ls_kexpr *index);
const ls_kexpr *ls_kexpr_unary(ls_kctx *ctx, ls_kop op, const ls_kexpr *a);
const ls_kexpr *ls_kexpr_binary(ls_kctx *ctx, ls_kop op, const ls_kexpr *a, const ls_kexpr *b);
const ls_kexpr *ls_kexpr_ite(ls_kctx *ctx, const ls_kexpr *c, const ls_kexpr *a, const ls_kexpr *b);
bool ls_kexpr_is_true(const ls_kexpr *expr); /* NULL or the constant true */

/* The bits of value that a bit-vector of this width has. */
static inline int64_t ls_kbits(uint64_t value, uint32_t width) {
    return (int64_t)(width >= 64 ? value : value & ((UINT64_C(1) << width) - 1));
}

/* guard(B): the expression of the assume that the block begins with (NULL: none, that is, true). */
const ls_kexpr *ls_kblock_guard(const ls_kprog *prog, uint32_t block);

#endif
