/* A table from small numbers to pointers of which few are set: what it takes grows with those that are, not
 * with the range. A tree of three levels, in an arena. */
#ifndef LS_BASE_SPARSE_H
#define LS_BASE_SPARSE_H

#include "base/arena.h"

#include <stdint.h>

enum { LS_SPARSE_BITS = 6, LS_SPARSE_FAN = 1 << LS_SPARSE_BITS };

typedef struct {
    const void *items[LS_SPARSE_FAN];
} ls_sparse_leaf;

typedef struct {
    ls_sparse_leaf *leaves[LS_SPARSE_FAN];
} ls_sparse_branch;

typedef struct {
    ls_sparse_branch **branches; /* NULL: nothing is set */
} ls_sparse;

static inline const void *ls_sparse_get(const ls_sparse *table, uint32_t at) {
    const ls_sparse_branch *branch = table->branches ? table->branches[at >> 2 * LS_SPARSE_BITS] : NULL;
    const ls_sparse_leaf *leaf = branch ? branch->leaves[at >> LS_SPARSE_BITS & (LS_SPARSE_FAN - 1)] : NULL;
    return leaf ? leaf->items[at & (LS_SPARSE_FAN - 1)] : NULL;
}

/* at < range, the same for all calls with one table. */
static inline void ls_sparse_put(ls_sparse *table, ls_arena *arena, uint32_t range, uint32_t at,
                                 const void *item) {
    if (!table->branches)
        table->branches = LS_NEW_N(arena, ls_sparse_branch *, (range >> 2 * LS_SPARSE_BITS) + 1);
    ls_sparse_branch **branch = &table->branches[at >> 2 * LS_SPARSE_BITS];
    if (!*branch) *branch = LS_NEW(arena, ls_sparse_branch);
    ls_sparse_leaf **leaf = &(*branch)->leaves[at >> LS_SPARSE_BITS & (LS_SPARSE_FAN - 1)];
    if (!*leaf) *leaf = LS_NEW(arena, ls_sparse_leaf);
    (*leaf)->items[at & (LS_SPARSE_FAN - 1)] = item;
}

#endif
