/* What may be done once only. In MODE_BLOCK regions run twice, so what they do to memory that is not a target
 * must be done once: atomics without result and stores to global memory that the region does not read are
 * left out in the second pass, other stores to global memory are written down with what they overwrite, for
 * being undone. */
#include "detect/redirect.h"
#include "detect/saved.h"

#include <inttypes.h>

static bool may_be_same(const kernel *k, const access_info *a, const access_info *b) {
    if (!b->in_global) return false;
    if (a->object == LS_IR_NONE || b->object == LS_IR_NONE) return true;
    return k->objects[a->object].group == k->objects[b->object].group;
}

static bool is_in_checked_region(const kernel *k, const ls_ir_instr *instr) {
    for (uint32_t i = 0; i < k->region_count; i++)
        if (k->regions[i].checked && ls_bitset_has(&k->regions[i].instrs, instr->id)) return true;
    return false;
}

/* Whether a store to global memory may overwrite what a region that it is in reads. */
static bool must_be_undone(const kernel *k, const ls_ir_access *access) {
    const access_info *info = &k->accesses[access->id];
    for (uint32_t i = 0; i < k->region_count; i++) {
        const region *r = &k->regions[i];
        if (!r->checked || !ls_bitset_has(&r->instrs, access->instr->id)) continue;
        for (uint32_t a = 0; a < k->ir->access_count; a++) {
            const ls_ir_access *other = k->ir->accesses[a];
            if (other->kind != LS_ACCESS_WRITE && ls_bitset_has(&r->instrs, other->instr->id) &&
                may_be_same(k, info, &k->accesses[a]))
                return true;
        }
    }
    return false;
}

static bool is_plain_global_store(const kernel *k, const ls_ir_access *access) {
    return access->kind == LS_ACCESS_WRITE && access->instr->op == LS_OP_ST &&
           k->accesses[access->id].in_global;
}

bool dt_needs_undo(const kernel *k) {
    for (uint32_t i = 0; i < k->ir->access_count; i++)
        if (is_plain_global_store(k, k->ir->accesses[i]) && must_be_undone(k, k->ir->accesses[i]))
            return true;
    return false;
}

/* Makes the instruction happen in the first pass only. */
static void guard_first(emitter *e, ls_ptx_instr *ast) {
    ls_ptx_symbol *guard = LS_NEW(&e->k->arena, ls_ptx_symbol);
    guard->kind = LS_SYMBOL_REGISTER;
    guard->type = LS_TYPE_PRED;
    if (!ast->guard) {
        guard->name = "%ls_first";
    } else {
        guard->name = "%ls_guard";
        dt_emit(e, "\t%s.pred %%ls_guard, %s;", ast->guard_negated ? "not" : "mov", ast->guard->name);
        dt_emit(e, "\tand.pred %%ls_guard, %%ls_guard, %%ls_first;");
    }
    guard->length = (uint32_t)strlen(guard->name);
    ast->guard = guard;
    ast->guard_negated = false;
}

/* Writes down what the store is about to overwrite. */
static void emit_undo_entry(emitter *e, const ls_ir_access *access) {
    const ls_ptx_operand *part = dt_address_part(access->instr, access);
    if (!part || !dt_is_wide(part)) return;
    uint32_t skip = ++e->labels;
    dt_skip_unless_guarded(e, access->instr->ast, "NOUNDO", skip);
    dt_emit(e, "\t@!%%ls_first bra $LS_NOUNDO%u;", skip);
    if (e->k->accesses[access->id].in_shared) {
        dt_emit(e, "\tisspacep.global %%ls_q, %s;", part->symbol->name);
        dt_emit(e, "\t@!%%ls_q bra $LS_NOUNDO%u;", skip);
    }
    for (uint32_t i = 0; i < access->count; i++) {
        uint32_t full = ++e->labels;
        dt_emit(e, "\tsetp.ge.u32 %%ls_q, %%ls_undo_count, %%ls_undo_limit;");
        dt_emit(e, "\tmul.wide.u32 %%ls_undo_at, %%ls_undo_count, %u;", e->o->threads * 16);
        dt_emit(e, "\tadd.u64 %%ls_undo_at, %%ls_undo_at, %%ls_undo;");
        dt_emit(e, "\tadd.u32 %%ls_undo_count, %%ls_undo_count, 1;");
        dt_emit(e, "\t@%%ls_q bra $LS_FULL%u;", full);
        dt_emit(e, "\tadd.s64 %%ls_undo_to, %s, %" PRId64 ";", part->symbol->name,
                part->offset + (int64_t)access->bytes * i);
        dt_emit(e, "\tld.global.u%u %%ls_undo_old, [%%ls_undo_to];", access->bytes * 8);
        dt_emit(e, "\tor.b64 %%ls_undo_to, %%ls_undo_to, 0x%x000000000000000;", access->bytes);
        dt_emit(e, "\tst.global.v2.u64 [%%ls_undo_at], {%%ls_undo_to, %%ls_undo_old};");
        dt_emit(e, "$LS_FULL%u:", full);
    }
    dt_emit(e, "$LS_NOUNDO%u:", skip);
}

static void hash_operand(emitter *e, const ls_ptx_operand *o) {
    if (o->kind == LS_OPERAND_VECTOR)
        for (uint32_t i = 0; i < o->count; i++) hash_operand(e, &o->parts[i]);
    if (o->kind == LS_OPERAND_REGISTER && o->symbol->kind == LS_SYMBOL_REGISTER && o->symbol->vector <= 1 &&
        !o->element)
        dt_emit_hash_register(e, o->symbol->name, ls_ptx_type_bits((ls_ptx_type)o->symbol->type));
}

/* Sums up where a store or atomic operation goes and what it puts there. */
static void emit_store_hash(emitter *e, const ls_ir_access *access) {
    const ls_ptx_instr *ast = access->instr->ast;
    const ls_ptx_operand *part = dt_address_part(access->instr, access);
    uint32_t skip = ++e->labels;
    dt_skip_unless_guarded(e, ast, "NOHASH", skip);
    if (part) hash_operand(e, part);
    for (uint32_t i = access->instr->op == LS_OP_ATOM ? 2 : 1; i < ast->operand_count; i++)
        hash_operand(e, &ast->operands[i]);
    dt_emit(e, "$LS_NOHASH%u:", skip);
}

void dt_emit_once_only(emitter *e, ls_ptx_instr *ast, const ls_ir_instr *instr) {
    if (!is_in_checked_region(e->k, instr) || e->o->deterministic) return;
    for (uint32_t i = 0; i < instr->access_count; i++) {
        const ls_ir_access *access = &instr->accesses[i];
        if (access->kind == LS_ACCESS_ATOMIC) {
            emit_store_hash(e, access);
            guard_first(e, ast);
            return;
        }
        if (!is_plain_global_store(e->k, access)) continue;
        emit_store_hash(e, access);
        if (e->undo && must_be_undone(e->k, access))
            emit_undo_entry(e, access);
        else if (!e->k->accesses[access->id].in_shared)
            guard_first(e, ast);
        return;
    }
}
