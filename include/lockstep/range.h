/* The values that a parameter of a kernel can have by its type: bool, an enum, or a structure that has such
 * members. */
#ifndef LOCKSTEP_RANGE_H
#define LOCKSTEP_RANGE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ls_parameter_range {
    int64_t least, most;
    const char *type; /* as the source names it; NULL: nothing is known of the parameter */
    bool is_assumed;  /* by convention: the language allows others */
    /* Of a structure: all of its bytes, which must be as many as the parameter has, and its members, each
     * with its own place in it and its name there ("inner.count"). */
    uint64_t offset, bytes;
    const char *name;
    const struct ls_parameter_range *members;
    uint32_t member_count;
    bool is_unsigned; /* an unsigned number of 32 bits, by its type: of which values is not said */
} ls_parameter_range;

#endif
