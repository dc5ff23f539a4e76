/* Which files a compilation has read, by the compilers' own word (-MD). */
#ifndef LS_FRONTEND_DEPEND_H
#define LS_FRONTEND_DEPEND_H

#include "frontend/command.h"

/* Asks the compiler for the files that it reads; where nobody wants to know, nothing is added. */
void ls_depend_ask(const ls_job *job, const char *output, ls_args *argv);
/* What the compilers said, with the compilers themselves and what else is always there; nothing where one of
 * them failed or said nothing, as the list would not be whole. */
void ls_depend_list(const ls_job *job, bool whole, ls_compiled *out);

#endif
