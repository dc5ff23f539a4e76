/* Which pointers of a launch are the same, and which point into the memory of another one. */
#ifndef LS_FRONTEND_HOST_POINTERS_H
#define LS_FRONTEND_HOST_POINTERS_H

#include "frontend/host_stubs.h"
#include "frontend/host_values.h"

/* Fills `same` and `inside` of the launch. */
void ls_host_describe_pointers(ls_host_values *host, ls_kernel_launch *launch, const ls_host_arguments *all);

#endif
