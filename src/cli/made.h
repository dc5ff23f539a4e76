/* What was made up of a launch, in the report of the subcommands that run one. */
#ifndef LS_CLI_MADE_H
#define LS_CLI_MADE_H

#include "launch/args.h"
#include "lockstep/report.h"

void ls_cli_say_made(ls_report_kernel *kernel, const ls_emulator *emulator, const ls_emu_args *args,
                     ls_arena *arena);

#endif
