/* Access redirection (002, §5.2, Table III). An access to a target goes to the private copy of its warp (or
 * of its group of units): the address gets a distance added that is constant for the warp, so that structs,
 * dynamic shared memory and pointers chosen at run time need no special care. Where the object is not known
 * until run time, the space (isspacep) or a table of ranges decides. */
#include "detect/redirect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void dt_emit_access_declarations(emitter *e) {
    dt_emit(e, "\t.reg .u64 %%ls_ctx, %%ls_l, %%ls_d64, %%ls_table, %%ls_from_, %%ls_end_, %%ls_apart;");
    dt_emit(e, "\t.reg .u64 %%ls_from2, %%ls_end2, %%ls_apart2;");
    dt_emit(e, "\t.reg .u32 %%ls_i, %%ls_j, %%ls_rows, %%ls_mask, %%ls_same, %%ls_flag;");
    dt_emit(e, "\t.reg .u32 %%ls_a0, %%ls_a1;");
    dt_emit(e, "\t.reg .u64 %%ls_b0, %%ls_b1, %%ls_off, %%ls_log, %%ls_sum;");
    dt_emit(e, "\t.reg .pred %%ls_p, %%ls_q, %%ls_guard;");
    dt_emit(e, "\t.reg .u64 %%ls_told, %%ls_number;");
    if (e->o->mode == MODE_GRID) {
        dt_emit(e, "\t.reg .u32 %%ls_tid, %%ls_warp, %%ls_lane, %%ls_epoch;");
        dt_emit(e, "\t.reg .u64 %%ls_block;");
    } else if (!e->o->both) {
        return;
    }
    dt_emit(e, "\t.reg .u64 %%ls_unit, %%ls_copy, %%ls_group;");
    for (uint32_t i = 0; i < e->k->object_count; i++)
        if (!e->k->objects[i].is_shared) dt_emit(e, "\t.reg .u64 %%ls_gd%u;", i);
}

/* --- MODE_GRID: which copy a thread uses (002, §4.5) -----------------------------------------------------
 */

void dt_emit_grid_prologue(emitter *e) {
    if (e->o->mode == MODE_GRID) {
        dt_emit_context(e);
        dt_emit_thread_numbers(e);
        dt_emit(e, "\tmov.u32 %%ls_epoch, 0;");
    }
    dt_emit_block_number(e);
    dt_emit(e, "\tmov.u64 %%ls_unit, %%ls_block;");
    if (e->o->units_are_warps) {
        dt_emit(e, "\tmul.lo.u64 %%ls_unit, %%ls_unit, %u;", e->o->warps);
        dt_emit(e, "\tcvt.u64.u32 %%ls_l, %%ls_warp;");
        dt_emit(e, "\tadd.u64 %%ls_unit, %%ls_unit, %%ls_l;");
    }
    dt_emit(e, "\tld.global.u64 %%ls_l, [%%ls_ctx+%d];", CTX_DIVISOR);
    dt_emit(e, "\tdiv.u64 %%ls_group, %%ls_unit, %%ls_l;");
    dt_emit(e, "\tld.global.u64 %%ls_l, [%%ls_ctx+%d];", CTX_COPIES);
    dt_emit(e, "\trem.u64 %%ls_group, %%ls_group, %%ls_l;");
    dt_emit(e, "\tld.global.u64 %%ls_l, [%%ls_ctx+%d];", CTX_STRIDE);
    dt_emit(e, "\tmul.lo.u64 %%ls_group, %%ls_group, %%ls_l;"); /* distance of the copy from the first one */
    dt_emit(e, "\tld.global.u64 %%ls_copy, [%%ls_ctx+%d];", CTX_COPY);
    dt_emit(e, "\tadd.u64 %%ls_copy, %%ls_copy, %%ls_group;");
    dt_emit_ranges_prologue(e);
    for (uint32_t i = 0; i < e->k->object_count; i++) {
        if (e->k->objects[i].is_shared || e->k->objects[i].state != OBJECT_TARGET) continue;
        dt_emit(e, "\tld.global.u64 %%ls_gd%u, [%%ls_ctx+%u];", i, CTX_SLOTS + CTX_SLOT_BYTES * i + 8);
        dt_emit(e, "\tadd.u64 %%ls_gd%u, %%ls_gd%u, %%ls_group;", i, i);
    }
}

/* --- Operands --------------------------------------------------------------------------------------------
 */

ls_ptx_operand *dt_address_part(const ls_ir_instr *instr, const ls_ir_access *access) {
    const ls_ir_operand *src = &instr->src[access->src];
    ls_ptx_operand *operand = &instr->ast->operands[src->operand];
    if (operand->kind != LS_OPERAND_ADDRESS || src->part >= operand->count) return NULL;
    return &operand->parts[src->part];
}

static void set_register(emitter *e, ls_ptx_operand *part, const char *name, bool wide) {
    ls_ptx_symbol *symbol = LS_NEW(&e->k->arena, ls_ptx_symbol);
    symbol->name = ls_arena_strdup(&e->k->arena, name);
    symbol->length = (uint32_t)strlen(name);
    symbol->kind = LS_SYMBOL_REGISTER;
    symbol->type = wide ? LS_TYPE_U64 : LS_TYPE_U32;
    part->kind = LS_OPERAND_REGISTER;
    part->symbol = symbol;
}

bool dt_is_wide(const ls_ptx_operand *part) {
    return part->kind == LS_OPERAND_REGISTER && ls_ptx_type_bits((ls_ptx_type)part->symbol->type) == 64;
}

/* The address without its offset as text. */
const char *dt_part_text(const ls_ptx_operand *part, char *out, size_t size) {
    if (part->kind == LS_OPERAND_INT)
        snprintf(out, size, "%" PRIu64, part->value);
    else
        snprintf(out, size, "%s", part->symbol->name);
    return out;
}

void dt_skip_unless_guarded(emitter *e, const ls_ptx_instr *ast, const char *label, uint32_t number) {
    if (ast->guard)
        dt_emit(e, "\t@%s%s bra $LS_%s%u;", ast->guard_negated ? "" : "!", ast->guard->name, label, number);
}

static void remove_modifier(emitter *e, ls_ptx_instr *ast, const char *modifier) {
    const char *at = strstr(ast->form->text, modifier);
    if (!at) return;
    ls_ptx_form *form = LS_NEW(&e->k->arena, ls_ptx_form);
    *form = *ast->form;
    size_t before = (size_t)(at - ast->form->text), cut = strlen(modifier);
    form->text = ls_arena_printf(&e->k->arena, "%.*s%.*s", (int)before, ast->form->text,
                                 (int)(ast->form->length - before - cut), at + cut);
    form->length = ast->form->length - (uint32_t)cut;
    ast->form = form;
}

/* --- Conflicts of lanes within one store (002, §4.7) -----------------------------------------------------
 */

/* Whether every region with the instruction is one in which every thread writes its own part. */
static bool is_in_own_regions(const kernel *k, const ls_ir_instr *instr) {
    for (uint32_t i = 0; i < k->region_count; i++)
        if (!k->regions[i].own && ls_bitset_has(&k->regions[i].instrs, instr->id)) return false;
    return true;
}

bool dt_checks_lanes(const emitter *e, const ls_ir_access *access) {
    if (e->o->mode == MODE_BLOCK && is_in_own_regions(e->k, access->instr)) return false;
    return e->o->intra_warp && !e->o->deterministic && access->kind == LS_ACCESS_WRITE && !access->opaque &&
           access->instr->op == LS_OP_ST && access->bytes * access->count <= 16;
}

/* Goes to the label where the lanes' addresses rise from lane to lane, as most do: they are different then.
 */
static void emit_rising_check(emitter *e, const char *address, bool wide, uint32_t skip) {
    if (wide)
        dt_emit(e, "\tcvt.u32.u64 %%ls_i, %s;", address);
    else
        dt_emit(e, "\tmov.u32 %%ls_i, %s;", address);
    dt_emit(e, "\tmov.u32 %%ls_j, %%lanemask_lt;");
    dt_emit(e, "\tand.b32 %%ls_j, %%ls_j, %%ls_mask;");
    dt_emit(e, "\tsetp.eq.u32 %%ls_q, %%ls_j, 0;"); /* the first */
    dt_emit(e, "\tbfind.u32 %%ls_j, %%ls_j;");
    dt_emit(e, "\t@%%ls_q mov.u32 %%ls_j, %%laneid;");
    dt_emit(e, "\tshfl.sync.idx.b32 %%ls_j, %%ls_i, %%ls_j, 31, %%ls_mask;");
    dt_emit(e, "\tsetp.gt.or.u32 %%ls_q, %%ls_i, %%ls_j, %%ls_q;");
    dt_emit(e, "\tvote.sync.all.pred %%ls_q, %%ls_q, %%ls_mask;");
    dt_emit(e, "\t@%%ls_q bra $LS_NOLANE%u;", skip);
}

/* Lanes that store to one address different values: the address is %ls_off (in the segment or copy). */
void dt_emit_lane_check(emitter *e, const ls_ir_access *access, const char *address, bool wide) {
    uint32_t skip = ++e->labels;
    dt_skip_unless_guarded(e, access->instr->ast, "NOLANE", skip);
    if (e->o->mode == MODE_BLOCK) dt_emit(e, "\t@!%%ls_first bra $LS_NOLANE%u;", skip);
    dt_emit(e, "\tactivemask.b32 %%ls_mask;");
    emit_rising_check(e, address, wide, skip);
    dt_emit(e, "\tmatch.any.sync.b%u %%ls_same, %s, %%ls_mask;", wide ? 64 : 32, address);
    dt_emit(e, "\tsetp.ne.u32 %%ls_q, %%ls_same, %%ls_same;");
    for (uint32_t i = 0; i < access->count; i++) {
        bool wide_value = false;
        if (!dt_emit_stored_value(e, access->instr, i, &wide_value)) continue;
        dt_emit(e, "\tmatch.any.sync.b%u %%ls_i, %s, %%ls_mask;", wide_value ? 64 : 32,
                wide_value ? "%ls_l" : "%ls_j");
        dt_emit(e, "\tnot.b32 %%ls_i, %%ls_i;");
        dt_emit(e, "\tand.b32 %%ls_i, %%ls_i, %%ls_same;");
        dt_emit(e, "\tsetp.ne.or.u32 %%ls_q, %%ls_i, 0, %%ls_q;");
    }
    dt_emit(e, "\t@!%%ls_q bra $LS_NOLANE%u;", skip);
    dt_emit_context(e);
    dt_emit(e, "\tld.global.u64 %%ls_log, [%%ls_ctx+%d];", CTX_REPORT);
    char none[32];
    snprintf(none, sizeof none, "bra $LS_NOLANE%u", skip);
    dt_emit_report_slot(e, "%ls_log", "%ls_j", "%ls_q", none);
    dt_emit(e, "\tmul.wide.u32 %%ls_l, %%ls_j, %d;", REPORT_RECORD_BYTES);
    dt_emit(e, "\tadd.u64 %%ls_log, %%ls_log, %%ls_l;");
    dt_emit(e, "\tmov.u32 %%ls_j, %d;", RACE_INTRA_WARP);
    dt_emit(e, "\tst.global.u32 [%%ls_log+%d], %%ls_j;", REPORT_RECORDS);
    dt_emit(e, "\tmov.u32 %%ls_j, %u;", access->id);
    dt_emit(e, "\tst.global.u32 [%%ls_log+%d], %%ls_j;", REPORT_RECORDS + 36);
    dt_emit(e, "\tmov.u32 %%ls_j, 0;");
    dt_emit(e, "\tst.global.u32 [%%ls_log+%d], %%ls_j;", REPORT_RECORDS + 4);
    dt_emit_block_number(e);
    dt_emit(e, "\tst.global.u64 [%%ls_log+%d], %%ls_block;", REPORT_RECORDS + 8);
    dt_emit(e, "\tst.global.u32 [%%ls_log+%d], %%ls_epoch;", REPORT_RECORDS + 16);
    dt_emit(e, "\tst.global.u32 [%%ls_log+%d], %%ls_same;", REPORT_RECORDS + 20);
    dt_emit(e, "\tst.global.u64 [%%ls_log+%d], %%ls_off;", REPORT_RECORDS + 24);
    dt_emit(e, "\tst.global.u32 [%%ls_log+%d], %%ls_warp;", REPORT_RECORDS + 32);
    dt_emit(e, "$LS_NOLANE%u:", skip);
}

/* --- Shared memory ---------------------------------------------------------------------------------------
 */

/* %ls_off for the lane check: byte in the segment. */
static void emit_shared_offset(emitter *e, const char *address, bool wide, bool generic, int64_t offset) {
    if (!e->o->copies_in_shared) {
        dt_emit(e, "\tsub.u64 %%ls_off, %s, %%ls_sd64;", address);
        dt_emit(e, "\tcvt.u64.u32 %%ls_d64, %%ls_segment;");
        dt_emit(e, "\tsub.u64 %%ls_off, %%ls_off, %%ls_d64;");
    } else if (wide) {
        dt_emit(e, "\tsub.u64 %%ls_off, %s, %%ls_sd64;", address);
        if (generic) dt_emit(e, "\tsub.u64 %%ls_off, %%ls_off, %%ls_window;");
        dt_emit(e, "\tcvt.u64.u32 %%ls_d64, %%ls_segment;");
        dt_emit(e, "\tsub.u64 %%ls_off, %%ls_off, %%ls_d64;");
    } else {
        dt_emit(e, "\tsub.u32 %%ls_i, %s, %%ls_sd;", address);
        dt_emit(e, "\tsub.u32 %%ls_i, %%ls_i, %%ls_segment;");
        dt_emit(e, "\tcvt.u64.u32 %%ls_off, %%ls_i;");
    }
    dt_emit(e, "\tadd.s64 %%ls_off, %%ls_off, %" PRId64 ";", offset);
}

static void redirect_wide_shared(emitter *e, const ls_ir_access *access, const char *base, const char *to,
                                 bool generic) {
    const access_info *info = &e->k->accesses[access->id];
    bool in_global = !e->o->copies_in_shared;
    dt_emit(e, "\tmov.u64 %%ls_d64, %%ls_sd64;");
    if (generic && in_global) dt_emit(e, "\tsub.u64 %%ls_d64, %%ls_d64, %%ls_window;");
    if (info->in_global) {
        dt_emit(e, "\tisspacep.shared %%ls_q, %s;", base);
        dt_emit(e, "\tselp.b64 %%ls_d64, %%ls_d64, 0, %%ls_q;");
    }
    dt_emit(e, "\tadd.u64 %s, %s, %%ls_d64;", to, base);
}

/* Whether a store to shared memory is read again at once: where every lane finds its own value, none of them
 * met another value of its warp, and nobody else writes to the copy. */
static bool reads_back(const emitter *e, const ls_ir_access *access) {
    return e->o->mode == MODE_BLOCK && e->o->copies_in_shared && dt_checks_lanes(e, access) &&
           ls_ptx_form_space(access->instr->ast->form) == LS_SPACE_SHARED;
}

void dt_emit_changed_bits(emitter *e, const ls_ir_access *access, const char *address, int64_t offset) {
    dt_emit(e, "\tmov.u32 %%ls_same, 0;");
    for (uint32_t i = 0; i < access->count; i++) {
        bool wide = false;
        long long at = offset + (int64_t)access->bytes * i;
        if (!dt_emit_stored_value(e, access->instr, i, &wide)) continue;
        if (access->bytes == 8) {
            if (!wide) continue;
            dt_emit(e, "\tld.volatile.shared.b64 %%ls_d64, [%s+%lld];", address, at);
            dt_emit(e, "\txor.b64 %%ls_l, %%ls_l, %%ls_d64;");
            dt_emit(e, "\tmov.b64 {%%ls_i, %%ls_j}, %%ls_l;");
            dt_emit(e, "\tor.b32 %%ls_j, %%ls_j, %%ls_i;");
        } else {
            if (wide) dt_emit(e, "\tcvt.u32.u64 %%ls_j, %%ls_l;");
            dt_emit(e, "\tld.volatile.shared.u%u %%ls_i, [%s+%lld];", access->bytes * 8, address, at);
            dt_emit(e, "\txor.b32 %%ls_j, %%ls_j, %%ls_i;");
            if (access->bytes < 4)
                dt_emit(e, "\tand.b32 %%ls_j, %%ls_j, 0x%x;", (1u << access->bytes * 8) - 1);
        }
        dt_emit(e, "\tor.b32 %%ls_same, %%ls_same, %%ls_j;");
    }
}

/* Behind the store; the register of its address is the redirected one now. */
static void emit_read_back(emitter *e, const ls_ir_access *access) {
    const ls_ptx_operand *part = dt_address_part(access->instr, access);
    if (!part || part->kind != LS_OPERAND_REGISTER) return;
    uint32_t skip = ++e->labels;
    dt_skip_unless_guarded(e, access->instr->ast, "NOBACK", skip);
    dt_emit(e, "\t@!%%ls_first bra $LS_NOBACK%u;", skip);
    dt_emit_changed_bits(e, access, part->symbol->name, part->offset);
    dt_emit(e, "\tsetp.ne.u32 %%ls_q, %%ls_same, 0;");
    dt_emit(e, "\tactivemask.b32 %%ls_mask;");
    dt_emit(e, "\tvote.sync.any.pred %%ls_q, %%ls_q, %%ls_mask;");
    dt_emit(e, "\t@!%%ls_q bra $LS_NOBACK%u;", skip);
    emit_shared_offset(e, part->symbol->name, dt_is_wide(part), false, part->offset);
    dt_emit_lane_check(e, access, part->symbol->name, dt_is_wide(part));
    dt_emit(e, "$LS_NOBACK%u:", skip);
}

/* Notes the page that is written. Wide addresses may be outside of shared memory. */
static void emit_dirty(emitter *e, const ls_ptx_instr *ast, const ls_ir_access *access,
                       const ls_ptx_operand *part, bool generic) {
    char base[300], guard[300] = "";
    dt_part_text(part, base, sizeof base);
    if (ast->guard) snprintf(guard, sizeof guard, "@%s%s ", ast->guard_negated ? "!" : "", ast->guard->name);
    if (access->opaque) {
        dt_emit(e, "\t%sor.b32 %%ls_dirty, %%ls_dirty, 0x%x;", guard, PAGE_BITS);
        return;
    }
    if (dt_is_wide(part)) {
        dt_emit(e, "\tmov.u64 %%ls_d64, %s;", base);
        if (generic) dt_emit(e, "\tsub.u64 %%ls_d64, %%ls_d64, %%ls_window;");
        dt_emit(e, "\tcvt.u32.u64 %%ls_i, %%ls_d64;");
    } else {
        dt_emit(e, "\tmov.u32 %%ls_i, %s;", base);
    }
    dt_emit(e, "\tsub.u32 %%ls_i, %%ls_i, %%ls_segment;");
    dt_emit(e, "\tadd.u32 %%ls_i, %%ls_i, %" PRId64 ";", part->offset);
    dt_emit(e, "\tshr.u32 %%ls_i, %%ls_i, %u;", dt_page_shift(e->k));
    dt_emit(e, "\tshl.b32 %%ls_j, 1, %%ls_i;");
    dt_emit(e, "\tand.b32 %%ls_j, %%ls_j, 0x%x;", PAGE_BITS);
    if (e->k->accesses[access->id].in_global) {
        dt_emit(e, "\tisspacep.shared %%ls_q, %s;", base);
        dt_emit(e, "\tselp.b32 %%ls_j, %%ls_j, 0, %%ls_q;");
    }
    dt_emit(e, "\t%sor.b32 %%ls_dirty, %%ls_dirty, %%ls_j;", guard);
}

static void redirect_shared(emitter *e, ls_ptx_instr *ast, const ls_ir_access *access, uint32_t which) {
    ls_ptx_operand *part = dt_address_part(access->instr, access);
    if (!part || part->kind == LS_OPERAND_SINK) return;
    bool generic = ls_ptx_form_space(ast->form) == LS_SPACE_GENERIC;
    bool wide = dt_is_wide(part), result_wide = wide || !e->o->copies_in_shared;
    char base[300], to[32];
    dt_log_shared(e, access, part, generic);
    dt_part_text(part, base, sizeof base);
    snprintf(to, sizeof to, result_wide ? "%%ls_b%u" : "%%ls_a%u", which);
    if (wide) {
        redirect_wide_shared(e, access, base, to, generic);
    } else if (e->o->copies_in_shared) {
        dt_emit(e, "\tmov.u32 %s, %s;", to, base);
        dt_emit(e, "\tadd.u32 %s, %s, %%ls_sd;", to, to);
    } else {
        dt_emit(e, "\tmov.u32 %%ls_i, %s;", base);
        dt_emit(e, "\tcvt.u64.u32 %s, %%ls_i;", to);
        dt_emit(e, "\tadd.u64 %s, %s, %%ls_sd64;", to, to);
    }
    if (access->kind != LS_ACCESS_READ) emit_dirty(e, ast, access, part, generic);
    if (dt_checks_lanes(e, access) && !reads_back(e, access)) {
        emit_shared_offset(e, to, result_wide, generic, part->offset);
        dt_emit_lane_check(e, access, to, result_wide);
    }
    set_register(e, part, to, result_wide);
    if (!e->o->copies_in_shared) {
        remove_modifier(e, ast, ".shared::cta");
        remove_modifier(e, ast, ".shared");
    }
}

/* --- Global memory ---------------------------------------------------------------------------------------
 */

/* No range is known yet: nothing is at or behind the last address. */
void dt_emit_ranges_prologue(emitter *e) {
    static const char *const registers[] = {"from_", "end_", "from2", "end2"};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        dt_emit(e, "\tmov.u64 %%ls_%s, -1;", registers[i]);
    dt_emit(e, "\tmov.u64 %%ls_apart, 0;");
    dt_emit(e, "\tmov.u64 %%ls_apart2, 0;");
}

/* The range that was found last becomes the one before. */
static void emit_older_range(emitter *e) {
    dt_emit(e, "\tmov.u64 %%ls_from2, %%ls_from_;");
    dt_emit(e, "\tmov.u64 %%ls_end2, %%ls_end_;");
    dt_emit(e, "\tmov.u64 %%ls_apart2, %%ls_apart;");
}

/* %ls_d64: the distance of the range that the address %ls_off is in, or 0. It is mostly one of the two that
 * were found last: %ls_from_, %ls_end_ and %ls_apart have the last one. */
void dt_emit_range_search(emitter *e) {
    uint32_t label = ++e->labels;
    uint32_t table = CTX_SLOTS + CTX_SLOT_BYTES * e->k->object_count;
    dt_emit(e, "\tsetp.ge.u64 %%ls_q, %%ls_off, %%ls_from_;");
    dt_emit(e, "\tsetp.lt.and.u64 %%ls_q, %%ls_off, %%ls_end_, %%ls_q;");
    dt_emit(e, "\t@%%ls_q bra $LS_RANGED%u;", label);
    dt_emit(e, "\tmov.u64 %%ls_l, %%ls_from2;");
    dt_emit(e, "\tmov.u64 %%ls_table, %%ls_end2;");
    dt_emit(e, "\tmov.u64 %%ls_d64, %%ls_apart2;");
    emit_older_range(e);
    dt_emit(e, "\tsetp.ge.u64 %%ls_q, %%ls_off, %%ls_l;");
    dt_emit(e, "\tsetp.lt.and.u64 %%ls_q, %%ls_off, %%ls_table, %%ls_q;");
    dt_emit(e, "\t@%%ls_q mov.u64 %%ls_end_, %%ls_table;");
    dt_emit(e, "\t@%%ls_q bra $LS_FOUND%u;", label);
    dt_emit(e, "\tld.global.u32 %%ls_rows, [%%ls_ctx+%d];", CTX_RANGES);
    dt_emit(e, "\tadd.u64 %%ls_table, %%ls_ctx, %u;", table);
    dt_emit(e, "$LS_RANGE%u:", label);
    dt_emit(e, "\tmov.u64 %%ls_l, -1;"); /* if there is none: no address is in it */
    dt_emit(e, "\tmov.u64 %%ls_d64, 0;");
    dt_emit(e, "\tsetp.eq.u32 %%ls_q, %%ls_rows, 0;");
    dt_emit(e, "\t@%%ls_q bra $LS_FOUND%u;", label);
    dt_emit(e, "\tld.global.u64 %%ls_l, [%%ls_table];");
    dt_emit(e, "\tld.global.u64 %%ls_end_, [%%ls_table+8];");
    dt_emit(e, "\tsub.u32 %%ls_rows, %%ls_rows, 1;");
    dt_emit(e, "\tadd.u64 %%ls_table, %%ls_table, %d;", CTX_RANGE_BYTES);
    dt_emit(e, "\tsetp.lt.u64 %%ls_q, %%ls_off, %%ls_l;");
    dt_emit(e, "\tsetp.ge.or.u64 %%ls_q, %%ls_off, %%ls_end_, %%ls_q;");
    dt_emit(e, "\t@%%ls_q bra $LS_RANGE%u;", label);
    dt_emit(e, "\tld.global.u64 %%ls_d64, [%%ls_table+%d];", 16 - CTX_RANGE_BYTES);
    dt_emit(e, "$LS_FOUND%u:", label);
    dt_emit(e, "\tmov.u64 %%ls_from_, %%ls_l;");
    dt_emit(e, "\tmov.u64 %%ls_apart, %%ls_d64;");
    dt_emit(e, "$LS_RANGED%u:", label);
    dt_emit(e, "\tadd.u64 %%ls_d64, %%ls_apart, %%ls_group;");
    dt_emit(e, "\tsetp.eq.u64 %%ls_q, %%ls_apart, 0;");
    dt_emit(e, "\t@%%ls_q mov.u64 %%ls_d64, 0;");
}

/* %ls_off: byte in the copy; only where the access was redirected. */
static void watch_global(emitter *e, const ls_ir_access *access, const char *address, int64_t offset,
                         bool certain) {
    bool lanes = dt_checks_lanes(e, access);
    if (!e->o->log && !lanes) return;
    uint32_t skip = ++e->labels;
    dt_skip_unless_guarded(e, access->instr->ast, "NOLOG", skip);
    if (!certain) {
        dt_emit(e, "\tsetp.eq.u64 %%ls_q, %%ls_d64, 0;");
        dt_emit(e, "\t@%%ls_q bra $LS_NOLOG%u;", skip);
    }
    dt_emit(e, "\tsub.u64 %%ls_off, %s, %%ls_copy;", address);
    dt_emit(e, "\tadd.s64 %%ls_off, %%ls_off, %" PRId64 ";", offset);
    if (lanes && !e->o->log) dt_emit_lane_check(e, access, address, true);
    if (e->o->log) dt_log_global(e, access, skip);
    dt_emit(e, "$LS_NOLOG%u:", skip);
}

static void redirect_global(emitter *e, ls_ptx_instr *ast, const ls_ir_access *access, uint32_t which) {
    const access_info *info = &e->k->accesses[access->id];
    ls_ptx_operand *part = dt_address_part(access->instr, access);
    if (!part || !dt_is_wide(part)) return;
    char to[32];
    const char *base = part->symbol->name;
    snprintf(to, sizeof to, "%%ls_b%u", which);
    bool certain = info->certain && info->object != LS_IR_NONE;
    if (certain) {
        dt_emit(e, "\tadd.u64 %s, %s, %%ls_gd%u;", to, base, info->object);
    } else {
        dt_emit(e, "\tadd.s64 %%ls_off, %s, %" PRId64 ";", base, part->offset);
        dt_emit_range_search(e);
        dt_emit(e, "\tadd.u64 %s, %s, %%ls_d64;", to, base);
    }
    watch_global(e, access, to, part->offset, certain);
    set_register(e, part, to, true);
    remove_modifier(e, ast, ".nc");
}

bool dt_stays_in_segment(const emitter *e, const ls_ir_instr *instr) {
    for (uint32_t i = 0; i < e->k->region_count; i++) {
        const region *r = &e->k->regions[i];
        if (ls_bitset_has(&r->instrs, instr->id) && (r->checked || (r->writes_shared && !r->own)))
            return false;
    }
    return !e->o->deterministic;
}

void dt_emit_memory_instr(emitter *e, ls_ir_instr *instr) {
    ls_ptx_instr ast = *instr->ast;
    bool block = e->o->mode == MODE_BLOCK, stays = block && dt_stays_in_segment(e, instr);
    for (uint32_t i = 0; i < instr->access_count && e->o->in_shared; i++)
        dt_log_as_it_is(e, &instr->accesses[i]);
    if (block) dt_emit_once_only(e, &ast, instr);
    for (uint32_t i = 0; i < instr->access_count; i++) {
        const ls_ir_access *access = &instr->accesses[i];
        if (block && !stays && dt_access_may_target(e->k, access, true))
            redirect_shared(e, &ast, access, i & 1);
        if (((!block && !e->o->in_shared) || e->o->both) && dt_access_may_target(e->k, access, false))
            redirect_global(e, &ast, access, i & 1);
    }
    dt_emit_instr(e, &ast);
    for (uint32_t i = 0; i < instr->access_count && block && !stays; i++)
        if (dt_access_may_target(e->k, &instr->accesses[i], true) && reads_back(e, &instr->accesses[i]))
            emit_read_back(e, &instr->accesses[i]);
}
