/* Whether two accesses overlap only for certain contents of the program's memory (data.c). */
#ifndef LS_VERIFY_CHECK_DATA_H
#define LS_VERIFY_CHECK_DATA_H

#include "verify/proof.h"

/* For a launch that a program makes: the array whose contents, which the program has put there, decide
 * whether the two meet; NULL where they do not, or the launch is anybody's. */
const ls_ir_base *ls_meet_by_data(const ls_proof *p, const ls_event *a, const ls_event *b, bool same_block);

/* What lies in the array, for a message that says on what something depends. */
const char *ls_name_of_data(ls_proof *p, const ls_ir_base *array);

#endif
