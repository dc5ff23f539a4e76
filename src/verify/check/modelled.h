/* What a kernel has that is not modelled, and where its annotations are. */
#ifndef LS_VERIFY_CHECK_MODELLED_H
#define LS_VERIFY_CHECK_MODELLED_H

#include "verify/proof.h"

/* Needs the IR; leaves reasons, mistakes and unmodelled_sync. */
void ls_check_modelled(ls_proof *p);
/* After that: no path leads to the instruction from a call that is not modelled and may synchronise. */
bool ls_is_before_calls(const ls_proof *p, const ls_ir_instr *i);
/* Needs the IR; leaves `annotation`. */
void ls_find_annotations(ls_proof *p);

#endif
