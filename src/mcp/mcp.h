/* `lockstep mcp`: tools for coding agents over two file descriptors (docs/agents.md). */
#ifndef LS_MCP_MCP_H
#define LS_MCP_MCP_H

/* Serves one client until it is gone; the exit status. */
int ls_mcp_serve(int in, int out);

#endif
