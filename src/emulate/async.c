/* Asynchronous copies from global to shared memory (cp.async): done at once, which is one of the times at
 * which they may be done. The race checker sees both accesses. */
#include "emulate/machine.h"

const insn *em_exec_copy(warp *w, const insn *i) {
    const copy_info *x = i->extra;
    uint64_t from[MAX_LANES], to[MAX_LANES];
    em_addresses(w, x->from, from);
    em_addresses(w, x->to, to);
    em_target source = em_prepare(w, i, x->from, LS_SPACE_GLOBAL, from, w->mask);
    em_target target = em_prepare(w, i, x->to, LS_SPACE_SHARED, to, w->mask);
    FOR_LANES(l, target.mask) {
        uint64_t size = x->has_size ? read_lane(w, x->size, l) : x->bytes;
        if (size > x->bytes) size = x->bytes;
        char bytes[16] = {0};
        if (source.mask >> l & 1) memcpy(bytes, em_place(&source, from[l], l), size);
        memcpy(em_place(&target, to[l], l), bytes, x->bytes);
    }
    return i + 1;
}
