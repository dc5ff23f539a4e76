/* Which functions of a module are named where: found out once, when it is parsed. */
#ifndef LS_PTX_USES_H
#define LS_PTX_USES_H

#include "lockstep/ptx.h"

/* Whether there are functions __axiom…. */
bool ls_ptx_has_axioms(const ls_ptx_module *module);
/* Whether another function or an initialiser names it. */
bool ls_ptx_is_named(const ls_ptx_module *module, const ls_ptx_function *function);
/* Whether an instruction that is no call, or an initialiser, names it: it may be called through a register.
 */
bool ls_ptx_is_address_taken(const ls_ptx_module *module, const ls_ptx_function *function);

#endif
