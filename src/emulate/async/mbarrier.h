/* mbarrier objects and bulk copies: what decoding and execution share. */
#ifndef LS_EMULATE_ASYNC_MBARRIER_H
#define LS_EMULATE_ASYNC_MBARRIER_H

#include "emulate/code.h"

typedef enum {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_EXPECT_TX,
    MBARRIER_COMPLETE_TX,
    MBARRIER_ARRIVE,
    MBARRIER_ARRIVE_DROP,
    MBARRIER_TEST, /* test_wait, try_wait */
} mbarrier_op;

typedef struct {
    uint8_t op;     /* mbarrier_op */
    bool expects;   /* arrive.expect_tx: value is the number of bytes */
    bool parity;    /* test_wait.parity: value is a parity, else a state */
    bool may_wait;  /* try_wait */
    ls_order order; /* what it releases or acquires */
    mem_access *object;
    operand value; /* count, bytes, state or parity */
    operand dst;   /* width NO_WIDTH: none */
} mbarrier_info;

const insn *em_exec_mbarrier(warp *w, const insn *i);

typedef struct {
    mem_access *from, *to, *object; /* object: the mbarrier, or NULL */
    operand size;
    uint8_t op, type; /* a reduction: atomic_op, ls_ptx_type; else ATOMIC_NONE */
} bulk_info;

const insn *em_exec_bulk(warp *w, const insn *i);
/* A reduction (atomic_op), one element after the other; other workers may be at it, too. */
void em_bulk_reduce(uint8_t op, ls_ptx_type type, char *to, const char *from, uint32_t bytes);
/* mapa: there is one block in the cluster. */
const insn *em_exec_mapa(warp *w, const insn *i);
/* Counts bytes that have come for the phase. */
bool em_mbarrier_complete_tx(warp *w, const insn *i, const mem_access *object, uint32_t lane, uint64_t bytes,
                             uint32_t since);

#endif
