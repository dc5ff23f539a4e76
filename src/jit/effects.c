/* What each decoded instruction reads and writes, and what becomes of it in compiled code. */
#include "jit/effects.h"

#include "emulate/check/unit_registers.h"
#include "emulate/exec.h"
#include "emulate/matrix/fragment.h"
#include "isa/atomic.h"

#include <string.h>

/* --- The vector loops --- */
#define W_u32 4
#define W_s32 4
#define W_f32 4
#define W_u64 8
#define W_s64 8
#define W_f64 8
const lane_op jit_lane_ops[LANE_COUNT] = {
#define OP1(name, D, A, expr)        [LANE_##name] = {#name, 1, W_##D, {W_##A}},
#define OP2(name, D, A, B, expr)     [LANE_##name] = {#name, 2, W_##D, {W_##A, W_##B}},
#define OP3(name, D, A, B, C, expr)  [LANE_##name] = {#name, 3, W_##D, {W_##A, W_##B, W_##C}},
#define CMP(name, T, relation, expr) [LANE_##name] = {#name, 2, WIDTH_PRED, {W_##T, W_##T}},
#include "emulate/lanes/ops.def"
};

/* Divisions have no vector form: the interpreter's loop is as good. */
static bool is_slow_row(uint16_t op) {
    switch (op) {
    case LANE_DIV_U32:
    case LANE_DIV_S32:
    case LANE_REM_U32:
    case LANE_REM_S32:
    case LANE_DIV_U64:
    case LANE_DIV_S64:
    case LANE_REM_U64:
    case LANE_REM_S64:
    case LANE_MUL_HI_U64:
    case LANE_MUL_HI_S64: return true;
    default: return false;
    }
}

/* --- Operands --- */
static void reads(effect *e, uint32_t slot, uint8_t width) {
    if (slot == NO_SLOT || width == NO_WIDTH) return;
    if (e->read_count < MOST_OPERANDS) e->reads[e->read_count++] = (operand){slot, width};
}
static void writes(effect *e, uint32_t slot, uint8_t width) {
    if (slot == NO_SLOT || width == NO_WIDTH) return;
    if (e->write_count < MOST_OPERANDS) e->writes[e->write_count++] = (operand){slot, width};
}

static void row_effect(const insn *i, effect *e) {
    const lane_op *x = &jit_lane_ops[i->op];
    const uint32_t slots[] = {i->a, i->b, i->c};
    for (uint32_t k = 0; k < x->sources; k++) reads(e, slots[k], x->source[k]);
    writes(e, i->d, x->result);
    e->deed = DO_ROW;
}

static void access_effect(const insn *i, effect *e, deed d) {
    const mem_access *m = i->extra;
    e->deed = (uint8_t)d;
    reads(e, m->address, m->address_width);
    for (uint32_t k = 0; k < m->count; k++) {
        if (m->write)
            reads(e, m->value[k].slot, m->value[k].width);
        else
            writes(e, m->value[k].slot, m->value[k].width);
        if (m->atomic) writes(e, m->result[k].slot, m->result[k].width);
    }
    if (m->atomic && m->op == ATOMIC_CAS)
        for (uint32_t k = 0; k < m->count && k < 2; k++) reads(e, m->extra[k].slot, m->extra[k].width);
}

static void lane_effect(const insn *i, effect *e) {
    static const uint8_t wide[] = {[LANE_SELP_32 - LANE_SELP_32] = 4, [LANE_SELP_64 - LANE_SELP_32] = 8};
    if (i->op >= LANE_LD_GLOBAL_U8 && i->op <= LANE_ATOM_SHARED_32) {
        const mem_access *m = i->extra;
        access_effect(i, e, m->atomic || m->raced ? DO_CALL : DO_ACCESS);
        return;
    }
    switch (i->op) {
    case LANE_SELP_32:
    case LANE_SELP_64:
        e->deed = DO_SELECT;
        reads(e, i->a, wide[i->op - LANE_SELP_32]);
        reads(e, i->b, wide[i->op - LANE_SELP_32]);
        reads(e, i->c, WIDTH_PRED);
        writes(e, i->d, wide[i->op - LANE_SELP_32]);
        return;
    case LANE_MOV_PRED:
    case LANE_NOT_PRED:
    case LANE_AND_PRED:
    case LANE_OR_PRED:
    case LANE_XOR_PRED:
        e->deed = DO_PREDICATE;
        reads(e, i->a, WIDTH_PRED);
        if (i->op != LANE_MOV_PRED && i->op != LANE_NOT_PRED) reads(e, i->b, WIDTH_PRED);
        writes(e, i->d, WIDTH_PRED);
        return;
    case LANE_LOP3_32:
        e->deed = DO_LOGIC;
        reads(e, i->a, 4), reads(e, i->b, 4), reads(e, i->c, 4);
        writes(e, i->d, 4);
        return;
    case LANE_PACK_64:
        e->deed = DO_PACK;
        reads(e, i->a, 4), reads(e, i->b, 4);
        writes(e, i->d, 8);
        return;
    case LANE_UNPACK_64:
        e->deed = DO_UNPACK;
        reads(e, i->a, 8);
        writes(e, i->d, 4), writes(e, i->b, 4);
        return;
    case LANE_SUM_32:
    case LANE_SUM_64:
        e->deed = DO_SUM;
        reads(e, i->a, i->op == LANE_SUM_64 ? 8 : 4);
        writes(e, i->d, i->op == LANE_SUM_64 ? 8 : 4);
        return;
    default: row_effect(i, e); return;
    }
}

static void across_effect(const insn *i, effect *e) {
    const warp_info *x = i->extra;
    for (uint32_t k = 0; k < x->src_count && k < 4; k++) reads(e, x->src[k].slot, x->src[k].width);
    if (x->has_members) reads(e, x->members.slot, x->members.width);
    for (uint32_t k = 0; k < x->dst_count && k < 2; k++) writes(e, x->dst[k].slot, x->dst[k].width);
    e->deed = DO_ACROSS;
}

/* Matrices: all lanes take part. What lies between their registers and memory no other instruction reads. */
static void read_fragment(const fragment *f, effect *e) {
    for (uint32_t k = 0; k < f->of.registers; k++) reads(e, f->value[k].slot, f->value[k].width);
}
static void product_effect(const insn *i, effect *e) {
    const product_info *x = i->extra;
    read_fragment(&x->a, e), read_fragment(&x->b, e), read_fragment(&x->c, e);
    if (x->sparse) reads(e, x->metadata.slot, x->metadata.width);
    for (uint32_t k = 0; k < x->d.of.registers; k++) writes(e, x->d.value[k].slot, x->d.value[k].width);
    e->deed = DO_ACROSS;
}
static void matrix_move_effect(const insn *i, effect *e) {
    const matrix_move *x = i->extra;
    e->deed = DO_ACROSS;
    if (!x->access) { /* movmatrix */
        reads(e, x->value[1].slot, x->value[1].width);
        writes(e, x->value[0].slot, x->value[0].width);
        return;
    }
    reads(e, x->access->address, x->access->address_width);
    for (uint32_t k = 0; k < x->count; k++)
        (x->access->write ? reads : writes)(e, x->value[k].slot, x->value[k].width);
}
static void wmma_move_effect(const insn *i, effect *e) {
    const wmma_move *x = i->extra;
    e->deed = DO_ACROSS;
    reads(e, x->base.slot, x->base.width);
    reads(e, x->stride.slot, x->stride.width);
    for (uint32_t k = 0; k < x->f.of.registers; k++)
        (x->access->write ? reads : writes)(e, x->f.value[k].slot, x->f.value[k].width);
}

static void scalar_effect(const insn *i, effect *e) {
    const alu *x = i->extra;
    for (uint32_t k = 0; k < x->src_count; k++) reads(e, x->src[k].slot, x->src[k].width);
    for (uint32_t k = 0; k < x->dst_count; k++) writes(e, x->dst[k].slot, x->dst[k].width);
    e->deed = DO_CALL;
}

static void pack_effect(const insn *i, effect *e) {
    const pack_info *x = i->extra;
    for (uint32_t k = 0; k < x->parts; k++) {
        if (x->pack)
            reads(e, x->part[k].slot, x->part[k].width);
        else
            writes(e, x->part[k].slot, x->part[k].width);
    }
    if (x->pack)
        writes(e, x->whole.slot, x->whole.width);
    else
        reads(e, x->whole.slot, x->whole.width);
    e->deed = DO_CALL;
}

static void barrier_effect(const insn *i, effect *e) {
    const barrier_info *x = i->extra;
    reads(e, i->guard, WIDTH_PRED);
    e->unknown = x->kind == BARRIER_RED || x->has_dst; /* rare */
    reads(e, x->id.slot, x->id.width);
    if (x->has_count) reads(e, x->count.slot, x->count.width);
}

static void written_effect(const insn *i, effect *e) {
    const written_info *x = i->extra;
    reads(e, x->select, WIDTH_PRED);
    e->deed = DO_CALL;
}

static void load_effect(const insn *i, effect *e) {
    access_effect(i, e, DO_CALL);
}
static void sreg_effect(const insn *i, effect *e) {
    writes(e, i->d, i->aux);
    e->deed = DO_CALL;
}
static void nop_effect(const insn *i, effect *e) {
    (void)i;
    e->deed = DO_NOTHING;
}
static void call_effect(const insn *i, effect *e) {
    (void)i;
    e->deed = DO_CALL;
}
static void guarded_effect(const insn *i, effect *e) { /* looks at its guard itself */
    reads(e, i->guard, WIDTH_PRED);
}
static void fence_effect(const insn *i, effect *e) {
    guarded_effect(i, e);
    e->deed = DO_CALL;
}
static void warp_barrier_effect(const insn *i, effect *e) {
    guarded_effect(i, e);
    across_effect(i, e);
}
static void guard_effect(const insn *i, effect *e) {
    guarded_effect(i, e);
    e->deed = DO_GUARD;
}
static void branch_effect(const insn *i, effect *e) {
    guarded_effect(i, e);
    e->deed = DO_BRANCH;
}
static void jump_effect(const insn *i, effect *e) {
    (void)i;
    e->deed = DO_JUMP;
}
static void reconverge_effect(const insn *i, effect *e) {
    (void)i;
    e->deed = DO_RECONVERGE;
}
static void switch_effect(const insn *i, effect *e) {
    const switch_info *x = i->extra;
    reads(e, x->index.slot, x->index.width);
}

/* Calls of what the emulator has itself and that go on behind themselves. */
static void builtin_effect(const insn *i, effect *e) {
    const call_info *x = i->extra;
    guarded_effect(i, e);
    e->unknown = true;
    switch (x->builtin) {
    case BUILTIN_FENCES: e->deed = DO_FENCES; break;
    case BUILTIN_NOTHING: e->deed = DO_NOTHING; break;
    case BUILTIN_CHECK:
    case BUILTIN_ASSUME:
    case BUILTIN_VPRINTF: e->deed = DO_CALL; break;
    default: return;
    }
    e->unknown = false;
    for (uint32_t k = 0; k < x->arg_count && e->deed != DO_NOTHING; k++)
        if (!x->args[k].in_memory) reads(e, x->args[k].reg.slot, x->args[k].reg.width);
    for (uint32_t k = 0; k < x->result_count && e->deed != DO_NOTHING; k++)
        if (!x->results[k].in_memory) writes(e, x->results[k].reg.slot, x->results[k].reg.width);
    if (e->deed == DO_FENCES && (i->guard != NO_SLOT || !x->arg_count || x->args[0].in_memory))
        e->deed = DO_CALL;
}

static const struct {
    exec_fn fn;
    void (*effect)(const insn *i, effect *e);
} table[] = {
    {em_exec_load, load_effect},
    {em_exec_store, load_effect},
    {em_exec_atomic, load_effect},
    {em_exec_scalar, scalar_effect},
    {em_exec_pack, pack_effect},
    {em_exec_sreg, sreg_effect},
    {em_exec_nop, nop_effect},
    {em_exec_loop, call_effect},
    {em_exec_tail, call_effect},
    {em_exec_undefined, call_effect},
    {em_exec_unit_touch, call_effect},
    {em_exec_unit_copy, call_effect},
    {em_exec_unit_fence, call_effect},
    {em_exec_written, written_effect},
    {em_exec_shfl, across_effect},
    {em_exec_vote, across_effect},
    {em_exec_match, across_effect},
    {em_exec_redux, across_effect},
    {em_exec_elect, across_effect},
    {em_exec_activemask, across_effect},
    {em_exec_warp_barrier, warp_barrier_effect},
    {em_exec_fence, fence_effect},
    {em_exec_barrier, barrier_effect},
    {em_exec_exit, guarded_effect},
    {em_exec_switch, switch_effect},
    {em_exec_guard, guard_effect},
    {em_exec_branch, branch_effect},
    {em_exec_jump, jump_effect},
    {em_exec_reconverge, reconverge_effect},
    {em_exec_call, builtin_effect},
    {em_exec_product, product_effect},
    {em_exec_matrix_load, matrix_move_effect},
    {em_exec_matrix_store, matrix_move_effect},
    {em_exec_matrix_move, matrix_move_effect},
    {em_exec_wmma_load, wmma_move_effect},
    {em_exec_wmma_store, wmma_move_effect},
};

void jit_effect(const insn *i, exec_fn fn, effect *e) {
    *e = (effect){.deed = DO_STOP};
    if (i->op) {
        lane_effect(i, e);
        if (e->deed == DO_ROW && is_slow_row(i->op)) e->slow = true;
    } else {
        size_t k = 0;
        while (k < sizeof table / sizeof *table && table[k].fn != fn) k++;
        if (k < sizeof table / sizeof *table)
            table[k].effect(i, e);
        else
            e->unknown = true;
    }
    if (e->read_count == MOST_OPERANDS || e->write_count == MOST_OPERANDS) {
        e->deed = DO_STOP; /* perhaps not all were noted */
        e->unknown = true;
    }
}
