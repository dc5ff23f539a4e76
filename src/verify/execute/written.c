/* Which memory the kernel writes, and which loads come before every write of it. The latter give what was
 * there at the start: in an execution without races nobody has written there, as whoever did would have
 * passed a write from which the load can be reached, or would race with the load, which is an obligation of
 * its own. */
#include "verify/execute/written.h"
#include "verify/execute/lower.h"
#include "verify/execute/roots.h"
#include "verify/proof.h"

static void find_written(ls_proof *p) {
    p->written = LS_NEW_N(&p->arena, bool, p->f->base_count + 1);
    for (uint32_t i = 0; i < p->f->access_count; i++) {
        const ls_ir_access *a = p->f->accesses[i];
        if (a->kind == LS_ACCESS_READ) continue;
        if (!a->base_count || a->other_bases) p->writes_unknown = true;
        for (uint32_t k = 0; k < a->base_count; k++) {
            p->written[a->bases[k]->id] = true;
            bool known = a->bases[k]->kind == LS_BASE_OBJECT || a->bases[k]->kind == LS_BASE_PARAM;
            if (!known && !ls_has_root(p, a->bases[k])) p->writes_unknown = true;
        }
    }
}

/* Bases that may be one object, as the dynamic shared arrays are: one is written, so all are. */
static void join_objects(ls_proof *p) {
    for (uint32_t i = 0; i < p->f->base_count; i++)
        for (uint32_t k = 0; k < p->f->base_count && p->written[i]; k++)
            p->written[k] |= ls_same_object(p, p->f->bases[i], p->f->bases[k]);
}

static bool writes_base(const ls_proof *p, const ls_ir_access *a, const ls_ir_base *base) {
    if (a->kind == LS_ACCESS_READ) return false;
    for (uint32_t k = 0; k < a->base_count; k++)
        if (ls_same_object(p, a->bases[k], base)) return true;
    return !a->base_count || a->other_bases || (ls_is_dynamic_shared(p, base));
}

/* Blocks that are reached from behind the end of a block with a write of the base. */
static void spread(const ls_proof *p, const ls_ir_base *base, bool *reached) {
    LS_VEC(const ls_ir_block *) work = {0};
    memset(reached, 0, p->f->block_count);
    for (uint32_t i = 0; i < p->f->access_count; i++)
        if (writes_base(p, p->f->accesses[i], base)) LS_VEC_PUSH(&work, p->f->accesses[i]->instr->block);
    while (work.length) {
        const ls_ir_block *b = work.items[--work.length];
        for (uint32_t k = 0; k < b->succ_count; k++) {
            if (reached[b->succs[k]->id]) continue;
            reached[b->succs[k]->id] = true;
            LS_VEC_PUSH(&work, b->succs[k]);
        }
    }
    LS_VEC_FREE(&work);
}

/* A write of the base stands before the load in its block. */
static bool written_above(const ls_proof *p, const ls_ir_access *load, const ls_ir_base *base) {
    const ls_ir_block *b = load->instr->block;
    for (uint32_t k = 0; k < b->instr_count && b->instrs[k] != load->instr; k++)
        for (uint32_t a = 0; a < b->instrs[k]->access_count; a++)
            if (writes_base(p, &b->instrs[k]->accesses[a], base)) return true;
    return false;
}

static bool may_be_initial(const ls_proof *p, const ls_ir_access *a) {
    bool plain = a->semantics == LS_MOD_UNKNOWN || a->semantics == LS_MOD_WEAK;
    bool checked = !p->options->only_divergence && !p->options->only_intra_group;
    return checked && plain && a->kind == LS_ACCESS_READ && a->base_count == 1 && !a->other_bases &&
           !a->opaque && !a->is_volatile && !p->writes_unknown &&
           (a->bases[0]->space == LS_SPACE_GLOBAL || a->bases[0]->space == LS_SPACE_LOCAL);
}

/* Needs the IR; leaves written, writes_unknown and initial. */
void ls_find_written(ls_proof *p) {
    find_written(p);
    join_objects(p);
    p->initial = LS_NEW_N(&p->arena, bool, p->f->access_count + 1);
    bool *reached = LS_NEW_N(&p->arena, bool, p->f->block_count + 1),
         *asked = LS_NEW_N(&p->arena, bool, p->f->base_count + 1); /* by base: there is a load to ask about */
    for (uint32_t i = 0; i < p->f->access_count; i++)
        if (may_be_initial(p, p->f->accesses[i])) asked[p->f->accesses[i]->bases[0]->id] = true;
    for (uint32_t b = 0; b < p->f->base_count && !ls_solver_expired(&p->solver); b++) {
        const ls_ir_base *base = p->f->bases[b];
        if (!asked[b] || (!p->written[b] && base->space != LS_SPACE_LOCAL)) continue;
        spread(p, base, reached);
        for (uint32_t i = 0; i < p->f->access_count; i++) {
            const ls_ir_access *a = p->f->accesses[i];
            if (!may_be_initial(p, a) || a->bases[0] != base) continue;
            p->initial[a->id] = !reached[a->instr->block->id] && !written_above(p, a, base);
        }
    }
}
