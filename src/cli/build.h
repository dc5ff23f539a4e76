/* Programs built without NVIDIA's toolkit: device code by Lockstep's front end, host code by clang. */
#ifndef LS_CLI_BUILD_H
#define LS_CLI_BUILD_H

#include "cli/nvcc_options.h"

/* Does what the options of nvcc ask for; the exit status. */
int ls_build(ls_cli *cli, const ls_nvcc_options *options);

/* Builds a program from sources, or finds it built already and nothing newer that it was made of; its path,
 * in the arena, or NULL after messages. `common`: -I, -D, -include, --std, --arch, --cccl, and what its list
 * of further options has for the compiler. */
const char *ls_build_program(ls_cli *cli, const ls_common *common, const ls_list *sources);

#endif
