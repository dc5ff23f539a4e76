/* The files that a compiler says it has read (-MD): a rule of a makefile. */
#ifndef LS_BASE_MAKEFILE_H
#define LS_BASE_MAKEFILE_H

#include <stdbool.h>

/* Calls `each` with every file that stands behind the colon of the rule, until it returns false; whether all
 * were taken, and there was a rule. */
bool ls_makefile_each(const char *rule, bool (*each)(void *context, const char *file), void *context);

#endif
