/* Functions of a library that programs may be linked with and that are not there: named in the report where
 * they are called. Built once for each library, with its list (LIBRARY_MISSING). */
#include "cuda/work.h"

#define MISSING(name, status)                                                                                \
    __attribute__((visibility("default"))) int name(void);                                                   \
    int name(void) {                                                                                         \
        lockstep_cuda_missing(#name);                                                                        \
        return status;                                                                                       \
    }
#include LIBRARY_MISSING
