/* The kernels that compare private copies of global memory. Internal to src/detect. */
#ifndef LS_DETECT_GRID_KERNELS_H
#define LS_DETECT_GRID_KERNELS_H

#include "base/buf.h"

#include <stdint.h>

/* What ls_union leaves in the copies: what the second pass needs, the originals, or what they are. */
enum { AFTER_SECOND_PASS, AFTER_ORIGINALS, AFTER_NOTHING };

/* `ordered` of ls_union: the copies are checked; merged in order without a check; or checked, and writes of
 * equal values are races, too. */
enum { UNION_CHECKED, UNION_ORDERED, UNION_EQUAL };

/* Parameters of each of ls_copies, ls_union and ls_compare. flag: gets the number with the report's first
 * record. */
typedef struct {
    uint64_t old, united, copies, stride, count, bytes, report, ordered, after, flag, number;
} grid_params;

/* Their PTX. */
void dt_grid_kernels(ls_buf *out);

#endif
