/* What the passes of src/ir share: the function's private part and the passes themselves, in the order in
 * which build.c runs them. Each pass says what it requires and what it leaves. */
#ifndef LS_IR_PRIVATE_H
#define LS_IR_PRIVATE_H

#include "base/arena.h"
#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "lockstep/ir.h"

typedef struct {
    const char *name;
    uint32_t position; /* index in code of what follows it; LS_IR_NONE while it has not been met */
} ir_label;

struct ls_ir_private {
    ls_arena arena;
    ls_diags *diags;
    ls_ir_options options;
    bool unnest;    /* it is asked for by ls_ir_unnested */
    bool without;   /* inner loops that are tested first have no iteration at all */
    ls_map names;   /* of registers and objects: how often each was given */
    ls_map forms;   /* opcode spellings made by passes */
    uint32_t carry; /* register of the carry flag */

    /* Straight-line code, between decode and cfg only. */
    LS_VEC(ls_ir_instr *) code;
    LS_VEC(ir_label) labels;

    uint32_t register_capacity, object_capacity, value_capacity, base_capacity, unresolved_capacity;
};

/* --- Passes ----------------------------------------------------------------------------------------------
 */
/* Requires nothing; leaves code and labels, registers, objects; calls expanded unless asked otherwise. */
void ir_decode(ls_ir_function *f);
/* Requires code; leaves blocks in reverse post-order, succs, preds, entry, exit; code is gone. */
void ir_fill_blocks(ls_ir_function *f);
/* Requires blocks; leaves idom, ipdom, their trees, frontiers and control dependence. False: too large. */
bool ir_fill_dominance(ls_ir_function *f);
/* Requires dominance; leaves loops and the list of irreducible edges. */
void ir_fill_loops(ls_ir_function *f);
/* Requires loops; leaves loops within loops that synchronise as one loop. False: too large. */
bool ir_unnest(ls_ir_function *f);
/* There are such loops. */
bool ir_is_nested(const ls_ir_function *f);
/* Requires blocks; replaces accesses of .local and .param objects by registers where that is the same. */
void ir_promote(ls_ir_function *f);
/* Requires dominance; leaves values, phis and uses. */
void ir_fill_ssa(ls_ir_function *f);
/* Requires SSA and loops; leaves η values, kinds of phis, gates and gate_branches; uses anew. */
void ir_fill_gates(ls_ir_function *f);
/* Requires SSA (and η where there are any); leaves bases and accesses. */
void ir_fill_accesses(ls_ir_function *f);

/* Requires entry, exit and succs of at most so many blocks; leaves those that can be reached in reverse
 * post-order, their preds, and their instructions numbered. */
void ir_number_blocks(ls_ir_function *f, uint32_t count);
/* Numbers instructions in block order and fills function->instrs; def_count of registers. */
void ir_number_instrs(ls_ir_function *f);
/* Fills uses, and versions of values. */
void ir_fill_uses(ls_ir_function *f);

/* --- Making things (make.c) ------------------------------------------------------------------------------
 */
uint32_t ir_new_register(ls_ir_function *f, ls_ir_register_kind kind, const char *name, ls_ptx_type type);
ls_ir_object *ir_new_object(ls_ir_function *f, ls_ir_object_kind kind, const ls_ptx_symbol *symbol);
ls_ir_value *ir_new_value(ls_ir_function *f, ls_ir_value_kind kind, ls_ptx_type type, uint32_t reg);
ls_ir_base *ir_new_base(ls_ir_function *f, ls_ir_base_kind kind);
void ir_add_unresolved(ls_ir_function *f, ls_ir_unresolved_kind kind, const char *name, ls_ir_instr *instr);
const char *ir_unique_name(ls_ir_function *f, const char *name);
/* "mov.b32", "cvt.u32.u8", "st.param.b64", "bra": a form as the parser would make it. */
const ls_ptx_form *ir_make_form(ls_ir_function *f, ls_ptx_op op, ls_ptx_space space, ls_ptx_type first,
                                ls_ptx_type second);
ls_ir_instr *ir_new_instr(ls_ir_function *f, const ls_ptx_form *form, uint32_t dst_count, uint32_t src_count);
/* The untyped type of that many bits: B32 for 32. */
ls_ptx_type ir_bits_type(uint32_t bits);

/* --- Values and pointers ---------------------------------------------------------------------------------
 */
enum { IR_MAX_BASES = 4 };

/* What a value may point to. */
typedef struct {
    uint32_t bases[IR_MAX_BASES];
    uint8_t count;
    bool other;    /* further bases are possible */
    bool strong;   /* it is a pointer by declaration or use, not only because nothing else could be one */
    uint8_t space; /* LS_SPACE_GENERIC: not known */
    bool many_spaces;
    bool assumed; /* the space is by CUDA's rule for kernel parameters */
} ir_pointer;

/* By value id; values that no address is made of have count 0. On the heap. */
ir_pointer *ir_find_pointers(ls_arena *arena, ls_ir_function *f, const bool *relevant);
/* The parameter that an instruction loads from, with the byte in it; LS_IR_NONE where it loads from none. */
uint32_t ir_loaded_parameter(const ls_ir_function *f, const ls_ir_instr *instr, int64_t *offset);

static inline bool ir_is_access_role(uint8_t role) {
    return role == LS_ROLE_READ || role == LS_ROLE_WRITE || role == LS_ROLE_READ_WRITE;
}
static inline bool ir_is_guarded(const ls_ir_instr *instr) {
    return instr->guard.kind != LS_IR_ABSENT;
}

#endif
