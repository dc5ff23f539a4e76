/* From the IR of a real kernel to the kernel language (000, §3.1). */
#ifndef LS_MODEL_LOWER_H
#define LS_MODEL_LOWER_H

#include "lockstep/ir.h"
#include "lockstep/model.h"
#include "model/lang.h"

/* The kernel with its registers as private variables and its memory objects as arrays. What the language does
 * not have gives any value (havoc), with a note in diags. NULL, with an error, where nothing can be made of
 * it. */
ls_kprog *ls_kernel_lower(const ls_ir_function *f, const ls_model_launch *launch, ls_diags *diags);

#endif
