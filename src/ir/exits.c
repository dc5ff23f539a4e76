/* Where the ways out of a loop meet (exits.h). */
#include "ir/exits.h"

bool ls_ir_joins_exits(const ls_ir_block *block, const ls_ir_block *inside) {
    for (const ls_ir_loop *loop = inside->loop; loop; loop = loop->parent) {
        uint32_t ways = 0;
        for (uint32_t k = 0; k < block->pred_count && !ls_ir_loop_contains(loop, block); k++)
            ways += ls_ir_loop_contains(loop, block->preds[k]);
        if (ways > 1) return true;
    }
    return false;
}
