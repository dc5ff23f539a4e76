/* Clusters of blocks in a proof. */
#ifndef LS_VERIFY_EXECUTE_CLUSTERS_H
#define LS_VERIFY_EXECUTE_CLUSTERS_H

#include "verify/proof.h"

/* The dimensions of the grid that the kernel's clusters need, before the symbols are made. */
void ls_cluster_axes(ls_proof *p);
/* Grids are made of whole clusters. Needs the symbols of the grid's sizes. */
void ls_cluster_launch(ls_proof *p);
/* A register of the cluster; NULL: another one, or the kernel does not say how large its clusters are. */
const ls_term *ls_cluster_register(ls_proof *p, uint32_t sreg, int axis);

/* Whether the kernel accesses shared memory of other blocks, in a way that is modelled: nothing but plain
 * accesses and barriers, and it says how large its clusters are. */
bool ls_is_remote(const ls_proof *p);
/* Shared memory of other blocks. The blocks of a cluster are taken to have theirs one behind the other, far
 * apart: an address that mapa makes lies as many blocks before or behind the thread's own as its rank says.
 * NULL: it is not modelled. */
const ls_term *ls_remote_address(ls_state *s, const ls_ir_instr *mapa, uint32_t width);
/* The place in the thread's own block that an address has in its. */
const ls_term *ls_address_here(ls_proof *p, const ls_term *address);
/* An address as other blocks of the cluster see it. */
const ls_term *ls_address_in_cluster(ls_proof *p, const ls_term *address);
/* Ranks are those of blocks of the cluster, which have begun and do not end before they are accessed. */
void ls_check_remote(ls_proof *p);
bool ls_has_cluster_barrier(const ls_proof *p);

#endif
