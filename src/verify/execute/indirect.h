/* Calls through a register. */
#ifndef LS_VERIFY_EXECUTE_INDIRECT_H
#define LS_VERIFY_EXECUTE_INDIRECT_H

#include "verify/proof.h"

/* The addresses of functions are different, and not 0. */
const ls_term *ls_function_addresses(ls_proof *p);
void ls_check_indirect(ls_proof *p);

#endif
