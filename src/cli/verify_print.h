/* lockstep verify --print (verify_print.c). */
#ifndef LS_CLI_VERIFY_PRINT_H
#define LS_CLI_VERIFY_PRINT_H

#include "cli/cli.h"

#define LS_VERIFY_PRINT_WORDS "nothing|kernel|sort-order|predicated|lockstep"

/* `which`: the number of the word. The exit status. */
int ls_verify_print(ls_cli *cli, const ls_common *common, int which);

#endif
