/* Integer division by zero, where it is asked for (--div0). */
#ifndef LS_VERIFY_CHECK_DIVISION_H
#define LS_VERIFY_CHECK_DIVISION_H

#include "verify/proof.h"

void ls_check_divisions(ls_proof *p);

#endif
