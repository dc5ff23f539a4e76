/* PTX as a syntax tree: parse text, walk it, print it again.
 *
 *     ls_diags *diags = ls_diags_new();
 *     ls_ptx_module *module = ls_ptx_parse(text, length, "scan.ptx", diags);
 *     if (module) { … ls_ptx_print(module, NULL) … ls_ptx_module_free(module); }
 * The tree keeps all statements in their order and scopes, so that ptxas makes the same machine code from the
 * printed PTX. Names are resolved: an operand points to its symbol. Every distinct opcode spelling
 * ("ld.global.v4.f32") is decoded once, into a form that its instructions share. All memory belongs to the
 * module and is freed with it. */
#ifndef LOCKSTEP_PTX_H
#define LOCKSTEP_PTX_H

#include "lockstep/diag.h"

#include <stddef.h>

LS_BEGIN_DECLS

typedef struct ls_ptx_module ls_ptx_module;
typedef struct ls_ptx_symbol ls_ptx_symbol;
typedef struct ls_ptx_variable ls_ptx_variable;
typedef struct ls_ptx_function ls_ptx_function;
typedef struct ls_ptx_operand ls_ptx_operand;
typedef struct ls_ptx_stmt ls_ptx_stmt;
typedef struct ls_ptx_block ls_ptx_block;

/* --- Types (table in src/ptx/types.def) ------------------------------------------------------------------
 */
typedef enum {
#define TYPE(id, text, bits, kind) LS_TYPE_##id,
#include "lockstep/ptx_types.def"
#undef TYPE
    LS_TYPE_COUNT
} ls_ptx_type;

typedef enum {
    LS_KIND_NONE,
    LS_KIND_UNSIGNED,
    LS_KIND_SIGNED,
    LS_KIND_BITS,
    LS_KIND_FLOAT,
    LS_KIND_PREDICATE,
    LS_KIND_OPAQUE, /* texture, sampler and surface references */
} ls_ptx_type_kind;

const char *ls_ptx_type_text(ls_ptx_type type); /* "u32", without the dot */
uint32_t ls_ptx_type_bits(ls_ptx_type type);    /* 0 for opaque types; 1 for .pred */
ls_ptx_type_kind ls_ptx_type_kind_of(ls_ptx_type type);

/* --- State spaces ----------------------------------------------------------------------------------------
 */
typedef enum {
    LS_SPACE_GENERIC, /* none written */
    LS_SPACE_REG,
    LS_SPACE_SREG,
    LS_SPACE_CONST,
    LS_SPACE_GLOBAL,
    LS_SPACE_LOCAL,
    LS_SPACE_PARAM,  /* also .param::entry and .param::func */
    LS_SPACE_SHARED, /* also .shared::cta */
    LS_SPACE_SHARED_CLUSTER,
    LS_SPACE_TEX,
    LS_SPACE_COUNT
} ls_ptx_space;

const char *ls_ptx_space_text(ls_ptx_space space); /* "global", …; "generic" if none is written */

/* --- Modifiers: the dotted parts of an opcode (table in ptx_modifiers.def) -------------------------------
 */
typedef enum {
    LS_MOD_UNKNOWN,
#define MOD(id, text, group) LS_MOD_##id,
#include "lockstep/ptx_modifiers.def"
#undef MOD
    LS_MOD_COUNT
} ls_ptx_modifier;

typedef enum {
    LS_GROUP_OTHER,
    LS_GROUP_TYPE,
    LS_GROUP_SPACE,
    LS_GROUP_VECTOR,
    LS_GROUP_ROUND,
    LS_GROUP_COMPARE,
    LS_GROUP_SEMANTICS, /* weak, volatile, relaxed, acquire, release, acq_rel, mmio */
    LS_GROUP_SCOPE,     /* cta, cluster, gpu, sys */
} ls_ptx_modifier_group;

const char *ls_ptx_modifier_text(ls_ptx_modifier modifier); /* without the dot */

/* --- Instructions: the one table (ptx_instructions.def) --------------------------------------------------
 */
typedef enum {
    LS_OP_UNKNOWN,
#define INSTR(id, name, operands, class, effects, ...) LS_OP_##id,
#include "lockstep/ptx_instructions.def"
#undef INSTR
    LS_OP_COUNT
} ls_ptx_op;

typedef enum {
    LS_CLASS_UNKNOWN,
    LS_CLASS_INTEGER,
    LS_CLASS_FLOAT,
    LS_CLASS_COMPARE,
    LS_CLASS_LOGIC,
    LS_CLASS_MOVE,
    LS_CLASS_MEMORY,  /* loads, stores, prefetch */
    LS_CLASS_ATOMIC,  /* atom, red */
    LS_CLASS_CONTROL, /* branches, calls, ret, exit */
    LS_CLASS_SYNC,    /* barriers, fences, mbarrier */
    LS_CLASS_WARP,    /* results that depend on other lanes: shfl, vote, match, redux, activemask, elect */
    LS_CLASS_ASYNC,   /* copies that complete later */
    LS_CLASS_TEXTURE,
    LS_CLASS_SURFACE,
    LS_CLASS_MATRIX, /* wmma, mma, wgmma, tcgen05, ldmatrix */
    LS_CLASS_VIDEO,
    LS_CLASS_MISC,
} ls_ptx_class;

/* What an instruction does besides writing its destination registers. */
enum {
    LS_READS_MEMORY = 1 << 0,
    LS_WRITES_MEMORY = 1 << 1,
    LS_ATOMIC = 1 << 2,       /* reads and writes in one step */
    LS_BARRIER = 1 << 3,      /* waits for (or signals) other threads of the block or cluster */
    LS_WARP_BARRIER = 1 << 4, /* converges or exchanges with other lanes of the warp */
    LS_FENCE = 1 << 5,        /* orders memory accesses */
    LS_BRANCH = 1 << 6,       /* may continue at another instruction */
    LS_EXITS = 1 << 7,        /* the thread or function ends here */
    LS_CALLS = 1 << 8,
    LS_CROSS_LANE = 1 << 9, /* the result depends on values of other lanes */
    LS_VARIES = 1 << 10,    /* the result differs from one execution to the next (clock, activemask) */
    LS_ASYNC = 1 << 11,     /* the effect completes later */
    LS_EFFECT = 1 << 12,    /* another visible effect: trap, brkpt, nanosleep, register reallocation, … */
};

typedef enum { /* what a thread does at a barrier, and which threads the barrier is for */
               LS_BARRIER_NONE,
               LS_BARRIER_BLOCK,        /* arrives, and waits for the other threads of the block */
               LS_BARRIER_BLOCK_ARRIVE, /* arrives, and continues without waiting */
               LS_BARRIER_BLOCK_RED,    /* arrives with a predicate, waits, and gets the reduction over all
                                           threads */
               LS_BARRIER_WARP,
               LS_BARRIER_CLUSTER_ARRIVE,
               LS_BARRIER_CLUSTER_WAIT,
} ls_ptx_barrier;

typedef enum { /* the linear function of its sources that an integer instruction computes, modulo 2^bits */
               LS_LINEAR_NONE,
               LS_LINEAR_COPY, /* mov, cvta */
               LS_LINEAR_CVT,  /* if the number fits */
               LS_LINEAR_SUM,
               LS_LINEAR_DIFFERENCE,
               LS_LINEAR_NEGATION,
               LS_LINEAR_PRODUCT, /* if one of the two is a constant; mad adds its third source */
               LS_LINEAR_SHIFT,   /* to the left, by a constant */
} ls_ptx_linear;

typedef enum { /* what a fence orders */
               LS_FENCE_NONE,
               LS_FENCE_THREADS, /* the thread's accesses before it and after it, as other threads see them */
               LS_FENCE_PROXY,   /* accesses of this thread through two different proxies */
               LS_FENCE_INIT,    /* initialisations of mbarriers */
} ls_ptx_fence;

typedef enum { /* the role of an instruction in asynchronous copies, for which threads wait in groups or at an
                  mbarrier */
               LS_COPY_NONE,
               LS_COPY_START, /* cp.async: a few bytes, copied by the thread */
               LS_COPY_COMMIT,
               LS_COPY_WAIT,     /* until at most a given number of groups is pending */
               LS_COPY_WAIT_ALL, /* for all copies, in groups or not */
               LS_COPY_BULK,     /* carried out by a separate unit: copies, … */
               LS_COPY_BULK_REDUCE,
               LS_COPY_BULK_COMMIT,
               LS_COPY_BULK_WAIT,
               LS_COPY_STORE, /* from registers into another block's shared memory */
} ls_ptx_copy;

typedef enum { /* what it does with an mbarrier */
               LS_MBARRIER_NONE,
               LS_MBARRIER_INIT,
               LS_MBARRIER_INVAL,
               LS_MBARRIER_EXPECT_TX,
               LS_MBARRIER_COMPLETE_TX,
               LS_MBARRIER_ARRIVE,
               LS_MBARRIER_ARRIVE_DROP,
               LS_MBARRIER_ARRIVE_COPIED, /* arrives once the thread's copies have completed */
               LS_MBARRIER_WAIT, /* asks whether a phase has completed, at once or after waiting for some time
                                  */
} ls_ptx_mbarrier;

typedef enum { /* what kind of tensor it works on */
               LS_TENSOR_NONE,
               LS_TENSOR_MAP,    /* copies a box of the array that a tensor map describes */
               LS_TENSOR_MEMORY, /* the memory of the tensor cores, which tcgen05.alloc allocates */
} ls_ptx_tensor;

typedef enum { /* what the first result says about other lanes */
               LS_LANES_NONE,
               LS_LANES_VALUE, /* a value of one of them */
               LS_LANES_VOTE,  /* for which of them a condition is true */
               LS_LANES_GROUP, /* which of them executed it as well, with an equal value or with any value */
} ls_ptx_lanes;

typedef enum { /* for a result that depends on other lanes: when all participating lanes get the same result
                */
               LS_ALIKE_NEVER,
               LS_ALIKE_MEMBERS, /* if all of them name the same lanes in the last source */
               LS_ALIKE_FIRST,   /* the same, but only for the first result */
               LS_ALIKE_ALL,     /* the same as for members, but only with .all */
               LS_ALIKE_ONE,     /* if all lanes of a warp read the value of one lane */
} ls_ptx_alike;

/* The operands of an opcode, as the table gives them: one item for each operand, separated by spaces. An item
 * consists of
 * - a role: D destination, S source, R address that is read, W address that is written, A address that is
 *   read and written, P address that is only used as a number (prefetch, isspacep), L label, F function, T
 *   list of targets;
 * - a type: 0…3 that type modifier (checked if the form has no more types than these), m the result type of
 *   mul and mad, p predicate, w 32-bit and q 64-bit integer, x unchecked;
 * - what may follow: | a pair, of which the second part is optional, v a vector of the opcode's .vN, ? the
 *   operand is optional, * any number of further operands. */
typedef struct {
    const char *name; /* "cp.async.bulk": the longest prefix of the dotted spelling that names it */
    const char *operands;
#ifdef __cplusplus
    ls_ptx_class class_;
#else
    ls_ptx_class class;
#endif
    uint32_t effects;
    /* Fields that a row of the table does not give are 0. */
    ls_ptx_barrier barrier;
    bool aligned;    /* for a barrier: all threads of a warp must execute the same one (bar.…) */
    uint8_t carries; /* bit mask of the sources through which a pointer can pass to the result */
    ls_ptx_linear linear;
    bool selects;     /* the result is one of the first two sources */
    bool divides;     /* the second source must not be 0 (for integer types) */
    bool reads_carry; /* the carry flag that add.cc and the like write */
    bool plain;       /* moves registers to or from memory unchanged */
    bool repeatable; /* executing it twice, together with the code around it, has the same effect as executing
                        it once */
    ls_ptx_fence fence;
    ls_ptx_copy copy;
    ls_ptx_mbarrier mbarrier;
    ls_ptx_tensor tensor;
    ls_ptx_lanes lanes;
    ls_ptx_alike alike;
    bool warp_group;    /* four warps execute it together */
    uint16_t semantics; /* LS_MOD_RELAXED, …, and … */
    uint16_t scope;     /* … LS_MOD_GPU, …: the defaults if none is written; weak if there are none */
    const char *noun;   /* what messages call it */
} ls_ptx_opcode;

const ls_ptx_opcode *ls_ptx_opcode_of(ls_ptx_op op);
/* Whether the instruction waits at a barrier of the block, or of a part of the block. */
static inline bool ls_ptx_waits_for_block(const ls_ptx_opcode *opcode) {
    return opcode && (opcode->barrier == LS_BARRIER_BLOCK || opcode->barrier == LS_BARRIER_BLOCK_RED);
}

enum { LS_PTX_MAX_TYPES = 8 };

/* One decoded opcode spelling. */
typedef struct {
    const char *text; /* as written: "ld.global.nc.v4.f32" */
    uint32_t length;
    ls_ptx_op op;
    const ls_ptx_opcode *opcode;
    const uint16_t *modifiers; /* ls_ptx_modifier, in order, without those that belong to the opcode's name */
    const char *const *modifier_texts;
    uint16_t modifier_count;
    uint8_t unknown_modifiers; /* how many of them are not in the table: their meaning is unknown */
    uint8_t type_count;
    uint8_t types[LS_PTX_MAX_TYPES]; /* ls_ptx_type, in order */
    uint8_t space_count;
    uint8_t spaces[2];  /* ls_ptx_space, in order */
    uint8_t vector;     /* 1, or 2, 4, 8 for .v2, .v4, .v8 */
    uint8_t const_bank; /* ld.const[N] of old PTX */
    uint16_t round;     /* LS_MOD_RN, …, or LS_MOD_UNKNOWN if none is written */
    uint16_t compare;   /* LS_MOD_EQ, … */
    uint16_t semantics; /* LS_MOD_RELAXED, … */
    uint16_t scope;     /* LS_MOD_CTA, … */
} ls_ptx_form;

/* Whether the instruction waits for the lanes that its last source names. Forms without .sync, for old
 * architectures, do not. */
bool ls_ptx_waits_for_named(const ls_ptx_form *form);

static inline ls_ptx_type ls_ptx_form_type(const ls_ptx_form *form, uint32_t index) {
    return index < form->type_count ? (ls_ptx_type)form->types[index] : LS_TYPE_NONE;
}
static inline ls_ptx_space ls_ptx_form_space(const ls_ptx_form *form) {
    return form->space_count ? (ls_ptx_space)form->spaces[0] : LS_SPACE_GENERIC;
}
bool ls_ptx_form_has(const ls_ptx_form *form, ls_ptx_modifier modifier);
/* Whether all threads of a warp must execute this barrier together: bar.…, or with .aligned. The threads of a
 * warp may reach other barriers at different places. */
static inline bool ls_ptx_is_aligned(const ls_ptx_form *form) {
    return (form->opcode && form->opcode->aligned) || ls_ptx_form_has(form, LS_MOD_ALIGNED);
}

/* --- Special registers (ptx_sregs.def) -------------------------------------------------------------------
 */
typedef enum {
    LS_SREG_NONE,
#define SREG(id, name, type, vector, varies) LS_SREG_##id,
#include "lockstep/ptx_sregs.def"
#undef SREG
    LS_SREG_COUNT
} ls_ptx_sreg;

typedef enum { /* the largest group of threads in which all always read the same value */
               LS_PER_THREAD,
               LS_PER_WARP,
               LS_PER_BLOCK,
               LS_PER_GRID,
               LS_PER_READ, /* may differ from one read to the next: clocks, performance counters */
} ls_ptx_varies;

typedef struct {
    const char *name; /* with the % */
    ls_ptx_type type;
    bool vector; /* has .x .y .z (.w) */
    ls_ptx_varies varies;
} ls_ptx_sreg_info;

const ls_ptx_sreg_info *ls_ptx_sreg_of(ls_ptx_sreg sreg);

/* --- Functions that are known by name (ptx_builtins.def) --------------------------------------------------
 */
typedef enum {
    LS_BUILTIN_NONE,
#define BUILTIN(id, name, call, run, traits) LS_BUILTIN_##id,
#include "lockstep/ptx_builtins.def"
#undef BUILTIN
    LS_BUILTIN_COUNT
} ls_ptx_builtin;

enum {
    LS_TRAIT_GLOBAL = 1,    /* holds for all threads of the group, whether they reach it or not */
    LS_TRAIT_INVARIANT = 2, /* messages call the claim an invariant … */
    LS_TRAIT_REQUIRES = 4,  /* … a precondition … */
    LS_TRAIT_ENSURES = 8,   /* … a postcondition */
    LS_TRAIT_SYSTEM =
        16, /* printing, allocation, time: nothing that it does counts as an access of the kernel */
    LS_TRAIT_WRITES = 32,   /* is about writes; without it, about reads */
    LS_TRAIT_OFFSET = 64,   /* is about the offset of an access */
    LS_TRAIT_LOCAL = 128,   /* is about shared memory (OpenCL: local memory), or copies to it */
    LS_TRAIT_RUNTIME = 256, /* part of the device runtime: replaces a body even if one is linked in */
};

uint32_t ls_ptx_builtin_traits(ls_ptx_builtin builtin);
ls_ptx_builtin ls_ptx_find_builtin(const char *name);

/* --- Symbols ---------------------------------------------------------------------------------------------
 */
typedef enum {
    LS_SYMBOL_REGISTER,
    LS_SYMBOL_SPECIAL,  /* special register */
    LS_SYMBOL_VARIABLE, /* in memory: .global .const .shared .local .param .tex, function parameters */
    LS_SYMBOL_FUNCTION,
    LS_SYMBOL_LABEL,
    LS_SYMBOL_TARGETS, /* label of .branchtargets, .calltargets, .callprototype */
    LS_SYMBOL_ALIAS,
} ls_ptx_symbol_kind;

typedef struct {
    uint32_t line, column;
} ls_ptx_pos;

struct ls_ptx_symbol {
    const char *name; /* NUL-terminated */
    uint32_t length;
    uint8_t kind;   /* ls_ptx_symbol_kind */
    uint8_t type;   /* of a register or variable: ls_ptx_type */
    uint8_t vector; /* of a register or variable: 1, 2, 4, 8 */
    uint8_t sreg;   /* of a special register: ls_ptx_sreg */
    uint32_t index; /* register: its number in the function, from 0; label: likewise; else its number in the
                       module */
    union {
        ls_ptx_variable *variable; /* register (its declaration) or variable */
        ls_ptx_function *function;
        ls_ptx_stmt *stmt;    /* label or targets: the statement that defines it */
        ls_ptx_symbol *alias; /* the symbol that the alias refers to */
    };
};

enum { /* linkage */
       LS_LINK_EXTERN = 1,
       LS_LINK_VISIBLE = 2,
       LS_LINK_WEAK = 4,
       LS_LINK_COMMON = 8,
};

/* One declared name: a variable, a parameter, a register or a range of registers (%r<100>). */
struct ls_ptx_variable {
    ls_ptx_symbol *symbol; /* of a range: the name before the < */
    ls_ptx_pos pos;
    uint8_t space; /* ls_ptx_space */
    uint8_t type;
    uint8_t vector;
    uint8_t linkage;
    uint8_t const_bank;    /* .const[N] of old PTX */
    bool is_parameter;     /* of a function or entry */
    bool is_range;         /* name<range_count> */
    bool is_pointer;       /* .ptr */
    uint8_t pointer_space; /* LS_SPACE_GENERIC where not given */
    uint8_t dimension_count;
    bool open_array; /* first dimension [] */
    uint32_t align;  /* 0: none given */
    uint32_t pointer_align;
    uint32_t range_count;
    uint64_t *dimensions;
    ls_ptx_operand *initializer; /* NULL: none; aggregates are LS_OPERAND_VECTOR */
    const char *attribute;       /* text between the brackets of .attribute(…), or NULL */
};

/* Size in bytes; 0 if it is not known (open array), UINT64_MAX if it does not fit into 64 bits. */
uint64_t ls_ptx_variable_size(const ls_ptx_variable *variable);
/* Alignment in bytes: the given one, or the type's own. */
uint32_t ls_ptx_variable_align(const ls_ptx_variable *variable);

/* --- Operands --------------------------------------------------------------------------------------------
 */
typedef enum {
    LS_OPERAND_REGISTER, /* register or special register: symbol, element */
    LS_OPERAND_SYMBOL,   /* variable, function, label, targets: symbol + offset */
    LS_OPERAND_INT,      /* value; with LS_OPERAND_UNSIGNED if it is a u64 constant */
    LS_OPERAND_F32,      /* value: the bits of 0fXXXXXXXX */
    LS_OPERAND_F64,      /* value: the bits of 0dXXXXXXXXXXXXXXXX or of a decimal literal */
    LS_OPERAND_VECTOR,   /* { parts } */
    LS_OPERAND_ADDRESS,  /* [ parts ]: one part, or tensor map and coordinates, … */
    LS_OPERAND_PAIR,     /* parts[0]|parts[1] */
    LS_OPERAND_LIST,     /* ( parts ) of a call */
    LS_OPERAND_SINK,     /* _ */
    LS_OPERAND_STRING,   /* text: initialiser "…" with its quotes */
} ls_ptx_operand_kind;

enum {                             /* flags */
       LS_OPERAND_NOT = 1,         /* !p */
       LS_OPERAND_MINUS = 2,       /* -a of the video instructions */
       LS_OPERAND_UNSIGNED = 4,    /* integer constant of type u64 */
       LS_OPERAND_GENERIC = 8,     /* generic(symbol) in an initialiser */
       LS_OPERAND_MASKED = 16,     /* mask(symbol) in an initialiser: element is the byte that is taken */
       LS_OPERAND_HAS_OFFSET = 32, /* register or symbol + offset, even if the offset is 0 */
};

enum { /* element of a vector register, or part of a video operand; 0: the whole */
       LS_ELEMENT_X = 1,
       LS_ELEMENT_Y,
       LS_ELEMENT_Z,
       LS_ELEMENT_W,
       LS_ELEMENT_B0, /* .b0 … .b3: 5…8; .h0, .h1: 9, 10; longer selections such as .b3210: by text */
       LS_ELEMENT_H0 = 9,
       LS_ELEMENT_SELECT = 11, /* .bXX… or .hXX: selector holds its digits */
};

struct ls_ptx_operand {
    uint8_t kind; /* ls_ptx_operand_kind */
    uint8_t flags;
    uint8_t element;
    uint8_t select_digits; /* LS_ELEMENT_SELECT: number of digits in offset (base 8, 'b' or 'h' in bit 31) */
    uint32_t count;        /* of parts; or length of text */
    union {
        ls_ptx_symbol *symbol;
        uint64_t value; /* LS_OPERAND_INT: two's complement */
        ls_ptx_operand *parts;
        const char *text;
    };
    int64_t offset;
};

/* --- Statements ------------------------------------------------------------------------------------------
 */
typedef struct ls_ptx_loc {
    uint32_t file, line, column;
    const char *function_name; /* label of the inlined function's name, with offset as written; or NULL */
    uint32_t at_file, at_line, at_column; /* inlined_at; at_line 0: not inlined */
    const struct ls_ptx_loc *at;          /* the .loc that at_* refers to, or NULL if it is not known */
} ls_ptx_loc;

typedef struct {
    const ls_ptx_form *form;
    ls_ptx_operand *operands;
    uint8_t operand_count;
    bool guard_negated;
    ls_ptx_symbol *guard;  /* register of @p or @!p, or NULL */
    const ls_ptx_loc *loc; /* the .loc that applies to it, or NULL */
} ls_ptx_instr;

typedef struct { /* .branchtargets, .calltargets, .callprototype */
    ls_ptx_symbol *label;
    ls_ptx_operand *targets; /* of the first two */
    uint32_t target_count;
    ls_ptx_function *prototype; /* of the third: return and parameter lists, no name */
} ls_ptx_targets;

typedef enum {
    LS_STMT_INSTR,
    LS_STMT_LABEL,
    LS_STMT_BLOCK,   /* { … } */
    LS_STMT_DECLARE, /* one directive may declare several names: declared, declared_count */
    LS_STMT_LOC,
    LS_STMT_PRAGMA, /* text: the quoted strings, as written */
    LS_STMT_BRANCHTARGETS,
    LS_STMT_CALLTARGETS,
    LS_STMT_CALLPROTOTYPE,
    LS_STMT_FILE,     /* text: what follows .file, as written */
    LS_STMT_SECTION,  /* text: name and body of .section, as written */
    LS_STMT_RAW,      /* text: another line that is kept as it is (@@DWARF, …) */
    LS_STMT_FUNCTION, /* module level only */
    LS_STMT_ALIAS,    /* module level only: symbol is the alias */
} ls_ptx_stmt_kind;

struct ls_ptx_stmt {
    uint8_t kind; /* ls_ptx_stmt_kind */
    uint32_t line : 32;
    uint32_t column;
    uint32_t declared_count;
    union {
        ls_ptx_instr *instr;
        ls_ptx_symbol *symbol;
        ls_ptx_block *block;
        ls_ptx_variable **declared;
        ls_ptx_loc *loc;
        ls_ptx_targets *targets;
        ls_ptx_function *function;
        const char *text;
    };
};

struct ls_ptx_block {
    ls_ptx_stmt *stmts;
    uint32_t count;
};

/* --- Functions and modules -------------------------------------------------------------------------------
 */
typedef enum {
#define DIRECTIVE(id, text, least, most) LS_TUNE_##id,
#include "lockstep/ptx_tuning.def"
#undef DIRECTIVE
    LS_TUNE_COUNT
} ls_ptx_tune_kind;

typedef struct { /* .maxntid 256, 1, 1 and the like, between the parameters and the body */
    uint8_t kind;
    uint8_t count;
    uint32_t values[3];
    const char *text; /* .pragma: the quoted strings */
} ls_ptx_tune;

struct ls_ptx_function {
    ls_ptx_symbol *symbol; /* NULL only in a .callprototype */
    ls_ptx_pos pos;
    bool is_entry;
    uint8_t linkage;
    uint8_t builtin; /* ls_ptx_builtin, by its name */
    ls_ptx_variable **returns;
    ls_ptx_variable **params;
    uint32_t return_count, param_count;
    ls_ptx_tune *tunes;
    uint32_t tune_count;
    const char *attribute;
    ls_ptx_block *body;          /* NULL: declared only */
    ls_ptx_function *definition; /* for a declaration: the function with the body, or NULL; otherwise the
                                    function itself */
    uint32_t register_count;     /* registers that are used, numbered by symbol->index */
    uint32_t label_count;
    uint32_t instr_count;
    ls_ptx_symbol **registers;   /* by index */
    const ls_ptx_loc *first_loc; /* the first .loc of the body, or NULL */
};

/* The tuning directive of that kind, or NULL. */
const ls_ptx_tune *ls_ptx_tune_of(const ls_ptx_function *function, ls_ptx_tune_kind kind);
/* How many blocks the kernel's clusters have in each dimension. Returns false, with 1 in each, if the kernel
 * leaves that to the launch. */
bool ls_ptx_cluster_of(const ls_ptx_function *function, uint32_t size[3]);

typedef struct {
    uint32_t index;
    const char *path;
} ls_ptx_file;

struct ls_ptx_module {
    const char *filename; /* of the PTX text itself */
    uint32_t version_major, version_minor;
    const char **targets; /* "sm_75", "debug", … */
    uint32_t target_count;
    uint32_t address_size;       /* 32 or 64; 0: not given (32) */
    ls_ptx_block top;            /* everything after the three header directives, in order */
    ls_ptx_function **functions; /* all functions, in order, including declarations */
    uint32_t function_count;
    ls_ptx_function **plain; /* those of them that are not kernels */
    uint32_t plain_count;
    ls_ptx_variable **variables; /* module-level variables, in order */
    uint32_t variable_count;
    ls_ptx_file *files; /* of .file, in order */
    uint32_t file_count;
    size_t memory; /* bytes held */
    struct ls_ptx_private *hidden;
};

/* Returns NULL, with errors in diags, if the text is not PTX or needs more than any GPU has (limits.h). */
ls_ptx_module *ls_ptx_parse(const char *text, size_t length, const char *filename, ls_diags *diags);
void ls_ptx_module_free(ls_ptx_module *module);

/* The path of the source file with this .file index, or NULL. */
const char *ls_ptx_file_path(const ls_ptx_module *module, uint32_t index);
ls_ptx_function *ls_ptx_find_function(const ls_ptx_module *module, const char *name);

/* PTX text, on the heap. */
char *ls_ptx_print(const ls_ptx_module *module, size_t *length);
/* The syntax tree as readable text, on the heap. */
char *ls_ptx_dump_ast(const ls_ptx_module *module);
/* One instruction as PTX, with its semicolon but without a newline, on the heap. */
char *ls_ptx_print_instr(const ls_ptx_instr *instr);

LS_END_DECLS

#endif
