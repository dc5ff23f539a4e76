/* Findings as lines of text (base/wire.h), from a process that checks a program to the command that started
 * it: F begins one (rule, level, count, message, place), then come N for each related place, A for each
 * thread, O for what it happens to and whether the threads are in order, D for a number or a text of the
 * detail. */
#ifndef LS_FINDING_WIRE_H
#define LS_FINDING_WIRE_H

#include "base/wire.h"
#include "finding/store.h"

void ls_finding_write(ls_buf *to, const ls_finding *finding);
/* Its lines A and O alone. */
void ls_story_write(ls_buf *to, const ls_story *story);

/* Takes a line that is of a finding, and splits it; *finding becomes a new one at F. False: the line is of
 * something else, and as it was. */
bool ls_finding_read(ls_store *store, char *line, ls_finding **finding);

#endif
