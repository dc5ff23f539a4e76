/* Places in libraries and in the code that uses them (library.c). */
#ifndef LS_REPORT_LIBRARY_H
#define LS_REPORT_LIBRARY_H

#include "lockstep/report.h"

/* The place itself, or the innermost call around it that is not in a library; the place where there is none.
 */
const ls_place *ls_place_of_user(const ls_place *place);
/* Moves what was found in a kernel to the lines of the user's code. */
void ls_tell_at_user(ls_report_kernel *kernel);

#endif
