/* Runs of a subcommand on input that is not trusted (untrusted.c). */
#ifndef LS_CLI_UNTRUSTED_H
#define LS_CLI_UNTRUSTED_H

#include "base/guard.h"
#include "cli/cli.h"

/* The subcommand with its options, in a confined process that is watched as `guard` says; the exit status. */
int ls_cli_run_untrusted(ls_cli *cli, void *options, const ls_guard_options *guard);

#endif
