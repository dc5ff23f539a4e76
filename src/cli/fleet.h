/* Files of one run on several machines: `mpirun -n 64 lockstep check -p build`. The first process hands out
 * files and works itself; the others work, and send what they have to tell of each file (report/keep.h). It
 * prints the one report. Files of a process that is lost are done by the first one. */
#ifndef LS_CLI_FLEET_H
#define LS_CLI_FLEET_H

#include "cli/cli.h"

typedef struct ls_fleet ls_fleet;

/* NULL where the command was not started as one of several processes. False in *good after a message. */
ls_fleet *ls_fleet_join(ls_cli *cli, bool *good);
/* Another one prints the report. */
bool ls_fleet_is_helper(const ls_fleet *fleet);

/* Works on the files, as ls_parallel_for with `body` does, with the others. */
void ls_fleet_work(ls_fleet *fleet, const ls_cli_job *jobs, uint32_t count, uint32_t threads,
                   void (*body)(void *context, uint32_t index), void *context);
/* With the exit status of the run. */
void ls_fleet_leave(ls_fleet *fleet, int status);

#endif
