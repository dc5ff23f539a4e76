/* What a dependent launch does before it waits (check/early.h). */
#include "emulate/check/early.h"

enum { MOST_PIECES = 1 << 16 };

static bool is_early(const warp *w) {
    const block_run *b = w->block;
    return !w->waited && !(b->waits && b->epoch > b->wait_epoch);
}

static void keep(worker *k, early_piece p) {
    for (uint32_t n = 0; n < 2 && n < k->early.length; n++) { /* the last ones, of loads and stores in turn */
        early_piece *last = &k->early.items[k->early.length - 1 - n];
        if (last->write != p.write) continue;
        if (p.address >= last->address && p.address + p.size <= last->address + last->size) return;
        if (last->address + last->size != p.address) continue;
        last->size += p.size;
        return;
    }
    if (k->early.length < MOST_PIECES) LS_VEC_PUSH(&k->early, p);
}

void em_early_access(warp *w, const mem_access *m, const uint64_t *address, uint64_t mask) {
    if (!w->machine->options.early || !is_early(w)) return;
    FOR_LANES(l, mask)
    keep(w->worker, (early_piece){address[l], (uint64_t)m->bytes * m->count, m->write});
}

void em_early_tell(machine *m) {
    for (uint32_t k = 0; m->workers && k < m->worker_count; k++) {
        worker *w = &m->workers[k];
        for (uint32_t n = 0; n < w->early.length; n++) {
            const early_piece *p = &w->early.items[n];
            m->options.early(m->options.touched_context, p->address, p->size, p->write, false);
        }
        LS_VEC_FREE(&w->early);
    }
}

const insn *em_exec_grid_wait(warp *w, const insn *i) {
    if (!w->machine->options.early || !guard_mask(w, i)) return i + 1;
    w->waited = true;
    w->sub_epoch++;
    if (!w->block->waits) w->block->wait_epoch = w->block->epoch;
    w->block->waits = true;
    return i + 1;
}
