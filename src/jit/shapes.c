/* How the lanes of each row lie to each other, at the start of each block: equal, or at known distances from
 * the first one (003, §3.4: a scalar and a vector that never changes). Rows that no instruction writes are as
 * they stand in the frames of a block; each warp is compared with that before it runs compiled code
 * (compiled.c). From there on it is a forward analysis. Lanes that a branch divides run one part after the
 * other; what they have written until they meet again differs from lane to lane there. */
#include "jit/plan.h"

#include "emulate/decode/rules.h"
#include "emulate/exec.h"

/* --- Vectors of distances --- */
int32_t jit_shape(jit_plan *p, const int64_t *offsets) {
    enum { MOST = 4096 };
    for (uint32_t k = 0; k < p->shapes.length; k++)
        if (!memcmp(p->shapes.items[k], offsets, CHUNK * sizeof *offsets)) return (int32_t)k;
    if (p->shapes.length >= MOST) return SHAPE_VARYING;
    int64_t *own = LS_NEW_N(&p->arena, int64_t, CHUNK);
    memcpy(own, offsets, CHUNK * sizeof *own);
    LS_VEC_PUSH_IN(&p->arena, &p->shapes, own);
    return (int32_t)p->shapes.length - 1;
}

int32_t jit_join(int32_t a, int32_t b) {
    if (a == SHAPE_UNSEEN) return b;
    if (b == SHAPE_UNSEEN) return a;
    return a == b ? a : SHAPE_VARYING;
}

/* a + factor × b, of that width. */
static int32_t combined(jit_plan *p, int32_t a, int32_t b, uint64_t factor, uint8_t width) {
    int64_t r[CHUNK];
    if (a < 0 || b < 0) return SHAPE_VARYING;
    for (uint32_t l = 0; l < CHUNK; l++) {
        uint64_t x = (uint64_t)p->shapes.items[a][l] + factor * (uint64_t)p->shapes.items[b][l];
        r[l] = width == 8 ? (int64_t)x : (int32_t)(uint32_t)x;
    }
    return jit_shape(p, r);
}

/* --- Rows that are not written --- */
static int32_t observed(jit_plan *p, const row *x, const block_run *b) {
    int32_t shape = SHAPE_UNSEEN;
    const uint32_t warps = b->warps[0].machine->warps_per_block;
    for (uint32_t n = 0; n < warps; n++) {
        const char *at = b->warps[n].frame + x->slot;
        int64_t offsets[CHUNK];
        for (uint32_t l = 0; l < CHUNK; l++) {
            const uint64_t *wide = (const uint64_t *)(const void *)at;
            const uint32_t *narrow = (const uint32_t *)(const void *)at;
            offsets[l] =
                x->width == 8 ? (int64_t)(wide[l] - wide[0]) : (int64_t)(int32_t)(narrow[l] - narrow[0]);
        }
        shape = jit_join(shape, jit_shape(p, offsets));
    }
    return shape;
}

static void observe_rows(jit_plan *p, const block_run *b) {
    for (uint32_t r = 0; r < p->rows.length; r++) {
        row *x = &p->rows.items[r];
        if (x->written) continue;
        x->shape = x->constant ? SHAPE_UNIFORM : x->width == WIDTH_PRED ? SHAPE_VARYING : observed(p, x, b);
    }
}

/* --- What instructions make of them --- */
static int32_t shape_of(const jit_plan *p, const int32_t *state, uint32_t slot) {
    return state[jit_row(p, slot)];
}

static const row *constant_of(const jit_plan *p, uint32_t slot) {
    const row *r = &p->rows.items[jit_row(p, slot)];
    return r->constant ? r : NULL;
}

static uint64_t extended(uint64_t bits, extension how) {
    return how == EXTEND_SIGNED ? (uint64_t)(int32_t)bits : (uint32_t)bits;
}

/* The product of a row and a constant; how: of operands of 32 bits that are extended first. */
static int32_t product(jit_plan *p, const insn *i, const int32_t *state, uint8_t width, extension how) {
    const row *a = constant_of(p, i->a), *b = constant_of(p, i->b);
    if (!a == !b) return SHAPE_VARYING;
    const uint64_t factor = how ? extended((a ? a : b)->bits, how) : (a ? a : b)->bits;
    return combined(p, SHAPE_UNIFORM, shape_of(p, state, a ? i->b : i->a), factor, width);
}

static int32_t sum_shape(jit_plan *p, const insn *i, const int32_t *state, extension *checked) {
    const lane_rule x = em_rules[i->op];
    const int32_t a = shape_of(p, state, i->a);
    const row *by;
    switch (x.rule) {
    case RULE_MOVE: return a;
    case RULE_ADD: return combined(p, a, shape_of(p, state, i->b), 1, x.width);
    case RULE_SUB: return combined(p, a, shape_of(p, state, i->b), UINT64_MAX, x.width);
    case RULE_MUL: return product(p, i, state, x.width, EXTEND_NOT);
    case RULE_MAD:
        return combined(p, product(p, i, state, x.width, EXTEND_NOT), shape_of(p, state, i->c), 1, x.width);
    case RULE_SHL:
        by = constant_of(p, i->b);
        return by && by->bits < 8u * x.width ? combined(p, SHAPE_UNIFORM, a, UINT64_C(1) << by->bits, x.width)
                                             : SHAPE_VARYING;
    case RULE_NARROW: return combined(p, SHAPE_UNIFORM, a, 1, 4);
    case RULE_SIGNED: *checked = EXTEND_SIGNED; return a;
    case RULE_UNSIGNED: *checked = EXTEND_UNSIGNED; return a;
    case RULE_MUL_SIGNED:
    case RULE_MUL_UNSIGNED:
        *checked = x.rule == RULE_MUL_SIGNED ? EXTEND_SIGNED : EXTEND_UNSIGNED;
        return product(p, i, state, 8, *checked);
    case RULE_MAD_SIGNED:
    case RULE_MAD_UNSIGNED:
        *checked = x.rule == RULE_MAD_SIGNED ? EXTEND_SIGNED : EXTEND_UNSIGNED;
        return combined(p, product(p, i, state, 8, *checked), shape_of(p, state, i->c), 1, 8);
    default: break;
    }
    switch (i->op) {
    case LANE_CVTA_SHARED:
    case LANE_CVTA_LOCAL:
    case LANE_CVTA_PARAM:
    case LANE_CVTA_TO_SHARED:
    case LANE_CVTA_TO_LOCAL:
    case LANE_CVTA_TO_PARAM: return a;
    default: return SHAPE_VARYING;
    }
}

static bool reads_uniform(const jit_plan *p, const effect *e, const int32_t *state) {
    for (uint32_t n = 0; n < e->read_count; n++)
        if (shape_of(p, state, e->reads[n].slot) != SHAPE_UNIFORM) return false;
    return true;
}

int32_t jit_result_shape(jit_plan *p, uint32_t k, const int32_t *state, extension *checked) {
    const insn *i = &p->insns[k];
    const effect *e = &p->effects[k];
    *checked = EXTEND_NOT;
    switch (e->deed) {
    case DO_ROW: {
        if (reads_uniform(p, e, state)) return SHAPE_UNIFORM;
        if (e->slow) return SHAPE_VARYING;
        int32_t shape = sum_shape(p, i, state, checked);
        if (shape <= SHAPE_UNIFORM) *checked = EXTEND_NOT; /* then the operands are, or it is computed */
        return *checked && e->guarded ? SHAPE_VARYING : shape == SHAPE_UNIFORM ? SHAPE_VARYING : shape;
    }
    case DO_SELECT: {
        int32_t a = shape_of(p, state, i->a);
        return shape_of(p, state, i->c) == SHAPE_UNIFORM && a == shape_of(p, state, i->b) ? a : SHAPE_VARYING;
    }
    case DO_PREDICATE:
    case DO_LOGIC:
    case DO_PACK:
    case DO_UNPACK: return reads_uniform(p, e, state) ? SHAPE_UNIFORM : SHAPE_VARYING;
    case DO_SUM: return shape_of(p, state, i->a);
    case DO_ACCESS:
        return shape_of(p, state, ((const mem_access *)i->extra)->address) == SHAPE_UNIFORM ? SHAPE_UNIFORM
                                                                                            : SHAPE_VARYING;
    default: return SHAPE_VARYING;
    }
}

void jit_transfer(jit_plan *p, uint32_t k, int32_t *state, int32_t guard) {
    const effect *e = &p->effects[k];
    extension checked;
    if (e->unknown) {
        for (uint32_t r = 0; r < p->rows.length; r++)
            if (p->rows.items[r].written) state[r] = SHAPE_VARYING;
        return;
    }
    if (!e->write_count) return;
    const int32_t shape = jit_result_shape(p, k, state, &checked);
    for (uint32_t n = 0; n < e->write_count; n++) {
        int32_t *at = &state[jit_row(p, e->writes[n].slot)];
        *at = !e->guarded ? shape : guard == SHAPE_UNIFORM ? jit_join(*at, shape) : SHAPE_VARYING;
    }
}

/* --- Where the lanes part and meet --- */
static void reach(const jit_plan *p, uint32_t from, uint32_t stop, bool *seen, uint32_t *stack) {
    uint32_t depth = 0;
    if (from != stop && !seen[from]) seen[from] = true, stack[depth++] = from;
    while (depth) {
        const basic_block *b = &p->blocks.items[stack[--depth]];
        for (uint32_t k = 0; k < b->successors.length; k++) {
            const uint32_t to = b->successors.items[k];
            if (to == stop || seen[to]) continue;
            seen[to] = true;
            stack[depth++] = to;
        }
    }
}

/* Lanes may part at the block's end: what is written until they meet differs there. Short sides are run under
 * a mask, which leaves rows that were written there lane by lane. */
static bool part(jit_plan *p, basic_block *b, uint32_t last) {
    bool *seen = LS_NEW_N(&p->arena, bool, p->blocks.length + 1), grew = false;
    uint32_t *stack = LS_NEW_N(&p->arena, uint32_t, p->blocks.length + 1);
    b->diverges = true;
    for (uint32_t k = 0; k < b->successors.length; k++)
        reach(p, b->successors.items[k], b->reconverge, seen, stack);
    basic_block *meet = &p->blocks.items[b->reconverge];
    const bool is_short = p->effects[last].deed == DO_BRANCH && jit_has_short_sides(p, last);
    ls_bitset *differ = is_short ? &meet->forced : &meet->mixed;
    for (uint32_t n = 0; n < p->blocks.length; n++)
        if (seen[n]) grew |= ls_bitset_union(differ, &p->blocks.items[n].written);
    return grew;
}

static bool may_part(const jit_plan *p, const basic_block *b, uint32_t last, const int32_t *state) {
    const insn *i = &p->insns[last];
    if (b->reconverge == NO_SLOT || b->diverges) return false;
    return p->effects[last].deed != DO_BRANCH || shape_of(p, state, i->guard) != SHAPE_UNIFORM;
}

/* Adds a state to what is known at a block's start; true where that changed. */
static bool arrive(jit_plan *p, basic_block *b, const int32_t *state) {
    bool changed = !b->reached;
    b->reached = true;
    for (uint32_t r = 0; r < p->rows.length; r++) {
        int32_t shape = jit_join(b->in[r], state[r]);
        if (p->rows.items[r].written &&
            (ls_bitset_has(&b->forced, r) || (ls_bitset_has(&b->mixed, r) && b->has[r] < 0)))
            shape = SHAPE_VARYING;
        changed |= shape != b->in[r];
        b->in[r] = shape;
    }
    return changed;
}

/* Carries the state through the block to its last instruction, which it returns. */
static uint32_t through(jit_plan *p, const basic_block *b, int32_t *state) {
    int32_t guard = SHAPE_UNIFORM;
    uint32_t last = b->first;
    for (uint32_t k = b->first; k < b->end; k++) {
        if (!p->effects[k].guarded) last = k;
        if (p->insns[k].is_guard) guard = shape_of(p, state, p->insns[k].guard);
        jit_transfer(p, k, state, guard);
    }
    return last;
}

void jit_find_shapes(jit_plan *p, const block_run *b) {
    const int64_t zeros[CHUNK] = {0};
    int32_t *state = LS_NEW_N(&p->arena, int32_t, p->rows.length + 1);
    jit_shape(p, zeros);
    observe_rows(p, b);
    for (uint32_t n = 0; n < p->blocks.length; n++) {
        p->blocks.items[n].in = LS_NEW_N(&p->arena, int32_t, p->rows.length + 1);
        for (uint32_t r = 0; r < p->rows.length; r++) p->blocks.items[n].in[r] = SHAPE_UNSEEN;
    }
    for (uint32_t r = 0; r < p->rows.length; r++) state[r] = p->rows.items[r].shape;
    arrive(p, &p->blocks.items[p->entry], state);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < p->blocks.length; n++) {
            basic_block *x = &p->blocks.items[n];
            if (!x->reached) continue;
            memcpy(state, x->in, p->rows.length * sizeof *state);
            const uint32_t last = through(p, x, state);
            if (may_part(p, x, last, state)) part(p, x, last), changed = true;
            for (uint32_t k = 0; k < x->successors.length; k++)
                changed |= arrive(p, &p->blocks.items[x->successors.items[k]], state);
        }
    }
}
