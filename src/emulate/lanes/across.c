/* Instructions across the lanes of a warp: shfl, vote, match, redux, elect, activemask. The .sync forms wait
 * until the lanes they name are there (em_gather). Lanes may name different sets, as the groups of a labelled
 * partition do: each set is then a group that votes or adds up for itself. */
#include "emulate/machine.h"
#include "isa/number.h"

uint64_t em_members_of(const warp *w, const warp_info *x, uint32_t lane) {
    uint64_t m = slot32(w, x->members.slot)[lane];
    return w->machine->warp_size > 32 ? m | m << 32
                                      : m; /* the operand has 32 bits: the same for both halves */
}

/* The lanes that those in `lanes` name. */
static uint64_t named_by(const warp *w, const warp_info *x, uint64_t lanes) {
    uint64_t members = 0;
    FOR_LANES(l, lanes) members |= em_members_of(w, x, l);
    return members;
}

/* A lane, and one that it names and that names others than it does; false where all agree. */
static bool find_other_mask(const warp *w, const warp_info *x, uint64_t lanes, uint32_t *one, uint32_t *two) {
    FOR_LANES(l, lanes) {
        const uint64_t set = em_members_of(w, x, l);
        FOR_LANES(m, set & lanes) {
            if (em_members_of(w, x, m) == set) continue;
            *one = l;
            *two = m;
            return true;
        }
    }
    return false;
}

/* Lanes that are not named by their own mask have no part in what they execute, and those that name each
 * other must have the same mask: else the result is undefined. And a lane that is named, and has ended, must
 * not have gone round it before. */
void em_check_named(warp *w, const insn *i, const warp_info *x, uint64_t lanes) {
    const uint32_t *masks = slot32(w, x->members.slot);
    uint32_t all = UINT32_MAX, one, two;
    uint64_t strays = 0, gone = w->full & ~w->live;
    if (!(w->machine->options.checks & LS_CHECK_BARRIER)) return;
    for (uint32_t l = 0; l < w->stride; l++) all &= masks[l];
    if (all != UINT32_MAX) {
        FOR_LANES(l, lanes) strays |= (~em_members_of(w, x, l) >> l & 1) << l;
        if (strays) em_report_lanes(w, i, LANE_NOT_NAMED, first_lane(strays), first_lane(strays));
        if (find_other_mask(w, x, lanes, &one, &two)) em_report_lanes(w, i, LANE_OTHER_MASK, one, two);
    }
    if (!gone || !x->tail || !(gone &= w->tails[x->tail - 1] & named_by(w, x, lanes))) return;
    em_report_lanes(w, i, LANE_PASSED_BY, first_lane(lanes), first_lane(gone));
}

/* False if not all lanes that are named have arrived. Lanes that wait here on one path continue together, so
 * all lanes that they name must have arrived, too. */
static bool gather(warp *w, const insn *i, const warp_info *x) {
    if (!x->has_members) return true;
    em_check_named(w, i, x, w->mask);
    if (w->mask == w->live) return true;
    uint64_t members = named_by(w, x, w->mask), known = w->mask, more;
    while ((more = em_waiting_with(w, i, members) & ~known)) {
        members |= more | named_by(w, x, more);
        known |= more;
    }
    return em_gather(w, i, members);
}

/* Takes the lanes that name the same set out of `left`; returns those of the set that are there. */
static uint64_t next_group(const warp *w, const warp_info *x, uint64_t *left, uint64_t *lanes) {
    *lanes = *left;
    uint64_t members = w->mask;
    if (x->has_members) {
        uint64_t set = em_members_of(w, x, first_lane(*left));
        FOR_LANES(l, *left)
        if (em_members_of(w, x, l) != set) *lanes &= ~(UINT64_C(1) << l);
        members &= set;
    }
    *left &= ~*lanes;
    return members;
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
    uint64_t own = w->mask;
    if (!gather(w, i, x)) return em_block_path(w, i, PATH_WAITS);
    uint32_t value[MAX_LANES], *d = slot32(w, x->dst[0].slot);
    uint8_t sources[MAX_LANES];
    uint64_t valid = x->fixed ? x->valid : find_sources(w, x, sources);
    const uint8_t *from = x->fixed ? x->from : sources;
    memcpy(value, slot32(w, x->src[0].slot), w->stride * sizeof *value);
    if (x->dst[0].width == 4 && w->mask == w->full && w->mask == UINT32_MAX)
        for (uint32_t l = 0; l < CHUNK; l++) d[l] = value[from[l]];
    else
        FOR_LANES(l, w->mask) {
            const bool exists = w->full >> from[l] & 1; /* a warp of 28 lanes has no lane 30 */
            write_lane(w, x->dst[0], l, exists ? value[from[l]] : 0);
        }
    if (x->dst_count > 1 && x->dst[1].width == WIDTH_PRED) {
        uint64_t *p = slot64(w, x->dst[1].slot);
        *p = (*p & ~w->mask) | (valid & w->mask);
    }
    w->mask = own;
    return i + 1;
}

const insn *em_exec_vote(warp *w, const insn *i) {
    const warp_info *x = i->extra;
    uint64_t own = w->mask, lanes;
    if (!gather(w, i, x)) return em_block_path(w, i, PATH_WAITS);
    const uint64_t ballot = *slot64(w, x->src[0].slot);
    for (uint64_t left = w->mask; left;) {
        uint64_t members = next_group(w, x, &left, &lanes), votes = ballot & members, result;
        switch (x->mode) {
        case LS_MOD_ALL: result = votes == members; break;
        case LS_MOD_ANY: result = votes != 0; break;
        case LS_MOD_UNI: result = votes == members || !votes; break;
        default: result = votes; break;
        }
        FOR_LANES(l, lanes)
        write_lane(w, x->dst[0], l, x->mode == LS_MOD_BALLOT && l >= 32 ? result >> 32 : result);
    }
    w->mask = own;
    return i + 1;
}

const insn *em_exec_match(warp *w, const insn *i) {
    const warp_info *x = i->extra;
    uint64_t own = w->mask, lanes, equal[MAX_LANES], members[MAX_LANES];
    if (!gather(w, i, x)) return em_block_path(w, i, PATH_WAITS);
    for (uint64_t left = w->mask; left;) {
        uint64_t group = next_group(w, x, &left, &lanes);
        FOR_LANES(l, lanes) {
            members[l] = group;
            equal[l] = 0;
            FOR_LANES(k, group)
            if (read_lane(w, x->src[0], k) == read_lane(w, x->src[0], l)) equal[l] |= UINT64_C(1) << k;
        }
    }
    FOR_LANES(l, w->mask) {
        bool all = equal[l] == members[l];
        uint64_t r = x->mode == LS_MOD_ALL ? (all ? members[l] : 0) : equal[l];
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
    uint64_t own = w->mask, lanes, results[MAX_LANES];
    if (!gather(w, i, x)) return em_block_path(w, i, PATH_WAITS);
    for (uint64_t left = w->mask; left;) {
        uint64_t members = next_group(w, x, &left, &lanes), result = 0;
        bool first = true;
        FOR_LANES(l, members) {
            uint64_t v = read_lane(w, x->src[0], l);
            if (x->abs) v &= 0x7fffffff;
            result = first ? v : combine(x, result, v);
            first = false;
        }
        FOR_LANES(l, lanes) results[l] = result;
    }
    FOR_LANES(l, w->mask) write_lane(w, x->dst[0], l, results[l]);
    w->mask = own;
    return i + 1;
}

const insn *em_exec_elect(warp *w, const insn *i) {
    const warp_info *x = i->extra;
    uint64_t own = w->mask, lanes;
    if (!gather(w, i, x)) return em_block_path(w, i, PATH_WAITS);
    for (uint64_t left = w->mask; left;) {
        const uint64_t members = next_group(w, x, &left, &lanes);
        const uint32_t leader = first_lane(members ? members : lanes); /* a mask of none of those there */
        FOR_LANES(l, lanes) {
            write_lane(w, x->dst[0], l, leader);
            if (x->dst_count > 1) write_lane(w, x->dst[1], l, l == leader);
        }
    }
    w->mask = own;
    return i + 1;
}

const insn *em_exec_activemask(warp *w, const insn *i) {
    const warp_info *x = i->extra;
    FOR_LANES(l, w->mask) write_lane(w, x->dst[0], l, w->mask);
    return i + 1;
}
