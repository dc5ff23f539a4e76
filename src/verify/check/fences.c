/* Order by fences and atomics that is not proved (handoff.c): it depends on the values that are exchanged.
 * What is known is where there can be none: the one access must be followed by a fence and then an access
 * that others can wait for, and the other must come after such an access, all with scopes that include the
 * other thread. Races between accesses for which both is so are only possible. */
#include "verify/check/fences.h"
#include "isa/order.h"
#include "verify/proof.h"

typedef struct {
    bool *behind; /* by block and block: the second is reached from the first */
} order;

static const ls_part ORDER = {sizeof(order), NULL};

/* Which blocks are reached from the end of which. */
static void find_behind(ls_proof *p, order *known) {
    uint32_t blocks = p->f->block_count;
    known->behind = LS_NEW_N(&p->arena, bool, (size_t)blocks *blocks + 1);
    LS_VEC(const ls_ir_block *) work = {0};
    for (uint32_t b = 0; b < blocks; b++) {
        bool *reached = known->behind + (size_t)b * blocks;
        LS_VEC_PUSH(&work, p->f->blocks[b]);
        while (work.length) {
            const ls_ir_block *at = work.items[--work.length];
            for (uint32_t k = 0; k < at->succ_count; k++) {
                if (reached[at->succs[k]->id]) continue;
                reached[at->succs[k]->id] = true;
                LS_VEC_PUSH(&work, at->succs[k]);
            }
        }
    }
    LS_VEC_FREE(&work);
}

bool ls_follows(ls_proof *p, const ls_ir_instr *first, const ls_ir_instr *then) {
    const ls_ir_block *from = first->block, *to = then->block;
    order *known = ls_part_of(p, &ORDER);
    if (!known->behind) find_behind(p, known);
    if (from == to && first->id < then->id) return true;
    return known->behind[(size_t)from->id * p->f->block_count + to->id];
}

/* Others that far away can wait for it. */
static bool is_signal(const ls_ir_access *a, ls_reach between) {
    const ls_order o = ls_order_of(a->instr->form);
    return o.strong && o.scope >= between;
}

static bool is_fence(const ls_ir_instr *i, ls_reach between) {
    const ls_order o = ls_order_of(i->form);
    return (o.acquires || o.releases) && o.scope >= between;
}

static bool signals_after(ls_proof *p, const ls_ir_instr *i, ls_reach between) {
    for (uint32_t f = 0; f < p->f->instr_count; f++) {
        const ls_ir_instr *fence = p->f->instrs[f];
        if (!is_fence(fence, between) || !ls_follows(p, i, fence)) continue;
        for (uint32_t k = 0; k < p->f->access_count; k++) {
            const ls_ir_access *a = p->f->accesses[k];
            if (is_signal(a, between) && (a->instr == fence || ls_follows(p, fence, a->instr))) return true;
        }
    }
    return false;
}

static bool waits_before(ls_proof *p, const ls_ir_instr *i, ls_reach between) {
    for (uint32_t k = 0; k < p->f->access_count; k++)
        if (is_signal(p->f->accesses[k], between) && ls_follows(p, p->f->accesses[k]->instr, i)) return true;
    return false;
}

bool ls_may_be_ordered(ls_proof *p, const ls_ir_instr *a, const ls_ir_instr *b, bool same_block) {
    ls_reach between = same_block ? LS_REACH_BLOCK : LS_REACH_CLUSTER; /* they may be in one cluster */
    bool fences = false;
    for (uint32_t i = 0; i < p->f->instr_count && !fences; i++) fences = is_fence(p->f->instrs[i], between);
    if (!fences) return false;
    return (signals_after(p, a, between) && waits_before(p, b, between)) ||
           (signals_after(p, b, between) && waits_before(p, a, between));
}
