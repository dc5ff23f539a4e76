/* When a slot of the warp may stand for a register of every lane (003 §4, "variable sharing"). The analysis
 * says that lanes that execute a definition together agree on its value; what must be added is that a lane
 * never finds in the slot what others wrote after it went another way.
 *
 * Written once. A variable with one definition that stands in no loop: a lane that reads the slot went
 * through the definition itself, and all lanes wrote the same number.
 *
 * Otherwise, for each branch on which the lanes of a warp can disagree: between the branch and the point
 * where they meet again (its immediate post-dominator) the lanes on one side may run before, after or in
 * turns with those on the other. So a variable that is defined on one side must be dead for the lanes on the
 * other: neither live there on arrival nor referred to. `i` of a loop that lanes leave at different times is
 * shared thereby where it is not read behind the loop (where it is, its η is divergent already), and the
 * same `i` is not where it is also read on the other side of a branch around the loop. */
#include "allocate/private.h"

typedef struct {
    const ls_ir_block *branch;
    ls_bitset *sides; /* by successor: blocks from there to the post-dominator */
} split;

struct splits {
    split *items;
    uint32_t count;
};

bool ls_branch_may_split(const job *j, const ls_ir_block *block) {
    if (block->succ_count < 2) return false;
    bool negated;
    const ls_ir_value *predicate = ls_ir_branch_predicate(block, &negated);
    if (!predicate || !j->analysis) return true;
    const ls_shape *shape = &j->analysis->shapes[predicate->id];
    if (shape->kind != LS_SHAPE_POLY) return true;
    if (j->block[0]) return !ls_analysis_warp_uniform(j->analysis, predicate);
    return shape->warp_only || shape->term_count;
}

static void fill_side(const ls_ir_block *from, const ls_ir_block *until, ls_bitset *side) {
    LS_VEC(const ls_ir_block *) work = {0};
    LS_VEC_PUSH(&work, from);
    while (work.length) {
        const ls_ir_block *block = work.items[--work.length];
        if (block == until || ls_bitset_has(side, block->id)) continue;
        ls_bitset_add(side, block->id);
        for (uint32_t s = 0; s < block->succ_count; s++) LS_VEC_PUSH(&work, block->succs[s]);
    }
    LS_VEC_FREE(&work);
}

static void fill_splits(job *j) {
    struct splits *all = j->splits = LS_NEW(j->arena, struct splits);
    for (uint32_t b = 0; b < j->f->block_count; b++) all->count += ls_branch_may_split(j, j->f->blocks[b]);
    all->items = LS_NEW_N(j->arena, split, all->count + 1);
    uint32_t n = 0;
    for (uint32_t b = 0; b < j->f->block_count; b++) {
        const ls_ir_block *block = j->f->blocks[b];
        if (!ls_branch_may_split(j, block)) continue;
        split *s = &all->items[n++];
        *s = (split){block, LS_NEW_N(j->arena, ls_bitset, block->succ_count)};
        for (uint32_t k = 0; k < block->succ_count; k++) {
            s->sides[k] = ls_bitset_new(j->arena, j->f->block_count);
            fill_side(block->succs[k], block->ipdom, &s->sides[k]);
        }
    }
}

/* --- One variable ----------------------------------------------------------------------------------------
 */
static bool is_live_into(const job *j, const ls_ir_block *block, uint32_t w) {
    return j->global[w] != NONE && ls_bitset_has(&j->live_in[block->id], j->global[w]);
}

static bool is_in_cycle(const job *j, const ls_ir_block *block) {
    return block->loop || j->f->irreducible_count;
}

/* Bit k: the side k has a definition, or any reference. */
static void look_at_sides(const job *j, const split *s, uint32_t w, uint64_t *defined, uint64_t *touched) {
    *defined = *touched = 0;
    for (uint32_t k = 0; k < s->branch->succ_count && k < 64; k++)
        if (is_live_into(j, s->branch->succs[k], w)) *touched |= UINT64_C(1) << k;
    for (uint32_t i = j->web_refs[w]; i != NONE; i = j->next_ref[i]) {
        uint32_t block = j->order[j->ref_position[i]]->block->id;
        for (uint32_t k = 0; k < s->branch->succ_count && k < 64; k++) {
            if (!ls_bitset_has(&s->sides[k], block)) continue;
            *touched |= UINT64_C(1) << k;
            if (j->refs[i].is_def) *defined |= UINT64_C(1) << k;
        }
    }
}

/* References of each variable as lists. */
static void fill_lists(job *j) {
    uint32_t count = j->ref_start[j->length];
    j->web_refs = LS_NEW_N(j->arena, uint32_t, j->web_count + 1);
    j->next_ref = LS_NEW_N(j->arena, uint32_t, count + 1);
    j->ref_position = LS_NEW_N(j->arena, uint32_t, count + 1);
    for (uint32_t w = 0; w < j->web_count; w++) j->web_refs[w] = NONE;
    for (uint32_t p = 0; p < j->length; p++)
        for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++) {
            j->ref_position[i] = p;
            j->next_ref[i] = j->web_refs[j->refs[i].web];
            j->web_refs[j->refs[i].web] = i;
        }
}

static bool look(job *j, uint32_t w) {
    const web *v = &j->webs[w];
    if (!j->analysis || !v->defs) return false;
    if (v->defs == 1 && !is_in_cycle(j, j->order[v->first_def]->block) && !v->warp_only) return true;
    if (j->f->irreducible_count) return false;
    if (!j->splits) {
        fill_splits(j);
        fill_lists(j);
    }
    for (uint32_t i = 0; i < j->splits->count; i++) {
        const split *s = &j->splits->items[i];
        if (s->branch->succ_count > 64) return false;
        uint64_t defined, touched;
        look_at_sides(j, s, w, &defined, &touched);
        for (uint32_t k = 0; k < s->branch->succ_count; k++)
            if (defined >> k & 1 && touched & ~(UINT64_C(1) << k)) return false;
    }
    return true;
}

bool ls_may_share(job *j, uint32_t w) {
    if (!j->webs[w].share) j->webs[w].share = look(j, w) ? 1 : 2;
    return j->webs[w].share == 1;
}
