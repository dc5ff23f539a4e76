/* What the source calls values of host code: names of variables, members and parameters, for people who read
 * what is known of a launch. */
#ifndef LS_FRONTEND_HOST_WORDS_H
#define LS_FRONTEND_HOST_WORDS_H

#include "frontend/module.h"

/* Before the passes run, which drop variables: what is loaded from a variable or member, and what is stored
 * into one, is given its name. */
void ls_host_name_values(ls_module *module);
/* The name, in arena: letters, digits and '_'; NULL where the value has none. */
const char *ls_host_word(const ls_module *module, LLVMValueRef value, ls_arena *arena);

#endif
