/* On what condition a site is reached. Behind a loop, that would mention the iteration which the loop is
 * left in: what was decided before is as good, where all ways from there go to the site. (That loops end is
 * not looked at; that waits do is shown in ticket_ends.c.) */
#include "verify/check/ticket_reach.h"
#include "base/recover.h"
#include "verify/execute/lower.h"

bool ls_is_wait(const ls_ir_instr *i) {
    return i->form->opcode->mbarrier == LS_MBARRIER_WAIT;
}

const ls_ir_instr *ls_spins_on(const ls_ir_loop *loop) {
    const ls_ir_instr *wait = NULL;
    for (uint32_t b = 0; b < loop->block_count; b++)
        for (uint32_t k = 0; k < loop->blocks[b]->instr_count; k++) {
            const ls_ir_instr *i = loop->blocks[b]->instrs[k];
            bool acts = i->access_count || i->call || (i->form->opcode->effects & ~(uint32_t)LS_VARIES);
            if (ls_is_wait(i) && !wait && i->guard.kind == LS_IR_ABSENT)
                wait = i;
            else if (acts && i != loop->blocks[b]->terminator)
                return NULL;
        }
    return wait;
}

const ls_ir_loop *ls_loop_around(const ls_ir_block *block, bool *nested) {
    const ls_ir_loop *found = NULL;
    *nested = false;
    for (const ls_ir_loop *loop = block->loop; loop; loop = loop->parent) {
        if (ls_spins_on(loop)) continue;
        *nested |= found != NULL;
        found = loop;
    }
    return found;
}

bool ls_always_goes_to(const ls_ir_function *f, const ls_ir_block *from, const ls_ir_block *to,
                       const ls_ir_loop *loop) {
    LS_SCRATCH(scratch);
    bool *seen = ls_arena_zalloc(&scratch, f->block_count + 1), always = true;
    LS_VEC(const ls_ir_block *) work = {0};
    if (from != to) LS_VEC_PUSH(&work, from);
    while (work.length && always) {
        const ls_ir_block *b = work.items[--work.length];
        always = b->succ_count > 0;
        for (uint32_t i = 0; i < b->succ_count && always; i++) {
            const ls_ir_block *next = b->succs[i];
            if (next == to || seen[next->id]) continue;
            seen[next->id] = true;
            always = !loop || (next != loop->header && ls_ir_loop_contains(loop, next));
            LS_VEC_PUSH(&work, next);
        }
    }
    LS_VEC_FREE(&work);
    return always;
}

/* The condition on which a loop within another one is entered, from one block; NULL: there are several. */
static const ls_term *entry_of(const ls_proof *p, const ls_ir_block *header, const ls_ir_loop *around) {
    const ls_ir_block *from = NULL;
    for (uint32_t i = 0; i < header->pred_count; i++) {
        if (ls_ir_loop_contains(header->loop, header->preds[i])) continue;
        if (from) return NULL;
        from = header->preds[i];
    }
    bool negated, nested;
    if (!from || ls_loop_around(from, &nested) != around || nested) return NULL;
    ls_terms *t = (ls_terms *)(uintptr_t)&p->terms;
    const ls_term *reach = p->whole->reach[p->first_node[from->id]];
    if (!reach || from->succ_count == 1) return reach;
    const ls_ir_value *predicate = ls_ir_branch_predicate(from, &negated);
    if (!predicate || from->succ_count != 2 || from->succs[0] == from->succs[1]) return NULL;
    const ls_term *c = ls_value_of(p->whole, predicate);
    if (c->width != 1) return NULL;
    return ls_and(t, reach, (from->succs[0] == header) == negated ? ls_not(t, c) : c);
}

const ls_term *ls_reach_of(const ls_proof *p, const ls_ir_block *block) {
    bool nested;
    const ls_ir_loop *loop = ls_loop_around(block, &nested);
    const ls_term *reach = p->whole->reach[p->first_node[block->id]];
    for (const ls_ir_block *up = block; up; up = up->idom) {
        bool within, outside = loop && !ls_ir_loop_contains(loop, up);
        if (outside) break;
        const bool same = ls_loop_around(up, &within) == loop && !within &&
                          !up->is_loop_header == !(loop && up == loop->header);
        const bool inner = loop && up->is_loop_header && up != loop->header && up->loop->parent == loop;
        if ((!same && !inner) || !ls_always_goes_to(p->f, up, block, loop)) continue;
        const ls_term *there = same ? p->whole->reach[p->first_node[up->id]] : entry_of(p, up, loop);
        if (there) reach = there;
    }
    return reach;
}
