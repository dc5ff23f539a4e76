/* A finding that stands for others of its cause (same.c). */
#ifndef LS_REPORT_SAME_H
#define LS_REPORT_SAME_H

#include "lockstep/report.h"

/* Counts the others in it, and shows where they are as notes. */
void ls_tell_same(ls_finding *f);
/* Takes the others away from it again: a list. */
ls_finding *ls_part_same(ls_finding *f);

#endif
