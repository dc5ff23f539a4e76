/* Predication (000, §4.1) and the lock-step construction (§4.2): maps from programs to programs. Both share
 * the kernel's context: its variables and expressions are used as they are. */
#ifndef LS_MODEL_PREDICATE_H
#define LS_MODEL_PREDICATE_H

#include "model/graph.h"
#include "model/lang.h"

/* π(P) of a normalised kernel (model/normal.h) with a reducible control-flow graph. Its blocks are the
 * kernel's in sort order, each loop's last one followed by two blocks that go back or leave. */
ls_kprog *ls_kernel_predicate(const ls_kprog *kernel, const ls_cfg *cfg);

/* φ(P), made from π(P). Vector statements are kept as statements of one thread t (model/lang.h): nothing in
 * the program depends on the number of threads. */
ls_kprog *ls_kernel_lockstep(const ls_kprog *predicated);

#endif
