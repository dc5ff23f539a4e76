/* Accesses that a lock keeps apart (locks.c). */
#ifndef LS_VERIFY_CHECK_LOCKS_H
#define LS_VERIFY_CHECK_LOCKS_H

#include "verify/proof.h"

/* Both are made while their thread holds the same lock. */
bool ls_is_locked(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block);

#endif
