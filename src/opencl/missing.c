/* Functions of OpenCL's interface that are not there: they return CL_INVALID_OPERATION, and the report names
 * them. OpenCL's headers are not read here, as all of them are defined alike. */
#include "device/process.h"

enum { CL_INVALID_OPERATION = -59 };

#define FUNCTION(name, version)
#define MISSING_STATUS(name, version)                                                                        \
    int name(void);                                                                                          \
    int name(void) {                                                                                         \
        ls_dev_missing(ls_dev_of_process(LS_WORDS_OPENCL), #name);                                           \
        return CL_INVALID_OPERATION;                                                                         \
    }
/* All arguments of these come in registers. */
#define MISSING_OBJECT(name, version, n)                                                                     \
    void *name(int *, int *, int *, int *, int *, int *);                                                    \
    void *name(int *a1, int *a2, int *a3, int *a4, int *a5, int *a6) {                                       \
        int *const all[] = {a1, a2, a3, a4, a5, a6}, *error = all[n - 1];                                    \
        ls_dev_missing(ls_dev_of_process(LS_WORDS_OPENCL), #name);                                           \
        if (error) *error = CL_INVALID_OPERATION;                                                            \
        return (void *)0;                                                                                    \
    }
#include "opencl/functions.def"
