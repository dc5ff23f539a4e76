/* Objects of which every thread has its own part: the paper skips variables "with affine array indices that
 * can be easily analyzed statically" (002, §5.1). Since the launch is known, so are the sizes of grid and
 * block and the values of scalar parameters: an offset is taken apart into Σ coefficient · number of the
 * thread (%ctaid.x/y/z, %tid.x by lane and warp, %tid.y/z) + constant. Threads never meet where all accesses
 * have the same coefficients, and these are a mixed radix: each at least as large as what the smaller ones
 * together can reach. Conditions such as `tid.x < 9` on the way to an access bound its %tid.x. */
#include "detect/kernel.h"

#include <stdlib.h>

enum { BLOCK_X, BLOCK_Y, BLOCK_Z, LANE, WARP, THREAD_Y, THREAD_Z, DIMENSIONS };
enum { LANES = 32 };

typedef struct {
    int64_t of[DIMENSIONS], constant;
} linear;

typedef struct {
    const kernel *k;
    const ls_detect_launch *launch;
    int64_t extent[DIMENSIONS]; /* how many values each number has */
    uint32_t depth;
} decomposer;

static void set_thread_extent(decomposer *d, int64_t threads) {
    d->extent[LANE] = threads < LANES ? threads : LANES;
    d->extent[WARP] = (threads + LANES - 1) / LANES;
}

static decomposer start(const kernel *k, const ls_detect_launch *launch) {
    decomposer d = {.k = k, .launch = launch};
    for (int i = 0; i < 3; i++) d.extent[BLOCK_X + i] = launch->grid[i];
    d.extent[THREAD_Y] = launch->block[1], d.extent[THREAD_Z] = launch->block[2];
    set_thread_extent(&d, launch->block[0]);
    return d;
}

/* The highest value; -1 where one may be negative or past 2^31. */
static int64_t highest(const decomposer *d, const linear *v) {
    int64_t top = v->constant;
    if (v->constant < 0 || v->constant > INT32_MAX) return -1;
    for (int i = 0; i < DIMENSIONS; i++) {
        if (v->of[i] < 0 || v->of[i] > INT32_MAX) return -1;
        top += v->of[i] * (d->extent[i] - 1);
        if (top > INT32_MAX) return -1;
    }
    return top;
}

static linear scaled(linear v, int64_t by) {
    for (int i = 0; i < DIMENSIONS; i++) v.of[i] *= by;
    v.constant *= by;
    return v;
}

static linear sum(linear a, linear b) {
    for (int i = 0; i < DIMENSIONS; i++) a.of[i] += b.of[i];
    a.constant += b.constant;
    return a;
}

static bool is_constant(const linear *v) {
    for (int i = 0; i < DIMENSIONS; i++)
        if (v->of[i]) return false;
    return true;
}

static bool is_thread_x(const linear *v) {
    linear x = {.of = {[LANE] = 1, [WARP] = LANES}};
    return memcmp(v, &x, sizeof x) == 0;
}

static bool decompose(decomposer d, ls_ir_value *value, linear *out);

static bool decompose_sreg(const decomposer *d, const ls_ir_value *value, linear *out) {
    if (value->element < LS_ELEMENT_X || value->element > LS_ELEMENT_Z) return false;
    int axis = value->element - LS_ELEMENT_X;
    *out = (linear){0};
    switch (value->sreg) {
    case LS_SREG_CTAID: out->of[BLOCK_X + axis] = 1; return true;
    case LS_SREG_NTID: out->constant = d->launch->block[axis]; return true;
    case LS_SREG_NCTAID: out->constant = d->launch->grid[axis]; return true;
    case LS_SREG_TID:
        if (axis)
            out->of[THREAD_Y + axis - 1] = 1;
        else
            out->of[LANE] = 1, out->of[WARP] = LANES;
        return true;
    default: return false;
    }
}

/* a | b where no bit is in both: one is a multiple of 2^n and the other below it. */
static bool join_bits(const decomposer *d, linear a, linear b, linear *out) {
    for (int turn = 0; turn < 2; turn++) {
        int64_t top = highest(d, &b), step = 1;
        while (step <= top) step *= 2;
        bool multiple = top >= 0 && a.constant % step == 0;
        for (int i = 0; i < DIMENSIONS; i++) multiple &= a.of[i] % step == 0;
        if (multiple) {
            *out = sum(a, b);
            return true;
        }
        linear swap = a;
        a = b, b = swap;
    }
    return false;
}

/* %tid.x & 31 and %tid.x >> 5; x & m where m keeps all of it. */
static bool mask_bits(const decomposer *d, const linear *v, int64_t mask, linear *out) {
    int64_t top = highest(d, v);
    *out = *v;
    if (is_thread_x(v) && mask == LANES - 1) {
        *out = (linear){.of = {[LANE] = 1}};
        return true;
    }
    return top >= 0 && mask >= 0 && (mask & (mask + 1)) == 0 && top <= mask;
}

static bool shift_right(const linear *v, int64_t by, linear *out) {
    *out = (linear){.of = {[WARP] = 1}};
    return is_thread_x(v) && by == 5;
}

static bool decompose_instr(decomposer d, const ls_ir_instr *instr, linear *out) {
    linear v[3] = {0};
    bool wide = ls_ptx_form_has(instr->form, LS_MOD_WIDE), low = ls_ptx_form_has(instr->form, LS_MOD_LO);
    if (instr->guard.kind != LS_IR_ABSENT || instr->src_count > 3 || instr->src_count < 1) return false;
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (!instr->src[i].value || !decompose(d, instr->src[i].value, &v[i])) return false;
    bool second = instr->src_count >= 2 && is_constant(&v[1]);
    switch (instr->op) {
    case LS_OP_ADD: *out = sum(v[0], v[1]); return instr->src_count == 2;
    case LS_OP_SUB: *out = sum(v[0], scaled(v[1], -1)); return second;
    case LS_OP_OR: return instr->src_count == 2 && join_bits(&d, v[0], v[1], out);
    case LS_OP_AND: return second && mask_bits(&d, &v[0], v[1].constant, out);
    case LS_OP_SHR: return second && shift_right(&v[0], v[1].constant, out);
    case LS_OP_SHL:
        if (!second || v[1].constant < 0 || v[1].constant > 30) return false;
        *out = scaled(v[0], INT64_C(1) << v[1].constant);
        return true;
    case LS_OP_MUL:
    case LS_OP_MAD: {
        bool first = is_constant(&v[0]);
        if ((!wide && !low) || (!first && !second)) return false;
        *out = sum(first ? scaled(v[1], v[0].constant) : scaled(v[0], v[1].constant), v[2]);
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
    *out = (linear){.constant = value};
    return true;
}

static bool decompose(decomposer d, ls_ir_value *value, linear *out) {
    value = ls_ir_origin(value);
    uint32_t bits = ls_ptx_type_bits((ls_ptx_type)value->type);
    if (d.depth++ > 24 || ls_ptx_type_kind_of((ls_ptx_type)value->type) == LS_KIND_FLOAT) return false;
    bool known = false;
    if (value->kind == LS_VALUE_IMM) {
        int64_t number = bits == 32 ? (int32_t)(uint32_t)value->bits : (int64_t)value->bits;
        *out = (linear){.constant = number};
        return number > INT32_MIN && number < INT32_MAX;
    }
    if (value->kind == LS_VALUE_SREG) known = decompose_sreg(&d, value, out);
    if (value->kind == LS_VALUE_INSTR)
        known = decompose_param(&d, value->instr, out) || decompose_instr(d, value->instr, out);
    return known && highest(&d, out) >= 0;
}

/* --- Conditions ------------------------------------------------------------------------------------------
 */

/* How many values of %tid.x, from 0 on, leave the comparison `%tid.x op number` so. */
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
    case LS_MOD_EQ: return holds ? number + 1 : INT64_MAX;
    case LS_MOD_NE: return holds ? INT64_MAX : number + 1;
    default: return INT64_MAX;
    }
}

static void apply_predicate(decomposer *d, ls_ir_value *p, bool holds) {
    linear x, y;
    p = p ? ls_ir_origin(p) : NULL;
    if (!p || p->kind != LS_VALUE_INSTR || p->instr->op != LS_OP_SETP || p->instr->src_count != 2 ||
        p->result || p->instr->guard.kind != LS_IR_ABSENT)
        return;
    if (!p->instr->src[0].value || !p->instr->src[1].value || !decompose(*d, p->instr->src[0].value, &x) ||
        !decompose(*d, p->instr->src[1].value, &y) || !is_thread_x(&x) || !is_constant(&y))
        return;
    int64_t bound = bound_of(p->instr->form->compare, y.constant, holds);
    if (bound > 0 && bound < d->launch->block[0] && bound < (d->extent[WARP] - 1) * LANES + d->extent[LANE])
        set_thread_extent(d, bound);
}

/* Bounds %tid.x by the branches that lead to the instruction, and by its own guard. */
static void apply_conditions(decomposer *d, const ls_ir_instr *instr) {
    for (const ls_ir_block *at = instr->block; at->idom; at = at->idom) {
        const ls_ir_block *branch = at->idom;
        bool negated;
        ls_ir_value *p = ls_ir_branch_predicate(branch, &negated);
        if (!p || branch->succ_count != 2 || at->pred_count != 1 || at->preds[0] != branch) continue;
        apply_predicate(d, p, (at == branch->succs[0]) != negated);
    }
    if (instr->guard.kind == LS_IR_REG)
        apply_predicate(d, instr->guard.value, !(instr->guard.flags & LS_OPERAND_NOT));
}

/* --- The object ------------------------------------------------------------------------------------------
 */

static bool access_offset(decomposer d, const ls_ir_access *access, linear *out) {
    *out = (linear){.constant = access->constant};
    if (access->opaque || !access->has_offset) return false;
    for (uint32_t i = 0; i < access->term_count; i++) {
        linear v;
        const ls_ir_term *term = &access->terms[i];
        if (term->relative || term->coefficient <= 0 || term->coefficient > 1 << 20) return false;
        if (!decompose(d, term->value, &v)) return false;
        *out = sum(*out, scaled(v, term->coefficient));
    }
    return true;
}

/* Whether numbers of that many digits never give the same `width` bytes twice. */
static bool is_mixed_radix(const linear *v, const int64_t *extent, int64_t width) {
    int64_t reach = width;
    bool used[DIMENSIONS] = {0};
    for (;;) {
        int least = -1;
        for (int i = 0; i < DIMENSIONS; i++)
            if (!used[i] && extent[i] > 1 && (least < 0 || v->of[i] < v->of[least])) least = i;
        if (least < 0) return true;
        if (v->of[least] < reach) return false;
        reach += v->of[least] * (extent[least] - 1);
        used[least] = true;
    }
}

bool dt_every_thread_its_own(const kernel *k, uint32_t which, const ls_detect_launch *launch) {
    linear first = {0};
    int64_t from = INT64_MAX, to = INT64_MIN, extent[DIMENSIONS] = {0};
    bool any = false;
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const ls_ir_access *access = k->ir->accesses[i];
        if (k->accesses[i].object != which) continue;
        linear at;
        decomposer d = start(k, launch);
        int64_t bytes = (int64_t)access->bytes * access->count;
        apply_conditions(&d, access->instr);
        if (!k->accesses[i].certain || !bytes || !access_offset(d, access, &at)) return false;
        if (any && memcmp(at.of, first.of, sizeof at.of) != 0) return false;
        first = at, any = true;
        if (at.constant < from) from = at.constant;
        if (at.constant + bytes > to) to = at.constant + bytes;
        for (int n = 0; n < DIMENSIONS; n++)
            if (d.extent[n] > extent[n]) extent[n] = d.extent[n];
    }
    for (int i = BLOCK_X; i <= BLOCK_Z && k->objects[which].is_shared; i++) extent[i] = 1;
    return any && is_mixed_radix(&first, extent, to - from);
}
