/* Copies that go on beside the threads. A cp.async writes at some time between where it stands and a wait
 * that covers it: so it belongs to every barrier interval that begins in between. Groups end in order: with a
 * wait for all but the newest N groups, a copy has ended if N groups or more were committed behind its own.
 */
#include "detect/kernel.h"

enum {
    NOT_COMMITTED,
    NEWEST,
    MOST_BEHIND = 9
}; /* in a group; how many groups came behind its own, plus one */

typedef struct {
    kernel *k;
    uint32_t copy;  /* the instruction */
    ls_bitset seen; /* by block and how far the groups are */
} flight;

/* What becomes of the copy at the instruction; false: it has ended. */
static bool pass(const ls_ir_instr *instr, uint32_t *behind) {
    switch (instr->form->opcode->copy) {
    case LS_COPY_COMMIT:
        if (*behind < MOST_BEHIND) ++*behind;
        return true;
    case LS_COPY_WAIT_ALL: return false;
    case LS_COPY_WAIT: {
        const ls_ir_value *n =
            instr->src_count == 1 && instr->src[0].value ? ls_ir_origin(instr->src[0].value) : NULL;
        bool guarded = instr->guard.kind != LS_IR_ABSENT, known = n && n->kind == LS_VALUE_IMM;
        return guarded || !known || *behind == NOT_COMMITTED || *behind - NEWEST < n->bits;
    }
    default: return true;
    }
}

static void follow(flight *f, const ls_ir_block *block, uint32_t first, uint32_t behind) {
    for (uint32_t i = first; i < block->instr_count; i++) {
        const ls_ir_instr *instr = block->instrs[i];
        if (!pass(instr, &behind)) return;
        if (is_barrier(instr))
            ls_bitset_add(&f->k->regions[f->k->region_of_barrier[instr->id]].flight, f->copy);
    }
    for (uint32_t s = 0; s < block->succ_count; s++) {
        uint32_t at = block->succs[s]->id * (MOST_BEHIND + 1) + behind;
        if (ls_bitset_has(&f->seen, at) || !ls_bitset_has(&f->k->reachable, block->succs[s]->id)) continue;
        ls_bitset_add(&f->seen, at);
        follow(f, block->succs[s], 0, behind);
    }
}

void dt_find_flights(kernel *k) {
    for (uint32_t i = 0; i < k->region_count; i++) {
        k->regions[i].flight = ls_bitset_new(&k->arena, k->ir->instr_count);
        ls_bitset_union(&k->regions[i].flight, &k->regions[i].instrs);
    }
    for (uint32_t b = 0; b < k->ir->block_count; b++)
        for (uint32_t i = 0; i < k->ir->blocks[b]->instr_count; i++) {
            const ls_ir_instr *instr = k->ir->blocks[b]->instrs[i];
            if (instr->form->opcode->copy != LS_COPY_START || !ls_bitset_has(&k->reachable, b)) continue;
            flight f = {k, instr->id, ls_bitset_new(&k->arena, k->ir->block_count * (MOST_BEHIND + 1))};
            follow(&f, k->ir->blocks[b], i + 1, NOT_COMMITTED);
        }
    for (uint32_t i = 0; i < k->region_count; i++) {
        region *r = &k->regions[i];
        for (uint32_t n = ls_bitset_next(&r->flight, 0); n < r->flight.bits;
             n = ls_bitset_next(&r->flight, n + 1))
            r->under_way |= !ls_bitset_has(&r->instrs, n);
    }
}
