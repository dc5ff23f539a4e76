/* Random kernels: well-formed (000, Definition 5.1), with reducible control flow of any shape. */
#ifndef LS_MODEL_RANDOM_H
#define LS_MODEL_RANDOM_H

#include "model/lang.h"

/* The same kernel for the same seed and threads (0: 2 or 3, as the seed has it). Not yet normalised. */
ls_kprog *ls_kernel_random(uint64_t seed, uint32_t threads);

#endif
