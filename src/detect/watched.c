/* A kernel that runs as it is, once and on the memory itself, with its accesses watched (MODE_WATCH): what is
 * in front of its body, behind its accesses and at its end. A thread that has met another one says so at its
 * end, in one record: where, not how; a further run of the same form (`log`) writes down who accesses that
 * place. Marks and stamps are those of marks.c and stamps.c. */
#include "detect/instrument.h"

#include <stdio.h>
#include <stdlib.h>

void dt_emit_watch_declarations(emitter *e) {
    dt_emit(e, "\t.reg .u32 %%ls_tid, %%ls_warp, %%ls_lane, %%ls_epoch, %%ls_conflict, %%ls_slot;");
    dt_emit(e, "\t.reg .u32 %%ls_segment, %%ls_low, %%ls_marks, %%ls_both, %%ls_before, %%ls_place, %%ls_x, "
               "%%ls_y, %%ls_w0, %%ls_w1, %%ls_w2;");
    dt_emit(e, "\t.reg .u32 %%ls_bit0, %%ls_bit1, %%ls_bit2, %%ls_m0, %%ls_m1, %%ls_m2;");
    dt_emit(e, "\t.reg .u32 %%ls_base, %%ls_me, %%ls_many, %%ls_turn;");
    dt_emit(e, "\t.reg .u64 %%ls_block, %%ls_conflict_at, %%ls_stamp, %%ls_plane, %%ls_copy, %%ls_group;");
    if (e->o->marks) dt_emit_beside_declarations(e);
    for (uint32_t i = 0; i < e->k->object_count; i++)
        if (!e->k->objects[i].is_shared) dt_emit(e, "\t.reg .u64 %%ls_gd%u;", i);
}

void dt_emit_watch_prologue(emitter *e) {
    dt_emit_context(e);
    dt_emit_thread_numbers(e);
    dt_emit_block_number(e);
    dt_emit(e, "\tmov.u32 %%ls_epoch, 0;");
    dt_emit(e, "\tmov.u32 %%ls_conflict, %d;", CONFLICT_NONE);
    dt_emit(e, "\tmov.u64 %%ls_conflict_at, 0;");
    if (e->o->stamps) dt_emit_stamps_prologue(e);
    if (e->o->marks) dt_emit_marks_prologue(e);
    if (e->o->marks) dt_emit_beside_prologue(e);
}

void dt_emit_watched_instr(emitter *e, ls_ir_instr *instr) {
    const ls_ir_access *product = dt_product_of(e->k, instr), *waits = NULL;
    if (product && e->o->marks && e->k->accesses[product->id].marked) dt_emit_product(e, product);
    for (uint32_t i = 0; i < instr->access_count; i++) {
        const ls_ir_access *a = &instr->accesses[i];
        if (e->o->marks && e->k->accesses[a->id].marked) dt_emit_mark(e, a);
        if (!e->o->stamps || !e->k->accesses[a->id].stamped) continue;
        if (dt_can_wait(e, a))
            waits = a;
        else
            dt_emit_stamp(e, a);
    }
    dt_emit_instr(e, instr->ast);
    if (waits) dt_let_wait(e, waits);
    dt_emit_groups(e, instr);
    for (uint32_t i = 0; i < instr->access_count && e->o->marks; i++)
        if (e->k->accesses[instr->accesses[i].id].marked) dt_emit_mark_back(e, &instr->accesses[i]);
}

void dt_emit_watch_end(emitter *e) {
    if (e->o->marks && !e->o->log) dt_emit_last_marks(e);
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_conflict, %d;", CONFLICT_NONE);
    dt_emit(e, "\t@%%ls_p ret;");
    dt_emit_context(e);
    dt_emit(e, "\tld.global.u64 %%ls_log, [%%ls_ctx+%d];", CTX_REPORT);
    dt_emit_report_slot(e, "%ls_log", "%ls_slot", "%ls_p", "ret");
    dt_emit(e, "\tmul.wide.u32 %%ls_l, %%ls_slot, %d;", REPORT_RECORD_BYTES);
    dt_emit(e, "\tadd.u64 %%ls_log, %%ls_log, %%ls_l;");
    dt_emit(e, "\tmov.u32 %%ls_j, %d;", RACE_WRITE_WRITE);
    dt_emit(e, "\tst.global.u32 [%%ls_log+%d], %%ls_j;", REPORT_RECORDS);
    dt_emit(e, "\tst.global.u32 [%%ls_log+%d], %%ls_conflict;", REPORT_RECORDS + 36);
    dt_emit_block_number(e);
    dt_emit(e, "\tst.global.u64 [%%ls_log+%d], %%ls_block;", REPORT_RECORDS + 8);
    if (e->o->stamps) { /* of a stamp: the byte that it stands for */
        dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_conflict, %d;", CONFLICT_GLOBAL);
        dt_emit(e, "\t@%%ls_p sub.u64 %%ls_conflict_at, %%ls_conflict_at, %%ls_copy;");
        dt_emit(e, "\t@%%ls_p shl.b64 %%ls_conflict_at, %%ls_conflict_at, %u;", e->o->granule);
        dt_emit(e, "\t@%%ls_p shr.u64 %%ls_conflict_at, %%ls_conflict_at, 2;");
    }
    dt_emit(e, "\tst.global.u64 [%%ls_log+%d], %%ls_conflict_at;", REPORT_RECORDS + 24);
    dt_emit(e, "\tret;");
}
