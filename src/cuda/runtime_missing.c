/* Functions of the runtime that are not there: each says so once in the report. */
#include "cuda/runtime.h"

#define MISSING(name)                                                                                        \
    RT(name, void) {                                                                                         \
        ls_dev_missing(cu_dev(), #name);                                                                     \
        return rt_error(CUDA_RUNTIME_NOT_SUPPORTED);                                                         \
    }
#include "cuda/runtime_missing.def"
