/* Results of files that are kept between runs (--cache): what a static command tells of a file follows from
 * the build of Lockstep, the options, and the contents of all files that were read. Where these are the same,
 * the report of the last time is taken. */
#ifndef LS_CLI_KEPT_H
#define LS_CLI_KEPT_H

#include "cli/cli.h"
#include "lockstep/frontend.h"

typedef struct ls_kept ls_kept;

/* For one run of the command; NULL where nothing is to be kept (--cache off, or no -p and no --cache). It is
 * freed by ls_kept_free. */
ls_kept *ls_kept_open(ls_cli *cli, const ls_common *common);
void ls_kept_free(ls_kept *kept);

/* Fills the file's part of the report, where it is there and still true. */
bool ls_kept_find(ls_kept *kept, const ls_cli_job *job);
/* Notes what the file's result follows from, as the front end tells it. */
void ls_kept_depends(ls_kept *kept, const char *path, const ls_compiled *compiled);
/* Keeps the file's part of the report, where all that it follows from is known. */
void ls_kept_put(ls_kept *kept, const ls_cli_job *job);

#endif
