/* The values that a parameter of a kernel can have by its type: bool, or an enum. */
#ifndef LOCKSTEP_RANGE_H
#define LOCKSTEP_RANGE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t least, most;
    const char *type; /* as the source names it; NULL: nothing is known of the parameter */
    bool is_assumed;  /* by convention: the language allows others */
} ls_parameter_range;

#endif
