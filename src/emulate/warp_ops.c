/* Instructions across the lanes of a warp: shfl, vote, match, redux, elect, activemask. The .sync forms wait
 * until the lanes they name are there (em_gather). */
#include "emulate/machine.h"
#include "emulate/number.h"

/* The lanes that take part: false where they are not all there yet. */
static bool gather(warp *w, const insn *i, const warp_info *x, uint64_t *members) {
    *members = w->mask;
    if (!x->has_members) return true;
    uint64_t m = slot32(w, x->members.slot)[first_lane(w->mask)];
    if (w->machine->warp_size > 32) m |= m << 32; /* the mask operand has 32 bits: the same for both halves */
    if (!em_gather(w, i, m)) return false;
    *members = m & w->mask;
    return true;
}

uint32_t em_shuffle_source(uint16_t mode, uint32_t l, uint32_t b, uint32_t c, bool *valid) {
    uint32_t clamp = c & 31, segment = c >> 8 & 31, half = l & ~31u, lane = l & 31;
    uint32_t high = (lane & segment) | (clamp & ~segment & 31), low = lane & segment;
    int32_t j;
    b &= 31;
    switch (mode) {
    case LS_MOD_UP: j = (int32_t)lane - (int32_t)b, *valid = j >= (int32_t)high; break;
    case LS_MOD_DOWN: j = (int32_t)(lane + b), *valid = j <= (int32_t)high; break;
    case LS_MOD_BFLY: j = (int32_t)(lane ^ b), *valid = j <= (int32_t)high; break;
    default: j = (int32_t)(low | (b & ~segment & 31)), *valid = j <= (int32_t)high; break;
    }
    return *valid ? half + (uint32_t)j : l;
}

/* The lanes' sources where they depend on registers. */
static uint64_t find_sources(const warp *w, const warp_info *x, uint8_t *from) {
    const uint32_t *b = slot32(w, x->src[1].slot), *c = slot32(w, x->src[2].slot);
    uint64_t valid = 0;
    FOR_LANES(l, w->mask) {
        bool in_range;
        from[l] = (uint8_t)em_shuffle_source(x->mode, l, b[l], c[l], &in_range);
        valid |= (uint64_t)in_range << l;
    }
    return valid;
}

const insn *em_exec_shfl(warp *w, const insn *i) {
    const warp_info *x = i->extra;
    uint64_t own = w->mask, members;
    if (!gather(w, i, x, &members)) return em_block_path(w, i, PATH_WAITS);
    uint32_t value[MAX_LANES], *d = slot32(w, x->dst[0].slot);
    uint8_t sources[MAX_LANES];
    uint64_t valid = x->fixed ? x->valid : find_sources(w, x, sources);
    const uint8_t *from = x->fixed ? x->from : sources;
    memcpy(value, slot32(w, x->src[0].slot), w->stride * sizeof *value);
    if (x->dst[0].width == 4 && w->mask == w->full && w->mask == UINT32_MAX)
        for (uint32_t l = 0; l < CHUNK; l++) d[l] = value[from[l]];
    else
        FOR_LANES(l, w->mask) write_lane(w, x->dst[0], l, value[from[l]]);
    if (x->dst_count > 1 && x->dst[1].width == WIDTH_PRED) {
        uint64_t *p = slot64(w, x->dst[1].slot);
        *p = (*p & ~w->mask) | (valid & w->mask);
    }
    w->mask = own;
    return i + 1;
}

const insn *em_exec_vote(warp *w, const insn *i) {
    const warp_info *x = i->extra;
    uint64_t own = w->mask, members;
    if (!gather(w, i, x, &members)) return em_block_path(w, i, PATH_WAITS);
    uint64_t votes = *slot64(w, x->src[0].slot) & members, result;
    switch (x->mode) {
    case LS_MOD_ALL: result = votes == members; break;
    case LS_MOD_ANY: result = votes != 0; break;
    case LS_MOD_UNI: result = votes == members || !votes; break;
    default: result = votes; break;
    }
    FOR_LANES(l, w->mask) {
        uint64_t r = x->mode == LS_MOD_BALLOT && l >= 32 ? result >> 32 : result;
        write_lane(w, x->dst[0], l, r);
    }
    w->mask = own;
    return i + 1;
}

const insn *em_exec_match(warp *w, const insn *i) {
    const warp_info *x = i->extra;
    uint64_t own = w->mask, members, equal[MAX_LANES];
    if (!gather(w, i, x, &members)) return em_block_path(w, i, PATH_WAITS);
    FOR_LANES(l, w->mask) {
        equal[l] = 0;
        FOR_LANES(k, members)
        if (read_lane(w, x->src[0], k) == read_lane(w, x->src[0], l)) equal[l] |= UINT64_C(1) << k;
    }
    FOR_LANES(l, w->mask) {
        bool all = equal[l] == members;
        uint64_t r = x->mode == LS_MOD_ALL ? (all ? members : 0) : equal[l];
        write_lane(w, x->dst[0], l, r);
        if (x->dst_count > 1) write_lane(w, x->dst[1], l, all);
    }
    w->mask = own;
    return i + 1;
}

static uint64_t combine(const warp_info *x, uint64_t a, uint64_t b) {
    ls_ptx_type t = (ls_ptx_type)x->type;
    if (t == LS_TYPE_F32) {
        float p = em_f32(a), q = em_f32(b);
        if (p != p || q != q) return x->nan || (p != p && q != q) ? em_nan(t) : p != p ? b : a;
        if (p == q) return x->mode == LS_MOD_MIN ? a | b : a & b;
        return (p < q) == (x->mode == LS_MOD_MIN) ? a : b;
    }
    bool less = em_is_signed(t) ? (int32_t)a < (int32_t)b : (uint32_t)a < (uint32_t)b;
    switch (x->mode) {
    case LS_MOD_ADD: return (uint32_t)(a + b);
    case LS_MOD_MIN: return less ? a : b;
    case LS_MOD_MAX: return less ? b : a;
    case LS_MOD_AND: return a & b;
    case LS_MOD_OR: return a | b;
    default: return a ^ b;
    }
}

const insn *em_exec_redux(warp *w, const insn *i) {
    const warp_info *x = i->extra;
    uint64_t own = w->mask, members, result = 0;
    if (!gather(w, i, x, &members)) return em_block_path(w, i, PATH_WAITS);
    bool first = true;
    FOR_LANES(l, members) {
        uint64_t v = read_lane(w, x->src[0], l);
        if (x->abs) v &= 0x7fffffff;
        result = first ? v : combine(x, result, v);
        first = false;
    }
    FOR_LANES(l, w->mask) write_lane(w, x->dst[0], l, result);
    w->mask = own;
    return i + 1;
}

const insn *em_exec_elect(warp *w, const insn *i) {
    const warp_info *x = i->extra;
    uint64_t own = w->mask, members;
    if (!gather(w, i, x, &members)) return em_block_path(w, i, PATH_WAITS);
    uint32_t leader = first_lane(members);
    FOR_LANES(l, w->mask) {
        write_lane(w, x->dst[0], l, leader);
        if (x->dst_count > 1) write_lane(w, x->dst[1], l, l == leader);
    }
    w->mask = own;
    return i + 1;
}

const insn *em_exec_activemask(warp *w, const insn *i) {
    const warp_info *x = i->extra;
    FOR_LANES(l, w->mask) write_lane(w, x->dst[0], l, w->mask);
    return i + 1;
}
