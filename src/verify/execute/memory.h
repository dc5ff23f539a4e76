/* Accesses that go where they must not, by themselves. */
#ifndef LS_VERIFY_EXECUTE_MEMORY_H
#define LS_VERIFY_EXECUTE_MEMORY_H

#include "verify/proof.h"

void ls_check_memory(ls_proof *p);

#endif
