/* Offsets as linear forms. Since the launch is known, so are the sizes of grid and block and the values of
 * scalar parameters: a value is taken apart into Σ coefficient · number of the thread (%ctaid.x/y/z, %tid.x,
 * %tid.y/z) + constant + something that is not known, but bounded and a multiple of a step: masked bits,
 * bytes from memory, a loop's counter. %tid.x is taken bit by bit where a block has a power of two of them,
 * else by lane and warp; so masks and shifts of it are linear as well. Conditions such as `tid.x < 9`, `lane
 * == 0` or `tid.y == 0` on the way to an access bound the thread's numbers, or fix them. */
#include "detect/linear.h"

#include <stdlib.h>

/* Values that are used twice are taken apart twice, and what they are made of four times: an end has to be
 * put to that. */
enum { LANES = 32, FREE = -1, MOST_STEPS = 20000 };

/* What a step of part i is in %tid.x (axis 0) or %tid.y. */
static int64_t weight(const decomposer *d, int axis, int i) {
    return d->by_bits[axis] ? INT64_C(1) << i : i ? LANES : 1;
}

static void set_thread_extents(decomposer *d, int axis, int64_t threads, bool by_bits) {
    int64_t *extent = d->extent + (axis ? THREAD_Y : THREAD_X);
    d->by_bits[axis] = by_bits && (threads & (threads - 1)) == 0 && threads <= 1 << BITS;
    for (int i = 0; i < BITS; i++) extent[i] = d->by_bits[axis] && threads >> i > 1 ? 2 : 1;
    if (d->by_bits[axis]) return;
    extent[0] = axis || threads < LANES ? threads : LANES;
    extent[1] = axis ? 1 : (threads + LANES - 1) / LANES;
}

decomposer dt_decomposer(const kernel *k, const ls_detect_launch *launch, bool by_bits) {
    decomposer d = {.k = k, .launch = launch};
    for (int i = 0; i < 3; i++) d.extent[BLOCK_X + i] = launch->grid[i];
    d.extent[THREAD_Z] = launch->block[2];
    for (int axis = 0; axis < 2; axis++) set_thread_extents(&d, axis, launch->block[axis], by_bits);
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

bool dt_is_constant(const linear *v) {
    for (int i = 0; i < DIMENSIONS; i++)
        if (v->of[i]) return false;
    return !v->step;
}

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
        if (axis == 2) add_dimension(d, THREAD_Z, 1, out);
        for (int i = 0; i < BITS && axis < 2; i++)
            add_dimension(d, (axis ? THREAD_Y : THREAD_X) + i, weight(d, axis, i), out);
        return true;
    default: return false;
    }
}

/* --- Bits ------------------------------------------------------------------------------------------------
 */

/* All bits from the lowest that may be set to the highest, of multiples of a step up to a highest one. */
static uint64_t bits_of(int64_t step, int64_t highest) {
    if (step <= 0 || highest <= 0) return 0;
    return (UINT64_MAX >> __builtin_clzll((uint64_t)highest)) &
           (UINT64_MAX << __builtin_ctzll((uint64_t)step));
}

static uint64_t bits_of_dimension(const decomposer *d, const linear *v, int i) {
    return bits_of(v->of[i], v->of[i] * (d->extent[i] - 1));
}

/* The bits that the form may have. *apart: no two of its parts have one in common, so that none carries into
 * another. The form is not negative. */
static uint64_t bits_of_form(const decomposer *d, const linear *v, bool *apart) {
    uint64_t all = (uint64_t)v->constant, unknown = bits_of(v->step, v->spread);
    *apart = !(all & unknown);
    all |= unknown;
    for (int i = 0; i < DIMENSIONS; i++) {
        uint64_t bits = bits_of_dimension(d, v, i);
        *apart &= !(all & bits);
        all |= bits;
    }
    int64_t top = dt_highest(d, v);
    if (*apart || !all || top <= 0) return all;
    return (UINT64_MAX >> __builtin_clzll((uint64_t)top)) & (UINT64_MAX << __builtin_ctzll(all));
}

/* a | b and a ^ b where no bit is in both. */
static bool join_bits(const decomposer *d, const linear *a, const linear *b, linear *out) {
    bool apart;
    if (dt_highest(d, a) < 0 || dt_highest(d, b) < 0) return false;
    if (bits_of_form(d, a, &apart) & bits_of_form(d, b, &apart)) return false;
    *out = dt_sum(*a, *b);
    return true;
}

/* x & m where m has all of some parts, and nothing of the others. */
static bool mask_bits(const decomposer *d, const linear *v, int64_t mask, linear *out) {
    bool apart;
    if (dt_highest(d, v) < 0 || mask < 0) return false;
    uint64_t bits = bits_of_form(d, v, &apart), kept = (uint64_t)mask;
    *out = *v;
    if (!(bits & ~kept)) return true;
    if (!apart) return false;
    out->constant &= mask;
    for (int i = 0; i < DIMENSIONS; i++) {
        uint64_t of = bits_of_dimension(d, v, i);
        if ((of & kept) && (of & ~kept)) return false;
        if (!(of & kept)) out->of[i] = 0;
    }
    uint64_t unknown = bits_of(v->step, v->spread);
    if ((unknown & kept) && (unknown & ~kept)) return false;
    if (!(unknown & kept)) out->step = out->spread = 0;
    return true;
}

static bool shift_right(const decomposer *d, const linear *v, int64_t by, linear *out) {
    if (by < 0 || by > 31 || !mask_bits(d, v, INT32_MAX >> by << by, out)) return false;
    for (int i = 0; i < DIMENSIONS; i++) out->of[i] >>= by;
    out->constant >>= by, out->step >>= by, out->spread >>= by;
    return true;
}

/* Some of the lowest bits of v[0] at a place in v[1]. */
static bool insert_bits(const decomposer *d, const linear *v, linear *out) {
    linear low, around;
    if (!dt_is_constant(&v[2]) || !dt_is_constant(&v[3]) || v[2].constant < 0 || v[3].constant <= 0 ||
        v[2].constant + v[3].constant > 30)
        return false;
    int64_t mask = (INT64_C(1) << v[3].constant) - 1;
    if (!mask_bits(d, &v[0], mask, &low) ||
        !mask_bits(d, &v[1], INT32_MAX & ~(mask << v[2].constant), &around))
        return false;
    *out = dt_sum(around, dt_scaled(low, INT64_C(1) << v[2].constant));
    return true;
}

/* A shift of 64 bits by a constant. */
static bool is_shift(decomposer d, const ls_ir_instr *instr, uint16_t op, int64_t *by) {
    linear v;
    if (instr->op != op || instr->src_count != 2 || instr->guard.kind != LS_IR_ABSENT ||
        ls_ptx_type_bits(ls_ptx_form_type(instr->form, 0)) != 64 || !instr->src[0].value ||
        !instr->src[1].value || !dt_decompose(d, instr->src[1].value, &v) || !dt_is_constant(&v))
        return false;
    *by = v.constant;
    return true;
}

/* (x << 32) >> 30, as compilers write a number of 32 bits that is extended and scaled: x itself is not
 * negative and less than 2^31, so that no bit of it is lost. */
static bool decompose_extended(decomposer d, const ls_ir_instr *instr, linear *out) {
    int64_t left, right;
    if (!is_shift(d, instr, LS_OP_SHR, &right)) return false;
    const ls_ir_value *inner = ls_ir_origin(instr->src[0].value);
    if (inner->kind != LS_VALUE_INSTR || inner->result || !is_shift(d, inner->instr, LS_OP_SHL, &left) ||
        right < 0 || right > left || left > 32 || !dt_decompose(d, inner->instr->src[0].value, out))
        return false;
    *out = dt_scaled(*out, INT64_C(1) << (left - right));
    return true;
}

/* x & 0xffffffff, and the like: all that x can have stays. */
static bool decompose_kept(decomposer d, const ls_ir_instr *instr, linear *out) {
    if (instr->op != LS_OP_AND || instr->src_count != 2 || instr->guard.kind != LS_IR_ABSENT ||
        !instr->src[0].value || !instr->src[1].value)
        return false;
    const ls_ir_value *mask = ls_ir_origin(instr->src[1].value);
    return mask->kind == LS_VALUE_IMM && (mask->bits & INT32_MAX) == INT32_MAX &&
           dt_decompose(d, instr->src[0].value, out);
}

/* So few bits of it hold all of the form; with a sign, none of it is taken for that. Numbers of 32 bits do,
 * as no form is past 2^31. */
static bool fits(const decomposer *d, const linear *v, uint32_t bits, bool is_signed) {
    if (bits >= 32) return true;
    const int64_t top = dt_highest(d, v);
    return top >= 0 && !(top >> (bits - is_signed));
}

/* What the instruction reads of its operands is all that they have: a conversion may read less of a register,
 * and others take the highest bit of a short number for its sign. */
static bool reads_all(const decomposer *d, const ls_ir_instr *instr, const linear *v) {
    const ls_ptx_type type = ls_ptx_form_type(instr->form, instr->op == LS_OP_CVT);
    const bool is_signed = ls_ptx_type_kind_of(type) == LS_KIND_SIGNED;
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (!fits(d, &v[i], ls_ptx_type_bits(type), is_signed)) return false;
    return instr->op != LS_OP_BFE || !is_signed; /* that takes the highest of its bits for a sign */
}

static bool decompose_instr(decomposer d, const ls_ir_instr *instr, linear *out) {
    linear v[4] = {0};
    bool wide = ls_ptx_form_has(instr->form, LS_MOD_WIDE), low = ls_ptx_form_has(instr->form, LS_MOD_LO);
    if (instr->guard.kind != LS_IR_ABSENT || instr->src_count > 4 || instr->src_count < 1) return false;
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (!instr->src[i].value || !dt_decompose(d, instr->src[i].value, &v[i])) return false;
    if (!reads_all(&d, instr, v)) return false;
    bool second = instr->src_count >= 2 && dt_is_constant(&v[1]);
    switch (instr->op) {
    case LS_OP_ADD: *out = dt_sum(v[0], v[1]); return instr->src_count == 2;
    case LS_OP_SUB: *out = dt_sum(v[0], dt_scaled(v[1], -1)); return second;
    case LS_OP_OR:
    case LS_OP_XOR: return instr->src_count == 2 && join_bits(&d, &v[0], &v[1], out);
    case LS_OP_BFE:
        return instr->src_count == 3 && second && dt_is_constant(&v[2]) && v[2].constant > 0 &&
               v[2].constant < 32 && shift_right(&d, &v[0], v[1].constant, &v[0]) &&
               mask_bits(&d, &v[0], (INT64_C(1) << v[2].constant) - 1, out);
    case LS_OP_AND: return second && mask_bits(&d, &v[0], v[1].constant, out);
    case LS_OP_BFI: return instr->src_count == 4 && insert_bits(&d, v, out);
    case LS_OP_SHR: return second && shift_right(&d, &v[0], v[1].constant, out);
    case LS_OP_SHL:
        if (!second || v[1].constant < 0 || v[1].constant > 30) return false;
        *out = dt_scaled(v[0], INT64_C(1) << v[1].constant);
        return true;
    case LS_OP_MUL:
    case LS_OP_MAD: {
        bool first = dt_is_constant(&v[0]);
        if ((!wide && !low) || (!first && !second)) return false;
        *out = dt_sum(first ? dt_scaled(v[1], v[0].constant) : dt_scaled(v[0], v[1].constant), v[2]);
        return true;
    }
    case LS_OP_CVT: *out = v[0]; return instr->src_count == 1;
    default: return false;
    }
}

/* Whether a number is the address of memory that the launch was given. */
static bool is_pointer(const ls_detect_launch *launch, uint64_t number) {
    for (uint32_t i = 0; i < launch->buffer_count; i++)
        if (number >= launch->buffers[i].address &&
            number - launch->buffers[i].address <= launch->buffers[i].size)
            return true;
    return false;
}

bool dt_parameter(const kernel *k, const ls_detect_launch *launch, const ls_ir_instr *instr, int64_t *out) {
    const ls_ir_operand *src = &instr->src[0];
    if (instr->op != LS_OP_LD || instr->src_count != 1 || src->kind != LS_IR_OBJECT ||
        instr->guard.kind != LS_IR_ABSENT || k->ir->objects[src->object]->kind != LS_OBJECT_PARAM)
        return false;
    ls_ptx_type type = ls_ptx_form_type(instr->form, 0);
    uint32_t bits = ls_ptx_type_bits(type);
    size_t at =
        (size_t)dt_param_position(k->function, k->ir->objects[src->object]->index) + (size_t)src->offset;
    if ((bits != 32 && bits != 64) || ls_ptx_type_kind_of(type) == LS_KIND_FLOAT ||
        instr->form->vector != 1 || src->offset < 0 || at + bits / 8 > launch->params_size)
        return false;
    const char *from = (const char *)launch->params + at;
    int32_t narrow;
    memcpy(&narrow, from, 4);
    *out = narrow;
    if (bits == 64) memcpy(out, from, 8);
    if (bits == 64 && is_pointer(launch, (uint64_t)*out)) return false;
    memset(k->consulted + at, 1, bits / 8);
    return true;
}

/* A scalar parameter has a value. */
static bool decompose_param(const decomposer *d, const ls_ir_instr *instr, linear *out) {
    *out = (linear){0};
    return instr->src_count == 1 && ls_ptx_type_bits(ls_ptx_form_type(instr->form, 0)) == 32 &&
           dt_parameter(d->k, d->launch, instr, &out->constant);
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
    if (instr->src_count != 2 || !instr->src[1].value || !dt_decompose(d, instr->src[1].value, &by) ||
        !dt_is_constant(&by) || by.constant <= 0)
        return false;
    switch (instr->op) {
    case LS_OP_AND: /* at most the mask itself */
        *out = (linear){.step = by.constant & -by.constant, .spread = by.constant};
        return by.constant < 1 << 24;
    case LS_OP_SHR:
        return (type == LS_TYPE_U32 || type == LS_TYPE_B32) && by.constant < 32 &&
               some_bits(32 - (uint32_t)by.constant, 0, out);
    case LS_OP_REM:
        *out = (linear){.step = 1, .spread = by.constant - 1};
        return (type == LS_TYPE_U32 || type == LS_TYPE_U16) && by.constant < 1 << 24;
    default: return false;
    }
}

/* Where ways meet on which the value is the same, known for each thread. */
static bool join_ways(decomposer d, const ls_ir_phi *phi, linear *out) {
    d.counters = NULL; /* they are of one turn of a loop, and a way may come from another */
    for (uint32_t i = 0; i < phi->block->pred_count; i++) {
        linear way;
        if (!phi->args[i] || !dt_decompose(d, phi->args[i], &way) || way.step ||
            (i && memcmp(&way, out, sizeof way) != 0))
            return false;
        *out = way;
    }
    return phi->block->pred_count > 0;
}

bool dt_decompose(decomposer d, ls_ir_value *value, linear *out) {
    value = ls_ir_origin(value);
    uint32_t bits = ls_ptx_type_bits((ls_ptx_type)value->type);
    if (!*d.k->steps || d.depth++ > 24 || ls_ptx_type_kind_of((ls_ptx_type)value->type) == LS_KIND_FLOAT)
        return false;
    --*d.k->steps;
    if (value->kind == LS_VALUE_IMM) {
        int64_t number = bits == 32 ? (int32_t)(uint32_t)value->bits : (int64_t)value->bits;
        *out = (linear){.constant = number};
        return number > INT32_MIN && number < INT32_MAX;
    }
    if (value->kind == LS_VALUE_SREG) return decompose_sreg(&d, value, out);
    for (uint32_t i = 0; value->kind == LS_VALUE_PHI && d.counters && i < d.counters->count; i++) {
        if (d.counters->phi[i] != value->phi) continue;
        *out = (linear){.constant = d.counters->value[i]};
        return true;
    }
    if (value->kind == LS_VALUE_PHI)
        return (dt_bound_counter(d, value->phi, out) && dt_highest(&d, out) >= 0) ||
               join_ways(d, value->phi, out);
    if (value->kind != LS_VALUE_INSTR || value->result) return false;
    bool known = decompose_param(&d, value->instr, out) || decompose_extended(d, value->instr, out) ||
                 decompose_kept(d, value->instr, out) || decompose_instr(d, value->instr, out);
    int64_t top = known ? dt_highest(&d, out) : -1;
    if (bits < 32 && top >> bits) top = -1; /* it may not be all there */
    return top >= 0 || bound_instr(d, value->instr, out);
}

/* --- Pointers ---------------------------------------------------------------------------------------------
 */
static bool is_parameter(const ls_ir_instr *instr, const ls_ir_base *base) {
    const ls_ir_operand *src = &instr->src[0];
    return base->kind == LS_BASE_PARAM && instr->op == LS_OP_LD && instr->src_count == 1 &&
           src->kind == LS_IR_OBJECT && src->object == base->object && src->offset == base->offset &&
           instr->form->vector == 1;
}

/* The distance of a pointer from the start of its base: of what is added to that, perhaps in each turn of a
 * loop. */
static bool decompose_pointer(decomposer d, const ls_ir_base *base, ls_ir_value *value, linear *out) {
    int64_t step;
    linear more;
    value = ls_ir_origin(value);
    if (!*d.k->steps || d.depth++ > 24) return false;
    --*d.k->steps;
    if (value->kind == LS_VALUE_OBJECT) {
        *out = (linear){.constant = value->object.offset};
        return base->kind == LS_BASE_OBJECT && value->object.id == base->object;
    }
    if (value->kind == LS_VALUE_PHI) {
        const ls_ir_phi *phi = value->phi;
        if (phi->block->pred_count != 2 || !phi->block->is_loop_header) return false;
        for (uint32_t back = 0; back < 2; back++)
            if (dt_next_of(d, phi, back, &step))
                return phi->args[1 - back] && decompose_pointer(d, base, phi->args[1 - back], out) &&
                       dt_add_turns(d, phi, back, out);
        return false;
    }
    if (value->kind != LS_VALUE_INSTR || value->result || value->instr->guard.kind != LS_IR_ABSENT)
        return false;
    const ls_ir_instr *instr = value->instr;
    if (is_parameter(instr, base)) {
        *out = (linear){0};
        return true;
    }
    if (instr->op != LS_OP_ADD || instr->src_count != 2 || !instr->src[0].value || !instr->src[1].value)
        return false;
    for (uint32_t i = 0; i < 2; i++)
        if (decompose_pointer(d, base, instr->src[i].value, out) &&
            dt_decompose(d, instr->src[1 - i].value, &more)) {
            *out = dt_sum(*out, more);
            return true;
        }
    return false;
}

static bool decompose_term(decomposer d, const ls_ir_access *access, const ls_ir_term *term, linear *out) {
    if (!term->relative)
        return dt_decompose(d, term->value, out) &&
               fits(&d, out, ls_ptx_type_bits((ls_ptx_type)term->value->type),
                    term->extend == LS_EXTEND_SIGN);
    return access->base_count == 1 && !access->other_bases && term->coefficient == 1 &&
           term->extend == LS_EXTEND_NONE && decompose_pointer(d, access->bases[0], term->value, out);
}

bool dt_access_offset(decomposer d, const ls_ir_access *access, linear *out) {
    *d.k->steps = MOST_STEPS;
    *out = (linear){.constant = access->constant};
    if (access->opaque || !access->has_offset) return false;
    for (uint32_t i = 0; i < access->term_count; i++) {
        linear v;
        const ls_ir_term *term = &access->terms[i];
        if (term->coefficient <= 0 || term->coefficient > 1 << 20) return false;
        if (!decompose_term(d, access, term, &v)) return false;
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
    if (d->fixed[which] == FREE && value < d->extent[which]) d->fixed[which] = value, d->extent[which] = 1;
}

/* The form has that value. */
static void fix_form(decomposer *d, const linear *x, int64_t value) {
    bool apart;
    const decomposer before = *d;
    bits_of_form(&before, x, &apart);
    for (int i = 0; i < DIMENSIONS && apart; i++) {
        int64_t part = value & (int64_t)bits_of_dimension(&before, x, i);
        if (x->of[i] && part % x->of[i] == 0) fix(d, i, part / x->of[i]);
    }
}

/* The form is less than that. */
static void bound_form(decomposer *d, const linear *x, int64_t bound) {
    int64_t most = bound - 1 - x->constant;
    for (int i = 0; i < DIMENSIONS && most >= 0; i++)
        if (x->of[i] && most / x->of[i] + 1 < d->extent[i]) d->extent[i] = most / x->of[i] + 1;
}

/* How much of `form` the other is a multiple of; 0: of none. Constants are left out. */
static int64_t multiple_of(const linear *v, const linear *form) {
    int64_t factor = 0;
    for (int i = 0; i < DIMENSIONS && !factor; i++)
        if (form->of[i]) factor = v->of[i] / form->of[i];
    linear scaled = dt_scaled(*form, factor);
    scaled.constant = v->constant;
    return memcmp(&scaled, v, sizeof scaled) == 0 ? factor : 0;
}

int64_t dt_lowest(const decomposer *d, const linear *v) {
    int64_t least = v->constant;
    for (int i = 0; i < DIMENSIONS; i++)
        if (d->fixed[i] > 0) least += v->of[i] * d->fixed[i];
    for (uint32_t i = 0; i < d->low_count; i++) {
        int64_t factor = multiple_of(v, &d->low[i].form);
        if (factor > 0 && v->constant + factor * d->low[i].least > least)
            least = v->constant + factor * d->low[i].least;
    }
    return least;
}

/* The form is at least that. */
static void bound_below(decomposer *d, linear x, int64_t least) {
    if (d->low_count == sizeof d->low / sizeof *d->low || x.step) return;
    least -= x.constant;
    x.constant = 0;
    d->low[d->low_count].form = x;
    d->low[d->low_count++].least = least;
}

static void apply_comparison(decomposer *d, const ls_ir_instr *setp, bool holds) {
    linear v[2];
    if (setp->src_count != 2 || setp->guard.kind != LS_IR_ABSENT || !setp->src[0].value ||
        !setp->src[1].value || !dt_decompose(*d, setp->src[0].value, &v[0]) ||
        !dt_decompose(*d, setp->src[1].value, &v[1]) || !dt_is_constant(&v[1]) || dt_highest(d, &v[0]) < 0 ||
        !reads_all(d, setp, v))
        return;
    const linear x = v[0], y = v[1];
    int64_t bound = bound_of(setp->form->compare, y.constant, holds);
    int64_t only = only_value(setp->form->compare, y.constant, holds);
    bool differs = only_value(setp->form->compare, y.constant, !holds) != FREE;
    if (differs && dt_highest(d, &x) == 1 && y.constant < 2)
        only = 1 - y.constant; /* of two values the other */
    if (only != FREE)
        fix_form(d, &x, only);
    else if (bound > 0 && bound <= INT32_MAX)
        bound_form(d, &x, bound);
    else if (bound == INT64_MAX) {
        int64_t below = bound_of(setp->form->compare, y.constant, !holds);
        if (below > 0 && below <= INT32_MAX) bound_below(d, x, below);
    }
}

bool dt_constant(decomposer d, ls_ir_value *value, int64_t *out) {
    linear v;
    *d.k->steps = MOST_STEPS;
    if (!dt_decompose(d, value, &v) || !dt_is_constant(&v) || v.constant < 0 || v.constant > INT32_MAX)
        return false;
    *out = v.constant;
    return true;
}

int dt_truth(decomposer d, ls_ir_value *p) {
    int64_t x, y;
    p = ls_ir_origin(p);
    if (p->kind != LS_VALUE_INSTR || p->result || p->instr->op != LS_OP_SETP || p->instr->src_count != 2 ||
        p->instr->guard.kind != LS_IR_ABSENT || !p->instr->src[0].value || !p->instr->src[1].value ||
        !dt_constant(d, p->instr->src[0].value, &x) || !dt_constant(d, p->instr->src[1].value, &y) ||
        !reads_all(&d, p->instr, (const linear[]){{.constant = x}, {.constant = y}}))
        return -1;
    return dt_compares(p->instr->form->compare, x, y);
}

/* Predicates that are `and` or `or` of others tell of both where they hold or do not. */
static void apply_predicate(decomposer *d, ls_ir_value *p, bool holds, uint32_t depth) {
    p = p ? ls_ir_origin(p) : NULL;
    if (!p || p->kind != LS_VALUE_INSTR || p->result || depth > 8 || p->instr->guard.kind != LS_IR_ABSENT)
        return;
    const ls_ir_instr *instr = p->instr;
    if (instr->op == LS_OP_SETP) apply_comparison(d, instr, holds);
    for (uint32_t i = 0; i < instr->src_count && instr->op == LS_OP_XOR && instr->src_count == 2; i++) {
        const ls_ir_value *other = instr->src[1 - i].value ? ls_ir_origin(instr->src[1 - i].value) : NULL;
        if (!other || other->kind != LS_VALUE_IMM ||
            (instr->src[0].flags | instr->src[1].flags) & LS_OPERAND_NOT)
            continue;
        apply_predicate(d, instr->src[i].value, holds != (other->bits != 0), depth + 1);
    }
    if (instr->op == LS_OP_NOT && instr->src_count == 1)
        apply_predicate(d, instr->src[0].value, !holds, depth + 1);
    if ((instr->op == LS_OP_AND && holds) || (instr->op == LS_OP_OR && !holds))
        for (uint32_t i = 0; i < instr->src_count; i++)
            if (!(instr->src[i].flags & LS_OPERAND_NOT))
                apply_predicate(d, instr->src[i].value, holds, depth + 1);
}

void dt_apply_conditions(decomposer *d, const ls_ir_instr *instr) {
    *d->k->steps = MOST_STEPS;
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
