/* Variables of host code that stay in memory because their address is taken, mostly for cudaLaunchKernel,
 * which reads arguments through a list of their addresses. Where all that
 * is done with a variable is seen, what it holds is known wherever it was set before for certain. */
#ifndef LS_FRONTEND_HOST_SLOTS_H
#define LS_FRONTEND_HOST_SLOTS_H

#include "frontend/host_values.h"

/* What a load gives: the value that was stored, where the variable is set by one store that comes before the
 * load for certain; else the load itself. Other values as they are. */
LLVMValueRef ls_host_loaded(const ls_module *module, LLVMValueRef value);

/* What allocated the memory that the pointer points to the start of, for certain (host_runtime.h); or NULL.
 */
LLVMValueRef ls_host_allocation(const ls_module *module, LLVMValueRef pointer);

/* The variable whose address is the index-th of a list that cudaLaunchKernel is given; NULL: not known. */
LLVMValueRef ls_host_listed(const ls_module *module, LLVMValueRef list, unsigned index, LLVMValueRef where);
/* What the variable holds where the instruction stands, set by one store; NULL: not known. */
LLVMValueRef ls_host_held(const ls_module *module, LLVMValueRef slot, LLVMValueRef where);

#endif
