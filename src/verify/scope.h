/* What a verdict covers and assumes, and what it took. */
#ifndef LS_VERIFY_SCOPE_H
#define LS_VERIFY_SCOPE_H

#include "verify/proof.h"

/* Need the passes to be over. */
void ls_make_scope(ls_proof *p);
void ls_make_stats(ls_proof *p);

#endif
