/* A job's device code by way of nvcc. */
#ifndef LS_FRONTEND_WITH_NVCC_H
#define LS_FRONTEND_WITH_NVCC_H

#include "frontend/command.h"

bool ls_compile_with_nvcc(ls_job *job, ls_buf *ptx, ls_diags *diags);
/* The same as it would be run, into job->as_run: nvcc has to be asked twice. */
bool ls_compile_as_run_with_nvcc(ls_job *job, ls_diags *diags);

#endif
