/* Decoding of one function into machine code: what the files that choose operations share. */
#ifndef LS_EMULATE_DECODE_DECODE_H
#define LS_EMULATE_DECODE_DECODE_H

#include "emulate/emulator.h"
#include "emulate/exec.h"

typedef struct {
    const ls_ir_instr *by; /* NULL: nothing that was decoded so far */
    uint32_t at;           /* the how-manyth instruction that was */
} last_writer;

typedef struct unit_analysis unit_analysis;

typedef struct {
    ls_emulator *e;
    code *c;
    ls_ir_function *ir;
    ls_arena *arena;
    LS_VEC(insn) out;
    LS_VEC(insn) before;   /* executed once for a warp: decode/hoist.c */
    ls_intmap fixed;       /* slots that do not change from block to block; 1: nor from thread to thread */
    ls_intmap sums;        /* slots that are sums: decode/affine.c */
    LS_VEC(uint32_t) used; /* slots of registers that instructions refer to, those left as sums excepted */
    uint8_t *assignments;  /* by register id: 0, 1, or 2 for more */
    uint8_t *reads;        /* the same, of operands that read it */
    last_writer *writers;  /* by register id */
    uint32_t order;        /* instructions that are decoded */
    operand *registers;    /* by register id; slot NO_SLOT: not placed yet */
    uint32_t *objects;     /* by object id: offset in the frame (LOCAL, PARAM) or NO_SLOT */
    ls_intmap constants[3];
    uint64_t next_slot;
    uint32_t *param_offsets; /* of the kernel's parameters; NULL until one is needed */
    const ls_ir_instr *instr;
    bool whole; /* the next barrier is of a cooperative group */
    uint32_t site;
    uint32_t *block_at;     /* by block id: index of its first insn */
    bool *is_reconvergence; /* by block id */
    uint32_t *tails;        /* by block id: bits of the barriers whose tails are entered there; NULL: none */
    uint32_t *tail_of;      /* by block id: 1 + the number of the tail of its barriers, or 0; NULL: none */
    uint8_t *uses;          /* by register: what becomes of its value; NULL: not looked at */
    uint32_t *written;      /* by register: slot of the lanes that have written it, or NO_SLOT; NULL: none */
    unit_analysis *units;   /* registers of matrix units: decode/unit_registers.c; NULL: none */
    const struct unit_touch *touch; /* those of the product or load that is decoded; NULL: not followed */
} decoder;

/* decode/operands.c */
uint32_t em_new_slot(decoder *d, uint8_t width);
/* Where a kernel's parameter begins. */
uint32_t em_param_offset(decoder *d, uint32_t index);
/* The slot of a register, and its declared bits. */
operand em_register(decoder *d, uint32_t reg);
uint32_t em_register_bits(const decoder *d, uint32_t reg);
/* The low (0) or high (1) 64 bits of a register of 128. */
operand em_half_of(const decoder *d, operand o, uint32_t k);
/* Whether it is such a register. */
bool em_is_wide(const decoder *d, const ls_ir_operand *o);
operand em_constant(decoder *d, uint64_t bits, uint8_t width);
/* A source operand in lanes of the given width (WIDTH_PRED, 4, 8; 255: its own); emits a conversion where the
 * register has another width. */
operand em_source(decoder *d, const ls_ir_operand *o, uint8_t width);
/* Where a destination of that width is computed; em_finish_dst emits the conversion into the register. */
operand em_dst(decoder *d, const ls_ir_operand *o, uint8_t width);
void em_finish_dst(decoder *d, const ls_ir_operand *o, operand computed);
insn *em_emit(decoder *d, exec_fn fn);
insn *em_emit_lane(decoder *d, uint16_t lane, uint32_t dst, uint32_t a, uint32_t b, uint32_t c);
uint8_t em_width_of(ls_ptx_type type);
/* Emits the instruction that stops the run when it is reached. */
void em_unsupported(decoder *d, const char *why);

/* decode/frame.c: places the function's variables in its frame; false where there is too much of them. */
bool em_place_objects(decoder *d);
/* A .func's own parameters and results: where they stand in its frame, or in which register. */
void em_place_signature(decoder *d);

/* Control goes on to the block behind this one: by falling through or by a jump. */
const ls_ir_block *em_falls_to(const ls_ir_block *b);
/* decode/stream.c: makes the code of what was emitted. */
void em_make_streams(decoder *d);

/* decode/hoist.c: takes what was emitted since `from` out of the code where it can be executed once; slots
 * from first_slot on are new, and those that it uses are in d->used from `mark` on. */
void em_hoist(decoder *d, uint32_t from, uint32_t first_slot, uint32_t mark);
void em_count_assignments(decoder *d);
void em_fix_slot(decoder *d, uint32_t slot, bool uniform);
bool em_is_fixed(const decoder *d, uint32_t slot);
bool em_is_uniform(const decoder *d, uint32_t slot);
/* A vector loop on fixed slots that is executed once. */
void em_before(decoder *d, insn i);
/* decode/affine.c: leaves the result of what was emitted since `from` as a sum, in the stream for that. */
void em_split(decoder *d, uint32_t from, uint32_t mark);
/* Its place among the block's values; the register is a place in the grid, in that dimension. */
void em_place_sum(decoder *d, uint32_t slot, uint32_t dimension);
/* The same access, with its address left as a sum; NULL if the address is not a sum. */
mem_access *em_split_access(decoder *d, const mem_access *m);
/* decode/lane.c: LANE_NONE where there is no vector loop. */
uint16_t em_find_lane(const ls_ir_instr *in, bool *swap);
/* The loop of a setp with one result and no combination, without .ftz; *swap: its sources change places. */
uint16_t em_find_compare(const ls_ir_instr *in, bool *swap);
/* decode/contract.c: an addition of a product; false for other instructions. */
bool em_decode_contracted(decoder *d);
/* The instruction has been decoded. */
void em_note_writer(decoder *d);
/* decode/compose.c: instructions that take several vector loops; false for other instructions. */
bool em_decode_composed(decoder *d);
/* What the instruction computes; false where that is not a function of its operands, or not modelled. */
bool em_find_meaning(const decoder *d, ls_isa *x);
/* Emits it, lane by lane. */
void em_emit_scalar(decoder *d, const ls_isa *x);
/* decode/memory.c */
void em_decode_memory(decoder *d);
void em_decode_atomic(decoder *d);
mem_access *em_new_access(decoder *d, const ls_ir_operand *address, uint8_t bytes, uint8_t count);
/* decode/misc.c */
/* Gives the operation the instruction's guard, for those that look at it themselves. */
void em_set_guard(decoder *d, insn *i);
void em_decode_mov(decoder *d);
bool em_decode_cvt(decoder *d);
void em_decode_call(decoder *d);
void em_decode_barrier(decoder *d);
bool em_decode_warp(decoder *d);
/* decode/tails.c: what is behind the barriers; and that lanes go there. */
void em_find_tails(decoder *d);
void em_enter_tail(decoder *d, uint32_t bits);
/* For all threads, which must reach this very place. */
bool em_is_full_barrier(const ls_ir_instr *in);
/* … or for a number of threads, which are whole warps. */
bool em_is_counted_barrier(const ls_ir_instr *in);
/* watch.c: emits what shows the values that the instruction reads; nothing where the code is not watched. */
void em_watch_guard(decoder *d);
void em_watch_sources(decoder *d);
/* decode/undefined.c */
void em_find_undefined(decoder *d);
/* Whether what a load reads is only copied. */
bool em_is_copied(const decoder *d, const ls_ir_instr *in, bool local);
/* Emit what looks at the instruction's guard and sources, and what notes its results as written. */
void em_check_guard(decoder *d);
void em_check_sources(decoder *d);
void em_note_written(decoder *d);
/* decode/unit_registers.c: finds which registers matrix units have where; a block is decoded; emits what
 * looks at the instruction's use of them. */
void em_find_unit_registers(decoder *d);
void em_enter_unit_block(decoder *d, const ls_ir_block *b);
void em_check_unit_registers(decoder *d);
/* decode/fragment.c */
bool em_decode_fragment(decoder *d);
/* The sources that belong to the n-th PTX operand, or NULL. */
const ls_ir_operand *em_operand_group(const ls_ir_instr *in, uint32_t n, uint32_t *count);
bool em_decode_wgmma(decoder *d);
bool em_decode_tcgen05(decoder *d);
/* decode/async.c: the arrival when the thread's operations of the matrix unit are over. */
bool em_decode_tensor_commit(decoder *d);
typedef struct product_info product_info;
/* The metadata and selector of a sparse product, from the n-th operand on. */
bool em_take_metadata(decoder *d, product_info *m, uint32_t n);
bool em_decode_async(decoder *d);
/* decode/async.c */
bool em_decode_mbarrier(decoder *d);
bool em_decode_bulk(decoder *d);
/* How an mbarrier object is accessed, and 16 bytes of a bulk copy. */
mem_access *em_mbarrier_access(decoder *d, const ls_ir_operand *address);
mem_access *em_bulk_access(decoder *d, const ls_ir_operand *address, bool shared, bool write);
/* decode/tensor.c */
bool em_decode_tensor(decoder *d);
/* Behind a fence of the tensor-map proxy: for the map that it names, or for all. */
void em_decode_map_fence(decoder *d);
void em_decode_grid_sync(decoder *d);
bool em_decode_cluster(decoder *d);

#endif
