/* What the source says at a position: the expression of an access. */
#ifndef LS_CLI_EXPRESSION_H
#define LS_CLI_EXPRESSION_H

#include "base/arena.h"
#include "report/source.h"

/* The array element that is accessed at the place, "A[i * n + k]", in arena; NULL where the text there is
 * nothing of the kind. A compiler gives a read its own position and a write that of the assignment. */
const char *ls_expression_at(ls_sources *sources, ls_place place, ls_arena *arena);

#endif
