/* Lane vectors of a kernel's values in one warp, computed where they are asked for. */
#ifndef LS_ANALYZE_WARP_H
#define LS_ANALYZE_WARP_H

#include "analyze/private.h"

/* Which lanes of the warp can be at a block together. */
typedef struct {
    uint32_t may;
    uint8_t most; /* of them at once */
} ls_active;

typedef struct {
    analysis *a;
    ls_arena *arena; /* freed with the warp */
    ls_lanes identifiers[LS_TID_COUNT];
    uint32_t present;        /* lanes that are threads of the block */
    const ls_lanes **of;     /* by value id */
    const ls_lanes *kept[4]; /* the latest different ones */
    uint32_t next_kept;
    ls_bitset needed, dirty;
    ls_active *active; /* by block id */
    bool *active_known;
    const ls_ir_value *fixed; /* NULL, or a value that is taken to be fixed_to */
    int64_t fixed_to;
} ls_warp;

/* A warp of which only that is known which holds for all warps of the block; false where the warps are laid
 * out too differently for that. */
bool ls_warp_generic(ls_warp *warp, analysis *a, ls_arena *arena);
/* The block's warp of that number; the block must be known. */
void ls_warp_numbered(ls_warp *warp, analysis *a, ls_arena *arena, uint32_t number);
uint32_t ls_warp_count(const analysis *a);

/* The value's lanes. */
const ls_lanes *ls_warp_lanes(ls_warp *warp, const ls_ir_value *value);
/* Computes what several values need in one go. */
void ls_warp_need(ls_warp *warp, const ls_ir_value *const *values, uint32_t count);
ls_active ls_warp_active(ls_warp *warp, const ls_ir_block *block);

/* Of instruction `instr` its result k, from lanes of its sources (warp_transfer.c). */
ls_lanes ls_warp_transfer(ls_warp *warp, const ls_ir_instr *instr, uint32_t k);
/* What is known of a value already; unseen where nothing is. */
const ls_lanes *ls_warp_known(ls_warp *warp, const ls_ir_value *value);
/* condition ? a : b, with what the two have in common. */
ls_lanes ls_warp_choose(ls_warp *warp, const ls_lanes *condition, const ls_ir_value *a, const ls_ir_value *b);

#endif
