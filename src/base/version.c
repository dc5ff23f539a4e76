/* The version of the library (lockstep/version.h). */
#include "lockstep/version.h"

const char *ls_version(void) {
    return LOCKSTEP_VERSION;
}
