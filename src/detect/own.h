/* Memory of which every thread of a block has its own part, in parts of a kernel. Internal to src/detect. */
#ifndef LS_DETECT_OWN_H
#define LS_DETECT_OWN_H

#include "detect/linear.h"

/* Instructions (NULL: all), with what the counters of a loop are in them (NULL: not known). */
typedef struct {
    const ls_bitset *instrs;
    const bound_counters *counters;
} own_part;

/* own.c: whether no two threads of a block touch the same byte of the object in all the parts together, if
 * one of them writes. */
bool dt_own_in_parts(const kernel *k, uint32_t which, const ls_detect_launch *launch, const own_part *parts,
                     uint32_t count);
/* own.c: bytes of its object that the access may touch, from and up to; false where that is not known. */
bool dt_access_range(const kernel *k, const ls_ir_access *access, const ls_detect_launch *launch,
                     int64_t *from, int64_t *to);
/* turns.c: the same in the region, turn by turn of the loop that it is in. */
bool dt_own_in_turns(kernel *k, const region *r, uint32_t which, const ls_detect_launch *launch);

#endif
