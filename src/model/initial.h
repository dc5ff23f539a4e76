/* The initial stores of a program: every combination of values of the variables that have no initial value.
 * The k-th initial store of a kernel, of its predicated and of its lock-step form have the same values. */
#ifndef LS_MODEL_INITIAL_H
#define LS_MODEL_INITIAL_H

#include "model/machine.h"

typedef struct {
    const ls_kmachine *m;
    int64_t *cells; /* the current one */
    struct ls_kfree_cell {
        uint32_t cell, thread; /* thread: LS_GRAPH_NONE for shared variables */
        const ls_kvar *var;
        uint32_t element;
    } *open;
    uint32_t open_count;
    uint64_t count; /* of stores; UINT64_MAX: that or more */
} ls_kinitial;

void ls_kinitial_start(ls_kinitial *initial, const ls_kmachine *m, ls_arena *arena);
bool ls_kinitial_next(ls_kinitial *initial); /* false after the last */
/* The values that are not fixed by the program, as "v = 1, a[0] = 2, x of thread 1 = 0". */
const char *ls_kinitial_text(const ls_kinitial *initial, ls_arena *arena);

#endif
