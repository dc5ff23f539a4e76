/* Operations that several lanes of a warp make together. */
#ifndef LS_VERIFY_CHECK_LANES_H
#define LS_VERIFY_CHECK_LANES_H

#include "verify/proof.h"

/* all lanes that are named reach what waits for them. */
void ls_check_lanes(ls_proof *p);

#endif
