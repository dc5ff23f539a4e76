/* Accesses that go where they must not, by themselves. */
#ifndef LS_VERIFY_EXECUTE_MEMORY_H
#define LS_VERIFY_EXECUTE_MEMORY_H

#include "verify/proof.h"

/* An access of local, constant or parameter memory in `whole`. */
void ls_keep_private(ls_proof *p, ls_event event);
void ls_check_memory(ls_proof *p);

#endif
