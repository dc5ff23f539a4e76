/* Execution of a thread as terms. */
#ifndef LS_VERIFY_EXECUTE_EXEC_H
#define LS_VERIFY_EXECUTE_EXEC_H

#include "verify/proof.h"

ls_state *ls_state_new(ls_proof *p, const ls_state *before, const char *suffix);
/* Runs from the start of a node (after its phis where `start_ways` is NULL) under a condition. */
void ls_execute(ls_state *s, const ls_node *start, const ls_term *condition, const ls_ways *start_ways,
                ls_way_table *latches);
/* The condition under which the end of a block goes to its successor `k`. */
const ls_term *ls_edge_condition(const ls_state *s, const ls_ir_block *b, uint32_t k);
/* Tables of ways, empty when taken and when given back; for nodes or loops of the kernel. */
ls_way_table ls_ways_take(ls_proof *p);
void ls_ways_give(ls_proof *p, ls_way_table *table);
/* The term that the value has in this state from now on. */
void ls_set_value(const ls_state *s, const ls_ir_value *value, const ls_term *term);
/* Runs from just behind a barrier. `latches` gets, by loop, the ways back to headers of loops around it. */
void ls_make_intervals(ls_proof *p);
/* The intervals between barriers of lanes, after ls_check_warps found them. */
void ls_make_warp_intervals(ls_proof *p);
/* A claim at a point of the execution; what may be assumed behind it. */
const ls_term *ls_claim_here(ls_state *s, const ls_node *n, ls_claim claim);
/* What is known of symbols: all facts about one (NULL: none), and another one. */
ls_term_list *ls_facts_of(const ls_proof *p, uint64_t symbol);
void ls_add_fact(ls_proof *p, const ls_term *symbol, const ls_term *fact);
/* The facts about the symbols of a list, and about the symbols in those, … */
void ls_collect_facts(ls_proof *p, ls_term_list *terms);

#endif
