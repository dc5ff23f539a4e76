/* `lockstep mcp`: tools for coding agents over two file descriptors (docs/agents.md). */
#ifndef LS_MCP_MCP_H
#define LS_MCP_MCP_H

#include <stdbool.h>

/* Serves one client until it is gone; the exit status. trusted: as for the language server (lsp/lsp.h). */
int ls_mcp_serve(int in, int out, bool trusted);

#endif
