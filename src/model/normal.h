/* The restrictions that 000 puts on kernels (§3.1, §4, Definition 5.1): established where that changes
 * nothing, checked where it would. */
#ifndef LS_MODEL_NORMAL_H
#define LS_MODEL_NORMAL_H

#include "lockstep/diag.h"
#include "model/lang.h"

/* Brings the kernel, in place, into the form that the paper assumes:
 *  - every block that cannot be reached is dropped, with a warning;
 *  - an assume in the middle of a block begins a block of its own, as guards stand first (§3.1);
 *  - Start has no guard and no predecessor (§3.1; predication inserts v_active := Start there, which a jump
 *    back to Start must not repeat);
 *  - all threads synchronise on one barrier immediately before they end (§4): the block Exit.
 * False, with errors, where a guard reads a shared variable (§3.1) or the control flow is irreducible. */
bool ls_kernel_normalise(ls_kprog *prog, ls_diags *diags);

typedef enum { LS_KWELL_FORMED, LS_KILL_FORMED, LS_KWELL_UNKNOWN } ls_kwellness;

/* Definition 5.1: whatever the private stores are, each goto has a target whose guard holds. *block gets the
 * first block whose goto may have none, or whose guards' domains are too large to go through. */
ls_kwellness ls_kernel_well_formed(const ls_kprog *prog, uint32_t *block);

#endif
