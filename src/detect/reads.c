/* Reads of global memory that follow one another are stamped together, behind the last of them (stamps.c has
 * what stamps are). Setting one means waiting for memory several times, one after the other; of several, each
 * step is made for all of them before the next one, so that they wait at the same time. They stay in one
 * barrier interval and in one basic block, and their addresses and guards are unchanged until then. */
#include "detect/redirect.h"

#include <inttypes.h>
#include <stdio.h>

/* --- Which reads wait --- */

static bool sets(const emitter *e, const ls_ir_instr *instr, const ls_ptx_symbol *symbol) {
    for (uint32_t d = 0; d < instr->dst_count && symbol; d++) {
        const ls_ir_value *value = instr->dst[d].value;
        if (!value || value->reg == LS_IR_NONE || e->k->ir->registers[value->reg].symbol == symbol)
            return true;
    }
    return false;
}

static bool disturbs(const emitter *e, const ls_ir_instr *instr, const ls_ir_access *read) {
    return sets(e, instr, dt_address_part(read->instr, read)->symbol) ||
           sets(e, instr, read->instr->ast->guard);
}

bool dt_can_wait(const emitter *e, const ls_ir_access *a) {
    const ls_ptx_operand *part = dt_address_part(a->instr, a);
    return a->kind == LS_ACCESS_READ && !e->o->log && part && part->symbol && dt_is_wide(part) && a->bytes &&
           a->instr->op == LS_OP_LD && a->instr->access_count == 1 && dt_bytes_of(a) <= 1u << e->o->granule &&
           !disturbs(e, a->instr, a);
}

void dt_let_wait(emitter *e, const ls_ir_access *a) {
    e->waiting[e->waiting_count++] = a;
    if (e->waiting_count == READS_TOGETHER) dt_settle_reads(e);
}

/* Only plain computation and reads may stand between. */
void dt_settle_before(emitter *e, const ls_ir_instr *instr) {
    if (!e->waiting_count) return;
    bool now = !instr || instr->unknown;
    if (!now) {
        const ls_ptx_opcode *opcode = instr->form->opcode;
        now = opcode->class < LS_CLASS_INTEGER || opcode->class > LS_CLASS_MEMORY ||
              opcode->effects & (LS_WRITES_MEMORY | LS_ATOMIC | LS_BARRIER | LS_EFFECT | LS_ASYNC);
    }
    for (uint32_t i = 0; i < e->waiting_count && !now; i++) now = disturbs(e, instr, e->waiting[i]);
    if (now) dt_settle_reads(e);
}

/* --- Their stamps --- */

/* %ls_v<n>: where the write stamp is that the read's stands behind; 0: there is none. */
static void emit_places(emitter *e) {
    for (uint32_t n = 0; n < e->waiting_count; n++) {
        const ls_ir_access *a = e->waiting[n];
        const uint32_t skip = ++e->labels;
        dt_emit(e, "\tmov.u64 %%ls_v%u, 0;", n);
        dt_skip_unless_guarded(e, a->instr->ast, "NOSTAMP", skip);
        dt_emit_stamp_place(e, a, dt_address_part(a->instr, a), skip);
        dt_emit(e, "\tmov.u64 %%ls_v%u, %%ls_stamp;", n);
        dt_emit(e, "$LS_NOSTAMP%u:", skip);
    }
    for (uint32_t n = 0; n < e->waiting_count; n++) dt_emit(e, "\tsetp.ne.u64 %%ls_h%u, %%ls_v%u, 0;", n, n);
}

/* Among units: the first one's number, or that there were many. */
static void emit_units(emitter *e) {
    const uint32_t count = e->waiting_count;
    for (uint32_t n = 0; n < count; n++) {
        dt_emit(e, "\tadd.u64 %%ls_a%u, %%ls_v%u, %%ls_plane;", n, n); /* READS is the plane behind WRITES */
        dt_emit(e, "\t@%%ls_h%u ld.global.u32 %%ls_s%u, [%%ls_a%u];", n, n, n);
    }
    for (uint32_t n = 0; n < count; n++) {
        dt_emit(e, "\tsetp.ne.and.u32 %%ls_u%u, %%ls_s%u, %%ls_me, %%ls_h%u;", n, n, n);
        dt_emit(e, "\tsetp.ne.and.u32 %%ls_u%u, %%ls_s%u, %%ls_many, %%ls_u%u;", n, n, n);
    }
    for (uint32_t n = 0; n < count; n++)
        dt_emit(e, "\t@%%ls_u%u atom.global.max.u32 %%ls_s%u, [%%ls_a%u], %%ls_me;", n, n, n);
    for (uint32_t n = 0; n < count; n++) {
        dt_emit(e, "\tsetp.ge.and.u32 %%ls_u%u, %%ls_s%u, %%ls_base, %%ls_u%u;", n, n, n);
        dt_emit(e, "\tsetp.ne.and.u32 %%ls_u%u, %%ls_s%u, %%ls_me, %%ls_u%u;", n, n, n);
        dt_emit(e, "\t@%%ls_u%u red.global.max.u32 [%%ls_a%u], %%ls_many;", n, n);
    }
}

static void emit_other(emitter *e, uint32_t n) {
    dt_emit(e, "\tmov.u64 %%ls_d64, %%ls_e%u;", n);
    dt_emit_other_warp(e);
    dt_emit(e, "\tand.pred %%ls_q, %%ls_q, %%ls_h%u;", n);
}

/* Among the warps of a block, as emit_inner of stamps.c does for one access. */
static void emit_warps(emitter *e) {
    const uint32_t count = e->waiting_count;
    dt_emit(e, "\tmad.lo.u32 %%ls_turn, %%ls_epoch, 64, %%ls_warp;");
    dt_emit(e, "\tmov.b64 %%ls_b0, {%%ls_turn, %%ls_me};");
    dt_emit(e, "\tor.b64 %%ls_b1, %%ls_b0, 63;");
    for (uint32_t n = 0; n < count; n++) {
        dt_emit(e, "\tsub.u64 %%ls_l, %%ls_v%u, %%ls_copy;", n);
        dt_emit(e, "\tmad.lo.u64 %%ls_l, %%ls_l, 2, %%ls_copy;");
        dt_emit(e, "\tmad.lo.u64 %%ls_a%u, %%ls_plane, %u, %%ls_l;", n, dt_stamp_kinds(e->k));
        dt_emit(e, "\tmad.lo.u64 %%ls_w%u_, %%ls_plane, 2, %%ls_a%u;", n, n); /* of reads */
        dt_emit(e, "\t@%%ls_h%u atom.global.max.u64 %%ls_e%u, [%%ls_w%u_], %%ls_b0;", n, n, n);
    }
    for (uint32_t n = 0; n < count; n++) {
        emit_other(e, n);
        dt_emit(e, "\t@%%ls_q red.global.max.u64 [%%ls_w%u_], %%ls_b1;", n);
    }
    dt_emit(e, "\tmembar.cta;");
    for (uint32_t n = 0; n < count; n++)
        dt_emit(e, "\t@%%ls_h%u ld.volatile.global.u64 %%ls_e%u, [%%ls_a%u];", n, n, n);
    for (uint32_t n = 0; n < count; n++) {
        emit_other(e, n);
        dt_emit(e, "\t@%%ls_q mov.u32 %%ls_conflict, %d;", CONFLICT_GLOBAL);
        dt_emit(e, "\tsetp.eq.and.u64 %%ls_q, %%ls_conflict_at, 0, %%ls_q;");
        dt_emit(e, "\t@%%ls_q mov.u64 %%ls_conflict_at, %%ls_v%u;", n);
    }
}

void dt_settle_reads(emitter *e) {
    const uint32_t count = e->waiting_count;
    if (count == 1) dt_emit_stamp(e, e->waiting[0]);
    if (count > 1) {
        dt_emit(e, "\t{");
        dt_emit(e, "\t.reg .u64 %%ls_v<%u>, %%ls_a<%u>, %%ls_e<%u>;", count, count, count);
        for (uint32_t n = 0; n < count; n++) dt_emit(e, "\t.reg .u64 %%ls_w%u_;", n);
        dt_emit(e, "\t.reg .u32 %%ls_s<%u>;", count);
        dt_emit(e, "\t.reg .pred %%ls_h<%u>, %%ls_u<%u>;", count, count);
        emit_places(e);
        emit_units(e);
        if (e->o->inner) emit_warps(e);
        dt_emit(e, "\t}");
    }
    e->waiting_count = 0;
}
