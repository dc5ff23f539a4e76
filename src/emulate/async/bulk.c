/* Bulk copies and reductions between global and shared memory (cp.async.bulk, cp.reduce.async.bulk), which
 * one thread starts for many bytes: done at once, which is one of the times at which they may be done, 16
 * bytes after 16 bytes, which the checkers see as accesses of that thread. */
#include "emulate/async/mbarrier.h"
#include "emulate/machine.h"
#include "isa/atomic.h"
#include "isa/number.h"

enum { PIECE = 16 };

static ls_ptx_space space_of(const mem_access *m) {
    return m->space == LS_SPACE_SHARED ? LS_SPACE_SHARED : LS_SPACE_GLOBAL;
}

static char *piece_at(warp *w, const insn *i, const mem_access *m, uint32_t lane, uint64_t at) {
    uint64_t address[MAX_LANES] = {0};
    address[lane] = at;
    em_target t = em_prepare(w, i, m, space_of(m), address, UINT64_C(1) << lane);
    return t.mask ? em_place(&t, at, lane) : NULL;
}

void em_bulk_reduce(uint8_t op, ls_ptx_type type, char *to, const char *from, uint32_t bytes) {
    uint32_t size = ls_ptx_type_bits(type) / 8;
    for (uint32_t k = 0; k < bytes; k += size) {
        uint64_t a = 0;
        memcpy(&a, from + k, size);
        em_atomic_update(to + k, size, (atomic_op)op, type, a);
    }
}

static void move(warp *w, const insn *i, const bulk_info *x, uint32_t lane, uint64_t size) {
    uint64_t from[MAX_LANES], to[MAX_LANES];
    em_addresses(w, x->from, from);
    em_addresses(w, x->to, to);
    for (uint64_t k = 0; k < size; k += PIECE) {
        const char *source = piece_at(w, i, x->from, lane, from[lane] + k);
        char *target = piece_at(w, i, x->to, lane, to[lane] + k);
        if (!source || !target) return; /* reported; the rest would be, too */
        if (x->op)
            em_bulk_reduce(x->op, (ls_ptx_type)x->type, target, source, PIECE);
        else
            memmove(target, source, PIECE);
    }
}

const insn *em_exec_bulk(warp *w, const insn *i) {
    const bulk_info *x = i->extra;
    const uint32_t since = em_order_tick(w);
    FOR_LANES(l, w->mask) {
        uint64_t size = read_lane(w, x->size, l);
        if (size % PIECE)
            return em_stop(w, i, LS_EMU_TRAPPED, "a bulk copy of %llu bytes, which is not a multiple of 16",
                           (unsigned long long)size);
        move(w, i, x, l, size);
        if (!x->object) continue;
        em_mbarrier_complete_tx(w, i, x->object, l, size, since);
    }
    return i + 1;
}

const insn *em_exec_mapa(warp *w, const insn *i) {
    FOR_LANES(l, w->mask) {
        uint32_t rank = slot32(w, i->b)[l];
        if (rank)
            return em_stop(w, i, LS_EMU_TRAPPED, "mapa: there is no block %u in a cluster of one", rank);
        if (i->aux == 8)
            slot64(w, i->d)[l] = slot64(w, i->a)[l];
        else
            slot32(w, i->d)[l] = slot32(w, i->a)[l];
    }
    return i + 1;
}
