/* lockstep mcp: tools for coding agents on the standard input and output. */
#include "cli/cli.h"
#include "mcp/mcp.h"

#include <signal.h>

typedef struct {
    ls_common common;
    bool trusted;
} mcp_options;

static const ls_option options[] = {{LS_OPT_FLAG, "trusted", 0, offsetof(mcp_options, trusted), NULL, NULL,
                                     "trust the files: work on them in processes that are not confined"},
                                    {LS_OPT_END}};

static int run(ls_cli *cli, const void *parsed) {
    const mcp_options *o = parsed;
    if (o->common.operands.count) return ls_cli_error(cli, "no files are expected: the client names them");
    signal(SIGPIPE, SIG_IGN);
    return ls_mcp_serve(0, 1, o->trusted);
}

const ls_command ls_cmd_mcp = {
    .name = "mcp",
    .operands = "",
    .summary = "serve tools to coding agents (Model Context Protocol), on standard input and output",
    .about = "Speaks the Model Context Protocol: the tools check, run, profile, gate and explain, with short "
             "answers "
             "that name lines, threads and the scope of a verdict. The work is done in confined processes "
             "(docs/security.md). docs/agents.md says how to set it up for agents.",
    .examples = "\tas clients start it\n",
    .options = options,
    .options_size = sizeof(mcp_options),
    .run = run,
    .never_finds = true};
