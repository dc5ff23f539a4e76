/* Functions of the driver that are not there: each says so once in the report. */
#include "cuda/driver.h"

#define MISSING(name)                                                                                        \
    API(name, void) {                                                                                        \
        ls_dev_missing(cu_dev(), #name);                                                                     \
        return CU_NOT_SUPPORTED;                                                                             \
    }
#include "cuda/missing.def"
