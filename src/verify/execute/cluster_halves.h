/* The two halves of a cluster's barrier (cluster_halves.c). */
#ifndef LS_VERIFY_EXECUTE_CLUSTER_HALVES_H
#define LS_VERIFY_EXECUTE_CLUSTER_HALVES_H

#include "verify/proof.h"

/* A barrier of the cluster whose arrival is known: barrier.cluster.wait, or that arrival. */
bool ls_is_cluster_barrier(const ls_ir_instr *wait);
bool ls_is_cluster_arrival(const ls_ir_instr *arrival);
/* Nothing lies between the two halves that another thread could notice, so that they may as well stand
 * together. Needs `written`. */
bool ls_halves_are_one(const ls_proof *p, const ls_ir_instr *wait);
/* The instruction lies between two halves that are not one. */
bool ls_is_between_halves(const ls_proof *p, const ls_ir_instr *instr);

#endif
