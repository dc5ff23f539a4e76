/* What one launch of a kernel leaves in memory for the next one: flags and counters are 0 before the first.
 */
#ifndef LS_FRONTEND_HOST_AGAIN_H
#define LS_FRONTEND_HOST_AGAIN_H

#include "frontend/host_stubs.h"
#include "lockstep/argument.h"

/* `launch`: the call that launches, with what it is given. Where a way leads to it from a launch of the same
 * kernel, and on that way nothing may have set the memory anew, this says of which memory; NULL: there is no
 * such way. */
const ls_launch_again *ls_host_again(const ls_module *module, ls_arena *arena, LLVMValueRef launch,
                                     const ls_host_arguments *all);

#endif
