/* What calls of the CUDA runtime do to the host's memory, written out so that LLVM's own passes follow
 * pointers and sizes through members, containers and wrappers: cudaMalloc(&p, n) becomes a store of a new
 * pointer into p, and calls that leave the host's variables alone are marked so. */
#ifndef LS_FRONTEND_HOST_RUNTIME_H
#define LS_FRONTEND_HOST_RUNTIME_H

#include "frontend/module.h"

/* Before the passes run. is_stub: the name of a function is that of a kernel's host side. */
void ls_host_runtime(ls_module *module, bool (*is_stub)(const char *name));

/* Of a value that is the pointer to memory that was allocated: how many bytes were asked for; else NULL. */
LLVMValueRef ls_host_allocated_bytes(const ls_module *module, LLVMValueRef value);
/* Of a value that is the length of rows that cudaMallocPitch has chosen: what it is at least; else NULL. */
LLVMValueRef ls_host_least_pitch(const ls_module *module, LLVMValueRef value);
/* All of the memory that was allocated there is set to zero on every way to the launch, and nothing writes it
 * between. */
bool ls_host_is_zeroed(const ls_module *module, LLVMValueRef allocation, LLVMValueRef launch,
                       bool (*is_stub)(const char *name));

#endif
