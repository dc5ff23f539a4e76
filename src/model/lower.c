/* From PTX to the kernel language (000, §3.1: blocks, assignment, havoc, assume, assert, barrier, goto), so
 * that a real kernel can be read, predicated, printed in lock-step and explored as the paper's own kernels
 * are.
 *
 * A register is a private bit-vector (a predicate: a Boolean); a shared or global object is a shared array of
 * the elements it is accessed in; a parameter is a constant. A pointer is its distance in bytes from its
 * object, so that each object begins at address 0 of its own. A conditional branch becomes a goto to two
 * blocks that begin with the condition and its negation, as in Figure 3; an instruction under a guard is put
 * into such a block. One block of threads is described: what differs from block to block is a constant. */
#include "model/lower.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>

typedef struct {
    const ls_ir_function *f;
    const ls_model_launch *launch;
    ls_diags *diags;
    ls_kctx *ctx;
    ls_kprog *prog;
    const ls_kvar **regs;   /* by register */
    const ls_kvar **arrays; /* by base; NULL: not in the language */
    uint32_t *bytes;        /* by base: of an element; 0: accessed in several sizes */
    uint32_t *blocks;       /* by IR block: its first block */
    uint32_t at;            /* the block in progress */
    const ls_ir_instr *instr;
} lowering;

/* --- Names and variables ---------------------------------------------------------------------------------
 */

static const char *plain_name(lowering *l, const char *name) {
    char *copy = ls_arena_strdup(&l->ctx->arena, *name == '%' || *name == '*' ? name + 1 : name);
    for (char *c = copy; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '$') *c = '_';
    return copy;
}

static uint32_t width_of(uint8_t type) {
    uint32_t bits = ls_ptx_type_bits((ls_ptx_type)type);
    return bits == 0 || bits > 64 ? 64 : bits;
}

static ls_ktype type_of(uint8_t type) {
    return ls_ptx_type_bits((ls_ptx_type)type) == 1 ? LS_KTYPE_BOOL : LS_KTYPE_BV(width_of(type));
}

static void set_value(lowering *l, ls_kvar *var, uint64_t value) {
    const ls_kexpr **init = LS_NEW_N(&l->ctx->arena, const ls_kexpr *, 1);
    init[0] = ls_kexpr_const(l->ctx, var->type, ls_kbits(value, var->type.width));
    var->init = init;
    var->init_count = 1;
}

static const ls_kvar *register_of(lowering *l, uint32_t reg) {
    if (!l->regs[reg]) {
        const ls_ir_register *r = &l->f->registers[reg];
        l->regs[reg] = ls_kvar_fresh(l->ctx, plain_name(l, r->name), LS_KC_PRIVATE, type_of(r->type));
    }
    return l->regs[reg];
}

/* A constant of the launch: a parameter, a size, the block's number. */
static const ls_kexpr *constant(lowering *l, const char *name, uint32_t width, uint64_t value, bool known) {
    const ls_kvar *found = ls_kvar_find(l->ctx, name);
    if (!found) {
        ls_kvar *made = ls_kvar_new(l->ctx, name, LS_KC_CONST, LS_KTYPE_BV(width));
        if (known) set_value(l, made, value);
        found = made;
    }
    return ls_kexpr_var(l->ctx, found);
}

/* --- Operands --------------------------------------------------------------------------------------------
 */

static const ls_kexpr *number(lowering *l, uint32_t width, uint64_t value) {
    return ls_kexpr_const(l->ctx, LS_KTYPE_BV(width), ls_kbits(value, width));
}

static const ls_kexpr *resized(lowering *l, const ls_kexpr *e, uint32_t width, bool is_signed) {
    if (e->type.kind != LS_KT_BV || e->type.width == width) return e;
    if (e->op == LS_KX_CONST) {
        uint32_t shift = 64 - e->type.width;
        int64_t extended = is_signed ? (int64_t)((uint64_t)e->value << shift) >> shift : e->value;
        return number(l, width, (uint64_t)extended);
    }
    if (e->type.width > width) return ls_kexpr_op(l->ctx, LS_KX_EXTRACT, &e, 1, (int64_t)width * 256);
    return ls_kexpr_op(l->ctx, is_signed ? LS_KX_SEXT : LS_KX_ZEXT, &e, 1, width);
}

/* %tid in a dimension, from the number of the thread. */
static const ls_kexpr *thread_id(lowering *l, int axis) {
    const uint32_t *block = l->launch->block;
    const ls_kexpr *t = ls_kexpr_var(l->ctx, l->ctx->tid);
    if (!block[0] && axis) return constant(l, axis == 1 ? "threadIdx_y" : "threadIdx_z", 32, 0, true);
    uint64_t below = axis == 0 ? 1 : axis == 1 ? block[0] : (uint64_t)block[0] * block[1];
    if (below > 1)
        t = ls_kexpr_binary(l->ctx, LS_KX_DIV, t, ls_kexpr_const(l->ctx, LS_KTYPE_INT, (int64_t)below));
    if (block[0] && axis < 2 && (axis == 0 ? block[1] * block[2] : block[2]) > 1)
        t = ls_kexpr_binary(l->ctx, LS_KX_MOD, t, ls_kexpr_const(l->ctx, LS_KTYPE_INT, block[axis]));
    return ls_kexpr_op(l->ctx, LS_KX_TO_BV, &t, 1, 32);
}

static const ls_kexpr *special(lowering *l, uint32_t sreg, uint8_t element) {
    static const struct {
        uint32_t sreg;
        const char *name;
        bool block; /* a size of the block, which may be known */
    } table[] = {{LS_SREG_NTID, "blockDim", true},
                 {LS_SREG_CTAID, "blockIdx", false},
                 {LS_SREG_NCTAID, "gridDim", false}};
    int axis = element - LS_ELEMENT_X;
    if (element < LS_ELEMENT_X || axis > 2) return NULL;
    if (sreg == LS_SREG_TID) return thread_id(l, axis);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].sreg != sreg) continue;
        char name[32];
        snprintf(name, sizeof name, "%s_%c", table[i].name, "xyz"[axis]);
        bool known = table[i].block ? l->launch->block[0] != 0 : l->launch->explore;
        uint64_t value = table[i].block ? l->launch->block[axis] : sreg == LS_SREG_NCTAID;
        return constant(l, ls_arena_strdup(&l->ctx->arena, name), 32, value, known);
    }
    return NULL;
}

/* The operand as the instruction takes it; NULL: not in the language. */
static const ls_kexpr *operand(lowering *l, const ls_ir_operand *o) {
    const ls_kexpr *e = NULL;
    bool is_signed = ls_ptx_type_kind_of((ls_ptx_type)o->type) == LS_KIND_SIGNED;
    switch ((ls_ir_operand_kind)o->kind) {
    case LS_IR_REG: e = ls_kexpr_var(l->ctx, register_of(l, o->reg)); break;
    case LS_IR_IMM:
        if (ls_ptx_type_bits((ls_ptx_type)o->type) == 1) return ls_kexpr_bool(l->ctx, o->bits & 1);
        return number(l, width_of(o->type), o->bits);
    case LS_IR_SREG: e = special(l, o->sreg, o->element); break;
    case LS_IR_OBJECT: e = number(l, 64, (uint64_t)o->offset); break; /* its address is 0 */
    default: return NULL;
    }
    if (!e) return NULL;
    if (e->type.kind == LS_KT_BV) e = resized(l, e, width_of(o->type), is_signed);
    if (o->flags & LS_OPERAND_NOT && e->type.kind == LS_KT_BOOL) e = ls_kexpr_unary(l->ctx, LS_KX_NOT, e);
    if (o->flags & LS_OPERAND_MINUS && e->type.kind == LS_KT_BV) e = ls_kexpr_unary(l->ctx, LS_KX_NEG, e);
    return e;
}

/* --- Statements ------------------------------------------------------------------------------------------
 */

static void add(lowering *l, ls_kstmt stmt) {
    stmt.origin = l->prog->stmt_count++;
    if (l->instr && !stmt.loc.line) stmt.loc = (ls_kloc){l->instr->pos->line, l->instr->pos->column};
    ls_kblock_add(l->prog, l->at, stmt);
}

static void left_out(lowering *l, const char *what) {
    const ls_place *pos = l->instr->pos;
    ls_diags_add(l->diags, LS_NOTE, pos->file, pos->line, pos->column, "%s: %s", l->instr->form->text, what);
}

/* The register gets the value, or anything. */
static void assign(lowering *l, const ls_ir_operand *to, const ls_kexpr *value) {
    if (to->kind != LS_IR_REG) return;
    const ls_kvar *var = register_of(l, to->reg);
    bool is_signed = ls_ptx_type_kind_of((ls_ptx_type)to->type) == LS_KIND_SIGNED;
    if (value && value->type.kind == LS_KT_BV && var->type.kind == LS_KT_BV)
        value = resized(l, value, var->type.width, is_signed);
    if (value && ls_ktype_equal(value->type, var->type)) {
        add(l, (ls_kstmt){.kind = LS_KS_ASSIGN, .var = var, .value = value});
    } else {
        left_out(l, "not in the kernel language, its result may be anything");
        add(l, (ls_kstmt){.kind = LS_KS_HAVOC, .var = var});
    }
}

static uint32_t new_block(lowering *l, const char *base, const char *suffix) {
    return ls_kblock_new(l->prog,
                         ls_klabel_fresh(l->prog, ls_arena_printf(&l->ctx->arena, "%s%s", base, suffix)));
}

/* A block behind `from` that begins with the condition. */
static uint32_t when(lowering *l, uint32_t from, const ls_kexpr *condition, const char *suffix) {
    uint32_t made = new_block(l, l->prog->blocks.items[from].label, suffix);
    ls_kblock_goto(l->prog, from, made);
    uint32_t at = l->at;
    l->at = made;
    if (condition) add(l, (ls_kstmt){.kind = LS_KS_ASSUME, .value = condition});
    l->at = at;
    return made;
}

/* --- Memory ----------------------------------------------------------------------------------------------
 */

static uint32_t element_bytes(const lowering *l, const ls_ir_base *base) {
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < l->f->access_count; i++) {
        const ls_ir_access *a = l->f->accesses[i];
        for (uint32_t b = 0; b < a->base_count; b++) {
            if (a->bases[b] != base) continue;
            if (bytes && a->bytes != bytes) return 0;
            bytes = a->bytes;
        }
    }
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 ? bytes : 0;
}

static void make_array(lowering *l, const ls_ir_base *base) {
    bool object = base->kind == LS_BASE_OBJECT;
    const ls_ir_object *o = object || base->kind == LS_BASE_PARAM ? l->f->objects[base->object] : NULL;
    uint32_t bytes = o ? element_bytes(l, base) : 0;
    if (!bytes || (object && o->kind == LS_OBJECT_PARAM)) return;
    ls_kclass class = object && o->kind == LS_OBJECT_LOCAL   ? LS_KC_PRIVATE
                      : object && o->kind == LS_OBJECT_CONST ? LS_KC_CONST
                                                             : LS_KC_SHARED;
    ls_kvar *array = ls_kvar_fresh(l->ctx, plain_name(l, base->name), class, LS_KTYPE_BV(8 * bytes));
    array->array = true;
    array->length = object && o->size ? o->size / bytes : l->launch->elements;
    if (l->launch->explore) set_value(l, array, 0);
    l->bytes[base->id] = bytes;
    l->arrays[base->id] = array;
}

/* The one object that is accessed; NULL: not in the language. */
static const ls_ir_base *base_of(const lowering *l, const ls_ir_access *a) {
    bool one = a->base_count == 1 && !a->other_bases && !a->opaque && a->kind != LS_ACCESS_ATOMIC;
    return one && l->arrays[a->bases[0]->id] ? a->bases[0] : NULL;
}

static const ls_kexpr *index_of(lowering *l, const ls_ir_access *a, uint32_t element) {
    const ls_ir_operand *o = &a->instr->src[a->src];
    const ls_kexpr *address = operand(l, o);
    if (!address || address->type.kind != LS_KT_BV) return NULL;
    uint32_t width = address->type.width, bytes = l->bytes[a->bases[0]->id];
    int64_t offset = (o->kind == LS_IR_OBJECT ? 0 : o->offset) + (int64_t)element * a->bytes;
    if (offset && address->op == LS_KX_CONST)
        address = number(l, width, (uint64_t)(address->value + offset));
    else if (offset)
        address = ls_kexpr_binary(l->ctx, LS_KX_ADD, address, number(l, width, (uint64_t)offset));
    if (bytes == 1) return address;
    if (address->op == LS_KX_CONST) return number(l, width, (uint64_t)address->value / bytes);
    return ls_kexpr_binary(l->ctx, LS_KX_SHR, address, number(l, width, (uint64_t)__builtin_ctz(bytes)));
}

static bool is_pointer(const lowering *l, uint32_t object, uint32_t offset) {
    for (uint32_t i = 0; i < l->f->access_count; i++)
        for (uint32_t b = 0; b < l->f->accesses[i]->base_count; b++) {
            const ls_ir_base *base = l->f->accesses[i]->bases[b];
            if (base->kind == LS_BASE_PARAM && base->object == object && base->offset == offset) return true;
        }
    return false;
}

/* ld.param: a constant, or 0 for a pointer, which is the start of its object. */
static const ls_kexpr *parameter(lowering *l, const ls_ir_operand *o, uint32_t width) {
    const ls_ir_object *object = l->f->objects[o->object];
    if (object->kind != LS_OBJECT_PARAM || o->offset < 0) return NULL;
    if (is_pointer(l, object->id, (uint32_t)o->offset)) return number(l, width, 0);
    const char *name = plain_name(l, object->name);
    if (o->offset) name = ls_arena_printf(&l->ctx->arena, "%s_%u", name, (unsigned)o->offset);
    const ls_kvar *there = ls_kvar_find(l->ctx, name);
    if (there && there->type.width != width) name = ls_arena_printf(&l->ctx->arena, "%s_u%u", name, width);
    return constant(l, name, width, l->launch->integers, l->launch->explore);
}

static void lower_load(lowering *l, const ls_ir_instr *i) {
    const ls_ir_access *a = i->access_count == 1 ? &i->accesses[0] : NULL;
    const ls_ir_operand *from = a ? &i->src[a->src] : NULL;
    const ls_ir_base *base = a ? base_of(l, a) : NULL;
    for (uint32_t d = 0; d < i->dst_count; d++) {
        const ls_kexpr *value = NULL;
        if (base) {
            const ls_kexpr *index = index_of(l, a, d);
            if (index) value = ls_kexpr_select(l->ctx, l->arrays[base->id], index);
        } else if (from && from->kind == LS_IR_OBJECT && d == 0) {
            value = parameter(l, from, width_of(i->dst[d].type));
        }
        assign(l, &i->dst[d], value);
    }
}

static void lower_store(lowering *l, const ls_ir_instr *i) {
    const ls_ir_access *a = i->access_count == 1 ? &i->accesses[0] : NULL;
    const ls_ir_base *base = a ? base_of(l, a) : NULL;
    if (!base) {
        left_out(l, "what it writes is not in the kernel language");
        return;
    }
    uint32_t element = 0;
    for (uint32_t k = 0; k < i->src_count; k++) {
        if (i->src[k].role != LS_ROLE_DATA || k == a->src) continue;
        const ls_kexpr *index = index_of(l, a, element++), *value = operand(l, &i->src[k]);
        const ls_kvar *array = l->arrays[base->id];
        if (value && value->type.kind == LS_KT_BV) value = resized(l, value, array->type.width, false);
        if (!index || !value || !ls_ktype_equal(value->type, array->type)) {
            left_out(l, "what it writes is not in the kernel language");
            return;
        }
        add(l, (ls_kstmt){.kind = LS_KS_ASSIGN, .var = array, .index = index, .value = value});
    }
}

/* --- Computation -----------------------------------------------------------------------------------------
 */

typedef struct {
    const ls_kexpr *src[4];
    uint32_t count;
    ls_ptx_type type; /* the form's first */
    bool is_signed;
} inputs;

typedef const ls_kexpr *(*lower_fn)(lowering *l, const ls_ir_instr *i, const inputs *in);

/* An operator of two operands: the one for signed numbers, the other for unsigned ones and bits. */
typedef struct {
    uint16_t op;
    uint8_t of_signed, of_unsigned;
} binary_row;

static const binary_row binaries[] = {
    {LS_OP_ADD, LS_KX_ADD, LS_KX_ADD},   {LS_OP_SUB, LS_KX_SUB, LS_KX_SUB},
    {LS_OP_AND, LS_KX_BAND, LS_KX_BAND}, {LS_OP_OR, LS_KX_BOR, LS_KX_BOR},
    {LS_OP_XOR, LS_KX_BXOR, LS_KX_BXOR}, {LS_OP_DIV, LS_KX_SDIV, LS_KX_DIV},
    {LS_OP_REM, LS_KX_SREM, LS_KX_MOD},  {LS_OP_SHL, LS_KX_SHL, LS_KX_SHL},
    {LS_OP_SHR, LS_KX_ASHR, LS_KX_SHR},
};

static const ls_kexpr *low_binary(lowering *l, const ls_ir_instr *i, const inputs *in) {
    if (in->count != 2 || ls_ptx_form_has(i->form, LS_MOD_CC) || ls_ptx_form_has(i->form, LS_MOD_SAT))
        return NULL;
    const ls_kexpr *a = in->src[0], *b = in->src[1];
    if (a->type.kind == LS_KT_BOOL) {
        ls_kop op = i->op == LS_OP_AND ? LS_KX_AND : i->op == LS_OP_OR ? LS_KX_OR : LS_KX_NE;
        bool logic = i->op == LS_OP_AND || i->op == LS_OP_OR || i->op == LS_OP_XOR;
        return logic ? ls_kexpr_binary(l->ctx, op, a, b) : NULL;
    }
    for (size_t k = 0; k < sizeof binaries / sizeof *binaries; k++) {
        if (binaries[k].op != i->op) continue;
        bool shift = i->op == LS_OP_SHL || i->op == LS_OP_SHR;
        if (shift && b->type.width != a->type.width) b = resized(l, b, a->type.width, false);
        return ls_kexpr_binary(l->ctx, in->is_signed ? binaries[k].of_signed : binaries[k].of_unsigned, a, b);
    }
    return NULL;
}

/* The product as .lo or .wide has it. */
static const ls_kexpr *low_mul(lowering *l, const ls_ir_instr *i, const inputs *in) {
    if (in->count < 2 || ls_ptx_form_has(i->form, LS_MOD_HI) || ls_ptx_form_has(i->form, LS_MOD_CC))
        return NULL;
    uint32_t width = width_of((uint8_t)in->type);
    if (ls_ptx_form_has(i->form, LS_MOD_WIDE)) width *= 2;
    if (width > 64) return NULL;
    const ls_kexpr *product = ls_kexpr_binary(l->ctx, LS_KX_MUL, resized(l, in->src[0], width, in->is_signed),
                                              resized(l, in->src[1], width, in->is_signed));
    if (i->op == LS_OP_MUL) return product;
    return in->count == 3
               ? ls_kexpr_binary(l->ctx, LS_KX_ADD, product, resized(l, in->src[2], width, in->is_signed))
               : NULL;
}

static const ls_kexpr *low_unary(lowering *l, const ls_ir_instr *i, const inputs *in) {
    const ls_kexpr *a = in->src[0];
    if (i->op == LS_OP_NEG) return ls_kexpr_unary(l->ctx, LS_KX_NEG, a);
    return ls_kexpr_unary(l->ctx, a->type.kind == LS_KT_BOOL ? LS_KX_NOT : LS_KX_BNOT, a);
}

static const ls_kexpr *low_copy(lowering *l, const ls_ir_instr *i, const inputs *in) {
    (void)l;
    return in->count == 1 && i->dst_count == 1 ? in->src[0] : NULL;
}

static const ls_kexpr *low_convert(lowering *l, const ls_ir_instr *i, const inputs *in) {
    if (i->form->type_count != 2 || ls_ptx_form_has(i->form, LS_MOD_SAT) || in->src[0]->type.kind != LS_KT_BV)
        return NULL;
    for (uint32_t k = 0; k < 2; k++)
        if (ls_ptx_type_kind_of((ls_ptx_type)i->form->types[k]) == LS_KIND_FLOAT) return NULL;
    bool sign = ls_ptx_type_kind_of((ls_ptx_type)i->form->types[1]) == LS_KIND_SIGNED;
    const ls_kexpr *a = resized(l, in->src[0], width_of(i->form->types[1]), false);
    return resized(l, a, width_of(i->form->types[0]), sign);
}

static const ls_kexpr *less(lowering *l, const inputs *in, bool or_equal, bool swapped) {
    const ls_kexpr *a = in->src[swapped], *b = in->src[!swapped];
    ls_kop op = in->is_signed ? (or_equal ? LS_KX_SLE : LS_KX_SLT) : (or_equal ? LS_KX_LE : LS_KX_LT);
    return ls_kexpr_binary(l->ctx, op, a, b);
}

static const ls_kexpr *low_compare(lowering *l, const ls_ir_instr *i, const inputs *in) {
    if (in->count != 2 || i->dst_count != 1 || in->src[0]->type.kind != LS_KT_BV) return NULL;
    inputs as_unsigned = *in;
    as_unsigned.is_signed = false;
    switch (i->form->compare) {
    case LS_MOD_EQ: return ls_kexpr_binary(l->ctx, LS_KX_EQ, in->src[0], in->src[1]);
    case LS_MOD_NE: return ls_kexpr_binary(l->ctx, LS_KX_NE, in->src[0], in->src[1]);
    case LS_MOD_LT: return less(l, in, false, false);
    case LS_MOD_LE: return less(l, in, true, false);
    case LS_MOD_GT: return less(l, in, false, true);
    case LS_MOD_GE: return less(l, in, true, true);
    case LS_MOD_LO: return less(l, &as_unsigned, false, false);
    case LS_MOD_LS: return less(l, &as_unsigned, true, false);
    case LS_MOD_HI: return less(l, &as_unsigned, false, true);
    case LS_MOD_HS: return less(l, &as_unsigned, true, true);
    default: return NULL;
    }
}

static const ls_kexpr *low_select(lowering *l, const ls_ir_instr *i, const inputs *in) {
    if (i->op == LS_OP_SELP)
        return in->count == 3 && in->src[2]->type.kind == LS_KT_BOOL
                   ? ls_kexpr_ite(l->ctx, in->src[2], in->src[0], in->src[1])
                   : NULL;
    if (in->count != 2) return NULL;
    return ls_kexpr_ite(l->ctx, less(l, in, false, i->op == LS_OP_MAX), in->src[0], in->src[1]);
}

static const struct {
    uint16_t op;
    bool floats; /* bits are moved: the type does not matter */
    lower_fn fn;
} computations[] = {
    {LS_OP_ADD, false, low_binary},  {LS_OP_SUB, false, low_binary},   {LS_OP_AND, true, low_binary},
    {LS_OP_OR, true, low_binary},    {LS_OP_XOR, true, low_binary},    {LS_OP_DIV, false, low_binary},
    {LS_OP_REM, false, low_binary},  {LS_OP_SHL, true, low_binary},    {LS_OP_SHR, true, low_binary},
    {LS_OP_MUL, false, low_mul},     {LS_OP_MAD, false, low_mul},      {LS_OP_NEG, false, low_unary},
    {LS_OP_NOT, true, low_unary},    {LS_OP_MOV, true, low_copy},      {LS_OP_CVTA, true, low_copy},
    {LS_OP_CVT, false, low_convert}, {LS_OP_SETP, false, low_compare}, {LS_OP_SELP, true, low_select},
    {LS_OP_MIN, false, low_select},  {LS_OP_MAX, false, low_select},
};

static bool gather(lowering *l, const ls_ir_instr *i, inputs *in) {
    uint8_t type = (uint8_t)ls_ptx_form_type(i->form, 0);
    if (i->op == LS_OP_SETP) type = i->form->types[i->form->type_count - 1];
    *in = (inputs){.type = (ls_ptx_type)type};
    in->is_signed = ls_ptx_type_kind_of(in->type) == LS_KIND_SIGNED;
    if (i->src_count > 4) return false;
    for (uint32_t k = 0; k < i->src_count; k++) {
        in->src[in->count] = operand(l, &i->src[k]);
        if (!in->src[in->count++]) return false;
    }
    return in->count > 0;
}

static const ls_kexpr *compute(lowering *l, const ls_ir_instr *i) {
    inputs in;
    bool is_float = ls_ptx_type_kind_of(ls_ptx_form_type(i->form, 0)) == LS_KIND_FLOAT;
    for (size_t k = 0; k < sizeof computations / sizeof *computations && !i->unknown; k++) {
        if (computations[k].op != i->op || (is_float && !computations[k].floats)) continue;
        if (strchr(ls_ptx_type_text(ls_ptx_form_type(i->form, 0)), 'x')) return NULL; /* packed types */
        return gather(l, i, &in) ? computations[k].fn(l, i, &in) : NULL;
    }
    return NULL;
}

/* --- Instructions and blocks -----------------------------------------------------------------------------
 */

static bool is_barrier(const ls_ir_instr *i) {
    bool named = i->src_count != 1 || i->src[0].kind != LS_IR_IMM || i->src[0].bits != 0;
    return i->form->opcode->barrier == LS_BARRIER_BLOCK && !named;
}

/* What OpenCL's barrier orders stands in a call before it; in the language every barrier orders all. */
static bool is_marker(const ls_ir_instr *i) {
    return ls_ir_builtin(i) == LS_BUILTIN_BARRIER;
}

static void lower_plain(lowering *l, const ls_ir_instr *i) {
    if (is_barrier(i))
        add(l, (ls_kstmt){.kind = LS_KS_BARRIER});
    else if (i->op == LS_OP_LD || i->op == LS_OP_LDU)
        lower_load(l, i);
    else if (i->op == LS_OP_ST)
        lower_store(l, i);
    else if (i->form->opcode->effects & (LS_BARRIER | LS_WRITES_MEMORY) ||
             (i->call && !i->dst_count && !is_marker(i)))
        left_out(l, "what it does is not in the kernel language");
    if (i->op == LS_OP_LD || i->op == LS_OP_LDU) return;
    const ls_kexpr *value = i->dst_count == 1 && !i->call ? compute(l, i) : NULL;
    for (uint32_t d = 0; d < i->dst_count; d++) assign(l, &i->dst[d], value);
}

static const ls_kexpr *guard_of(lowering *l, const ls_ir_instr *i, bool holds) {
    const ls_kexpr *guard = operand(l, &i->guard);
    if (!guard || guard->type.kind != LS_KT_BOOL) return NULL;
    return holds ? guard : ls_kexpr_unary(l->ctx, LS_KX_NOT, guard);
}

static void lower_instr(lowering *l, const ls_ir_instr *i) {
    l->instr = i;
    if (i->guard.kind == LS_IR_ABSENT) {
        lower_plain(l, i);
        return;
    }
    uint32_t from = l->at, does = when(l, from, guard_of(l, i, true), "_do");
    uint32_t skips = when(l, from, guard_of(l, i, false), "_not");
    uint32_t join = new_block(l, l->prog->blocks.items[from].label, "_on");
    l->at = does;
    lower_plain(l, i);
    ls_kblock_goto(l->prog, l->at, join);
    ls_kblock_goto(l->prog, skips, join);
    l->at = join;
}

/* The condition under which the block's end goes to its successor k; NULL: it may always. */
static const ls_kexpr *edge(lowering *l, const ls_ir_block *b, uint32_t k) {
    bool negated;
    const ls_ir_instr *last = b->terminator;
    if (!last || !ls_ir_branch_predicate(b, &negated)) return NULL;
    if (last->targets) { /* brx.idx */
        const ls_kexpr *index = last->src_count ? operand(l, &last->src[0]) : NULL, *any = NULL;
        for (uint32_t i = 0; index && index->type.kind == LS_KT_BV && i < last->target_count; i++) {
            if (last->targets[i] != b->succs[k]) continue;
            const ls_kexpr *is = ls_kexpr_binary(l->ctx, LS_KX_EQ, index, number(l, index->type.width, i));
            any = any ? ls_kexpr_binary(l->ctx, LS_KX_OR, any, is) : is;
        }
        return any;
    }
    return b->succ_count == 2 ? guard_of(l, last, k == 0) : NULL;
}

static void lower_end(lowering *l, const ls_ir_block *b) {
    static const char *const suffixes[] = {"_then", "_else"};
    uint32_t from = l->at;
    l->instr = b->terminator;
    if (!b->succ_count) ls_kblock_goto(l->prog, from, LS_KEND);
    for (uint32_t k = 0; k < b->succ_count; k++) {
        uint32_t to = l->blocks[b->succs[k]->id], at = from;
        if (b->succ_count > 1) at = when(l, from, edge(l, b, k), b->succ_count == 2 ? suffixes[k] : "_case");
        ls_kblock_goto(l->prog, at, to);
    }
}

static void lower_block(lowering *l, const ls_ir_block *b) {
    l->at = l->blocks[b->id];
    for (uint32_t k = 0; k < b->instr_count; k++)
        if (b->instrs[k] != b->terminator) lower_instr(l, b->instrs[k]);
    lower_end(l, b);
}

static void make_arrays(lowering *l) {
    bool *used = LS_NEW_N(&l->ctx->arena, bool, l->f->base_count + 1);
    for (uint32_t i = 0; i < l->f->access_count; i++)
        for (uint32_t b = 0; b < l->f->accesses[i]->base_count; b++)
            used[l->f->accesses[i]->bases[b]->id] = true;
    for (uint32_t i = 0; i < l->f->base_count; i++)
        if (used[i]) make_array(l, l->f->bases[i]);
}

ls_kprog *ls_kernel_lower(const ls_ir_function *f, const ls_model_launch *launch, ls_diags *diags) {
    const uint32_t *block = launch->block;
    uint64_t threads = block[0] ? (uint64_t)block[0] * block[1] * block[2] : 0;
    if (f->entry->id != 0 || threads > 1024) {
        ls_diags_add(diags, LS_ERROR, f->module->filename, 0, 0, "'%s': no block of threads has this size",
                     f->name);
        return NULL;
    }
    lowering l = {.f = f, .launch = launch, .diags = diags, .ctx = ls_kctx_new((uint32_t)threads)};
    l.prog = ls_kprog_new(l.ctx, plain_name(&l, f->name), f->module->filename);
    ls_kvar *tid = ls_kvar_new(l.ctx, "tid", LS_KC_PRIVATE, LS_KTYPE_INT);
    tid->role = LS_KR_TID;
    tid->high = threads ? (int64_t)threads - 1 : 1023;
    l.ctx->tid = tid;
    l.regs = LS_NEW_N(&l.ctx->arena, const ls_kvar *, f->register_count + 1);
    l.arrays = LS_NEW_N(&l.ctx->arena, const ls_kvar *, f->base_count + 1);
    l.bytes = LS_NEW_N(&l.ctx->arena, uint32_t, f->base_count + 1);
    l.blocks = LS_NEW_N(&l.ctx->arena, uint32_t, f->block_count + 1);
    make_arrays(&l);
    for (uint32_t b = 0; b < f->block_count; b++)
        l.blocks[b] = ls_kblock_new(l.prog, b ? ls_arena_printf(&l.ctx->arena, "B%u", b) : "Start");
    for (uint32_t b = 0; b < f->block_count; b++) lower_block(&l, f->blocks[b]);
    return l.prog;
}
