/* A µ-SIMD program (003, Figure 3): P, a map from labels to instructions, here an array. */
#ifndef LS_USIMD_PROGRAM_H
#define LS_USIMD_PROGRAM_H

#include "base/arena.h"
#include "base/buf.h"
#include "lockstep/usimd.h"

/* The binary operations: what they are called, their PTX, and whether they are comparisons, which give 0
 * or 1. */
#define USIMD_BINARY(B)                                                                                      \
    B(ADD, "+", "add.s32", false)                                                                            \
    B(SUB, "-", "sub.s32", false)                                                                            \
    B(MUL, "*", "mul.lo.s32", false)                                                                         \
    B(DIV, "/", "div.s32", false)                                                                            \
    B(REM, "%", "rem.s32", false)                                                                            \
    B(AND, "&", "and.b32", false)                                                                            \
    B(OR, "|", "or.b32", false)                                                                              \
    B(XOR, "^", "xor.b32", false)                                                                            \
    B(SHL, "<<", "shl.b32", false)                                                                           \
    B(SHR, ">>", "shr.s32", false)                                                                           \
    B(MIN, "min", "min.s32", false)                                                                          \
    B(MAX, "max", "max.s32", false)                                                                          \
    B(LT, "<", "setp.lt.s32", true)                                                                          \
    B(LE, "<=", "setp.le.s32", true)                                                                         \
    B(GT, ">", "setp.gt.s32", true)                                                                          \
    B(GE, ">=", "setp.ge.s32", true)                                                                         \
    B(EQ, "==", "setp.eq.s32", true)                                                                         \
    B(NE, "!=", "setp.ne.s32", true)

typedef enum {
#define USIMD_BINARY_ENUM(id, text, ptx, compares) BINARY_##id,
    USIMD_BINARY(USIMD_BINARY_ENUM)
#undef USIMD_BINARY_ENUM
        BINARY_COUNT
} binary;

typedef struct {
    const char *text, *ptx;
    bool compares;
} binary_info;

extern const binary_info usimd_binaries[BINARY_COUNT];

typedef enum {
    OPERAND_NONE,
    OPERAND_CONSTANT, /* value */
    OPERAND_TID,
    OPERAND_VARIABLE, /* value: which */
} operand_kind;

typedef struct {
    operand_kind kind;
    int32_t value;
} operand;

typedef enum {
    INSTR_BZ,     /* bz a, target */
    INSTR_BNZ,    /* bnz a, target */
    INSTR_JUMP,   /* jump target */
    INSTR_STORE,  /* ↑a = b */
    INSTR_LOAD,   /* v = ↓a */
    INSTR_ATOMIC, /* v ←a a + 1 */
    INSTR_BINARY, /* v = a op b */
    INSTR_COPY,   /* v = a */
    INSTR_SYNC,
    INSTR_STOP,
} instr_kind;

typedef struct {
    instr_kind kind;
    binary op;
    uint32_t dst; /* variable, where it writes one */
    operand a, b;
    uint32_t target; /* instruction */
    uint32_t line, column;
} instr;

typedef struct {
    const char *name;
    uint32_t instr;
} usimd_label;

typedef struct {
    const char *name;
    bool is_input;
    int32_t value; /* of an input */
} variable;

struct ls_usimd {
    ls_arena arena;
    const char *file;
    instr *instrs;
    uint32_t instr_count;
    usimd_label *labels; /* by instruction */
    uint32_t label_count;
    const usimd_label **label_of; /* [instruction]: its first label, or NULL */
    variable *variables;
    uint32_t variable_count;
    uint32_t threads; /* 0: not said */
    uint32_t memory_size;
    int32_t *initial; /* of memory */
};

enum {
    DEFAULT_THREADS = 4,
    DEFAULT_MEMORY = 64,
    MOST_MEMORY = 1 << 20,
    MOST_INSTRS = 1 << 16,
    MOST_VARIABLES = 1 << 12,
    DEFAULT_CYCLES = 2000000,
};

static inline bool writes_variable(const instr *i) {
    return i->kind == INSTR_LOAD || i->kind == INSTR_ATOMIC || i->kind == INSTR_BINARY ||
           i->kind == INSTR_COPY;
}

static inline bool branches(const instr *i) {
    return i->kind == INSTR_BZ || i->kind == INSTR_BNZ;
}

/* The instruction as µ-SIMD text, with its operands named by the caller (the gated form), or as they are. */
typedef const char *(*usimd_namer)(const void *context, operand o, bool is_dst, uint32_t instr);
void usimd_put_instr(ls_buf *out, const ls_usimd *p, uint32_t index, usimd_namer name, const void *context);

/* --- PTX (translate.c) -------------------------------------------------------------------------------------
 */
enum {
    TRANSLATE_OBSERVE = 1, /* every PE's variables are stored at stop; divergent sides in the paper's order */
    TRANSLATE_TRACE = 2,   /* each instruction is recorded */
};

#define USIMD_KERNEL "usimd"
#define USIMD_MEMORY "usimd_memory"

typedef struct {
    char *text; /* on the heap */
    size_t length;
    uint32_t line_count;
    uint32_t *instr_of; /* [line of the PTX text]: instruction, or UINT32_MAX; on the heap */
} usimd_ptx;

usimd_ptx usimd_translate(const ls_usimd *p, uint32_t flags);
void usimd_ptx_free(usimd_ptx *ptx);
/* The variable that a PTX register stands for, or UINT32_MAX. */
uint32_t usimd_variable_of(const char *reg);

/* --- Running (result.c, reference.c, machine.c) ------------------------------------------------------------
 */
ls_usimd_result *usimd_result_new(const ls_usimd *p, uint32_t threads);
/* What the result's own memory is taken from. */
ls_arena *usimd_result_arena(ls_usimd_result *r);
/* rule: of lockstep/report.h's names, or NULL. */
void usimd_result_stop(ls_usimd_result *r, const ls_usimd *p, uint32_t at, ls_usimd_status status,
                       const char *rule, const char *format, ...) __attribute__((format(printf, 6, 7)));
ls_usimd_result *usimd_run_reference(const ls_usimd *p, const ls_usimd_options *options);
ls_usimd_result *usimd_run_emulator(const ls_usimd *p, const ls_usimd_options *options);

#endif
