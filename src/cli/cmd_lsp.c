/* lockstep lsp: the language server on the standard input and output. */
#include "cli/cli.h"
#include "lsp/lsp.h"

#include <signal.h>

typedef struct {
    ls_common common;
    bool stdio, trusted;
} lsp_options;

static const ls_option options[] = {
    {LS_OPT_FLAG, "stdio", 0, offsetof(lsp_options, stdio), NULL, NULL,
     "use standard input and output, which is always so (some editors pass this option)"},
    {LS_OPT_FLAG, "trusted", 0, offsetof(lsp_options, trusted), NULL, NULL,
     "trust the files: work on them in processes that are not confined"},
    {LS_OPT_END}};

static int run(ls_cli *cli, const void *parsed) {
    const lsp_options *o = parsed;
    if (o->common.operands.count) return ls_cli_error(cli, "no files are expected: the editor names them");
    signal(SIGPIPE, SIG_IGN);
    return ls_lsp_serve(0, 1, o->trusted);
}

const ls_command ls_cmd_lsp = {
    .name = "lsp",
    .operands = "",
    .summary = "run as a language server for editors, on standard input and output",
    .about = "Speaks the Language Server Protocol: it shows findings while you type, what a warp's accesses "
             "cost (on hover and as hints in the line), and fixes that were tried. It reads options from "
             "`.lockstep.toml` and compile_commands.json in the file's folder, in the folders above, or in "
             "`build` there. The work is done in confined processes (docs/security.md). docs/editors.md says "
             "how to set "
             "it up in editors. Exit status: 0 after the client said "
             "shutdown and exit, else 1.",
    .examples = "\tas editors start it\n",
    .options = options,
    .options_size = sizeof(lsp_options),
    .run = run};
