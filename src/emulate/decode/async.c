/* Decoding of mbarriers, bulk copies, asynchronous stores, and of clusters of one block. */
#include "emulate/async/mbarrier.h"
#include "emulate/decode/decode.h"
#include "isa/atomic.h"
#include "isa/number.h"

/* --- mbarrier --- */
mem_access *em_mbarrier_access(decoder *d, const ls_ir_operand *address) {
    mem_access *m = em_new_access(d, address, 8, 1);
    if (m->space != LS_SPACE_GENERIC) m->space = LS_SPACE_SHARED;
    m->atomic = m->write = m->opaque = true;
    m->value[0] = em_constant(d, 0, 8);
    /* whatever is done to the object, it does not race with what else is */
    m->order = (ls_order){.strong = true, .atomic = true, .scope = LS_REACH_SYSTEM, .bytes = 8};
    d->e->order_of_memory.items[m->memory_site] = m->order;
    d->e->orders = d->e->agents = true;
    return m;
}

static void emit_mbarrier(decoder *d, mbarrier_info info) {
    mbarrier_info *kept = LS_NEW(d->arena, mbarrier_info);
    *kept = info;
    kept->order = ls_order_of(d->instr->form);
    if (!kept->order.strong) kept->order = (ls_order){.strong = true, .releases = true}; /* of copies */
    kept->order.atomic = true;
    insn *i = em_emit(d, em_exec_mbarrier);
    i->extra = kept;
    if (d->instr->form->opcode->class == LS_CLASS_SYNC) em_set_guard(d, i); /* else it has one in front */
}

static bool decode_mbarrier(decoder *d, ls_ptx_mbarrier op) {
    const ls_ir_instr *in = d->instr;
    bool needs = op != LS_MBARRIER_ARRIVE && op != LS_MBARRIER_ARRIVE_DROP && op != LS_MBARRIER_INVAL;
    mbarrier_info x = {.op = (uint8_t)op, .dst.width = NO_WIDTH};
    if (in->src_count < (needs ? 2 : 1) || in->dst_count > 1) return false;
    x.parity = ls_ptx_form_has(in->form, LS_MOD_PARITY);
    x.may_wait = in->op == LS_OP_MBARRIER_TRY_WAIT;
    x.expects = ls_ptx_form_has(in->form, LS_MOD_EXPECT_TX) && !needs;
    x.value = in->src_count > 1 ? em_source(d, &in->src[1], op == LS_MBARRIER_WAIT && !x.parity ? 8 : 4)
                                : em_constant(d, 1, 4);
    x.object = em_mbarrier_access(d, &in->src[0]);
    if (op == LS_MBARRIER_INIT ||
        op == LS_MBARRIER_INVAL) { /* not strong: it races with all that is done to it */
        x.object->order = (ls_order){.atomic = op == LS_MBARRIER_INVAL};
        d->e->order_of_memory.items[x.object->memory_site] = x.object->order;
    }
    if (in->dst_count && in->dst[0].kind == LS_IR_REG) x.dst = em_register(d, in->dst[0].reg);
    if (op == LS_MBARRIER_WAIT && x.dst.width != WIDTH_PRED) return false;
    emit_mbarrier(d, x);
    return true;
}

/* The copies before it are done: those of the thread count as waited for, and the arrival takes place. */
static bool decode_copy_arrive(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->src_count != 1) return false;
    insn *i = em_emit(d, em_exec_copy_wait);
    i->imm = -1;
    i->aux = true; /* who waits for the mbarrier knows of it, the thread itself does not */
    bool counts = ls_ptx_form_has(in->form, LS_MOD_NOINC); /* else one more is expected, and comes */
    emit_mbarrier(d, (mbarrier_info){.op = LS_MBARRIER_ARRIVE,
                                     .copies = true,
                                     .queue = QUEUE_COPY,
                                     .value = em_constant(d, counts, 4),
                                     .object = em_mbarrier_access(d, &in->src[0]),
                                     .dst.width = NO_WIDTH});
    return true;
}

bool em_decode_tensor_commit(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->src_count != 1 || ls_ptx_form_has(in->form, LS_MOD_MULTICAST)) return false;
    emit_mbarrier(d, (mbarrier_info){.op = LS_MBARRIER_ARRIVE,
                                     .copies = true,
                                     .queue = QUEUE_TENSOR,
                                     .value = em_constant(d, 1, 4),
                                     .object = em_mbarrier_access(d, &in->src[0]),
                                     .dst.width = NO_WIDTH});
    return true;
}

/* The number of arrivals that a state still expects: bits 20 to 39 (mbarrier.c). */
static bool decode_pending(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->src_count != 1 || in->dst_count != 1) return false;
    operand s = em_source(d, &in->src[0], 8), t = {em_new_slot(d, 8), 8}, r = em_dst(d, &in->dst[0], 4);
    em_emit_lane(d, LANE_SHR_U64, t.slot, s.slot, em_constant(d, 20, 4).slot, 0);
    em_emit_lane(d, LANE_AND_64, t.slot, t.slot, em_constant(d, (1 << 20) - 1, 8).slot, 0);
    em_emit_lane(d, LANE_CVT_32_64, r.slot, t.slot, t.slot, 0);
    em_finish_dst(d, &in->dst[0], r);
    return true;
}

/* For all threads of the block. */
static void emit_block_barrier(decoder *d, exec_fn fn) {
    barrier_info *info = LS_NEW(d->arena, barrier_info);
    info->kind = BARRIER_SYNC;
    info->cluster = info->whole = true;
    info->id = em_constant(d, CLUSTER_BARRIER, 4);
    insn *i = em_emit(d, fn);
    i->extra = info;
    em_set_guard(d, i);
}

void em_decode_grid_sync(decoder *d) {
    d->e->orders = d->e->communicates = true;
    emit_block_barrier(d, em_exec_barrier);
    em_set_guard(d, em_emit(d, em_exec_grid_sync));
    emit_block_barrier(d, em_exec_barrier);
}

bool em_decode_mbarrier(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->unknown) return false;
    ls_ptx_mbarrier op = in->form->opcode->mbarrier;
    if (op == LS_MBARRIER_ARRIVE_COPIED) return decode_copy_arrive(d);
    if (op) return decode_mbarrier(d, op);
    switch (in->op) {
    case LS_OP_MBARRIER_PENDING_COUNT: return decode_pending(d);
    case LS_OP_BARRIER_CLUSTER_ARRIVE: {
        insn *i = em_emit(d, em_exec_cluster_arrive);
        i->aux = in->form->semantics == LS_MOD_RELAXED;
        em_set_guard(d, i);
        d->e->orders = true;
        return true;
    }
    case LS_OP_BARRIER_CLUSTER_WAIT: emit_block_barrier(d, em_exec_cluster_wait); return true;
    default: return false;
    }
}

/* --- Bulk copies --- */
mem_access *em_bulk_access(decoder *d, const ls_ir_operand *address, bool shared, bool write) {
    mem_access *m = em_new_access(d, address, 8, 2);
    m->space = shared ? LS_SPACE_SHARED : LS_SPACE_GLOBAL;
    m->write = write;
    m->opaque = m->async = true;
    d->e->agents = true;
    m->value[0] = m->value[1] = em_constant(d, 0, 8);
    return m;
}

static bool decode_bulk(decoder *d, bool reduction) {
    const ls_ir_instr *in = d->instr;
    bool group = ls_ptx_form_has(in->form, LS_MOD_BULK_GROUP);
    bool from_global = !group && strstr(in->form->text, ".global") != NULL;
    if (in->src_count < (group ? 3 : 4)) return false;
    bulk_info *x = LS_NEW(d->arena, bulk_info);
    if (reduction) {
        x->op = (uint8_t)em_atomic_op_of(in->form);
        x->type = (uint8_t)ls_ptx_form_type(in->form, 0);
        uint32_t bits = ls_ptx_type_bits((ls_ptx_type)x->type);
        if (!x->op || (bits != 16 && bits != 32 && bits != 64)) return false;
        if (group && x->op == ATOMIC_ADD && x->type == LS_TYPE_F32) x->op = ATOMIC_ADD_FTZ;
    }
    x->blocks.width = NO_WIDTH;
    if (ls_ptx_form_has(in->form, LS_MOD_MULTICAST) && in->src_count > 4)
        x->blocks = em_source(d, &in->src[4], 4);
    x->size = em_source(d, &in->src[2], 4);
    x->to = em_bulk_access(d, &in->src[0], !group, true);
    x->to->atomic = reduction;
    x->from = em_bulk_access(d, &in->src[1], !from_global, false);
    if (!group) x->object = em_mbarrier_access(d, &in->src[3]);
    em_emit(d, em_exec_bulk)->extra = x;
    return true;
}

/* st.async, red.async: the access, then its bytes count for the mbarrier. */
static bool decode_counted(decoder *d, bool atomic) {
    const ls_ir_instr *in = d->instr;
    uint32_t values = in->src_count > 2 ? in->src_count - 2 : 0;
    uint32_t bytes = values * ls_ptx_type_bits(ls_ptx_form_type(in->form, 0)) / 8;
    if (!values || !bytes || !ls_ptx_form_has(in->form, LS_MOD_COMPLETE_TX)) return false;
    uint32_t before = d->out.length;
    if (atomic)
        em_decode_atomic(d);
    else
        em_decode_memory(d);
    if (d->out.items[d->out.length - 1].fn == em_exec_unsupported || d->out.length == before) return true;
    emit_mbarrier(d, (mbarrier_info){.op = LS_MBARRIER_COMPLETE_TX,
                                     .value = em_constant(d, bytes, 4),
                                     .object = em_mbarrier_access(d, &in->src[in->src_count - 1]),
                                     .dst.width = NO_WIDTH});
    return true;
}

static bool decode_bulk_wait(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->src_count != 1 || in->src[0].kind != LS_IR_IMM) return false;
    insn *i = em_emit(d, em_exec_bulk_wait);
    i->imm = (int64_t)in->src[0].bits;
    i->aux = ls_ptx_form_has(in->form, LS_MOD_READ);
    return true;
}

bool em_decode_bulk(decoder *d) {
    switch (d->instr->op) {
    case LS_OP_CP_ASYNC_BULK: return decode_bulk(d, false);
    case LS_OP_CP_REDUCE_ASYNC_BULK: return decode_bulk(d, true);
    case LS_OP_ST_ASYNC: return decode_counted(d, false);
    case LS_OP_RED_ASYNC: return decode_counted(d, true);
    case LS_OP_CP_ASYNC_BULK_PREFETCH: em_emit(d, em_exec_nop); return true;
    case LS_OP_CP_ASYNC_BULK_COMMIT_GROUP: em_emit(d, em_exec_bulk_commit); return true;
    case LS_OP_CP_ASYNC_BULK_WAIT_GROUP: return decode_bulk_wait(d);
    default: return em_decode_tensor(d);
    }
}

/* --- Clusters, cache policies --- */
bool em_decode_cluster(decoder *d) {
    const ls_ir_instr *in = d->instr;
    if (in->unknown || in->dst_count != 1) return false;
    uint8_t width = em_width_of(ls_ptx_form_type(in->form, 0));
    if (in->op == LS_OP_MAPA && in->src_count == 2) {
        operand a = em_source(d, &in->src[0], width), rank = em_source(d, &in->src[1], 4);
        operand r = em_dst(d, &in->dst[0], width);
        insn *i = em_emit(d, em_exec_mapa);
        i->d = r.slot, i->a = a.slot, i->b = rank.slot;
        i->aux = width;
        em_finish_dst(d, &in->dst[0], r);
        return true;
    }
    if (in->op == LS_OP_GETCTARANK && in->src_count == 1) {
        operand a = em_source(d, &in->src[0], width), r = em_dst(d, &in->dst[0], 4);
        insn *i = em_emit(d, em_exec_getctarank);
        i->d = r.slot, i->a = a.slot;
        i->aux = width;
        em_finish_dst(d, &in->dst[0], r);
        return true;
    }
    if (in->op != LS_OP_CREATEPOLICY) return false;
    uint8_t own = 8; /* a policy is opaque, and changes nothing here */
    operand r = em_dst(d, &in->dst[0], own), zero = em_constant(d, 0, own);
    em_emit_lane(d, LANE_MOV_64, r.slot, zero.slot, zero.slot, 0);
    em_finish_dst(d, &in->dst[0], r);
    return true;
}
