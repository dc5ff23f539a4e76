/* cuSOLVER's dense routines, declared for host code. */
#ifndef LS_CUSOLVERDN_H
#define LS_CUSOLVERDN_H
#pragma GCC system_header
#include "cusolver_common.h"
typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
typedef struct syevjInfo *syevjInfo_t;
#define LS_SOLVER(NAME) LS_LOOSE(cusolverStatus_t, NAME)
#define LS_SOLVERS(F) LS_SOLVER(cusolverDnS##F) LS_SOLVER(cusolverDnD##F) LS_SOLVER(cusolverDnC##F) LS_SOLVER(cusolverDnZ##F)
LS_SOLVER(cusolverDnCreate) LS_SOLVER(cusolverDnDestroy) LS_SOLVER(cusolverDnSetStream) LS_SOLVER(cusolverDnGetStream)
LS_SOLVERS(potrf) LS_SOLVERS(potrf_bufferSize) LS_SOLVERS(potrs) LS_SOLVERS(getrf) LS_SOLVERS(getrf_bufferSize) LS_SOLVERS(getrs) LS_SOLVERS(geqrf)
LS_SOLVERS(geqrf_bufferSize) LS_SOLVERS(ormqr) LS_SOLVERS(ormqr_bufferSize) LS_SOLVERS(gesvd) LS_SOLVERS(gesvd_bufferSize) LS_SOLVERS(syevd)
LS_SOLVERS(syevd_bufferSize) LS_SOLVERS(sytrf) LS_SOLVERS(sytrf_bufferSize) LS_SOLVERS(gesvdj) LS_SOLVERS(gesvdj_bufferSize)
#undef LS_SOLVER
#undef LS_SOLVERS
#endif
