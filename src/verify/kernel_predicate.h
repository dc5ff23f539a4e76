/* Predication (000, §4.1) and the lock-step construction (§4.2): maps from programs to programs. Both share
 * the kernel's context: its variables and expressions are used as they are. */
#ifndef LS_VERIFY_KERNEL_PREDICATE_H
#define LS_VERIFY_KERNEL_PREDICATE_H

#include "verify/kernel_cfg.h"
#include "verify/kernel_lang.h"

/* π(P) of a normalised kernel (kernel_normal.h) with a reducible control-flow graph. Its blocks are the
 * kernel's in sort order, each loop's last one followed by two blocks that go back or leave. */
ls_kprog *ls_kernel_predicate(const ls_kprog *kernel, const ls_kcfg *cfg);

/* φ(P), made from π(P). Vector statements are kept as statements of one thread t (kernel_lang.h): nothing in
 * the program depends on the number of threads. */
ls_kprog *ls_kernel_lockstep(const ls_kprog *predicated);

#endif
