/* mbarrier objects and bulk copies: what decoding and execution share. */
#ifndef LS_EMULATE_ASYNC_MBARRIER_H
#define LS_EMULATE_ASYNC_MBARRIER_H

#include "emulate/async/jobs.h"
#include "isa/copy_sectors.h"

typedef struct {
    uint8_t op;     /* ls_ptx_mbarrier; LS_MBARRIER_ARRIVE also where copies are waited for */
    bool expects;   /* arrive.expect_tx: value is the number of bytes */
    bool parity;    /* test_wait.parity: value is a parity, else a state */
    bool may_wait;  /* try_wait */
    bool copies;    /* an arrival that waits for operations of the thread … */
    uint8_t queue;  /* … in this queue_kind */
    ls_order order; /* what it releases or acquires */
    mem_access *object;
    operand value; /* count, bytes, state or parity */
    operand dst;   /* width NO_WIDTH: none */
} mbarrier_info;

const insn *em_exec_mbarrier(warp *w, const insn *i);

typedef struct {
    mem_access *from, *to, *object; /* object: the mbarrier, or NULL */
    operand blocks;                 /* of a multicast: the ranks, a bit each; else width NO_WIDTH */
    operand size;
    uint8_t op, type; /* a reduction: atomic_op, ls_ptx_type; else ATOMIC_NONE */
} bulk_info;

const insn *em_exec_bulk(warp *w, const insn *i);
/* A reduction (atomic_op), one element after the other; other workers may be at it, too. */
void em_bulk_reduce(uint8_t op, ls_ptx_type type, char *to, const char *from, uint32_t bytes);
/* The ranks of the blocks that a copy of the lane goes to, a bit each; 0: where its address says. */
uint32_t em_multicast(const warp *w, operand blocks, uint32_t lane);
/* A copy whose pieces are known begins. */
void em_bulk_start(async_job *job, uint32_t since);
/* Counts what a copy moves to or from global memory. */
void em_count_moved(warp *w, const mem_access *global, ls_moved moved);
/* Groups of bulk copies: i->imm is the number that may be left, i->aux whether reads are waited for. */
const insn *em_exec_bulk_commit(warp *w, const insn *i);
const insn *em_exec_bulk_wait(warp *w, const insn *i);
/* The block and the address of the lane's mbarrier; false where there is none, which is reported. */
bool em_mbarrier_of(warp *w, const insn *i, const mem_access *object, uint32_t lane, block_run **block,
                    uint64_t *address);
/* The bytes of a job have come. */
void em_mbarrier_complete_tx(const async_job *job);
void em_mbarrier_finding(warp *w, const insn *i, uint32_t lane, uint64_t address, const char *text);
/* All warps of the block, or of its cluster, wait for phases that nothing will end: says so, and stops. */
bool em_mbarrier_stuck(block_run *b);

#endif
