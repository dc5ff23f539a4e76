/* Changes of the source that mend what was found (mend.c). */
#ifndef LS_CLI_MEND_H
#define LS_CLI_MEND_H

#include "cli/verification.h"

/* With --suggest: for each race within a block and each bank conflict of the file, tries changes one after
 * another, by looking at the changed text as `look` does at the file, and gives the finding the first that
 * mends it. */
void ls_mend(const ls_cli_job *job, void (*look)(const ls_cli_job *job));

/* For a process that will be sealed: starts who tries the changes (trials.h), each with at most so many bytes
 * of memory. */
void ls_mend_before_seal(ls_cli *cli, ls_verification_cli *options, uint64_t bytes,
                         void (*look)(const ls_cli_job *job));

#endif
