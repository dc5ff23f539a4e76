/* Writing down who accesses what, in the run that finds the source lines of a race: a record for each access
 * to the addresses, blocks and regions that are asked for. */
#include "detect/redirect.h"

#include <inttypes.h>

/* The value of element i of the store, as 32- or 64-bit bits in %ls_j or %ls_l; false: a constant, the same
 * for all lanes. */
bool dt_emit_stored_value(emitter *e, const ls_ir_instr *instr, uint32_t i, bool *wide) {
    const ls_ptx_operand *value = &instr->ast->operands[1];
    if (value->kind == LS_OPERAND_VECTOR) value = i < value->count ? &value->parts[i] : value;
    if (value->kind != LS_OPERAND_REGISTER || value->symbol->kind != LS_SYMBOL_REGISTER) return false;
    if (value->symbol->vector > 1) return false;
    switch (ls_ptx_type_bits((ls_ptx_type)value->symbol->type)) {
    case 16: dt_emit(e, "\tmov.b32 %%ls_j, {%s, %s};", value->symbol->name, value->symbol->name); break;
    case 32: dt_emit(e, "\tmov.b32 %%ls_j, %s;", value->symbol->name); break;
    case 64: dt_emit(e, "\tmov.b64 %%ls_l, %s;", value->symbol->name); break;
    default: return false;
    }
    *wide = ls_ptx_type_bits((ls_ptx_type)value->symbol->type) == 64;
    return true;
}

/* %ls_sum: of the values that are stored. */
static void emit_value_sum(emitter *e, const ls_ir_access *access) {
    dt_emit(e, "\tmov.u64 %%ls_sum, 0;");
    if (!access || access->kind != LS_ACCESS_WRITE || access->instr->op != LS_OP_ST) return;
    for (uint32_t i = 0; i < access->count; i++) {
        bool wide = false;
        if (!dt_emit_stored_value(e, access->instr, i, &wide)) continue;
        if (!wide) dt_emit(e, "\tcvt.u64.u32 %%ls_l, %%ls_j;");
        dt_emit(e, "\tmad.lo.u64 %%ls_sum, %%ls_sum, 0x9E3779B97F4A7C15, %%ls_l;");
    }
}

/* Goes on only in the blocks that are asked for. */
static void emit_log_blocks(emitter *e, uint32_t skip) {
    dt_emit(e, "\tld.global.u64 %%ls_l, [%%ls_ctx+%d];", CTX_LOG_BLOCK);
    dt_emit(e, "\tsub.u64 %%ls_log, %%ls_block, %%ls_l;");
    dt_emit(e, "\tld.global.u64 %%ls_l, [%%ls_ctx+%d];", CTX_LOG_EPOCH);
    dt_emit(e, "\tsetp.ge.u64 %%ls_q, %%ls_log, %%ls_l;");
    dt_emit(e, "\t@%%ls_q bra $LS_NOLOG%u;", skip);
}

/* MODE_GRID: goes on only where the map marks one of the words at %ls_off, and for one copy's users or all.
 */
static void emit_log_filter(emitter *e, const ls_ir_access *access, uint32_t skip) {
    uint32_t words = access->opaque ? 4 : (access->bytes * access->count + 3) / 4;
    dt_emit(e, "\tld.global.u64 %%ls_l, [%%ls_ctx+%d];", CTX_LOG_GROUP);
    dt_emit(e, "\tsetp.eq.u64 %%ls_q, %%ls_l, -1;");
    dt_emit(e, "\tselp.b64 %%ls_l, %%ls_group, %%ls_l, %%ls_q;");
    dt_emit(e, "\tsetp.ne.u64 %%ls_q, %%ls_l, %%ls_group;");
    dt_emit(e, "\t@%%ls_q bra $LS_NOLOG%u;", skip);
    dt_emit(e, "\tld.global.u64 %%ls_log, [%%ls_ctx+%d];", CTX_MAP);
    dt_emit(e, "\tshr.u64 %%ls_l, %%ls_off, 2;");
    dt_emit(e, "\tadd.u64 %%ls_log, %%ls_log, %%ls_l;");
    dt_emit(e, "\tmov.u32 %%ls_flag, 0;");
    for (uint32_t i = 0; i < words; i++) {
        dt_emit(e, "\tld.global.u8 %%ls_j, [%%ls_log+%u];", i);
        dt_emit(e, "\tor.b32 %%ls_flag, %%ls_flag, %%ls_j;");
    }
    dt_emit(e, "\tsetp.eq.u32 %%ls_q, %%ls_flag, 0;");
    dt_emit(e, "\t@%%ls_q bra $LS_NOLOG%u;", skip);
}

/* Writes down the access; %ls_off: byte in the segment or in a copy. */
void dt_emit_log(emitter *e, const ls_ir_access *access, const char *number, uint32_t skip) {
    bool valued = e->o->inside || e->o->mode == MODE_WATCH;
    if (valued) emit_value_sum(e, access);
    dt_emit(e, "\tld.global.u64 %%ls_log, [%%ls_ctx+%d];", CTX_LOG);
    dt_emit(e, "\tatom.global.add.u32 %%ls_j, [%%ls_log+%d], 1;", LOG_COUNT);
    dt_emit(e, "\tsetp.ge.u32 %%ls_q, %%ls_j, %d;", LOG_CAPACITY);
    dt_emit(e, "\t@%%ls_q bra $LS_NOLOG%u;", skip);
    dt_emit(e, "\tmul.wide.u32 %%ls_l, %%ls_j, %d;", LOG_RECORD_BYTES);
    dt_emit(e, "\tadd.u64 %%ls_log, %%ls_log, %%ls_l;");
    if (access)
        dt_emit(e, "\tmov.u32 %%ls_j, %u;", access->id);
    else
        dt_emit(e, "\tmov.u32 %%ls_j, %s;", number);
    dt_emit(e, "\tst.global.u32 [%%ls_log+%d], %%ls_j;", LOG_RECORDS);
    dt_emit(e, "\tst.global.u32 [%%ls_log+%d], %%ls_epoch;", LOG_RECORDS + 4);
    dt_emit(e, "\tst.global.u64 [%%ls_log+%d], %%ls_block;", LOG_RECORDS + 8);
    dt_emit(e, "\tst.global.u64 [%%ls_log+%d], %%ls_off;", LOG_RECORDS + 16);
    dt_emit(e, "\tst.global.u32 [%%ls_log+%d], %%ls_warp;", LOG_RECORDS + 24);
    bool progress = e->o->mode == MODE_WATCH && e->o->marks && dt_has_products(e->k);
    dt_emit(e, "\tst.global.u32 [%%ls_log+%d], %s;", LOG_RECORDS + 28,
            progress ? "%ls_progress" : "%ls_lane");
    if (valued) dt_emit(e, "\tst.global.u64 [%%ls_log+%d], %%ls_sum;", LOG_RECORDS + 32);
}

void dt_log_shared(emitter *e, const ls_ir_access *access, const ls_ptx_operand *part, bool generic) {
    if (!e->o->log) return;
    char base[300];
    uint32_t skip = ++e->labels;
    dt_skip_unless_guarded(e, access->instr->ast, "NOLOG", skip);
    dt_part_text(part, base, sizeof base);
    dt_emit(e, "\t@!%%ls_first bra $LS_NOLOG%u;", skip);
    if (e->o->copies_in_shared)
        dt_emit(e, "\tsetp.eq.u32 %%ls_q, %%ls_sd, 0;");
    else
        dt_emit(e, "\tsetp.eq.u64 %%ls_q, %%ls_sd64, %%ls_window;");
    dt_emit(e, "\t@%%ls_q bra $LS_NOLOG%u;", skip);
    dt_emit(e, "\tld.global.u64 %%ls_l, [%%ls_ctx+%d];", CTX_LOG_BLOCK);
    dt_emit(e, "\tsetp.ne.u64 %%ls_q, %%ls_l, %%ls_block;");
    dt_emit(e, "\t@%%ls_q bra $LS_NOLOG%u;", skip);
    dt_emit(e, "\tld.global.u32 %%ls_j, [%%ls_ctx+%d];", CTX_LOG_EPOCH);
    dt_emit(e, "\tsetp.ne.u32 %%ls_q, %%ls_j, %%ls_epoch;");
    dt_emit(e, "\t@%%ls_q bra $LS_NOLOG%u;", skip);
    if (dt_is_wide(part)) {
        dt_emit(e, "\tmov.u64 %%ls_off, %s;", base);
        if (generic) dt_emit(e, "\tsub.u64 %%ls_off, %%ls_off, %%ls_window;");
    } else {
        dt_emit(e, "\tmov.u32 %%ls_j, %s;", base);
        dt_emit(e, "\tcvt.u64.u32 %%ls_off, %%ls_j;");
    }
    dt_emit(e, "\tadd.s64 %%ls_off, %%ls_off, %" PRId64 ";", part->offset);
    dt_emit(e, "\tcvt.u64.u32 %%ls_l, %%ls_segment;");
    dt_emit(e, "\tsub.u64 %%ls_off, %%ls_off, %%ls_l;");
    dt_emit(e, "\tsetp.ge.u64 %%ls_q, %%ls_off, %" PRIu64 ";", e->k->segment);
    dt_emit(e, "\t@%%ls_q bra $LS_NOLOG%u;", skip);
    dt_emit_log(e, access, NULL, skip);
    dt_emit(e, "$LS_NOLOG%u:", skip);
}

void dt_log_global(emitter *e, const ls_ir_access *access, uint32_t skip) {
    if (e->o->inside)
        emit_log_blocks(e, skip);
    else
        emit_log_filter(e, access, skip);
    dt_emit_log(e, access, NULL, skip);
}

/* in_shared: where the object is known, its byte in the block's segment is. */
void dt_log_as_it_is(emitter *e, const ls_ir_access *access) {
    const access_info *info = &e->k->accesses[access->id];
    const ls_ptx_operand *part = dt_address_part(access->instr, access);
    if (!info->in_shared || !info->certain || info->object == LS_IR_NONE || !part ||
        part->kind == LS_OPERAND_SINK || access->opaque ||
        ls_ptx_form_space(access->instr->ast->form) != LS_SPACE_SHARED)
        return;
    const object *o = &e->k->objects[info->object];
    if (!o->is_shared || !o->symbol) return; /* a pointer of a parameter, where an offset is expected */
    char base[300];
    uint32_t skip = ++e->labels;
    dt_skip_unless_guarded(e, access->instr->ast, "NOLOG", skip);
    emit_log_blocks(e, skip);
    dt_emit(e, dt_is_wide(part) ? "\tcvt.u32.u64 %%ls_j, %s;" : "\tmov.u32 %%ls_j, %s;",
            dt_part_text(part, base, sizeof base));
    dt_emit(e, "\tmov.u32 %%ls_i, %s;", o->symbol->name);
    dt_emit(e, "\tsub.s32 %%ls_j, %%ls_j, %%ls_i;");
    dt_emit(e, "\tcvt.s64.s32 %%ls_off, %%ls_j;");
    dt_emit(e, "\tadd.s64 %%ls_off, %%ls_off, %" PRId64 ";", part->offset + (int64_t)o->layout);
    dt_emit_log(e, access, NULL, skip);
    dt_emit(e, "$LS_NOLOG%u:", skip);
}
