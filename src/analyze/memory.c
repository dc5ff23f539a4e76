/* Which loads read memory that nobody writes meanwhile, so that equal addresses give equal values; and which
 * parameters are pointers.
 *
 * Parameters, constants and ld.global.nc are never written. Global memory is taken as written by the whole
 * grid at any time: a load is stable where the kernel has no write to the same base. Shared memory is written
 * by the own block only: a load is stable where no way without a barrier leads from a write of the same
 * variable to it, or back. Local memory is each thread's own: equal addresses mean nothing there. */
#include "analyze/private.h"

#include <string.h>

static bool is_write(const ls_ir_access *access) {
    return access->kind != LS_ACCESS_READ;
}

static bool is_block_barrier(const ls_ir_instr *instr) {
    return ls_ptx_waits_for_block(instr->form->opcode) && instr->guard.kind == LS_IR_ABSENT &&
           instr->src_count < 2;
}

/* May they touch the same variable? */
static bool share_base(const ls_ir_access *a, const ls_ir_access *b) {
    if (!a->base_count || !b->base_count || a->other_bases || b->other_bases) return true;
    for (uint32_t i = 0; i < a->base_count; i++)
        for (uint32_t k = 0; k < b->base_count; k++) {
            if (a->bases[i] == b->bases[k]) return true;
            bool opaque = a->bases[i]->kind != LS_BASE_OBJECT && a->bases[i]->kind != LS_BASE_PARAM;
            opaque |= b->bases[k]->kind != LS_BASE_OBJECT && b->bases[k]->kind != LS_BASE_PARAM;
            if (opaque) return true;
        }
    return false;
}

static bool may_be_space(const ls_ir_access *access, ls_ptx_space space) {
    return access->space == space || access->space == LS_SPACE_GENERIC;
}

/* What the kernel writes, put together once: bases by id, and by space whether anything is written, and
 * whether through pointers that may lead anywhere. */
typedef struct {
    ls_bitset bases;
    bool any[LS_SPACE_COUNT], anywhere[LS_SPACE_COUNT];
} written;

static bool followed(const ls_ir_base *base) {
    return base->kind == LS_BASE_OBJECT || base->kind == LS_BASE_PARAM;
}

static void note_write(written *w, const ls_ir_access *write) {
    bool anywhere = !write->base_count || write->other_bases;
    for (uint32_t i = 0; i < write->base_count; i++) {
        ls_bitset_add(&w->bases, write->bases[i]->id);
        anywhere |= !followed(write->bases[i]);
    }
    for (uint32_t space = 0; space < LS_SPACE_COUNT; space++)
        if (may_be_space(write, (ls_ptx_space)space)) {
            w->any[space] = true;
            w->anywhere[space] |= anywhere;
        }
}

/* Memory that no thread of the kernel writes. Different parameters are assumed not to alias. */
static bool never_written(analysis *a, const ls_ir_access *load, const written *w, bool calls) {
    if (load->space == LS_SPACE_CONST || load->space == LS_SPACE_PARAM) return true;
    if (load->space == LS_SPACE_GLOBAL && ls_ptx_form_has(load->instr->form, LS_MOD_NC)) return true;
    if (calls || w->anywhere[load->space]) return false;
    if (!w->any[load->space]) return true;
    if (!load->base_count || load->other_bases) return false;
    for (uint32_t i = 0; i < load->base_count; i++)
        if (!followed(load->bases[i]) || ls_bitset_has(&w->bases, load->bases[i]->id)) return false;
    a->assumptions |= LS_ASSUME_NO_ALIAS;
    return true;
}

/* --- Shared memory: barrier intervals
 * ----------------------------------------------------------------------- */

/* Blocks whose start is reached from the write with no barrier on the way; the write's own block is looked at
 * instruction by instruction. */
static void flood(const analysis *a, const ls_ir_instr *write, bool forward, ls_bitset *reached) {
    LS_VEC(const ls_ir_block *) work = {0};
    const ls_ir_block *block = write->block;
    const ls_ir_instr *const *all = (const ls_ir_instr *const *)a->f->instrs;
    uint32_t first = block->instrs[0]->id, last = first + block->instr_count - 1, i = write->id;
    for (;;) {
        if (is_block_barrier(all[i])) goto done;
        ls_bitset_add(reached, i);
        if (i == (forward ? last : first)) break;
        i = forward ? i + 1 : i - 1;
    }
    LS_VEC_PUSH(&work, block);
    while (work.length) {
        const ls_ir_block *from = work.items[--work.length];
        for (uint32_t s = 0; s < (forward ? from->succ_count : from->pred_count); s++) {
            const ls_ir_block *to = forward ? from->succs[s] : from->preds[s];
            if (!to->instr_count) continue;
            uint32_t low = to->instrs[0]->id, high = low + to->instr_count - 1;
            uint32_t at = forward ? low : high, end = forward ? high : low;
            if (ls_bitset_has(reached, at)) continue;
            for (;; at = forward ? at + 1 : at - 1) {
                if (is_block_barrier(all[at])) break;
                ls_bitset_add(reached, at);
                if (at == end) {
                    LS_VEC_PUSH(&work, to);
                    break;
                }
            }
        }
    }
done:
    LS_VEC_FREE(&work);
}

enum { MOST_SHARED_WRITES = 64 }; /* beyond, every shared load counts as unstable */

static void fill_shared(analysis *a, ls_ir_access *const *loads, uint32_t load_count,
                        const ls_ir_access *const *writes, uint32_t write_count) {
    if (!load_count || write_count > MOST_SHARED_WRITES) return;
    ls_bitset unstable = ls_bitset_new(&a->arena, a->f->instr_count + 1);
    ls_bitset reached = ls_bitset_new(&a->arena, a->f->instr_count + 1);
    for (uint32_t w = 0; w < write_count; w++) {
        if (!may_be_space(writes[w], LS_SPACE_SHARED)) continue;
        memset(reached.words, 0, ls_bitset_words(reached.bits) * sizeof *reached.words);
        flood(a, writes[w]->instr, true, &reached);
        flood(a, writes[w]->instr, false, &reached);
        for (uint32_t i = 0; i < load_count; i++)
            if (ls_bitset_has(&reached, loads[i]->instr->id) && share_base(loads[i], writes[w]))
                ls_bitset_add(&unstable, loads[i]->instr->id);
    }
    for (uint32_t i = 0; i < load_count; i++)
        if (!ls_bitset_has(&unstable, loads[i]->instr->id))
            ls_bitset_add(&a->stable_loads, loads[i]->instr->id);
}

/* --- Pointers ---------------------------------------------------------------------------------------------
 */

/* Textures and surfaces are named by handles, which are no addresses. */
static bool takes_handle(const ls_ir_access *access) {
    const ls_ptx_opcode *opcode = access->instr->form->opcode;
    return opcode && (opcode->class == LS_CLASS_TEXTURE || opcode->class == LS_CLASS_SURFACE);
}

/* ld.param of the bytes that some access uses as its base. */
static void fill_pointers(analysis *a) {
    if (a->out->options.strict) return;
    ls_bitset used = ls_bitset_new(&a->arena, a->f->base_count + 1);
    for (uint32_t i = 0; i < a->f->access_count; i++)
        for (uint32_t b = 0; b < a->f->accesses[i]->base_count && !takes_handle(a->f->accesses[i]); b++)
            ls_bitset_add(&used, a->f->accesses[i]->bases[b]->id);
    uint32_t address_bits = a->f->module->address_size == 64 ? 64 : 32;
    for (uint32_t i = 0; i < a->f->instr_count; i++) {
        const ls_ir_instr *instr = a->f->instrs[i];
        if (instr->op != LS_OP_LD || !instr->src_count || instr->src[0].kind != LS_IR_OBJECT) continue;
        if (instr->dst_count != 1) continue;
        if (ls_ptx_type_bits(ls_ptx_form_type(instr->form, 0)) != address_bits) continue;
        for (uint32_t b = 0; b < a->f->base_count; b++) {
            const ls_ir_base *base = a->f->bases[b];
            if (ls_bitset_has(&used, base->id) && base->kind == LS_BASE_PARAM &&
                base->object == instr->src[0].object && base->offset == instr->src[0].offset)
                ls_bitset_add(&a->aligned_params, i);
        }
    }
}

void ls_fill_memory(analysis *a) {
    const ls_ir_function *f = a->f;
    a->stable_loads = ls_bitset_new(&a->arena, f->instr_count + 1);
    a->aligned_params = ls_bitset_new(&a->arena, f->instr_count + 1);
    LS_VEC(const ls_ir_access *) writes = {0};
    LS_VEC(ls_ir_access *) shared = {0};
    written w = {.bases = ls_bitset_new(&a->arena, f->base_count + 1)};
    bool calls = false;
    for (uint32_t i = 0; i < f->instr_count; i++) {
        const ls_ir_instr *instr = f->instrs[i];
        calls |= instr->op == LS_OP_CALL || (instr->unknown && instr->dst_count == 0);
        for (uint32_t k = 0; k < instr->access_count; k++)
            if (is_write(&instr->accesses[k])) {
                LS_VEC_PUSH(&writes, &instr->accesses[k]);
                note_write(&w, &instr->accesses[k]);
            }
    }
    for (uint32_t i = 0; i < f->access_count; i++) {
        ls_ir_access *load = f->accesses[i];
        if (load->kind != LS_ACCESS_READ || load->is_volatile) continue;
        if (load->space == LS_SPACE_LOCAL || load->space == LS_SPACE_GENERIC) continue;
        if (never_written(a, load, &w, calls))
            ls_bitset_add(&a->stable_loads, load->instr->id);
        else if (load->space == LS_SPACE_SHARED && !calls)
            LS_VEC_PUSH(&shared, load);
    }
    fill_shared(a, shared.items, shared.length, writes.items, writes.length);
    fill_pointers(a);
    LS_VEC_FREE(&writes);
    LS_VEC_FREE(&shared);
}
