/* `lockstep lsp`: a language server over two file descriptors (docs/editors.md). */
#ifndef LS_LSP_LSP_H
#define LS_LSP_LSP_H

#include <stdbool.h>

/* Serves one client until it says exit, or is gone; the exit status. trusted: the files are the user's own,
 * and who looks at them need not be confined. */
int ls_lsp_serve(int in, int out, bool trusted);

#endif
