/* The kernel of a compiled file that is meant. */
#ifndef LS_FRONTEND_CHOOSE_H
#define LS_FRONTEND_CHOOSE_H

#include "lockstep/frontend.h"

/* The one of that name, or the only one where `name` is NULL; NULL, with a message, where there is none or
 * are several. */
const ls_compiled_kernel *ls_compiled_only(const ls_compiled *compiled, const char *path, const char *name,
                                           ls_diags *diags);

#endif
