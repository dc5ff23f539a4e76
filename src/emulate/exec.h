/* The operations that decoded code is made of: each executes one instruction of a warp and returns the next
 * one, or NULL where the warp cannot go on now. Those of matrices, textures and bulk copies are in the
 * headers of their folders. */
#ifndef LS_EMULATE_EXEC_H
#define LS_EMULATE_EXEC_H

#include "emulate/code.h"

const insn *em_exec_activemask(warp *w, const insn *i);
const insn *em_exec_atomic(warp *w, const insn *i);
const insn *em_exec_barrier(warp *w, const insn *i);
const insn *em_exec_branch(warp *w, const insn *i);
const insn *em_exec_call(warp *w, const insn *i);
const insn *em_exec_cluster_arrive(warp *w, const insn *i);
const insn *em_exec_cluster_wait(warp *w, const insn *i);
const insn *em_exec_copy(warp *w, const insn *i);
const insn *em_exec_copy_commit(warp *w, const insn *i);
const insn *em_exec_copy_wait(warp *w, const insn *i);
const insn *em_exec_elect(warp *w, const insn *i);
const insn *em_exec_exit(warp *w, const insn *i);
const insn *em_exec_fence(warp *w, const insn *i);
const insn *em_exec_grid_wait(warp *w, const insn *i); /* griddepcontrol.wait */
const insn *em_exec_getctarank(warp *w, const insn *i);
const insn *em_exec_grid_sync(warp *w, const insn *i);
const insn *em_exec_guard(warp *w, const insn *i);
const insn *em_exec_jump(warp *w, const insn *i);
const insn *em_exec_load(warp *w, const insn *i);
const insn *em_exec_loop(warp *w, const insn *i);
const insn *em_exec_mapa(warp *w, const insn *i);
const insn *em_exec_match(warp *w, const insn *i);
const insn *em_exec_nop(warp *w, const insn *i);
const insn *em_exec_pack(warp *w, const insn *i);
const insn *em_exec_reconverge(warp *w, const insn *i);
const insn *em_exec_redux(warp *w, const insn *i);
const insn *em_exec_return(warp *w, const insn *i);
const insn *em_exec_scalar(warp *w, const insn *i);
const insn *em_exec_shfl(warp *w, const insn *i);
const insn *em_exec_sreg(warp *w, const insn *i);
const insn *em_exec_store(warp *w, const insn *i);
const insn *em_exec_switch(warp *w, const insn *i);
const insn *em_exec_tail(warp *w, const insn *i);
const insn *em_exec_trap(warp *w, const insn *i);
const insn *em_exec_undefined(warp *w, const insn *i);
const insn *em_exec_unsupported(warp *w, const insn *i);
const insn *em_exec_vote(warp *w, const insn *i);
const insn *em_exec_warp_barrier(warp *w, const insn *i);
const insn *em_exec_written(warp *w, const insn *i);
const insn *em_exec_yield(warp *w, const insn *i);

/* Special registers that differ from block to block. */
bool em_is_block_register(uint8_t sreg);
/* Whose value the lane gets; *valid: whether that is one of its segment. */
uint32_t em_shuffle_source(uint16_t mode, uint32_t lane, uint32_t b, uint32_t c, bool *valid);

#endif
