/* Registers that belong to a matrix unit for a time: those that a wgmma sums into, and those with a fragment
 * of its A, until its group has been waited for; those that a tcgen05.ld fills, until tcgen05.wait::ld. Which
 * instructions may touch one too early shows before the run (decode/unit_registers.c): only they are looked
 * at while it runs, so that other kernels, and kernels that wait for all groups before they go on, pay
 * nothing. */
#ifndef LS_EMULATE_CHECK_UNIT_REGISTERS_H
#define LS_EMULATE_CHECK_UNIT_REGISTERS_H

#include "emulate/exec.h"

typedef enum {
    UNIT_FREE,
    UNIT_SUM,      /* of a wgmma */
    UNIT_FRAGMENT, /* of A, which a wgmma reads */
    UNIT_LOAD,     /* of a tcgen05.ld */
} unit_use;

/* One register in the hands of a unit, by its number among those that are followed. */
typedef struct unit_register {
    uint8_t use;       /* unit_use */
    bool copied;       /* by compilers, from one that is */
    uint32_t number;   /* of the group or load */
    uint32_t site;     /* of the operation */
    const char *shape; /* of a product */
    uint32_t written;  /* fences before the last ordinary write, plus one; 0: none */
    uint32_t writer;   /* its site */
} unit_register;

enum { UNIT_START = 0 }; /* no register: written until there was a first wgmma.fence */

/* An instruction and the registers of its that are followed. */
typedef struct unit_touch {
    uint32_t read_count, write_count;
    const uint32_t *reads, *writes; /* of a product: the fragment of A, and the sums */
    const char *shape;
    bool spill; /* a copy to or from local memory */
} unit_touch;

const insn *em_exec_unit_touch(warp *w, const insn *i); /* an ordinary instruction */
const insn *em_exec_unit_copy(warp *w, const insn *i);  /* mov */
const insn *em_exec_unit_fence(warp *w, const insn *i);
/* A wgmma or tcgen05.ld that all lanes have come to; NULL: its registers are not followed. */
void em_unit_product(warp *w, const insn *i, const unit_touch *t);
void em_unit_load(warp *w, const insn *i, const unit_touch *t);

/* What the warp has waited for: groups of products but for so many, and all loads. */
void em_unit_groups_waited(warp *w, int64_t rest);
void em_unit_loads_waited(warp *w);
/* A block begins. */
void em_unit_start(warp *w);

#endif
