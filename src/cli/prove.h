/* lockstep run --prove: what a program launched, verified. */
#ifndef LS_CLI_PROVE_H
#define LS_CLI_PROVE_H

#include "cli/cli.h"

#include <stdio.h>

/* A folder of its own for what the program's device writes: its launches (ls_prove_record) and modules. False
 * where there cannot be one. */
bool ls_prove_folder(char *folder, size_t size);
/* Verifies the launches in `record` (NULL: the folder's own) of each module in the folder, prints what came
 * of it, and removes the folder; the exit status. */
int ls_prove(const ls_common *common, const char *folder, const char *record, FILE *to);
/* The folder's own file of launches. */
void ls_prove_record(const char *folder, char *path, size_t size);
#endif
