/* Offsets as linear forms. Since the launch is known, so are the sizes of grid and block and the values of
 * scalar parameters: a value is taken apart into Σ coefficient · number of the thread (%ctaid.x/y/z, %tid.x
 * by lane and warp, %tid.y/z) + constant + something that is not known, but bounded and a multiple of a step:
 * masked bits, bytes from memory, a loop's counter. Conditions such as `tid.x < 9` or `tid.y == 0` on the way
 * to an access bound the thread's numbers, or fix them. */
#include "detect/linear.h"

#include <stdlib.h>

enum { LANES = 32, FREE = -1 };

static void set_thread_extent(decomposer *d, int64_t threads) {
    d->extent[LANE] = threads < LANES ? threads : LANES;
    d->extent[WARP] = (threads + LANES - 1) / LANES;
}

decomposer dt_decomposer(const kernel *k, const ls_detect_launch *launch) {
    decomposer d = {.k = k, .launch = launch};
    for (int i = 0; i < 3; i++) d.extent[BLOCK_X + i] = launch->grid[i];
    d.extent[THREAD_Y] = launch->block[1], d.extent[THREAD_Z] = launch->block[2];
    set_thread_extent(&d, launch->block[0]);
    for (int i = 0; i < DIMENSIONS; i++) d.fixed[i] = d.extent[i] == 1 ? 0 : FREE;
    return d;
}

/* The highest value; -1 where one may be negative or past 2^31. */
int64_t dt_highest(const decomposer *d, const linear *v) {
    int64_t top = v->constant;
    if (v->constant < 0 || v->constant > INT32_MAX || v->spread > INT32_MAX) return -1;
    for (int i = 0; i < DIMENSIONS; i++) {
        if (v->of[i] < 0 || v->of[i] > INT32_MAX) return -1;
        top += v->of[i] * (d->extent[i] - 1);
        if (top > INT32_MAX) return -1;
    }
    top += v->spread;
    return top > INT32_MAX ? -1 : top;
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a < 0 ? -a : a;
}

/* By a number that is not negative, or a form without an unknown part. */
linear dt_scaled(linear v, int64_t by) {
    for (int i = 0; i < DIMENSIONS; i++) v.of[i] *= by;
    v.constant *= by;
    v.step *= by, v.spread *= by;
    return v;
}

linear dt_sum(linear a, linear b) {
    for (int i = 0; i < DIMENSIONS; i++) a.of[i] += b.of[i];
    a.constant += b.constant;
    a.step = gcd(a.step, b.step), a.spread += b.spread;
    return a;
}

static bool is_constant(const linear *v) {
    for (int i = 0; i < DIMENSIONS; i++)
        if (v->of[i]) return false;
    return !v->step;
}

/* %tid.x, also where some of it is fixed. */
static bool is_thread_x(const decomposer *d, const linear *v) {
    linear x = {0};
    if (d->fixed[LANE] == FREE) x.of[LANE] = 1;
    if (d->fixed[WARP] == FREE) x.of[WARP] = LANES;
    if (d->fixed[LANE] != FREE) x.constant += d->fixed[LANE];
    if (d->fixed[WARP] != FREE) x.constant += LANES * d->fixed[WARP];
    return memcmp(v, &x, sizeof x) == 0;
}

static bool decompose(decomposer d, ls_ir_value *value, linear *out);

static void add_dimension(const decomposer *d, int which, int64_t factor, linear *out) {
    if (d->fixed[which] == FREE)
        out->of[which] += factor;
    else
        out->constant += factor * d->fixed[which];
}

static bool decompose_sreg(const decomposer *d, const ls_ir_value *value, linear *out) {
    if (value->element < LS_ELEMENT_X || value->element > LS_ELEMENT_Z) return false;
    int axis = value->element - LS_ELEMENT_X;
    *out = (linear){0};
    switch (value->sreg) {
    case LS_SREG_CTAID: add_dimension(d, BLOCK_X + axis, 1, out); return true;
    case LS_SREG_NTID: out->constant = d->launch->block[axis]; return true;
    case LS_SREG_NCTAID: out->constant = d->launch->grid[axis]; return true;
    case LS_SREG_TID:
        if (axis) {
            add_dimension(d, THREAD_Y + axis - 1, 1, out);
        } else {
            add_dimension(d, LANE, 1, out);
            add_dimension(d, WARP, LANES, out);
        }
        return true;
    default: return false;
    }
}

/* a | b where no bit is in both: one is a multiple of 2^n and the other below it. */
static bool join_bits(const decomposer *d, linear a, linear b, linear *out) {
    for (int turn = 0; turn < 2; turn++) {
        int64_t top = dt_highest(d, &b), step = 1;
        while (step <= top) step *= 2;
        bool multiple = top >= 0 && a.constant % step == 0 && a.step % step == 0;
        for (int i = 0; i < DIMENSIONS; i++) multiple &= a.of[i] % step == 0;
        if (multiple) {
            *out = dt_sum(a, b);
            return true;
        }
        linear swap = a;
        a = b, b = swap;
    }
    return false;
}

/* %tid.x & 31 and %tid.x >> 5; x & m where m keeps all of it. */
static bool mask_bits(const decomposer *d, const linear *v, int64_t mask, linear *out) {
    int64_t top = dt_highest(d, v);
    *out = *v;
    if (is_thread_x(d, v) && mask == LANES - 1) {
        *out = (linear){0};
        add_dimension(d, LANE, 1, out);
        return true;
    }
    return top >= 0 && mask >= 0 && (mask & (mask + 1)) == 0 && top <= mask;
}

static bool shift_right(const decomposer *d, const linear *v, int64_t by, linear *out) {
    *out = (linear){0};
    add_dimension(d, WARP, 1, out);
    return is_thread_x(d, v) && by == 5;
}

static bool decompose_instr(decomposer d, const ls_ir_instr *instr, linear *out) {
    linear v[3] = {0};
    bool wide = ls_ptx_form_has(instr->form, LS_MOD_WIDE), low = ls_ptx_form_has(instr->form, LS_MOD_LO);
    if (instr->guard.kind != LS_IR_ABSENT || instr->src_count > 3 || instr->src_count < 1) return false;
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (!instr->src[i].value || !decompose(d, instr->src[i].value, &v[i])) return false;
    bool second = instr->src_count >= 2 && is_constant(&v[1]);
    switch (instr->op) {
    case LS_OP_ADD: *out = dt_sum(v[0], v[1]); return instr->src_count == 2;
    case LS_OP_SUB: *out = dt_sum(v[0], dt_scaled(v[1], -1)); return second;
    case LS_OP_OR: return instr->src_count == 2 && join_bits(&d, v[0], v[1], out);
    case LS_OP_AND: return second && mask_bits(&d, &v[0], v[1].constant, out);
    case LS_OP_SHR: return second && shift_right(&d, &v[0], v[1].constant, out);
    case LS_OP_SHL:
        if (!second || v[1].constant < 0 || v[1].constant > 30) return false;
        *out = dt_scaled(v[0], INT64_C(1) << v[1].constant);
        return true;
    case LS_OP_MUL:
    case LS_OP_MAD: {
        bool first = is_constant(&v[0]);
        if ((!wide && !low) || (!first && !second)) return false;
        *out = dt_sum(first ? dt_scaled(v[1], v[0].constant) : dt_scaled(v[0], v[1].constant), v[2]);
        return true;
    }
    case LS_OP_CVT: *out = v[0]; return instr->src_count == 1;
    default: return false;
    }
}

/* A scalar parameter has a value. */
static bool decompose_param(const decomposer *d, const ls_ir_instr *instr, linear *out) {
    const ls_ir_operand *src = &instr->src[0];
    if (instr->op != LS_OP_LD || instr->src_count != 1 || src->kind != LS_IR_OBJECT ||
        instr->guard.kind != LS_IR_ABSENT || d->k->ir->objects[src->object]->kind != LS_OBJECT_PARAM)
        return false;
    ls_ptx_type type = ls_ptx_form_type(instr->form, 0);
    size_t at = (size_t)dt_param_position(d->k->function, d->k->ir->objects[src->object]->index) +
                (size_t)src->offset;
    int32_t value;
    if (ls_ptx_type_bits(type) != 32 || ls_ptx_type_kind_of(type) == LS_KIND_FLOAT ||
        instr->form->vector != 1 || src->offset < 0 || at + 4 > d->launch->params_size)
        return false;
    memcpy(&value, (const char *)d->launch->params + at, 4);
    memset(d->k->consulted + at, 1, 4);
    *out = (linear){.constant = value};
    return true;
}

/* --- What is not known, but bounded ----------------------------------------------------------------------
 */

/* A value between 0 and 2^bits - 1 of which the lowest `zeros` bits are not set. */
static bool some_bits(uint32_t bits, uint32_t zeros, linear *out) {
    if (bits > 24 || zeros > bits) return false;
    *out = (linear){.step = INT64_C(1) << zeros, .spread = (INT64_C(1) << bits) - (INT64_C(1) << zeros)};
    return true;
}

static bool bound_instr(decomposer d, const ls_ir_instr *instr, linear *out) {
    linear by;
    ls_ptx_type type = ls_ptx_form_type(instr->form, 0);
    if (instr->guard.kind != LS_IR_ABSENT) return false;
    if (instr->op == LS_OP_LD)
        return (type == LS_TYPE_U8 || type == LS_TYPE_U16) && some_bits(ls_ptx_type_bits(type), 0, out);
    if (instr->src_count != 2 || !instr->src[1].value || !decompose(d, instr->src[1].value, &by) ||
        !is_constant(&by) || by.constant <= 0)
        return false;
    switch (instr->op) {
    case LS_OP_AND:
        return some_bits(64 - (uint32_t)__builtin_clzll((uint64_t)by.constant),
                         (uint32_t)__builtin_ctzll((uint64_t)by.constant), out);
    case LS_OP_SHR:
        return (type == LS_TYPE_U32 || type == LS_TYPE_B32) && by.constant < 32 &&
               some_bits(32 - (uint32_t)by.constant, 0, out);
    case LS_OP_REM:
        *out = (linear){.step = 1, .spread = by.constant - 1};
        return (type == LS_TYPE_U32 || type == LS_TYPE_U16) && by.constant < 1 << 24;
    default: return false;
    }
}

/* The highest value for which the loop of the phi goes on, where its last branch compares the next value with
 * a constant: `next < constant`. */
static bool last_turn(decomposer d, const ls_ir_phi *phi, uint32_t back, const ls_ir_value *next,
                      int64_t *most) {
    const ls_ir_block *from = phi->block->preds[back];
    bool negated;
    ls_ir_value *p = ls_ir_branch_predicate(from, &negated);
    linear limit;
    if (!p || from->succ_count != 2 || from->succs[0] == from->succs[1]) return false;
    bool holds = (from->succs[0] == phi->block) != negated;
    p = ls_ir_origin(p);
    if (p->kind != LS_VALUE_INSTR || p->instr->op != LS_OP_SETP || p->instr->src_count != 2 || p->result ||
        p->instr->guard.kind != LS_IR_ABSENT || !p->instr->src[0].value || !p->instr->src[1].value ||
        ls_ir_origin(p->instr->src[0].value) != next || !decompose(d, p->instr->src[1].value, &limit) ||
        !is_constant(&limit))
        return false;
    uint16_t op = p->instr->form->compare;
    bool below = holds ? op == LS_MOD_LT || op == LS_MOD_LO : op == LS_MOD_GE || op == LS_MOD_HS;
    bool to = holds ? op == LS_MOD_LE || op == LS_MOD_LS : op == LS_MOD_GT || op == LS_MOD_HI;
    *most = limit.constant - below;
    return (below || to) && *most >= 0 && *most <= INT32_MAX;
}

/* A loop's counter: what it starts with, and a multiple of its step. */
static bool bound_counter(decomposer d, const ls_ir_phi *phi, linear *out) {
    linear step;
    int64_t most;
    if (phi->block->pred_count != 2 || !phi->block->is_loop_header) return false;
    for (uint32_t back = 0; back < 2; back++) {
        ls_ir_value *next = phi->args[back] ? ls_ir_origin(phi->args[back]) : NULL;
        if (!next || next->kind != LS_VALUE_INSTR || next->instr->op != LS_OP_ADD || next->result ||
            next->instr->guard.kind != LS_IR_ABSENT || next->instr->src_count != 2 ||
            !next->instr->src[0].value || !next->instr->src[1].value ||
            ls_ir_origin(next->instr->src[0].value) != phi->value || !phi->args[1 - back])
            continue;
        if (!decompose(d, next->instr->src[1].value, &step) || !is_constant(&step) || step.constant <= 0 ||
            !decompose(d, phi->args[1 - back], out) || !last_turn(d, phi, back, next, &most))
            return false;
        /* it is the start, or at most `most`; the next value must not wrap around */
        int64_t top = dt_highest(&d, out);
        if (top < 0 || (top > most ? top : most) + step.constant > INT32_MAX) return false;
        *out = dt_sum(*out, (linear){.step = step.constant, .spread = most / step.constant * step.constant});
        return true;
    }
    return false;
}

static bool decompose(decomposer d, ls_ir_value *value, linear *out) {
    value = ls_ir_origin(value);
    uint32_t bits = ls_ptx_type_bits((ls_ptx_type)value->type);
    if (d.depth++ > 24 || ls_ptx_type_kind_of((ls_ptx_type)value->type) == LS_KIND_FLOAT) return false;
    if (value->kind == LS_VALUE_IMM) {
        int64_t number = bits == 32 ? (int32_t)(uint32_t)value->bits : (int64_t)value->bits;
        *out = (linear){.constant = number};
        return number > INT32_MIN && number < INT32_MAX;
    }
    if (value->kind == LS_VALUE_SREG) return decompose_sreg(&d, value, out);
    if (value->kind == LS_VALUE_PHI) return bound_counter(d, value->phi, out) && dt_highest(&d, out) >= 0;
    if (value->kind != LS_VALUE_INSTR || value->result) return false;
    bool known = decompose_param(&d, value->instr, out) || decompose_instr(d, value->instr, out);
    return (known && dt_highest(&d, out) >= 0) || bound_instr(d, value->instr, out);
}

bool dt_access_offset(decomposer d, const ls_ir_access *access, linear *out) {
    *out = (linear){.constant = access->constant};
    if (access->opaque || !access->has_offset) return false;
    for (uint32_t i = 0; i < access->term_count; i++) {
        linear v;
        const ls_ir_term *term = &access->terms[i];
        if (term->relative || term->coefficient <= 0 || term->coefficient > 1 << 20) return false;
        if (!decompose(d, term->value, &v)) return false;
        *out = dt_sum(*out, dt_scaled(v, term->coefficient));
    }
    return true;
}

/* --- Conditions ------------------------------------------------------------------------------------------
 */

/* How many values, from 0 on, leave the comparison `value op number` so. */
static int64_t bound_of(uint16_t op, int64_t number, bool holds) {
    switch (op) {
    case LS_MOD_LT:
    case LS_MOD_LO: return holds ? number : INT64_MAX;
    case LS_MOD_LE:
    case LS_MOD_LS: return holds ? number + 1 : INT64_MAX;
    case LS_MOD_GE:
    case LS_MOD_HS: return holds ? INT64_MAX : number;
    case LS_MOD_GT:
    case LS_MOD_HI: return holds ? INT64_MAX : number + 1;
    default: return INT64_MAX;
    }
}

/* The only value that leaves the comparison so; FREE where there are others. */
static int64_t only_value(uint16_t op, int64_t number, bool holds) {
    return number >= 0 && (holds ? op == LS_MOD_EQ : op == LS_MOD_NE) ? number : FREE;
}

static void fix(decomposer *d, int which, int64_t value) {
    if (value < d->extent[which]) d->fixed[which] = value, d->extent[which] = 1;
}

/* The one number of the thread that the form is; -1 where it is something else. */
static int only_dimension(const linear *v) {
    int found = -1;
    for (int i = 0; i < DIMENSIONS; i++) {
        if (!v->of[i]) continue;
        if (found >= 0 || v->of[i] != 1) return -1;
        found = i;
    }
    return v->constant || v->step ? -1 : found;
}

static void apply_comparison(decomposer *d, const ls_ir_instr *setp, bool holds) {
    linear x, y;
    if (setp->src_count != 2 || setp->guard.kind != LS_IR_ABSENT || !setp->src[0].value ||
        !setp->src[1].value || !decompose(*d, setp->src[0].value, &x) ||
        !decompose(*d, setp->src[1].value, &y) || !is_constant(&y))
        return;
    int64_t bound = bound_of(setp->form->compare, y.constant, holds);
    int64_t only = only_value(setp->form->compare, y.constant, holds);
    int which = only_dimension(&x);
    if (is_thread_x(d, &x) && d->fixed[LANE] == FREE && d->fixed[WARP] == FREE) {
        if (only != FREE && only < d->launch->block[0]) {
            fix(d, LANE, only % LANES);
            fix(d, WARP, only / LANES);
        } else if (bound > 0 && bound < (d->extent[WARP] - 1) * LANES + d->extent[LANE]) {
            set_thread_extent(d, bound);
            if (d->extent[WARP] == 1) d->fixed[WARP] = 0;
        }
    } else if (which >= 0) {
        if (only != FREE)
            fix(d, which, only);
        else if (bound > 0 && bound < d->extent[which])
            d->extent[which] = bound;
    }
}

/* Predicates that are `and` or `or` of others tell of both where they hold or do not. */
static void apply_predicate(decomposer *d, ls_ir_value *p, bool holds, uint32_t depth) {
    p = p ? ls_ir_origin(p) : NULL;
    if (!p || p->kind != LS_VALUE_INSTR || p->result || depth > 8 || p->instr->guard.kind != LS_IR_ABSENT)
        return;
    const ls_ir_instr *instr = p->instr;
    if (instr->op == LS_OP_SETP) apply_comparison(d, instr, holds);
    if (instr->op == LS_OP_NOT && instr->src_count == 1)
        apply_predicate(d, instr->src[0].value, !holds, depth + 1);
    if ((instr->op == LS_OP_AND && holds) || (instr->op == LS_OP_OR && !holds))
        for (uint32_t i = 0; i < instr->src_count; i++)
            if (!(instr->src[i].flags & LS_OPERAND_NOT))
                apply_predicate(d, instr->src[i].value, holds, depth + 1);
}

void dt_apply_conditions(decomposer *d, const ls_ir_instr *instr) {
    for (const ls_ir_block *at = instr->block; at->idom; at = at->idom) {
        const ls_ir_block *branch = at->idom;
        bool negated;
        ls_ir_value *p = ls_ir_branch_predicate(branch, &negated);
        if (!p || branch->succ_count != 2 || at->pred_count != 1 || at->preds[0] != branch) continue;
        apply_predicate(d, p, (at == branch->succs[0]) != negated, 0);
    }
    if (instr->guard.kind == LS_IR_REG)
        apply_predicate(d, instr->guard.value, !(instr->guard.flags & LS_OPERAND_NOT), 0);
}
