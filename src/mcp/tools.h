/* The tools that agents are offered: one table, from which their descriptions and the command lines follow.
 */
#ifndef LS_MCP_TOOLS_H
#define LS_MCP_TOOLS_H

#include "base/process.h"
#include "rpc/worker.h"

#include <jansson.h>

/* The list of tools with their schemas, as tools/list gives it. */
json_t *ls_tools_list(void);
/* The command line of a call, after the program's name, in arena, and where and how confined it is to run. A
 * source that is given as a text is put into a file of the worker's. False with the reason. */
bool ls_tool_command(ls_worker *worker, const char *name, const json_t *arguments, ls_arena *arena,
                     ls_args *argv, ls_worker_options *how, const char **wrong);

#endif
