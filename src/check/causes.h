/* Findings by their cause: races that one missing barrier, or one index that two threads share, shows at many
 * pairs of lines are one finding. */
#ifndef LS_CHECK_CAUSES_H
#define LS_CHECK_CAUSES_H

#include "base/arena.h"
#include "lockstep/finding.h"

typedef struct {
    const ls_finding *shown; /* that stands for all of them: one that was confirmed, where there is one */
    const ls_finding *const *others; /* in their order */
    uint32_t other_count;
} ls_cause;

/* In the order of what is shown; in arena. */
const ls_cause *ls_causes(const ls_finding *findings, ls_arena *arena, uint32_t *count);

#endif
