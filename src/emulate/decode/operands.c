/* Operands of machine code: a slot for every register, constant, special register and address of a function,
 * and the conversions between their widths. */
#include "emulate/decode/decode.h"

/* --- Slots --- */
uint8_t em_width_of(ls_ptx_type type) {
    if (type == LS_TYPE_PRED) return WIDTH_PRED;
    return ls_ptx_type_bits(type) > 32 ? 8 : 4;
}

uint32_t em_new_slot(decoder *d, uint8_t width) {
    uint32_t bytes = width == WIDTH_PRED ? 64 : width * d->e->stride;
    uint64_t slot = d->next_slot;
    d->next_slot += bytes;
    return slot > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)slot; /* then it is not run */
}

operand em_register(decoder *d, uint32_t reg) {
    operand *o = &d->registers[reg];
    if (o->slot == NO_SLOT) {
        o->width = em_width_of((ls_ptx_type)d->ir->registers[reg].type);
        o->slot = em_new_slot(d, o->width);
        if (em_register_bits(d, reg) > 64) em_new_slot(d, o->width); /* the upper half, behind it */
    }
    LS_VEC_PUSH(&d->used, o->slot);
    return *o;
}

operand em_half_of(const decoder *d, operand o, uint32_t k) {
    return (operand){o.slot + k * 8 * d->e->stride, 8};
}

bool em_is_wide(const decoder *d, const ls_ir_operand *o) {
    return o->kind == LS_IR_REG && em_register_bits(d, o->reg) == 128;
}

uint32_t em_register_bits(const decoder *d, uint32_t reg) {
    return ls_ptx_type_bits((ls_ptx_type)d->ir->registers[reg].type);
}

operand em_constant(decoder *d, uint64_t bits, uint8_t width) {
    if (width == 4) bits = (uint32_t)bits;
    if (width == WIDTH_PRED) bits = bits ? UINT64_MAX : 0;
    bool is_new;
    uint64_t *at = ls_intmap_at(&d->constants[width / 4], bits, &is_new);
    if (is_new) {
        *at = em_new_slot(d, width);
        constant_slot c = {(uint32_t)*at, width, bits};
        LS_VEC_PUSH(&d->c->constants, c);
        em_fix_slot(d, c.slot, true);
    }
    return (operand){(uint32_t)*at, width};
}

/* --- Emitting --- */
insn *em_emit(decoder *d, exec_fn fn) {
    insn i = {.fn = fn,
              .guard = NO_SLOT,
              .site = d->site,
              .is_guard = fn == em_exec_guard,
              .is_warp_barrier = fn == em_exec_warp_barrier};
    LS_VEC_PUSH(&d->out, i);
    return &d->out.items[d->out.length - 1];
}

insn *em_emit_lane(decoder *d, uint16_t lane, uint32_t dst, uint32_t a, uint32_t b, uint32_t c) {
    insn *i = em_emit(d, d->e->lane_ops[lane]);
    i->op = lane;
    i->d = dst, i->a = a, i->b = b, i->c = c;
    return i;
}

void em_unsupported(decoder *d, const char *why) {
    insn *i = em_emit(d, em_exec_unsupported);
    i->extra = ls_arena_strdup(d->arena, why);
}

/* --- Operands --- */
static operand converted(decoder *d, operand o, uint8_t width) {
    if (o.width == width) return o;
    operand r = {em_new_slot(d, width), width};
    if (o.width == WIDTH_PRED || width == WIDTH_PRED) {
        em_unsupported(d, "a predicate used as a number");
        return r;
    }
    em_emit_lane(d, width == 8 ? LANE_CVT_U64_U32 : LANE_CVT_32_64, r.slot, o.slot, 0, 0);
    return r;
}

/* Special registers that are the same on every read have a slot that is filled when the frame is. */
static operand special(decoder *d, const ls_ir_operand *o) {
    const ls_ptx_sreg_info *info = ls_ptx_sreg_of((ls_ptx_sreg)o->sreg);
    if (o->sreg == LS_SREG_ENVREG && !d->e->workspace)
        d->e->workspace = ls_emulator_alloc(d->e, 64, "the grid's workspace");
    uint8_t width = em_width_of(info->type);
    sreg_slot s = {0, (uint8_t)o->sreg, o->element, width};
    if (info->varies != LS_PER_READ) {
        for (uint32_t i = 0; i < d->c->sregs.length; i++) {
            const sreg_slot *have = &d->c->sregs.items[i];
            if (have->sreg != o->sreg || have->element != o->element) continue;
            LS_VEC_PUSH(&d->used, have->slot);
            return (operand){have->slot, width};
        }
    }
    s.slot = em_new_slot(d, width);
    LS_VEC_PUSH(&d->used, s.slot);
    if (info->varies == LS_PER_READ) {
        insn *i = em_emit(d, em_exec_sreg);
        i->d = s.slot;
        i->a = o->sreg;
        i->aux = width;
    } else {
        LS_VEC_PUSH(&d->c->sregs, s);
        if (em_is_block_register(s.sreg)) {
            const bool place = s.sreg == LS_SREG_CTAID;
            s.affine = !place; /* other values of a block are no sums */
            LS_VEC_PUSH(&d->c->block_sregs, s);
            if (place) em_place_sum(d, s.slot, s.element);
        } else {
            em_fix_slot(d, s.slot, s.sreg == LS_SREG_NTID || s.sreg == LS_SREG_NCTAID);
        }
    }
    return (operand){s.slot, width};
}

uint32_t em_param_offset(decoder *d, uint32_t index) {
    if (!d->param_offsets) {
        d->param_offsets = LS_NEW_N(d->arena, uint32_t, d->c->function->param_count + 1);
        ls_emu_param_offsets(d->c->function, d->param_offsets);
    }
    return d->param_offsets[index];
}

/* The address of a variable or function. */
static operand object_address(decoder *d, const ls_ir_operand *o) {
    const ls_ir_object *object = d->ir->objects[o->object];
    uint8_t width = 8;
    uint64_t offset = (uint64_t)o->offset;
    switch (object->kind) {
    case LS_OBJECT_GLOBAL:
    case LS_OBJECT_CONST: {
        allocation *a = ls_map_get(&d->e->symbols, object->symbol->name, object->symbol->length);
        if (!a) em_unsupported(d, "the address of an external variable");
        return em_constant(d, a ? a->lo + offset : 0, width);
    }
    case LS_OBJECT_SHARED:
        for (uint32_t i = 0; i < d->e->shared.length; i++)
            if (d->e->shared.items[i].variable == object->variable)
                return em_constant(d, d->e->shared.items[i].offset + offset, width);
        em_unsupported(d, "an unknown shared variable");
        return em_constant(d, 0, width);
    case LS_OBJECT_PARAM:
        if (d->c->is_kernel) {
            return em_constant(d, em_param_offset(d, object->index) + offset, width);
        } /* fall through */
    case LS_OBJECT_LOCAL:
    case LS_OBJECT_CALL_PARAM:
    case LS_OBJECT_RETURN: {
        frame_slot f = {em_new_slot(d, width), width, (int64_t)(d->objects[o->object] + offset)};
        LS_VEC_PUSH(&d->c->frames, f);
        em_fix_slot(d, f.slot, false);
        return (operand){f.slot, width};
    }
    case LS_OBJECT_FUNCTION: {
        const ls_ptx_function *f = object->symbol->function;
        em_code_of(d->e, f->definition ? f->definition : f);
        return em_constant(d, em_function_address(d->e, f), width);
    }
    case LS_OBJECT_TEXTURE: { /* a handle that was bound by name before the run, or where a program puts it */
        const ls_ptx_symbol *s = object->symbol;
        const uint64_t handle = (uint64_t)(uintptr_t)ls_map_get(&d->e->bindings, s->name, s->length);
        const allocation *a = ls_map_get(&d->e->symbols, s->name, s->length);
        return em_constant(d, handle || !a ? handle : a->lo, width);
    }
    default: break;
    }
    em_unsupported(d, "the address of this kind of variable");
    return em_constant(d, 0, width);
}

operand em_source(decoder *d, const ls_ir_operand *o, uint8_t width) {
    operand r = {0, 4};
    switch (o->kind) {
    case LS_IR_REG: r = em_register(d, o->reg); break;
    case LS_IR_IMM: {
        uint64_t bits = o->bits;
        uint8_t own = em_width_of((ls_ptx_type)o->type);
        if (o->type == LS_TYPE_S32 && width == 8) bits = (uint64_t)(int64_t)(int32_t)bits;
        return em_constant(d, bits, width == 255 ? own : width);
    }
    case LS_IR_SREG: r = special(d, o); break;
    case LS_IR_OBJECT: r = object_address(d, o); break;
    default: em_unsupported(d, "an operand of this kind"); return em_constant(d, 0, width == 255 ? 4 : width);
    }
    if (o->flags & LS_OPERAND_NOT && r.width == WIDTH_PRED) {
        operand n = {em_new_slot(d, WIDTH_PRED), WIDTH_PRED};
        em_emit_lane(d, LANE_NOT_PRED, n.slot, r.slot, r.slot, 0);
        r = n;
    }
    return width == 255 ? r : converted(d, r, width);
}

operand em_dst(decoder *d, const ls_ir_operand *o, uint8_t width) {
    if (o->kind == LS_IR_REG && em_register(d, o->reg).width == width) return em_register(d, o->reg);
    return (operand){em_new_slot(d, width), width};
}

void em_finish_dst(decoder *d, const ls_ir_operand *o, operand computed) {
    if (o->kind != LS_IR_REG) return;
    operand r = em_register(d, o->reg);
    if (r.slot == computed.slot) return;
    operand c = converted(d, computed, r.width);
    em_emit_lane(d,
                 r.width == 8   ? LANE_MOV_64
                 : r.width == 4 ? LANE_MOV_32
                                : LANE_MOV_PRED,
                 r.slot, c.slot, c.slot, 0);
}
