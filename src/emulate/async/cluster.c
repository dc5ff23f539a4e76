/* Clusters: blocks that run together and see each other's shared memory. An address of shared memory has the
 * rank of its block plus one in the bits from 24 on; 0 there means the block's own. */
#include "emulate/machine.h"

enum { RANK_SHIFT = 24 };

block_run *em_cluster_owner(const warp *w, uint64_t *address) {
    const uint64_t rank = *address >> RANK_SHIFT;
    const cluster_run *c = w->block->cluster;
    if (!rank) return w->block;
    *address &= (UINT64_C(1) << RANK_SHIFT) - 1;
    if (!c) return rank == 1 ? w->block : NULL;
    return rank <= c->count ? c->members[rank - 1] : NULL;
}

const insn *em_exec_mapa(warp *w, const insn *i) {
    const uint32_t count = w->block->cluster ? w->block->cluster->count : 1;
    const uint64_t low = (UINT64_C(1) << RANK_SHIFT) - 1;
    FOR_LANES(l, w->mask) {
        uint32_t rank = slot32(w, i->b)[l];
        uint64_t a = i->aux == 8 ? slot64(w, i->a)[l] : slot32(w, i->a)[l];
        if (rank >= count)
            return em_stop(w, i, LS_EMU_TRAPPED, "mapa: there is no block %u in a cluster of %u", rank,
                           count);
        if (w->block->cluster) a = (a & WINDOW_MASK) | (a & low) | (uint64_t)(rank + 1) << RANK_SHIFT;
        if (i->aux == 8)
            slot64(w, i->d)[l] = a;
        else
            slot32(w, i->d)[l] = (uint32_t)a;
    }
    return i + 1;
}
