/* cuSOLVER's sparse routines, declared for host code. */
#ifndef LS_CUSOLVERSP_H
#define LS_CUSOLVERSP_H
#pragma GCC system_header
#include "cusolver_common.h"
#include "cusparse.h"
typedef struct cusolverSpContext *cusolverSpHandle_t;
#define LS_SOLVER(NAME) LS_LOOSE(cusolverStatus_t, NAME)
LS_SOLVER(cusolverSpCreate) LS_SOLVER(cusolverSpDestroy) LS_SOLVER(cusolverSpSetStream) LS_SOLVER(cusolverSpDcsrlsvqr) LS_SOLVER(cusolverSpDcsrlsvchol)
LS_SOLVER(cusolverSpDcsrlsvluHost) LS_SOLVER(cusolverSpScsrlsvqr) LS_SOLVER(cusolverSpScsrlsvchol)
#undef LS_SOLVER
#endif
