/* A job's device code, launches and preprocessed text by way of clang. Where Lockstep was built without LLVM
 * there are none. */
#ifndef LS_FRONTEND_WITH_CLANG_H
#define LS_FRONTEND_WITH_CLANG_H

#include "frontend/command.h"
#include "frontend/kernels.h"

bool ls_compile_with_clang(ls_job *job, ls_buf *ptx, ls_facts *facts, ls_diags *diags);
bool ls_preprocess(ls_job *job, ls_buf *text);
/* The launches alone, for a file whose device code nvcc compiles. */
void ls_launches_with_clang(ls_job *job, ls_facts *facts);

#endif
