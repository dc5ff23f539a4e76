/* `lockstep lsp`: a language server over two file descriptors (docs/editors.md). */
#ifndef LS_LSP_LSP_H
#define LS_LSP_LSP_H

/* Serves one client until it says exit, or is gone; the exit status. */
int ls_lsp_serve(int in, int out);

#endif
