/* Asynchronous copies from global to shared memory (cp.async): done at once, which is one of the times at
 * which they may be done. For the race checker they last until their group has been waited for: who touches
 * the target before, or writes the source, even the copying thread itself, races with the copy; the wait is
 * the time at which the copy was made. */
#include "emulate/check/agent.h"

static void keep(warp *w, const mem_access *m, bool shared, uint64_t lanes) {
    uint32_t index = em_race_pending(w, m, shared);
    if (!index) return;
    async_copy c = {index, shared, w->async_groups[first_lane(lanes)], lanes};
    for (uint32_t k = 0; k < w->copies.length; k++) {
        async_copy *old = &w->copies.items[k];
        if (old->desc != index || old->shared != shared) continue;
        old->lanes |= lanes;
        return;
    }
    w->copied = true;
    LS_VEC_PUSH(&w->copies, c);
}

/* Lanes that read fewer bytes than they write: the rest becomes zero, and is not looked at. */
static void copy_lane(warp *w, const insn *i, const copy_info *x, uint64_t *from, uint32_t l, char *bytes) {
    uint64_t size = read_lane(w, x->size, l);
    if (size > x->bytes) size = x->bytes;
    if (!size) return;
    mem_access part = *x->from;
    part.bytes = (uint8_t)size, part.count = 1;
    em_target source = em_prepare(w, i, &part, LS_SPACE_GLOBAL, from, UINT64_C(1) << l);
    if (source.mask) memcpy(bytes, em_place(&source, from[l], l), size);
}

const insn *em_exec_copy(warp *w, const insn *i) {
    const copy_info *x = i->extra;
    uint64_t from[MAX_LANES], to[MAX_LANES];
    em_addresses(w, x->from, from);
    em_addresses(w, x->to, to);
    em_target source = {0};
    if (!x->has_size) source = em_prepare(w, i, x->from, LS_SPACE_GLOBAL, from, w->mask);
    em_target target = em_prepare(w, i, x->to, LS_SPACE_SHARED, to, w->mask);
    FOR_LANES(l, target.mask) {
        char bytes[16] = {0};
        if (x->has_size)
            copy_lane(w, i, x, from, l, bytes);
        else if (source.mask >> l & 1)
            memcpy(bytes, em_place(&source, from[l], l), x->bytes);
        memcpy(em_place(&target, to[l], l), bytes, x->bytes);
    }
    if (w->block->agents) {
        uint32_t record = em_agent_issue(w, x->to, 0, AGENT_COPY);
        em_agent_enqueue(w, record, 0, QUEUE_COPY, false);
        FOR_LANES(l, target.mask)
        em_agent_range(w, record, x->to, UINT64_C(1) << l, w->block, to[l] & ~WINDOW_MASK, x->bytes);
    }
    keep(w, x->from, false, w->mask);
    keep(w, x->to, true, w->mask);
    return i + 1;
}

const insn *em_exec_copy_commit(warp *w, const insn *i) {
    if (!w->machine->descs) return i + 1;
    if (w->block->agents) em_agent_commit(w, QUEUE_COPY, w->mask);
    w->copied = true;
    FOR_LANES(l, w->mask) w->async_groups[l]++;
    w->sub_epoch++; /* the next group has descriptors of its own */
    return i + 1;
}

/* All groups but the last i->imm; with a negative number also copies that are in no group yet. */
const insn *em_exec_copy_wait(warp *w, const insn *i) {
    uint32_t kept = 0;
    if (w->block->agents && !i->aux) em_agent_wait(w, QUEUE_COPY, w->mask, i->imm, false);
    for (uint32_t k = 0; k < w->copies.length; k++) {
        async_copy c = w->copies.items[k];
        FOR_LANES(l, c.lanes & w->mask) {
            int64_t later = (int64_t)w->async_groups[l] - 1 - c.group; /* groups behind it */
            if (i->imm < 0 || later >= i->imm) c.lanes &= ~(UINT64_C(1) << l);
        }
        if (c.lanes)
            w->copies.items[kept++] = c;
        else
            em_race_settled(w, c.desc, c.shared);
    }
    if (kept != w->copies.length) w->sub_epoch++;
    w->copies.length = kept;
    return i + 1;
}
