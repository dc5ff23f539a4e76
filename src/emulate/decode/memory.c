/* Decoding of loads, stores and atomics: state space, element size, registers. Kernel parameters at constant
 * offsets are no loads at all: they stand in slots that are filled when the frame is. */
#include "emulate/decode/decode.h"
#include "emulate/proved.h"
#include "isa/atomic.h"
#include "isa/number.h"

/* --- State spaces --- */
static ls_ptx_space object_space(const decoder *d, const ls_ir_object *object) {
    switch (object->kind) {
    case LS_OBJECT_SHARED: return LS_SPACE_SHARED;
    case LS_OBJECT_LOCAL:
    case LS_OBJECT_CALL_PARAM:
    case LS_OBJECT_RETURN: return LS_SPACE_LOCAL;
    case LS_OBJECT_PARAM: return d->c->is_kernel ? LS_SPACE_PARAM : LS_SPACE_LOCAL;
    default: return LS_SPACE_GLOBAL;
    }
}

static ls_ptx_space access_space(const decoder *d, const ls_ir_operand *address) {
    if (address->kind == LS_IR_OBJECT) return object_space(d, d->ir->objects[address->object]);
    ls_ptx_space space = ls_ptx_form_space(d->instr->form);
    if (space == LS_SPACE_CONST) return LS_SPACE_GLOBAL;
    if (space == LS_SPACE_SHARED_CLUSTER) return LS_SPACE_SHARED;
    if (space == LS_SPACE_PARAM && !d->c->is_kernel) return LS_SPACE_LOCAL;
    return space;
}

mem_access *em_new_access(decoder *d, const ls_ir_operand *address, uint8_t bytes, uint8_t count) {
    const ls_ptx_form *form = d->instr->form;
    mem_access *m = LS_NEW(d->arena, mem_access);
    m->space = (uint8_t)access_space(d, address);
    m->bytes = bytes;
    m->count = count;
    m->type = (uint8_t)ls_ptx_form_type(form, 0);
    m->order = ls_order_of(form);
    if (m->order.strong || form->opcode->class != LS_CLASS_MEMORY) d->e->strong_accesses = true;
    if (m->order.acquires || m->order.releases) d->e->orders = true;
    if (m->order.strong && m->space != LS_SPACE_SHARED) d->e->strong_global = true;
    if (m->order.strong && m->space != LS_SPACE_SHARED && !m->order.atomic) d->e->communicates = true;
    operand o = em_source(d, address, 255);
    m->address = o.slot;
    m->address_width = o.width;
    m->offset = address->kind == LS_IR_OBJECT ? 0 : address->offset;
    m->fixed_address = d->c->is_kernel && em_is_fixed(d, o.slot);
    m->memory_site = d->e->memory_sites++;
    bool generic = m->space == LS_SPACE_GENERIC;
    if (bytes < 4 && (generic || m->space == LS_SPACE_SHARED)) d->e->shared_narrow = true;
    if (bytes < 4 && (generic || m->space == LS_SPACE_GLOBAL)) d->e->global_narrow = true;
    LS_VEC_PUSH(&d->e->site_of_memory, d->site);
    LS_VEC_PUSH(&d->e->order_of_memory, m->order);
    return m;
}

/* --- Parameters --- */
/* Whether all that is loaded lies in the parameters; else it is a load like any other, which is out of
 * bounds.
 */
static bool in_params(decoder *d, const ls_ir_operand *address, uint32_t bytes) {
    uint64_t size = ls_emu_param_offsets(d->c->function, NULL), all = (uint64_t)bytes * d->instr->dst_count;
    uint64_t first = em_param_offset(d, d->ir->objects[address->object]->index) + (uint64_t)address->offset;
    return first <= size && size - first >= all;
}

static void decode_param(decoder *d, const ls_ir_operand *address, uint8_t bytes) {
    const ls_ir_instr *in = d->instr;
    uint32_t first = em_param_offset(d, d->ir->objects[address->object]->index) + (uint32_t)address->offset;
    uint32_t halves = bytes > 8 ? 2 : 1;
    for (uint32_t k = 0; k < in->dst_count * halves; k++) {
        const ls_ir_operand *o = &in->dst[k / halves];
        if (o->kind != LS_IR_REG) continue;
        operand r = em_register(d, o->reg);
        if (halves > 1) r = em_half_of(d, r, k % 2);
        uint32_t bits = em_register_bits(d, o->reg);
        param_slot p = {em_new_slot(d, r.width),
                        r.width,
                        (uint8_t)(bytes / halves),
                        (uint8_t)(bits > 64 ? 64 : bits),
                        em_is_signed(ls_ptx_form_type(in->form, 0)),
                        first + k * (bytes / halves)};
        LS_VEC_PUSH(&d->c->param_slots, p);
        em_fix_slot(d, p.slot, true);
        em_emit_lane(d, r.width == 8 ? LANE_MOV_64 : LANE_MOV_32, r.slot, p.slot, p.slot, 0);
    }
}

/* --- Elements --- */
/* Whether registers of 128 bits stand there; what is not stored anywhere may be left out. */
static bool all_wide(const decoder *d, const ls_ir_operand *operands, uint32_t count) {
    for (uint32_t k = 0; k < count; k++)
        if (operands[k].kind == LS_IR_REG ? !em_is_wide(d, &operands[k]) : operands[k].kind != LS_IR_SINK)
            return false;
    return true;
}

/* The registers of an access's elements; one of 128 bits is two elements. Returns how many there are. */
static uint32_t sources(decoder *d, const ls_ir_operand *from, uint32_t count, uint32_t bits, operand *out) {
    for (uint32_t k = 0; k < count; k++) {
        operand o = em_source(d, &from[k], 255);
        if (bits == 128)
            out[2 * k] = em_half_of(d, o, 0), out[2 * k + 1] = em_half_of(d, o, 1);
        else
            out[k] = o;
    }
    return bits == 128 ? 2 * count : count;
}

static void loaded(decoder *d, mem_access *m, const ls_ir_operand *to, uint32_t halves) {
    for (uint32_t k = 0; k < m->count; k++) {
        const ls_ir_operand *o = &to[k / halves];
        m->value[k] = (operand){0, 8};
        m->dst_bits[k] = 64;
        if (o->kind != LS_IR_REG) {
            m->value[k].slot = em_new_slot(d, 8);
        } else if (halves > 1) {
            m->value[k] = em_half_of(d, em_register(d, o->reg), k % 2);
        } else {
            m->value[k] = em_register(d, o->reg);
            m->dst_bits[k] = (uint8_t)em_register_bits(d, o->reg);
        }
    }
}

/* How many sources belong to the same operand as this one. */
static uint32_t elements_at(const ls_ir_instr *in, uint32_t first) {
    uint32_t n = 0;
    for (uint32_t k = first; k < in->src_count; k++) n += in->src[k].operand == in->src[first].operand;
    return n;
}

/* --- ld, st --- */
/* Atomic operations on 32-bit integers have one of their own. */
static uint16_t fast_atomic(const mem_access *m, bool shared) {
    bool integer = m->type == LS_TYPE_U32 || m->type == LS_TYPE_S32 || m->type == LS_TYPE_B32;
    bool simple = m->op == ATOMIC_ADD || (m->op >= ATOMIC_MIN && m->op <= ATOMIC_EXCH);
    bool result = m->result[0].width == 4 || m->result[0].width == NO_WIDTH;
    if (!integer || !simple || !result || m->count != 1 || m->value[0].width != 4) return LANE_NONE;
    return shared ? LANE_ATOM_SHARED_32 : LANE_ATOM_GLOBAL_32;
}

/* The vector loop for a plain access, or LANE_NONE: by bytes, whether it writes and space. */
static uint16_t fast_access(const mem_access *m) {
    static const struct {
        uint8_t bytes, width;
        uint16_t load[2], load_signed[2], store[2]; /* global, shared */
    } table[] = {
        {1,
         4,
         {LANE_LD_GLOBAL_U8, LANE_LD_SHARED_U8},
         {LANE_LD_GLOBAL_S8, LANE_LD_SHARED_S8},
         {LANE_ST_GLOBAL_8, LANE_ST_SHARED_8}},
        {2,
         4,
         {LANE_LD_GLOBAL_U16, LANE_LD_SHARED_U16},
         {LANE_LD_GLOBAL_S16, LANE_LD_SHARED_S16},
         {LANE_ST_GLOBAL_16, LANE_ST_SHARED_16}},
        {4,
         4,
         {LANE_LD_GLOBAL_32, LANE_LD_SHARED_32},
         {LANE_LD_GLOBAL_32, LANE_LD_SHARED_32},
         {LANE_ST_GLOBAL_32, LANE_ST_SHARED_32}},
        {8,
         8,
         {LANE_LD_GLOBAL_64, LANE_LD_SHARED_64},
         {LANE_LD_GLOBAL_64, LANE_LD_SHARED_64},
         {LANE_ST_GLOBAL_64, LANE_ST_SHARED_64}},
    };
    bool shared = m->space == LS_SPACE_SHARED;
    if (!shared && (m->address_width != 8 || m->space != LS_SPACE_GLOBAL)) return LANE_NONE;
    if (m->atomic) return fast_atomic(m, shared);
    if (m->order.strong || m->count & (m->count - 1)) return LANE_NONE;
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        if (table[t].bytes != m->bytes) continue;
        for (uint32_t k = 0; k < m->count; k++) {
            if (m->value[k].width != table[t].width) return LANE_NONE;
            if (!m->write && m->sign && m->bytes < 4 && m->dst_bits[k] != 32) return LANE_NONE;
        }
        return m->write  ? table[t].store[shared]
               : m->sign ? table[t].load_signed[shared]
                         : table[t].load[shared];
    }
    return LANE_NONE;
}

static void emit_access(decoder *d, mem_access *m, exec_fn general) {
    uint16_t lane = fast_access(m);
    bool shared = m->space == LS_SPACE_SHARED;
    if (d->e->unchecked_memory && m->space == LS_SPACE_GLOBAL) lane = LANE_NONE;
    m->counted = d->e->checks & (shared ? LS_CHECK_BANK : LS_CHECK_COALESCE);
    m->spared = em_is_spared(d->e, d->instr->ast);
    m->raced = d->e->checks & (LS_CHECK_RACE | LS_CHECK_UNINIT) && !m->spared;
    d->e->spared_sites += m->spared;
    if (!lane) {
        em_emit(d, general)->extra = m;
        return;
    }
    mem_access *split = em_split_access(d, m);
    insn *i = em_emit_lane(d, lane, m->value[0].slot, m->address, 0, 0);
    i->extra = m;
    if (!split) return;
    i->stream = STREAM_PLAIN;
    i = em_emit_lane(d, lane, m->value[0].slot, split->address, 0, 0);
    i->extra = split;
    i->stream = STREAM_AFFINE;
}

void em_decode_memory(decoder *d) {
    const ls_ir_instr *in = d->instr;
    ls_ptx_type type = ls_ptx_form_type(in->form, 0);
    uint32_t bits = ls_ptx_type_bits(type);
    bool store = in->op == LS_OP_ST || in->op == LS_OP_ST_ASYNC;
    uint32_t count = store ? elements_at(in, 1) : in->dst_count, halves = bits > 64 ? 2 : 1;
    if (in->unknown || in->src_count < 1 || bits < 8 || bits > 128 || count * halves > 8 || count < 1 ||
        (store && in->src_count < 2)) {
        em_unsupported(d, "a memory access of this form");
        return;
    }
    const ls_ir_operand *address = &in->src[0];
    if (bits == 128 && !all_wide(d, store ? &in->src[1] : in->dst, count)) {
        em_unsupported(d, "an access of 128 bits with registers of other widths");
        return;
    }
    if (!store && address->kind == LS_IR_OBJECT && access_space(d, address) == LS_SPACE_PARAM &&
        in_params(d, address, bits / 8)) {
        decode_param(d, address, (uint8_t)(bits / 8));
        return;
    }
    mem_access *m = em_new_access(d, address, (uint8_t)(bits / 8 / halves), (uint8_t)(count * halves));
    m->write = store;
    if (m->order.strong && !store) d->e->strong_loads = true;
    m->copied = !store && em_is_copied(d, in, false);
    m->copied_local = !store && em_is_copied(d, in, true);
    m->sign = em_is_signed(type);
    if (store)
        sources(d, &in->src[1], count, bits, m->value);
    else
        loaded(d, m, in->dst, halves);
    emit_access(d, m, store ? em_exec_store : em_exec_load);
}

/* --- atom, red --- */
atomic_op em_atomic_op_of(const ls_ptx_form *form) {
    static const struct {
        uint16_t modifier;
        atomic_op op;
    } table[] = {{LS_MOD_ADD, ATOMIC_ADD}, {LS_MOD_INC, ATOMIC_INC}, {LS_MOD_DEC, ATOMIC_DEC},
                 {LS_MOD_MIN, ATOMIC_MIN}, {LS_MOD_MAX, ATOMIC_MAX}, {LS_MOD_AND, ATOMIC_AND},
                 {LS_MOD_OR, ATOMIC_OR},   {LS_MOD_XOR, ATOMIC_XOR}, {LS_MOD_EXCH, ATOMIC_EXCH},
                 {LS_MOD_CAS, ATOMIC_CAS}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (ls_ptx_form_has(form, (ls_ptx_modifier)table[i].modifier)) return table[i].op;
    return ATOMIC_NONE;
}

void em_decode_atomic(decoder *d) {
    const ls_ir_instr *in = d->instr;
    ls_ptx_type type = ls_ptx_form_type(in->form, 0);
    uint32_t bits = ls_ptx_type_bits(type);
    atomic_op op = em_atomic_op_of(in->form);
    bool cas = op == ATOMIC_CAS;
    bool wide = bits == 128 && (cas || op == ATOMIC_EXCH);
    uint32_t count = in->src_count > 1 ? elements_at(in, 1) : 0;
    bool single = wide || cas; /* no vectors of those */
    if (in->unknown || !op || (bits != 16 && bits != 32 && bits != 64 && !wide) || count < 1 ||
        count > (single ? 1 : 8) || in->src_count < (cas ? 3 : 2) ||
        (in->dst_count > 1 && in->dst_count != count) ||
        (wide && !(all_wide(d, &in->src[1], cas ? 2 : 1) && all_wide(d, in->dst, in->dst_count)))) {
        em_unsupported(d, "an atomic operation of this form");
        return;
    }
    mem_access *m = em_new_access(d, &in->src[0], (uint8_t)(wide ? 8 : bits / 8), 1);
    m->atomic = m->write = true;
    d->e->atomic_sizes |= UINT32_C(1) << m->order.bytes;
    d->e->mixed_sizes = d->e->atomic_sizes & (d->e->atomic_sizes - 1);
    m->op = (uint8_t)op;
    m->type = (uint8_t)type;
    m->count = (uint8_t)sources(d, &in->src[1], count, bits, m->value);
    if (cas) sources(d, &in->src[2], 1, bits, m->extra);
    for (uint32_t k = 0; k < 8; k++) {
        m->result[k].width = NO_WIDTH;
        uint32_t at = wide ? k / 2 : k;
        if (k >= m->count || at >= in->dst_count || in->dst[at].kind != LS_IR_REG) continue;
        const ls_ir_operand *o = &in->dst[at];
        m->result[k] = wide ? em_half_of(d, em_register(d, o->reg), k % 2) : em_register(d, o->reg);
    }
    if (m->space != LS_SPACE_SHARED && m->result[0].width != NO_WIDTH) d->e->communicates = true;
    emit_access(d, m, em_exec_atomic);
}
