/* What a compiler says, as diagnostics with the compiler's own positions. */
#ifndef LS_FRONTEND_MESSAGES_H
#define LS_FRONTEND_MESSAGES_H

#include "lockstep/diag.h"

/* Reads clang's "file:line:column: error: text" and nvcc's "file(line): error: text". Returns the number of
 * errors. Lines of other shapes (source excerpts, carets, "2 errors generated.") are left out. */
uint32_t ls_compiler_messages(const char *text, ls_diags *diags);

#endif
