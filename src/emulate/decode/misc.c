/* Decoding of moves, conversions, calls, barriers and instructions across lanes. */
#include "emulate/check/agent.h"
#include "emulate/decode/decode.h"
#include "isa/meaning.h"
#include "isa/number.h"

#include <string.h>

/* --- mov --- */
static uint16_t move_lane(uint8_t width) {
    return width == 8 ? LANE_MOV_64 : width == 4 ? LANE_MOV_32 : LANE_MOV_PRED;
}

/* Packing and unpacking of vectors: mov.b64 %rd, {%r1, %r2} and back. */
static void decode_packing(decoder *d) {
    const ls_ir_instr *in = d->instr;
    uint32_t bits = ls_ptx_type_bits(ls_ptx_form_type(in->form, 0));
    bool pack = in->dst_count == 1;
    uint32_t parts = pack ? in->src_count : in->dst_count;
    if (bits > 64 || parts > 8 || (pack ? in->dst_count : in->src_count) != 1) {
        em_unsupported(d, "a move of this form");
        return;
    }
    pack_info *p = LS_NEW(d->arena, pack_info);
    p->parts = parts;
    p->bits = bits / parts;
    p->pack = pack;
    p->whole =
        pack ? em_dst(d, &in->dst[0], bits > 32 ? 8 : 4) : em_source(d, &in->src[0], bits > 32 ? 8 : 4);
    for (uint32_t k = 0; k < parts; k++) {
        const ls_ir_operand *o = pack ? &in->src[k] : &in->dst[k];
        if (pack)
            p->part[k] = em_source(d, o, p->bits > 32 ? 8 : 4);
        else
            p->part[k] = em_dst(d, o, p->bits > 32 ? 8 : 4);
    }
    if (bits == 64 && parts == 2 && pack)
        em_emit_lane(d, LANE_PACK_64, p->whole.slot, p->part[0].slot, p->part[1].slot, 0);
    else if (bits == 64 && parts == 2)
        em_emit_lane(d, LANE_UNPACK_64, p->part[0].slot, p->whole.slot, p->part[1].slot, 0);
    else
        em_emit(d, em_exec_pack)->extra = p;
    if (pack) em_finish_dst(d, &in->dst[0], p->whole);
    for (uint32_t k = 0; !pack && k < parts; k++) em_finish_dst(d, &in->dst[k], p->part[k]);
}

/* Registers of 128 bits: whole, packed of two halves, or unpacked. */
static void decode_wide_mov(decoder *d) {
    const ls_ir_instr *in = d->instr;
    uint32_t to = in->dst_count, from = in->src_count;
    bool is_register = from > 1 || in->src[0].kind == LS_IR_REG;
    if (to > 2 || from > 2 || (to == 2 && from == 2) || !is_register) {
        em_unsupported(d, "a move of this form");
        return;
    }
    for (uint32_t k = 0; k < 2; k++) {
        const ls_ir_operand *dst = &in->dst[to > 1 ? k : 0], *src = &in->src[from > 1 ? k : 0];
        if (dst->kind != LS_IR_REG) continue;
        operand r = em_register(d, dst->reg), s = em_source(d, src, from > 1 ? 8 : 255);
        if ((to == 1 && !em_is_wide(d, dst)) || (from == 1 && !em_is_wide(d, src))) {
            em_unsupported(d, "a move between registers of these widths");
            return;
        }
        if (to == 1) r = em_half_of(d, r, k);
        if (from == 1) s = em_half_of(d, s, k);
        em_emit_lane(d, LANE_MOV_64, r.slot, s.slot, s.slot, 0);
    }
}

enum { MOST_MOVED = 8 };

/* As many to as from. All is read before anything is written: mov.v2 {a, b}, {b, a} exchanges them. */
static void move_all(decoder *d) {
    const ls_ir_instr *in = d->instr;
    const bool one = in->dst_count == 1;
    operand kept[MOST_MOVED];
    for (uint32_t k = 0; k < in->dst_count; k++) {
        if (in->dst[k].kind != LS_IR_REG) continue;
        operand r = em_register(d, in->dst[k].reg), s = em_source(d, &in->src[k], r.width);
        if (!one) kept[k] = (operand){em_new_slot(d, r.width), r.width};
        em_emit_lane(d, move_lane(r.width), one ? r.slot : kept[k].slot, s.slot, s.slot, 0);
    }
    for (uint32_t k = 0; !one && k < in->dst_count; k++) {
        if (in->dst[k].kind != LS_IR_REG) continue;
        operand r = em_register(d, in->dst[k].reg);
        em_emit_lane(d, move_lane(r.width), r.slot, kept[k].slot, kept[k].slot, 0);
    }
}

void em_decode_mov(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->unknown || !in->dst_count || !in->src_count) {
        em_unsupported(d, "a move of this form");
        return;
    }
    if (ls_ptx_type_bits(ls_ptx_form_type(in->form, 0)) == 128) {
        decode_wide_mov(d);
        return;
    }
    if (in->dst_count != in->src_count || in->dst_count > MOST_MOVED) {
        decode_packing(d);
        return;
    }
    for (uint32_t k = 0; k < in->dst_count; k++)
        if (in->dst[k].kind == LS_IR_REG && em_register_bits(d, in->dst[k].reg) > 64) {
            em_unsupported(d, "a move of 128 bits");
            return;
        }
    move_all(d);
}

/* --- cvt, cvta --- */
static bool decode_cvta(decoder *d) {
    const ls_ir_instr *in = d->instr;
    bool to = ls_ptx_form_has(in->form, LS_MOD_TO);
    static const struct {
        uint8_t space;
        uint16_t from, to;
    } rows[] = {{LS_SPACE_SHARED, LANE_CVTA_SHARED, LANE_CVTA_TO_SHARED},
                {LS_SPACE_SHARED_CLUSTER, LANE_CVTA_SHARED, LANE_CVTA_TO_SHARED},
                {LS_SPACE_LOCAL, LANE_CVTA_LOCAL, LANE_CVTA_TO_LOCAL},
                {LS_SPACE_PARAM, LANE_CVTA_PARAM, LANE_CVTA_TO_PARAM},
                {LS_SPACE_GLOBAL, LANE_MOV_64, LANE_MOV_64},
                {LS_SPACE_CONST, LANE_MOV_64, LANE_MOV_64}};
    if (in->src_count != 1 || in->dst_count != 1) return false;
    uint8_t width = ls_ptx_type_bits(ls_ptx_form_type(in->form, 0)) == 64 ? 8 : 4;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (rows[k].space != ls_ptx_form_space(in->form)) continue;
        uint16_t lane = to ? rows[k].to : rows[k].from;
        if (width == 4 && lane != LANE_MOV_64) return false; /* windows are beyond 32 bits */
        operand s = em_source(d, &in->src[0], width), r = em_dst(d, &in->dst[0], width);
        em_emit_lane(d, width == 4 ? LANE_MOV_32 : lane, r.slot, s.slot, s.slot, 0);
        em_finish_dst(d, &in->dst[0], r);
        return true;
    }
    return false;
}

/* Those of floating-point numbers that round in some other way, or to a small format. */
static uint16_t fast_rounding(const ls_ptx_form *form, ls_ptx_type to, ls_ptx_type from) {
    static const struct {
        uint8_t to, from;
        uint16_t round, lane;
    } rows[] = {
        {LS_TYPE_S32, LS_TYPE_F32, LS_MOD_RZI, LANE_CVT_S32_F32},
        {LS_TYPE_S32, LS_TYPE_F32, LS_MOD_RNI, LANE_CVT_RNI_S32_F32},
        {LS_TYPE_S32, LS_TYPE_F32, LS_MOD_RMI, LANE_CVT_RMI_S32_F32},
        {LS_TYPE_S32, LS_TYPE_F32, LS_MOD_RPI, LANE_CVT_RPI_S32_F32},
        {LS_TYPE_U32, LS_TYPE_F32, LS_MOD_RZI, LANE_CVT_U32_F32},
        {LS_TYPE_U32, LS_TYPE_F32, LS_MOD_RNI, LANE_CVT_RNI_U32_F32},
        {LS_TYPE_S32, LS_TYPE_F64, LS_MOD_RZI, LANE_CVT_S32_F64},
        {LS_TYPE_F32, LS_TYPE_F32, LS_MOD_RNI, LANE_CVT_RNI_F32},
        {LS_TYPE_F32, LS_TYPE_F32, LS_MOD_RZI, LANE_CVT_RZI_F32},
        {LS_TYPE_F32, LS_TYPE_F32, LS_MOD_RMI, LANE_CVT_RMI_F32},
        {LS_TYPE_F32, LS_TYPE_F32, LS_MOD_RPI, LANE_CVT_RPI_F32},
        {LS_TYPE_F32, LS_TYPE_F16, LS_MOD_UNKNOWN, LANE_CVT_F32_F16},
        {LS_TYPE_F16, LS_TYPE_F32, LS_MOD_RN, LANE_CVT_F16_F32},
        {LS_TYPE_F32, LS_TYPE_BF16, LS_MOD_UNKNOWN, LANE_CVT_F32_BF16},
        {LS_TYPE_BF16, LS_TYPE_F32, LS_MOD_RN, LANE_CVT_BF16_F32},
    };
    if (ls_ptx_form_has(form, LS_MOD_RELU) || ls_ptx_form_has(form, LS_MOD_SATFINITE)) return LANE_NONE;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].to == to && rows[k].from == from && rows[k].round == form->round) return rows[k].lane;
    return LANE_NONE;
}

/* A register of 16 bits, above which there is nothing. */
static bool is_narrow(const decoder *d, const ls_ir_operand *source) {
    return source->kind == LS_IR_REG && em_register_bits(d, source->reg) == 16;
}

/* The common conversions as vector loops. Registers must have the widths that the loop takes. */
static uint16_t fast_cvt(const decoder *d, const ls_ir_instr *in) {
    const ls_ptx_form *form = in->form;
    ls_ptx_type to = ls_ptx_form_type(form, 0), from = ls_ptx_form_type(form, 1);
    if (in->dst[0].kind != LS_IR_REG || ls_ptx_form_has(form, LS_MOD_SAT) ||
        ls_ptx_form_has(form, LS_MOD_FTZ) || em_register_bits(d, in->dst[0].reg) != ls_ptx_type_bits(to))
        return LANE_NONE;
    uint32_t tb = ls_ptx_type_bits(to), fb = ls_ptx_type_bits(from);
    bool ti = ls_isa_is_plain_integer(to), fi = ls_isa_is_plain_integer(from), fs = em_is_signed(from);
    if (ti && fi) {
        if (tb == 64 && fb == 32) return fs ? LANE_CVT_S64_S32 : LANE_CVT_U64_U32;
        if (tb == 64 && fb == 16 && fs) return LANE_CVT_S64_S16;
        if (tb == 64 && fb == 16) return is_narrow(d, &in->src[0]) ? LANE_CVT_U64_U32 : LANE_NONE;
        if (tb == 32 && fb == 64) return LANE_CVT_32_64;
        if (tb == 16 && fb == 64) return LANE_CVT_16_64;
        if (tb == fb) return tb == 64 ? LANE_MOV_64 : tb == 32 ? LANE_MOV_32 : LANE_NONE;
        if (tb == 32 && fb == 16) return fs ? LANE_CVT_S32_S16 : LANE_MOV_16_32;
        if (tb == 32 && fb == 8) return fs ? LANE_CVT_S32_S8 : LANE_CVT_U32_U8;
        if (tb == 16 && fb == 32) return LANE_MOV_16_32;
        if (tb == 16 && fb == 8) return fs ? LANE_CVT_S16_S8 : LANE_CVT_U32_U8;
        return LANE_NONE;
    }
    bool nearest = form->round == LS_MOD_RN || form->round == LS_MOD_UNKNOWN;
    if (to == LS_TYPE_F64 && from == LS_TYPE_F32) return LANE_CVT_F64_F32;
    if (to == LS_TYPE_F32 && from == LS_TYPE_F64 && nearest) return LANE_CVT_F32_F64;
    if (to == LS_TYPE_F32 && fi && fb == 32 && nearest) return fs ? LANE_CVT_F32_S32 : LANE_CVT_F32_U32;
    if (to == LS_TYPE_F64 && fi && fb == 32) return fs ? LANE_CVT_F64_S32 : LANE_CVT_F64_U32;
    return fast_rounding(form, to, from);
}

bool em_decode_cvt(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->op == LS_OP_CVTA) return decode_cvta(d);
    ls_isa x;
    if (!em_find_meaning(d, &x)) return false;
    bool plain = in->op == LS_OP_CVT && in->src_count == 1;
    uint16_t lane = plain ? fast_cvt(d, in) : LANE_NONE;
    if (!lane) {
        em_emit_scalar(d, &x);
        return true;
    }
    uint8_t width = ls_ptx_type_bits(ls_ptx_form_type(in->form, 1)) > 32 ? 8 : 4;
    operand s = em_source(d, &in->src[0], width), r = em_register(d, in->dst[0].reg);
    em_emit_lane(d, lane, r.slot, s.slot, s.slot, 0);
    return true;
}

/* --- Calls --- */
static builtin_kind builtin_of(const ls_ir_call *call) {
    static const uint8_t kinds[] = {
        [LS_BUILTIN_NONE] = BUILTIN_NONE,
#define BUILTIN(id, name, call, run, traits) [LS_BUILTIN_##id] = BUILTIN_##run,
#include "lockstep/ptx_builtins.def"
#undef BUILTIN
    };
    return (builtin_kind)kinds[call->builtin];
}

static call_value *values_of(decoder *d, const ls_ir_argument *list, uint32_t count,
                             const ls_ir_operand *ops) {
    call_value *out = LS_NEW_N(d->arena, call_value, count + 1);
    for (uint32_t k = 0; k < count; k++) {
        const ls_ir_operand *o = &ops[list[k].first];
        if (list[k].object != LS_IR_NONE && d->objects[list[k].object] != NO_SLOT) {
            const ls_ir_object *object = d->ir->objects[list[k].object];
            out[k] = (call_value){.in_memory = true,
                                  .frame_offset = d->objects[list[k].object],
                                  .size = (uint32_t)object->size};
        } else if (o->kind == LS_IR_REG || o->kind == LS_IR_IMM) {
            out[k].reg = em_source(d, o, 255);
            out[k].size = out[k].reg.width ? out[k].reg.width : 1;
        }
    }
    return out;
}

/* A pointer may have come from anywhere: an initialiser, or a kernel that was run before. */
static void decode_functions(ls_emulator *e) {
    for (uint32_t k = 0; k < e->module->function_count; k++)
        if (!e->module->functions[k]->is_entry && e->module->functions[k]->body)
            em_code_of(e, e->module->functions[k]);
}

void em_decode_call(decoder *d) {
    const ls_ir_instr *in = d->instr;
    const ls_ir_call *call = in->call;
    if (call && builtin_of(call) == BUILTIN_GRID_SYNC) {
        em_decode_grid_sync(d);
        return;
    }
    if (call && builtin_of(call) == BUILTIN_WHOLE) {
        d->whole = true;
        return;
    }
    call_info *info = LS_NEW(d->arena, call_info);
    if (!call || in->unknown) {
        em_unsupported(d, "a call of this form");
        return;
    }
    info->name = call->name ? call->name : "a function pointer";
    info->args = values_of(d, call->args, call->arg_count, in->src);
    info->arg_count = call->arg_count;
    info->results = values_of(d, call->results, call->result_count, in->dst);
    info->result_count = call->result_count;
    if (call->callee) {
        const ls_ptx_function *f = call->callee->definition ? call->callee->definition : call->callee;
        bool replaced = ls_ptx_builtin_traits(call->builtin) & LS_TRAIT_RUNTIME;
        if (f->body && !replaced)
            info->callee = em_code_of(d->e, f);
        else if (!(info->builtin = builtin_of(call))) {
            em_unsupported(d, ls_arena_printf(d->arena, "the external function '%s'", info->name));
            return;
        }
    } else {
        operand target = em_source(d, &in->src[0], 8);
        info->target = target.slot;
        decode_functions(d->e);
    }
    /* annotations and the fences of a barrier need no stack, nor is there a heap for them */
    if (!info->builtin || info->builtin < BUILTIN_CHECK) d->e->has_calls = true;
    insn *i = em_emit(d, em_exec_call);
    i->extra = info;
    if (in->guard.kind == LS_IR_REG) {
        i->guard = em_register(d, in->guard.reg).slot;
        i->guard_not = in->guard.flags & LS_OPERAND_NOT;
    }
    if (!call->callee) em_emit(d, em_exec_reconverge); /* lanes may call different functions */
}

/* --- Barriers --- */
void em_set_guard(decoder *d, insn *i) {
    const ls_ir_instr *in = d->instr;
    if (in->guard.kind != LS_IR_REG) return;
    i->guard = em_register(d, in->guard.reg).slot;
    i->guard_not = in->guard.flags & LS_OPERAND_NOT;
}

static barrier_kind barrier_kind_of(const ls_ir_instr *in) {
    ls_ptx_barrier kind = in->form->opcode->barrier;
    return kind == LS_BARRIER_BLOCK_ARRIVE ? BARRIER_ARRIVE
           : kind == LS_BARRIER_BLOCK_RED  ? BARRIER_RED
                                           : BARRIER_SYNC;
}

static void decode_block_barrier(decoder *d) {
    const ls_ir_instr *in = d->instr;
    barrier_info *info = LS_NEW(d->arena, barrier_info);
    info->kind = (uint8_t)barrier_kind_of(in);
    uint32_t sources = in->src_count;
    if (!sources || sources > 3) {
        em_unsupported(d, "a barrier of this form");
        return;
    }
    info->id = em_source(d, &in->src[0], 4);
    info->fixed = in->src[0].kind == LS_IR_IMM;
    if (info->kind == BARRIER_RED) {
        info->op = ls_ptx_form_has(in->form, LS_MOD_POPC)  ? LS_MOD_POPC
                   : ls_ptx_form_has(in->form, LS_MOD_AND) ? LS_MOD_AND
                                                           : LS_MOD_OR;
        info->predicate = em_source(d, &in->src[sources - 1], WIDTH_PRED);
        sources--;
        info->has_dst = in->dst_count && in->dst[0].kind == LS_IR_REG;
        if (info->has_dst) info->dst = em_register(d, in->dst[0].reg);
    }
    if (sources > 1) {
        info->has_count = true;
        info->count = em_source(d, &in->src[1], 4);
    }
    for (const ls_ir_loop *l = in->block->loop; l; l = l->parent)
        if (d->c->is_kernel && l->id < MAX_COUNTED_LOOPS && info->loop_count < MAX_COUNTED_LOOPS)
            info->loops[info->loop_count++] = l->id;
    info->aligned = em_is_full_barrier(in);
    info->whole = d->whole;
    d->whole = false;
    const bool has_tail = info->aligned || em_is_counted_barrier(in);
    info->tail = d->tail_of && has_tail ? d->tail_of[in->block->id] : 0;
    insn *i = em_emit(d, em_exec_barrier);
    i->extra = info;
    em_set_guard(d, i);
    /* lanes that its guard leaves out go on in the same block */
    if (info->tail && in->guard.kind == LS_IR_REG && !in->block->loop && in != in->block->terminator &&
        in->block->instrs[in->block->instr_count - 1] != in)
        em_enter_tail(d, UINT32_C(1) << (info->tail - 1));
}

/* Which proxy a fence is for. */
static proxy_kind proxy_of(const ls_ir_instr *in) {
    if (in->op == LS_OP_FENCE_MBARRIER_INIT) return PROXY_MBARRIER_INIT;
    if (in->op != LS_OP_FENCE_PROXY && in->op != LS_OP_MEMBAR_PROXY) return PROXY_NONE;
    if (strstr(in->form->text, "tensormap")) return PROXY_TENSORMAP;
    if (!strstr(in->form->text, "async")) return PROXY_NONE;
    return strstr(in->form->text, ".global") ? PROXY_ASYNC_GLOBAL : PROXY_ASYNC;
}

void em_decode_barrier(decoder *d) {
    const ls_ir_instr *in = d->instr;
    switch (in->form->opcode->barrier) {
    case LS_BARRIER_BLOCK:
    case LS_BARRIER_BLOCK_ARRIVE:
    case LS_BARRIER_BLOCK_RED: decode_block_barrier(d); return;
    case LS_BARRIER_WARP: {
        warp_info *info = LS_NEW(d->arena, warp_info);
        info->members = em_source(d, &in->src[0], 4);
        info->has_members = true;
        info->tail = d->tail_of ? d->tail_of[in->block->id] : 0;
        insn *i = em_emit(d, em_exec_warp_barrier);
        i->extra = info;
        em_set_guard(d, i);
        return;
    }
    default: break;
    }
    switch (in->op) {
    case LS_OP_MEMBAR:
    case LS_OP_FENCE:
    case LS_OP_FENCE_PROXY:
    case LS_OP_MEMBAR_PROXY:
    case LS_OP_FENCE_MBARRIER_INIT: {
        ls_order *order = LS_NEW(d->arena, ls_order);
        insn *i = em_emit(d, em_exec_fence);
        *order = ls_order_of(in->form);
        d->e->orders |= order->strong;
        i->extra = order;
        i->aux = (uint8_t)proxy_of(in);
        em_set_guard(d, i);
        if (proxy_of(in) == PROXY_TENSORMAP) em_decode_map_fence(d);
        return;
    }
    case LS_OP_GRIDDEPCONTROL:
        em_set_guard(d, em_emit(d, ls_ptx_form_has(in->form, LS_MOD_LAUNCH_DEPENDENTS) ? em_exec_nop
                                                                                       : em_exec_grid_wait));
        return;
    default:
        if (!em_decode_mbarrier(d)) em_unsupported(d, "the instruction");
        return;
    }
}

/* --- Across lanes --- */
static const struct {
    uint16_t op;
    exec_fn fn;
    uint8_t sources; /* without the member mask */
} warp_ops[] = {{LS_OP_SHFL, em_exec_shfl, 3},   {LS_OP_VOTE, em_exec_vote, 1},
                {LS_OP_MATCH, em_exec_match, 1}, {LS_OP_REDUX, em_exec_redux, 1},
                {LS_OP_ELECT, em_exec_elect, 0}, {LS_OP_ACTIVEMASK, em_exec_activemask, 0}};

static uint16_t warp_mode(const ls_ptx_form *form) {
    static const uint16_t modes[] = {LS_MOD_UP,  LS_MOD_DOWN, LS_MOD_BFLY,   LS_MOD_IDX, LS_MOD_ALL,
                                     LS_MOD_ANY, LS_MOD_UNI,  LS_MOD_BALLOT, LS_MOD_ADD, LS_MOD_MIN,
                                     LS_MOD_MAX, LS_MOD_AND,  LS_MOD_OR,     LS_MOD_XOR};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (ls_ptx_form_has(form, (ls_ptx_modifier)modes[i])) return modes[i];
    return LS_MOD_UNKNOWN;
}

/* A shuffle by a constant: its sources are found once. */
static void fix_shuffle(warp_info *info, const ls_ir_instr *in) {
    if (in->op != LS_OP_SHFL || in->src[1].kind != LS_IR_IMM || in->src[2].kind != LS_IR_IMM) return;
    info->fixed = true;
    for (uint32_t l = 0; l < MAX_LANES; l++) {
        bool valid;
        info->from[l] = (uint8_t)em_shuffle_source(info->mode, l, (uint32_t)in->src[1].bits,
                                                   (uint32_t)in->src[2].bits, &valid);
        info->valid |= (uint64_t)valid << l;
    }
}

bool em_decode_warp(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->unknown) return false;
    for (size_t k = 0; k < sizeof warp_ops / sizeof *warp_ops; k++) {
        if (warp_ops[k].op != in->op) continue;
        uint32_t sources = warp_ops[k].sources;
        if (in->src_count < sources || in->src_count > sources + 1 || in->dst_count > 2) return false;
        warp_info *info = LS_NEW(d->arena, warp_info);
        for (uint32_t s = 0; s < sources; s++) info->src[s] = em_source(d, &in->src[s], 255);
        if (in->src_count > sources) {
            info->has_members = true;
            info->members = em_source(d, &in->src[sources], 4);
            info->tail = d->tail_of ? d->tail_of[in->block->id] : 0;
        }
        for (uint32_t t = 0; t < in->dst_count; t++)
            info->dst[t] = in->dst[t].kind == LS_IR_REG ? em_register(d, in->dst[t].reg)
                                                        : (operand){em_new_slot(d, 8), 8};
        info->src_count = (uint8_t)sources;
        info->dst_count = (uint8_t)in->dst_count;
        info->mode = warp_mode(in->form);
        info->type = (uint8_t)ls_ptx_form_type(in->form, 0);
        info->abs = ls_ptx_form_has(in->form, LS_MOD_ABS);
        info->nan = ls_ptx_form_has(in->form, LS_MOD_NAN_RESULT);
        fix_shuffle(info, in);
        em_emit(d, warp_ops[k].fn)->extra = info;
        return true;
    }
    return false;
}
