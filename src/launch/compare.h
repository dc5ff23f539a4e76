/* Elements that are the same but for rounding. */
#ifndef LS_LAUNCH_COMPARE_H
#define LS_LAUNCH_COMPARE_H

#include "lockstep/ptx.h"

/* One element as a number. */
double ls_emu_number(ls_ptx_type type, const void *at);
/* The same bytes; or floats that are both no number, or differ by at most `absolute` plus `relative` of the
 * larger one. */
bool ls_emu_same(ls_ptx_type type, const void *a, const void *b, double relative, double absolute);

#endif
