/* Control flow and values: one PTX function as decoded instructions, basic blocks, SSA and gating functions.
 *
 *     ls_ir_function *f = ls_ir_build(module, function, NULL, diags);
 *     for (uint32_t b = 0; b < f->block_count; b++)
 *         for (uint32_t i = 0; i < f->blocks[b]->instr_count; i++) use(f->blocks[b]->instrs[i]);
 *     ls_ir_free(f);
 * Everything belongs to the function, is allocated in one arena and is freed with it. It points into the PTX
 * module, which must live as long. Nothing is shared or global: functions can be built and used in parallel.
 * Everything that has an `id` is numbered from 0 without gaps, so that an analysis can keep its facts in
 * plain arrays: blocks (reverse post-order, the exit last), instructions (in block order), values, registers,
 * objects, loops, bases, accesses. docs/ir.md describes it. */
#ifndef LOCKSTEP_IR_H
#define LOCKSTEP_IR_H

#include "lockstep/argument.h"
#include "lockstep/diag.h"
#include "lockstep/finding.h"
#include "lockstep/ptx.h"

LS_BEGIN_DECLS

typedef struct ls_ir_function ls_ir_function;
typedef struct ls_ir_block ls_ir_block;
typedef struct ls_ir_instr ls_ir_instr;
typedef struct ls_ir_value ls_ir_value;
typedef struct ls_ir_phi ls_ir_phi;
typedef struct ls_ir_gate ls_ir_gate;
typedef struct ls_ir_loop ls_ir_loop;
typedef struct ls_ir_call ls_ir_call;
typedef struct ls_ir_access ls_ir_access;
typedef struct ls_ir_base ls_ir_base;

/* --- Registers and objects -------------------------------------------------------------------------------
 */
enum { LS_IR_NONE = UINT32_MAX }; /* no register, no number */

typedef enum {
    LS_REGISTER_PTX,   /* of the PTX text, or one element of a vector register */
    LS_REGISTER_SLOT,  /* a promoted piece of a .local or .param object */
    LS_REGISTER_CARRY, /* the carry flag of add.cc, addc, … */
} ls_ir_register_kind;

typedef struct {
    const char *name; /* unique in the function: "%r1", "%r1@2" (second of that name), "%v.x", "param0+0" */
    const ls_ptx_symbol *symbol; /* of LS_REGISTER_PTX */
    uint8_t kind;                /* ls_ir_register_kind */
    uint8_t type;                /* ls_ptx_type */
    uint8_t element;             /* of a vector register: LS_ELEMENT_X …; else 0 */
    uint32_t object;             /* of LS_REGISTER_SLOT: the object's id, and the byte in it */
    uint32_t offset;
    uint32_t def_count; /* instructions that write it */
} ls_ir_register;

typedef enum {
    LS_OBJECT_PARAM,      /* the function's own parameters: index says which */
    LS_OBJECT_RETURN,     /* the function's own return values (.func) */
    LS_OBJECT_CALL_PARAM, /* .param declared in the body: arguments and results of calls */
    LS_OBJECT_LOCAL,
    LS_OBJECT_SHARED,
    LS_OBJECT_GLOBAL,
    LS_OBJECT_CONST,
    LS_OBJECT_TEXTURE,  /* .texref, .samplerref, .surfref variables */
    LS_OBJECT_FUNCTION, /* the address of a function */
} ls_ir_object_kind;

/* A variable in memory. Variables of inlined functions that are private to a call exist once for each call.
 */
typedef struct {
    uint32_t id;
    uint8_t kind;     /* ls_ir_object_kind */
    const char *name; /* unique in the function */
    const ls_ptx_symbol *symbol;
    const ls_ptx_variable *variable; /* NULL for a function */
    uint64_t size;                   /* bytes; 0: not known (dynamic shared memory, extern arrays) */
    uint32_t align;
    uint32_t index; /* PARAM, RETURN: position in the list */
    uint32_t same; /* LS_OBJECT_PARAM: the number of the first parameter that has the same pointer; its own if
                      there is none before it */
    bool is_extern; /* .extern .shared x[]: dynamic shared memory; .extern .global */
    bool escapes;   /* its address is stored, passed on, or used in computations that are not followed */
    bool promoted;  /* LOCAL, CALL_PARAM: every access was replaced by a register */
} ls_ir_object;

/* --- Operands --------------------------------------------------------------------------------------------
 */
typedef enum {
    LS_IR_ABSENT, /* no operand: an instruction's guard where it has none */
    LS_IR_REG,    /* reg */
    LS_IR_IMM,    /* bits, already in `type` (two's complement cut to its width; IEEE bits) */
    LS_IR_SREG,   /* sreg, element */
    LS_IR_OBJECT, /* address of an object; offset */
    LS_IR_BLOCK,  /* label: block */
    LS_IR_SINK,   /* _ */
    LS_IR_OTHER,  /* something else (a prototype, a label that is not the target of a branch): ast, or NULL */
} ls_ir_operand_kind;

typedef enum {
    LS_ROLE_DATA,
    LS_ROLE_READ,       /* address in [ ]: memory at value + offset is read … */
    LS_ROLE_WRITE,      /* … written … */
    LS_ROLE_READ_WRITE, /* … both; each of the three has its ls_ir_access */
    LS_ROLE_POINTER,    /* an address in [ ] that is not accessed (prefetch) */
    LS_ROLE_COORDINATE, /* further parts of an address in [ ]: texture and tensor coordinates */
    LS_ROLE_CALLEE,
    LS_ROLE_TARGET, /* label or target list of a branch */
} ls_ir_role;

enum { /* flags of an operand, beside LS_OPERAND_NOT (!p) and LS_OPERAND_MINUS of lockstep/ptx.h */
       LS_IR_IMPLICIT = 64, /* not written in the PTX: the carry flag; slots of a call's arguments */
};

typedef struct {
    uint8_t kind; /* ls_ir_operand_kind */
    uint8_t type; /* ls_ptx_type as which the instruction uses it, which may differ from the register's own */
    uint8_t role; /* ls_ir_role */
    uint8_t flags;
    uint8_t element; /* SREG: LS_ELEMENT_X …, or the number of %envregN; REG of a video instruction: part */
    uint8_t operand; /* which of the PTX operands it is (or is a part of) … */
    uint16_t part;   /* … and which part of a vector, pair or address */
    uint32_t reg;    /* REG: register id */
    union {
        uint64_t bits;      /* IMM */
        uint32_t sreg;      /* SREG: ls_ptx_sreg */
        uint32_t object;    /* OBJECT: object id */
        ls_ir_block *block; /* BLOCK; `label` until the CFG is built */
        uint32_t label;
        const ls_ptx_operand *ast; /* OTHER */
    };
    int64_t offset; /* OBJECT, and every address in [ ]: constant byte offset */
    /* SSA: for a source, the value that is read (for an address in [ ], without the offset); for a
     * destination, the value that is defined; NULL for labels, sinks and the like. */
    ls_ir_value *value;
} ls_ir_operand;

/* --- Instructions ----------------------------------------------------------------------------------------
 */
struct ls_ir_instr {
    uint32_t id;
    uint16_t op;             /* ls_ptx_op: form->op */
    bool unknown;            /* the opcode or a modifier is not in the table: its results may be any values */
    bool made;               /* not in the PTX: inserted by promotion or inlining (mov, cvt, bra) */
    const ls_ptx_form *form; /* never NULL */
    const ls_ptx_instr *ast; /* NULL for an inserted instruction that has no counterpart in the PTX */
    ls_ir_block *block;
    const ls_place *pos;
    ls_ir_operand *dst, *src; /* vectors flattened; as written from left to right */
    uint16_t dst_count, src_count;
    ls_ir_operand guard; /* ABSENT, or a predicate register; LS_OPERAND_NOT in its flags for @!p */
    /* SSA: if the instruction has a guard and destinations, prior[k] is the previous value of dst[k]'s
     * register, which it keeps if the guard is false: result k = guard ? operation : prior[k]. Otherwise
     * NULL. */
    ls_ir_value **prior;
    ls_ir_access
        *accesses; /* filled by the access pass: one for each operand whose memory is read or written */
    uint32_t access_count;
    ls_ir_call *call;      /* of a call */
    ls_ir_block **targets; /* of brx.idx: the blocks by index */
    uint32_t target_count;
    uint32_t *target_labels; /* until the CFG is built */
};

typedef struct {           /* one argument or result of a call */
    uint32_t object;       /* the .param object, or LS_IR_NONE where a register or constant is passed */
    uint32_t first, count; /* its operands: src[first …] (arguments) or dst[first …] (results) of the call. If
                              the object was promoted, these are its slots, each with its type and its offset
                              in `offset`; otherwise it is one operand (OBJECT, REG or IMM). */
} ls_ir_argument;

struct ls_ir_call {
    const char *name;                 /* of the callee; NULL for an indirect call */
    uint8_t builtin;                  /* ls_ptx_builtin: which known function it is */
    const ls_ptx_function *callee;    /* declaration or definition; NULL for an indirect call */
    const ls_ptx_function *prototype; /* of an indirect call that names one */
    const ls_ptx_symbol **targets;    /* of an indirect call with .calltargets */
    uint32_t target_count;
    ls_ir_argument *args, *results;
    uint32_t arg_count, result_count;
    bool no_return;
};

/* The name of a call that is inserted where an inlined function with __ensures returns. Its arguments are the
 * function's results, `callee` is the function, and pos->at is the position of the inlined call. */
#define LS_IR_RETURN "__lockstep_return"

/* The function known by name that the instruction calls, or LS_BUILTIN_NONE. */
static inline ls_ptx_builtin ls_ir_builtin(const ls_ir_instr *instr) {
    return instr->call ? (ls_ptx_builtin)instr->call->builtin : LS_BUILTIN_NONE;
}

/* src[0] of a call is the callee. The value passed in argument `arg` at byte `offset`, or NULL. */
ls_ir_value *ls_ir_argument_value(const ls_ir_instr *call, uint32_t arg, uint64_t offset);

/* --- Values (SSA) ----------------------------------------------------------------------------------------
 */
typedef enum {
    LS_VALUE_INSTR,  /* result `result` of instr */
    LS_VALUE_PHI,    /* phi */
    LS_VALUE_ETA,    /* eta: a value on leaving a loop (gating only) */
    LS_VALUE_IMM,    /* bits */
    LS_VALUE_SREG,   /* sreg, element; one value for all reads, except for registers that change between reads
                      */
    LS_VALUE_OBJECT, /* address of object + offset */
    LS_VALUE_UNDEF,  /* read before it was written */
} ls_ir_value_kind;

typedef enum { LS_USE_SRC, LS_USE_GUARD, LS_USE_PRIOR, LS_USE_PHI, LS_USE_ETA } ls_ir_use_kind;

typedef struct {
    uint8_t kind;   /* ls_ir_use_kind */
    uint32_t index; /* of src, prior, or phi argument */
    union {
        ls_ir_instr *instr;
        ls_ir_phi *phi;
        ls_ir_value *eta; /* the η value that takes it */
    };
} ls_ir_use;

struct ls_ir_value {
    uint32_t id;
    uint8_t kind;     /* ls_ir_value_kind */
    uint8_t type;     /* ls_ptx_type: of the register, or as which a constant is used */
    uint8_t element;  /* SREG */
    uint32_t reg;     /* register it is a version of, or LS_IR_NONE */
    uint32_t version; /* from 1; 0 if the register has only one value */
    uint32_t result;  /* INSTR */
    union {
        ls_ir_instr *instr;
        ls_ir_phi *phi;
        struct {
            ls_ir_loop *loop;   /* ETA: the loop that is left */
            ls_ir_value *value; /* and the value inside of it, in its last iteration */
        } eta;
        uint64_t bits;
        uint32_t sreg;
        struct {
            uint32_t id;
            int64_t offset;
        } object;
    };
    ls_ir_block
        *block; /* where it is defined; the entry block for constants; for η: the block of the inner value */
    ls_ir_use *uses;
    uint32_t use_count;
};

/* --- Gating functions (003, §3.2; Tu and Padua) ----------------------------------------------------------
 */
typedef enum {
    LS_PHI_PLAIN, /* in irreducible control flow, or if gating was not requested */
    LS_PHI_GAMMA, /* γ: a join; block->gate says which predicates select which argument */
    LS_PHI_MU,    /* μ: a loop head; entry edges give the initial value, latches the loop-carried one */
} ls_ir_phi_kind;

struct ls_ir_phi {
    uint8_t kind; /* ls_ir_phi_kind */
    ls_ir_value *value;
    ls_ir_block *block;
    ls_ir_value **args; /* by block->preds */
};

typedef enum {
    LS_GATE_EDGE,  /* leaf: control comes from predecessor `edge`, and the value is the phi's args[edge] */
    LS_GATE_GAMMA, /* selected by the branch that ends `block`: one part for each successor; NULL: that
                      successor does not lead here */
    LS_GATE_ETA,   /* parts[0], with the predicates of `loop` as they are in its last iteration */
} ls_ir_gate_kind;

/* A gating expression is a DAG (equal parts are shared). All phis of a block have the same one. */
struct ls_ir_gate {
    uint8_t kind; /* ls_ir_gate_kind */
    uint32_t id;  /* dense in the function */
    uint32_t edge;
    ls_ir_block *block;
    ls_ir_loop *loop;
    ls_ir_gate **parts;
    uint32_t part_count;
};

/* The predicate of a branch: its guard (if it is true, control goes to succs[0], unless negated), or the
 * index of brx.idx. NULL if the block does not end in a conditional branch. */
ls_ir_value *ls_ir_branch_predicate(const ls_ir_block *block, bool *negated);

/* --- Blocks and loops ------------------------------------------------------------------------------------
 */
typedef struct { /* whether a block runs depends on whether the branch at the end of `block` goes to
                    succs[succ] */
    ls_ir_block *block;
    uint32_t succ;
} ls_ir_control;

struct ls_ir_block {
    uint32_t id;       /* in reverse post-order; 0 is the entry, the exit has the last one */
    uint32_t origin;   /* of ls_ir_unnested: its id in the function that it was made of */
    const char *label; /* a label at its start, or NULL */
    ls_ir_instr **instrs;
    uint32_t instr_count;
    ls_ir_phi **phis;
    uint32_t phi_count;
    ls_ir_instr *terminator; /* the last instruction if it is a branch, an exit, or a call that does not
                                return, else NULL */
    /* Each successor once. For a guarded branch, succs[0] is its target and succs[1] the block that follows;
     * if both are the same block, there is one successor. Every end of the function leads to the exit block.
     */
    ls_ir_block **succs, **preds;
    uint32_t succ_count, pred_count;

    /* Dominators and post-dominators: NULL for the root (entry; exit). Intervals are for ls_ir_dominates. */
    ls_ir_block *idom, *ipdom;
    ls_ir_block **dom_children; /* in reverse post-order */
    uint32_t dom_child_count;
    uint32_t dom_in, dom_out, pdom_in, pdom_out, dom_depth;
    uint32_t dom_mark;      /* for use by the pass that finds dominators */
    ls_ir_block **frontier; /* dominance frontier */
    uint32_t frontier_count;
    ls_ir_control *control; /* what it is control dependent on */
    uint32_t control_count;
    bool never_exits; /* there is no path from here to the exit; one was added to compute post-dominators */

    ls_ir_loop *loop;       /* innermost, or NULL */
    uint32_t loop_position; /* among all blocks that are in loops */
    bool is_loop_header;
    bool irreducible_entry; /* target of a retreating edge that it does not dominate */

    /* Gating of a block with phis. For γ: `gate`. For μ: `gate` for the initial value (entry edges) and
     * `carried` for the loop-carried one (back edges). NULL in irreducible control flow. */
    ls_ir_gate *gate, *carried;
    /* All branches that decide which argument the phis take, each once: those in the gates, the exits of
     * loops on the way, and in irreducible control flow all branches between the dominator and this block. */
    ls_ir_block **gate_branches;
    uint32_t gate_branch_count;
};

typedef struct {
    ls_ir_block *from, *to;
} ls_ir_edge;

struct ls_ir_loop {
    uint32_t id; /* outer loops before inner ones */
    ls_ir_block *header;
    ls_ir_loop *parent; /* or NULL */
    uint32_t depth;     /* from 1 */
    /* All blocks, including those of inner loops. The header is the first one, the blocks of an inner loop
     * follow each other, and an edge that is not a back edge goes from an earlier to a later block. */
    ls_ir_block **blocks;
    uint32_t block_count;
    uint32_t first;        /* loop_position of the header; the others follow it */
    ls_ir_block **latches; /* sources of back edges */
    uint32_t latch_count;
    ls_ir_edge *exits; /* edges out of the loop */
    uint32_t exit_count;
    /* The predicates of η: every branch in the loop that decides whether an iteration is the last one. These
     * are the exits themselves and the branches that decide whether an exit is reached (if (c) { if (p)
     * break; } has c and p). If all of them are uniform, all threads leave the loop in the same iteration
     * through the same exit. */
    ls_ir_block **exit_branches;
    uint32_t exit_branch_count;
};

bool ls_ir_dominates(const ls_ir_block *a, const ls_ir_block *b); /* a = b counts */
bool ls_ir_postdominates(const ls_ir_block *a, const ls_ir_block *b);
bool ls_ir_loop_contains(const ls_ir_loop *loop, const ls_ir_block *block);

/* --- Memory accesses -------------------------------------------------------------------------------------
 */
typedef enum {
    LS_BASE_OBJECT,   /* a variable */
    LS_BASE_PARAM,    /* what a pointer in the function's parameter `object` at byte `offset` points to */
    LS_BASE_LOADED,   /* what a pointer read from memory (value) points to */
    LS_BASE_RESULT,   /* what a pointer that a call or another instruction made (value) points to */
    LS_BASE_ABSOLUTE, /* a constant address */
} ls_ir_base_kind;

struct ls_ir_base {
    uint32_t id;
    uint8_t kind;       /* ls_ir_base_kind */
    uint8_t space;      /* LS_SPACE_GENERIC if it is not known */
    bool assumed;       /* the space follows from CUDA's rules (a kernel's pointer parameter points to global
                           memory), not from the PTX */
    uint32_t object;    /* OBJECT, PARAM: object id */
    uint32_t offset;    /* PARAM: byte in the parameter */
    ls_ir_value *value; /* LOADED, RESULT: the pointer */
    const char *name;   /* "A" (object), "*p" (parameter), "*p+8", "*%rd5" */
};

typedef enum { LS_ACCESS_READ, LS_ACCESS_WRITE, LS_ACCESS_ATOMIC } ls_ir_access_kind;
typedef enum {
    LS_CERTAIN,   /* written in the instruction, or follows from variables, cvta and .ptr attributes */
    LS_ASSUMED,   /* by CUDA's rule that a kernel's pointer parameters point to global memory */
    LS_UNCERTAIN, /* several spaces are possible, or nothing is known: space is LS_SPACE_GENERIC */
} ls_ir_certainty;

typedef enum { LS_EXTEND_NONE, LS_EXTEND_ZERO, LS_EXTEND_SIGN } ls_ir_extend;

typedef struct { /* coefficient · extended(value), or coefficient · (value − base) if `relative` */
    ls_ir_value *value;
    int64_t coefficient;
    uint8_t extend; /* ls_ir_extend: how a value that is narrower than the address is extended */
    bool
        relative; /* the value is itself a pointer into the base: its distance from the base's start counts */
} ls_ir_term;

/* The address of an access: in any of `bases`, at byte `constant + Σ terms` from its start. Arithmetic is
 * exact modulo 2^bits: only operations of the address's own width are split into terms, so that no 32-bit
 * overflow is hidden. */
struct ls_ir_access {
    uint32_t id;
    ls_ir_instr *instr;
    uint32_t src;            /* which source operand is the address */
    uint8_t kind;            /* ls_ir_access_kind */
    uint8_t space;           /* ls_ptx_space */
    uint8_t space_certainty; /* ls_ir_certainty */
    uint8_t bits;            /* of address arithmetic: 32 or 64 */
    uint32_t bytes;          /* of one element; 0: the instruction gives it in another way (opaque) */
    uint32_t count;          /* vector elements, one after the other */
    bool opaque; /* textures, surfaces, matrices, bulk copies: which bytes are accessed depends on the form */
    bool is_volatile;
    uint16_t semantics, scope; /* LS_MOD_RELAXED …, LS_MOD_GPU …, LS_MOD_UNKNOWN where not written */
    const ls_ir_base **bases;  /* each that is possible */
    uint32_t base_count;       /* 0: not known at all */
    bool other_bases;          /* there may be bases that are not in the list */
    bool has_offset; /* false: it is not known which part is the base, and constant + Σ terms is the address
                        itself */
    int64_t constant;
    ls_ir_term *terms;
    uint32_t term_count;
};

/* --- Functions -------------------------------------------------------------------------------------------
 */
typedef enum {
    LS_UNRESOLVED_INDIRECT,  /* call through a register */
    LS_UNRESOLVED_RECURSIVE, /* call of a function that is being expanded already */
    LS_UNRESOLVED_EXTERNAL,  /* no body in the module: vprintf, malloc, annotations, … */
    LS_UNRESOLVED_TOO_LARGE, /* expanding it would go past the limit */
    LS_UNRESOLVED_MISMATCH,  /* arguments do not fit the callee's parameters */
} ls_ir_unresolved_kind;

typedef struct {
    uint8_t kind;     /* ls_ir_unresolved_kind */
    const char *name; /* of the callee, or NULL */
    const ls_place *pos;
    ls_ir_instr *instr; /* NULL if it was in unreachable code */
} ls_ir_unresolved;

typedef struct {
    uint32_t instrs, inlined_calls, unreachable_blocks, promoted_slots, promoted_objects, phis, etas;
} ls_ir_stats;

struct ls_ir_function {
    const ls_ptx_module *module;
    const ls_ptx_function *ptx;
    const char *name;
    uint32_t stage; /* ls_ir_stage that was reached */

    ls_ir_block **blocks;
    uint32_t block_count;
    ls_ir_block *entry, *exit;
    ls_ir_instr **instrs; /* all, in block order */
    uint32_t instr_count;
    ls_ir_register *registers;
    uint32_t register_count;
    ls_ir_object **objects;
    uint32_t object_count;
    ls_ir_value **values;
    uint32_t value_count;
    ls_ir_phi **phis;
    uint32_t phi_count;
    ls_ir_loop **loops;
    uint32_t loop_count;
    ls_ir_edge *irreducible; /* retreating edges into blocks that do not dominate their source */
    uint32_t irreducible_count;
    uint32_t *tested; /* of ls_ir_unnested: headers, by their ids in the function that it was made of, of
                         inner loops whose test before the first iteration has a known answer */
    uint32_t tested_count;
    const ls_ir_base **bases;
    uint32_t base_count;
    ls_ir_access **accesses; /* in instruction order */
    uint32_t access_count;
    ls_ir_unresolved *unresolved;
    uint32_t unresolved_count;
    uint32_t gate_count;
    ls_ir_stats stats;
    struct ls_ir_private *hidden;
};

typedef enum {
    LS_IR_FULL, /* everything */
    LS_IR_SSA,  /* values, without gating and accesses */
    LS_IR_CFG,  /* decoded instructions, blocks, dominators, loops: registers, not values */
} ls_ir_stage;

/* With all fields 0, everything is built. The emulator uses {.stage = LS_IR_CFG, .no_inline = true,
 * .no_promote = true}. */
typedef struct {
    size_t size; /* LS_OPTIONS fills it */
    ls_ir_stage stage;
    bool no_inline;    /* keep all calls */
    bool keep_results; /* keep the function's results as values, for LS_IR_RETURN */
    bool no_promote;   /* keep .local and .param accesses as memory */
    /* For each parameter, the number of an earlier one that gets the same pointer, or its own number. NULL:
     * no two do. */
    const uint32_t *same;
    const ls_argument_inside *inside; /* pointers into the memory of others, which have the others' base */
    uint32_t inside_count;
    bool quiet;            /* no notes and warnings about irreducible control flow and unresolved calls */
    uint32_t inline_limit; /* instructions after inlining; 0: 400,000 */
} ls_ir_options;

/* Returns NULL, with an error in diags, if the function has no body, or if its control flow is nested
 * thousands of levels deep, so that the relations between blocks would fill the memory. What limits later
 * analyses (irreducible control flow, calls that are not inlined) is recorded in the function and, unless
 * `quiet` is set, reported as a warning or note in diags. */
ls_ir_function *ls_ir_build(const ls_ptx_module *module, const ls_ptx_function *function,
                            const ls_ir_options *options, ls_diags *diags);
void ls_ir_free(ls_ir_function *function);
/* The same kernel, with the same paths, in which loops within loops that synchronise by mbarriers are one
 * loop: what verifies asynchronous operations counts the iterations of one loop. NULL: there are none, or
 * there is no room. An inner loop that is tested before its first iteration has one each time
 * that it is entered, or, where `without` is set, never has one (`tested`). */
ls_ir_function *ls_ir_unnested(const ls_ir_function *function, bool without);

/* Checks the invariants of what has been built so far. Returns NULL, or a text on the heap that says what is
 * wrong. Debug builds call it after every pass. */
char *ls_ir_check(const ls_ir_function *function);

/* --- Reading values --------------------------------------------------------------------------------------
 */
/* The value that was copied: looks through mov (of equal width, without a guard), cvta, η, and phis with one
 * value. */
ls_ir_value *ls_ir_origin(ls_ir_value *value);
/* Whether it is a constant (or a copy of one); if so, `bits` is set. */
bool ls_ir_constant(ls_ir_value *value, uint64_t *bits);
/* Writes to `out` what the value is called in the source ("threadIdx.x", or "n" for a parameter) or, if that
 * is not known, the register's name in the PTX. */
void ls_ir_source_name(const ls_ir_function *function, const ls_ir_value *value, char *out, size_t out_size);
/* Name of a value as dumps print it: "%r5.2", "0x10", "%tid.x". */
void ls_ir_value_name(const ls_ir_function *function, const ls_ir_value *value, char *out, size_t out_size);

/* --- Dumps: text on the heap -----------------------------------------------------------------------------
 */
typedef enum { LS_DUMP_CFG, LS_DUMP_SSA, LS_DUMP_GSA } ls_ir_dump_kind;

char *ls_ir_dump(const ls_ir_function *function, ls_ir_dump_kind kind);
char *ls_ir_dot(const ls_ir_function *function, ls_ir_dump_kind kind); /* Graphviz */

LS_END_DECLS

#endif
