/* Partitions of a warp's lanes: groups of lane vectors made from keys. */
#ifndef LS_ANALYZE_GROUPS_H
#define LS_ANALYZE_GROUPS_H

#include "analyze/lanes.h"

/* Lanes are in one group where all three numbers are equal. */
typedef struct {
    uint64_t of[LANES], second[LANES], third[LANES];
} ls_keys;

void ls_groups_by(ls_lanes *lanes, const ls_keys *keys);
/* Lanes that share a group in both. */
void ls_groups_both(ls_lanes *lanes, const ls_lanes *a, const ls_lanes *b);

#endif
