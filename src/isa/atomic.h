/* Read-modify-write operations of atom and red. */
#ifndef LS_ISA_ATOMIC_H
#define LS_ISA_ATOMIC_H

#include "lockstep/ptx.h"

typedef enum {
    ATOMIC_NONE,
    ATOMIC_ADD,
    ATOMIC_ADD_FTZ, /* f32 in global memory: subnormal operands and results are zero */
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
} atomic_op;

/* What is stored over `old` by the operation with operands a (and b, cas: the new value). */
uint64_t em_atomic_result(atomic_op op, ls_ptx_type type, uint64_t old, uint64_t a, uint64_t b);
/* Carries it out on memory that others may change, too, and returns what was there. */
uint64_t em_atomic_update(char *at, uint32_t bytes, atomic_op op, ls_ptx_type type, uint64_t a);
/* The operation that the modifiers name, or ATOMIC_NONE (decode/memory.c). */
atomic_op em_atomic_op_of(const ls_ptx_form *form);

#endif
