/* Barrier divergence (000, §3.2 and Figure 4d). */
#ifndef LS_VERIFY_CHECK_BARRIERS_H
#define LS_VERIFY_CHECK_BARRIERS_H

#include "verify/query/query.h"

void ls_check_barriers(ls_proof *p);
/* Barriers of the grid: also threads of different blocks agree on reaching them. */
void ls_check_grid_barriers(ls_proof *p);
/* Barriers of a cluster: so do those of its blocks. */
void ls_check_cluster_barriers(ls_proof *p);
/* Whether two threads can disagree on the block's branch, among those that `warps` means. */
ls_answered ls_ask_agreement(ls_proof *p, const ls_ir_block *block, ls_warps warps, ls_query *q);
/* After LS_SAT: asks for a model in which one of the two threads reaches the node (and executes the
 * instruction with the guard there) and the other does not; if there is no such model, the current model
 * stays. */
bool ls_query_only_one(ls_query *q, const ls_node *n, const ls_term *guard);
/* The node at which a block ends. */
const ls_node *ls_last_node(const ls_proof *p, const ls_ir_block *b);
/* The branch only lets threads leave for good, on a way that does not join the others' any more, which PTX
 * allows, at once or by a second branch before which nothing happens that threads wait for; with `warps` they
 * meet nothing that waits for lanes either. */
bool ls_only_leaves(const ls_proof *p, const ls_ir_block *branch, bool warps);

#endif
