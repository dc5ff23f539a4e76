/* Copies and products that go on beside the threads. A cp.async writes, a wgmma reads at some time between
 * where it stands and a wait that covers it: so it belongs to every barrier interval that begins in between.
 * Groups end in order: with a wait for all but the newest N groups, a copy has ended if N groups or more were
 * committed behind its own. */
#include "detect/kernel.h"

/* --- Products as accesses ----------------------------------------------------------------------------------
 */

static uint32_t count_products(const kernel *k) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < k->ir->instr_count; i++) count += k->ir->instrs[i]->op == LS_OP_WGMMA_MMA_ASYNC;
    return count;
}

/* One for each, of both factors, which descriptors say the place of: it may be anywhere. */
void dt_add_products(kernel *k) {
    ls_ir_function *f = k->ir;
    uint32_t count = count_products(k), at = f->access_count;
    if (!count) return;
    ls_ir_access **all = LS_NEW_N(&k->arena, ls_ir_access *, at + count + 1);
    memcpy(all, f->accesses, sizeof *all * at);
    for (uint32_t i = 0; i < f->instr_count; i++) {
        if (f->instrs[i]->op != LS_OP_WGMMA_MMA_ASYNC) continue;
        ls_ir_access *made = LS_NEW(&k->arena, ls_ir_access);
        *made = (ls_ir_access){.id = at,
                               .instr = f->instrs[i],
                               .kind = LS_ACCESS_READ,
                               .space = LS_SPACE_SHARED,
                               .opaque = true,
                               .count = 1};
        all[at++] = made;
    }
    f->accesses = all, f->access_count = at;
}

const ls_ir_access *dt_product_of(const kernel *k, const ls_ir_instr *instr) {
    for (uint32_t i = k->ir->access_count; i-- && is_product(k->ir->accesses[i]);)
        if (k->ir->accesses[i]->instr == instr) return k->ir->accesses[i];
    return NULL;
}

bool dt_is_under_way(const kernel *k, const ls_ir_access *a) {
    for (uint32_t i = 0; i < k->region_count; i++)
        if (ls_bitset_has(&k->regions[i].late, a->instr->id)) return true;
    return false;
}

/* --- How long they go on -----------------------------------------------------------------------------------
 */

enum {
    NOT_COMMITTED,
    NEWEST,
    MOST_BEHIND = 9
}; /* in a group; how many groups came behind its own, plus one */

typedef struct {
    kernel *k;
    const ls_ir_instr *of;
    ls_bitset seen; /* by block and how far the groups are */
} flight;

/* What an instruction is to the copies, or to the products. */
static ls_ptx_copy role_of(const ls_ir_instr *instr, bool products) {
    if (!products) return instr->form->opcode->copy;
    switch (instr->op) {
    case LS_OP_WGMMA_MMA_ASYNC: return LS_COPY_START;
    case LS_OP_WGMMA_COMMIT_GROUP: return LS_COPY_COMMIT;
    case LS_OP_WGMMA_WAIT_GROUP: return LS_COPY_WAIT;
    default: return LS_COPY_NONE;
    }
}

ls_ptx_copy dt_role_beside(const ls_ir_instr *instr, bool *product) {
    *product = instr->form->opcode->warp_group;
    return role_of(instr, *product);
}

/* What becomes of it at the instruction; false: it has ended. */
static bool pass(const flight *f, const ls_ir_instr *instr, uint32_t *behind) {
    switch (role_of(instr, f->of->form->opcode->warp_group)) {
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
        if (!pass(f, instr, &behind)) return;
        if (is_barrier(instr))
            ls_bitset_add(&f->k->regions[f->k->region_of_barrier[instr->id]].late, f->of->id);
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
        k->regions[i].late = ls_bitset_new(&k->arena, k->ir->instr_count);
    }
    for (uint32_t b = 0; b < k->ir->block_count; b++)
        for (uint32_t i = 0; i < k->ir->blocks[b]->instr_count; i++) {
            const ls_ir_instr *instr = k->ir->blocks[b]->instrs[i];
            bool product;
            if (dt_role_beside(instr, &product) != LS_COPY_START || !ls_bitset_has(&k->reachable, b))
                continue;
            flight f = {k, instr, ls_bitset_new(&k->arena, k->ir->block_count * (MOST_BEHIND + 1))};
            follow(&f, k->ir->blocks[b], i + 1, NOT_COMMITTED);
        }
    for (uint32_t i = 0; i < k->region_count; i++) {
        region *r = &k->regions[i];
        ls_bitset_union(&r->flight, &r->instrs);
        ls_bitset_union(&r->flight, &r->late);
        for (uint32_t n = ls_bitset_next(&r->late, 0); n < r->late.bits; n = ls_bitset_next(&r->late, n + 1))
            r->under_way |= k->ir->instrs[n]->op != LS_OP_WGMMA_MMA_ASYNC;
    }
}
