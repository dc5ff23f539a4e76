/* Blocks cut at barriers into nodes (000, §3.1 has barriers as statements; here a barrier interval is what
 * can be reached from a barrier without crossing another). */
#ifndef LS_VERIFY_EXECUTE_NODES_H
#define LS_VERIFY_EXECUTE_NODES_H

#include "verify/proof.h"

bool ls_is_barrier(const ls_ir_instr *instr);
/* It waits for other lanes of its warp: bar.warp.sync, shuffles, votes, products of matrices. */
bool ls_waits_for_lanes(const ls_ir_instr *instr);
/* OpenCL's fence flags of the barrier that ends the node, where they are no constant; else NULL. */
const ls_ir_value *ls_open_flags(const ls_node *n);
void ls_make_nodes(ls_proof *p);
/* Finds out, for this memory, which loops have a way round that crosses no barrier ordering it. */
void ls_find_cycles(ls_proof *p, uint8_t memory);
bool ls_is_free_cycle(const ls_proof *p, uint8_t memory, const ls_ir_loop *loop);

#endif
