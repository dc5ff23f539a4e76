/* lockstep run --prove: what a program launched, verified. */
#ifndef LS_CLI_PROVE_H
#define LS_CLI_PROVE_H

#include "cli/cli.h"

#include <stdio.h>

/* Verifies the launches in `record` (NULL: the folder's own) of each module that the program's device has
 * written into the folder, and prints what came of it; the exit status. */
int ls_prove(const ls_common *common, const char *folder, const char *record, FILE *to);
/* The folder's own file of launches. */
void ls_prove_record(const char *folder, char *path, size_t size);
#endif
