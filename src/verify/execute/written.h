/* Which memory the kernel writes, and which loads come before every write of it. */
#ifndef LS_VERIFY_EXECUTE_WRITTEN_H
#define LS_VERIFY_EXECUTE_WRITTEN_H

#include "verify/proof.h"

void ls_find_written(ls_proof *p);

#endif
