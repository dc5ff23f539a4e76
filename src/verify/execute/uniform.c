/* Which values the threads of a block agree on, where they are at the same point in the same iterations: a
 * small divergence analysis (003, §3: data and control dependence through gating functions), optimistic and
 * to a fixpoint. A branch whose agreement was proved otherwise counts as agreed on. */
#include "verify/execute/uniform.h"
#include "base/recover.h"
#include "verify/execute/calls.h"
#include "verify/execute/nodes.h"
#include "verify/proof.h"

static bool varies(const ls_proof *p, const ls_ir_operand *o) {
    return o->value && p->divergent[o->value->id];
}

static bool sreg_diverges(const ls_ir_value *v) {
    ls_ptx_varies by = ls_ptx_sreg_of((ls_ptx_sreg)v->sreg)->varies;
    return by == LS_PER_THREAD || by == LS_PER_WARP || by == LS_PER_READ;
}

/* A load gives the same to all threads that read the same address at the same point: nobody writes there in
 * the same barrier interval, as that would be a race with one of them, which is an obligation of its own. */
static bool load_agrees(const ls_proof *p, const ls_ir_instr *i) {
    if (i->access_count != 1) return false;
    const ls_ir_access *a = &i->accesses[0];
    if (a->kind != LS_ACCESS_READ || a->opaque || a->is_volatile || a->base_count != 1 || a->other_bases)
        return false;
    bool plain = a->semantics == LS_MOD_UNKNOWN || a->semantics == LS_MOD_WEAK;
    bool races_checked =
        !p->options->only_divergence && (a->space == LS_SPACE_SHARED || !p->options->only_intra_group);
    bool read_only = !p->written[a->bases[0]->id] && !p->writes_unknown && !p->has_copies;
    if (!plain) return false;
    if (a->space == LS_SPACE_SHARED || a->space == LS_SPACE_GLOBAL || a->space == LS_SPACE_CONST)
        return races_checked || read_only;
    const ls_ir_base *base = a->bases[0];
    if (base->kind == LS_BASE_OBJECT && p->f->objects[base->object]->kind == LS_OBJECT_PARAM)
        return p->f->ptx->is_entry;
    if (a->space == LS_SPACE_LOCAL || a->space == LS_SPACE_GENERIC) return false;
    bool is_object = base->kind == LS_BASE_OBJECT || base->kind == LS_BASE_PARAM;
    return is_object && read_only;
}

static bool call_diverges(const ls_proof *p, const ls_ir_instr *i, uint32_t result) {
    if (i->guard.kind != LS_IR_ABSENT || (i->prior && i->prior[result])) return true;
    for (uint32_t k = 1; k < i->src_count; k++)
        if (!i->src[k].value || varies(p, &i->src[k])) return true;
    return false;
}

static bool instr_diverges(const ls_proof *p, const ls_ir_instr *i, uint32_t result) {
    uint32_t effects = i->form->opcode->effects;
    if (i->call && (ls_call_of(i) == LS_CALL_ENABLED || ls_call_of(i) == LS_CALL_DIMENSIONS)) return false;
    if (ls_is_barrier(i) && i->guard.kind == LS_IR_ABSENT) return false; /* a reduction over the block */
    if (i->unknown || (i->call && ls_call_of(i) != LS_CALL_PURE)) return true;
    if (i->call) return call_diverges(p, i, result);
    if (effects & (LS_CROSS_LANE | LS_VARIES | LS_ATOMIC | LS_CALLS)) return true;
    bool loads = i->form->opcode->plain && (effects & LS_READS_MEMORY);
    if ((effects & ~(uint32_t)LS_READS_MEMORY) || (effects && !loads)) return true;
    if (loads && !load_agrees(p, i)) return true;
    if (i->guard.kind != LS_IR_ABSENT && varies(p, &i->guard)) return true;
    if (i->prior && i->prior[result] && p->divergent[i->prior[result]->id]) return true;
    for (uint32_t k = 0; k < i->src_count; k++) {
        if (varies(p, &i->src[k])) return true;
        if (!i->src[k].value && i->src[k].kind != LS_IR_IMM) return true;
    }
    return false;
}

static bool branch_diverges(const ls_proof *p, const ls_ir_block *block) {
    bool negated;
    if (p->divergent_branch[block->id]) return true;
    if (block->succ_count < 2 || p->agreed[block->id]) return false;
    const ls_ir_value *predicate = ls_ir_branch_predicate(block, &negated);
    return !predicate || p->divergent[predicate->id];
}

static bool phi_diverges(const ls_proof *p, const ls_ir_phi *phi) {
    if (phi->kind == LS_PHI_PLAIN) return true;
    const ls_ir_block *b = phi->block;
    ls_ir_value *only = NULL;
    bool same = true;
    for (uint32_t k = 0; k < b->pred_count; k++) {
        if (p->divergent[phi->args[k]->id]) return true;
        if (phi->args[k] == phi->value) continue;
        same &= !only || only == phi->args[k];
        only = phi->args[k];
    }
    if (same) return false;
    for (uint32_t k = 0; k < b->gate_branch_count; k++)
        if (branch_diverges(p, b->gate_branches[k])) return true;
    return false;
}

static bool diverges(const ls_proof *p, const ls_ir_value *v) {
    switch ((ls_ir_value_kind)v->kind) {
    case LS_VALUE_IMM: return false;
    case LS_VALUE_SREG: return sreg_diverges(v);
    case LS_VALUE_OBJECT: return p->f->objects[v->object.id]->kind == LS_OBJECT_LOCAL;
    case LS_VALUE_UNDEF: return true;
    case LS_VALUE_ETA: return p->divergent[v->eta.value->id] || !p->uniform_loop[v->eta.loop->id];
    case LS_VALUE_PHI: return phi_diverges(p, v->phi);
    case LS_VALUE_INSTR: return instr_diverges(p, v->instr, v->result);
    }
    return true;
}

/* Marks the branches that decide whether the block is reached, or takes the marks away again. */
static void mark_closure(const ls_ir_block *block, bool *branches, bool mark) {
    LS_VEC(const ls_ir_block *) work = {0};
    LS_VEC_PUSH(&work, block);
    while (work.length) {
        const ls_ir_block *b = work.items[--work.length];
        for (uint32_t k = 0; k < b->control_count; k++) {
            const ls_ir_block *by = b->control[k].block;
            if (branches[by->id] == mark) continue;
            branches[by->id] = mark;
            LS_VEC_PUSH(&work, by);
        }
    }
    LS_VEC_FREE(&work);
}

void ls_control_closure(const ls_proof *p, const ls_ir_block *block, bool *branches) {
    (void)p;
    mark_closure(block, branches, true);
}

/* All threads that enter the loop leave it after the same iteration: no branch inside that decides whether
 * it goes on diverges. */
static bool leaves_together(const ls_proof *p, const ls_ir_loop *loop, bool *branches) { /* all false */
    mark_closure(loop->header, branches, true);
    for (uint32_t k = 0; k < loop->exit_count; k++) {
        branches[loop->exits[k].from->id] = true;
        mark_closure(loop->exits[k].from, branches, true);
    }
    bool together = true;
    for (uint32_t k = 0; k < loop->block_count; k++)
        together &= !branches[loop->blocks[k]->id] || !p->divergent_branch[loop->blocks[k]->id];
    mark_closure(loop->header, branches, false);
    for (uint32_t k = 0; k < loop->exit_count; k++) {
        mark_closure(loop->exits[k].from, branches, false);
        branches[loop->exits[k].from->id] = false;
    }
    return together;
}

/* What a pass needs beside the proof. */
typedef struct {
    ls_proof *p;
    bool *branches;    /* by block, for leaves_together */
    uint32_t *ending;  /* by block: a loop whose last block it is, in reverse post-order, + 1 … */
    uint32_t *further; /* … by loop: another one that ends there, + 1 */
    uint32_t *eta;     /* by loop: a value that leaves it, + 1 … */
    uint32_t *others;  /* … by value: another one of the same loop, + 1 */
    bool changed;
} spreading;

static spreading begin_spreading(ls_arena *arena, ls_proof *p) {
    const ls_ir_function *f = p->f;
    spreading s = {.p = p};
    s.branches = ls_arena_zalloc(arena, sizeof *s.branches * (f->block_count + 1));
    s.ending = ls_arena_zalloc(arena, sizeof *s.ending * (f->block_count + 1));
    s.further = ls_arena_zalloc(arena, sizeof *s.further * (f->loop_count + 1));
    s.eta = ls_arena_zalloc(arena, sizeof *s.eta * (f->loop_count + 1));
    s.others = ls_arena_zalloc(arena, sizeof *s.others * (f->value_count + 1));
    for (uint32_t l = 0; l < f->loop_count;
         l++) { /* outer loops come before inner ones: they end after them */
        uint32_t last = f->loops[l]->header->id;
        for (uint32_t k = 0; k < f->loops[l]->block_count; k++)
            if (f->loops[l]->blocks[k]->id > last) last = f->loops[l]->blocks[k]->id;
        s.further[l] = s.ending[last];
        s.ending[last] = l + 1;
    }
    for (uint32_t v = 0; v < f->value_count; v++) {
        if (f->values[v]->kind != LS_VALUE_ETA) continue;
        uint32_t *first = &s.eta[f->values[v]->eta.loop->id];
        s.others[v] = *first;
        *first = v + 1;
    }
    return s;
}

static void look_at(spreading *s, const ls_ir_value *v) {
    if (v && !s->p->divergent[v->id] && diverges(s->p, v)) s->p->divergent[v->id] = s->changed = true;
}

static void look_at_loop(spreading *s, uint32_t l) {
    ls_proof *p = s->p;
    if (p->uniform_loop[l] && !leaves_together(p, p->f->loops[l], s->branches)) {
        p->uniform_loop[l] = false;
        s->changed = true;
    }
    for (uint32_t v = s->eta[l]; v; v = s->others[v - 1]) look_at(s, p->f->values[v - 1]);
}

/* One pass, in an order in which most of what a value is made of comes before it. */
static void spread(spreading *s) {
    ls_proof *p = s->p;
    for (uint32_t b = 0; b < p->f->block_count; b++) {
        const ls_ir_block *block = p->f->blocks[b];
        for (uint32_t k = 0; k < block->phi_count; k++) look_at(s, block->phis[k]->value);
        for (uint32_t k = 0; k < block->instr_count; k++)
            for (uint32_t d = 0; d < block->instrs[k]->dst_count; d++)
                look_at(s, block->instrs[k]->dst[d].value);
        if (!p->divergent_branch[b] && branch_diverges(p, block)) p->divergent_branch[b] = s->changed = true;
        for (uint32_t l = s->ending[b]; l; l = s->further[l - 1]) look_at_loop(s, l - 1);
    }
    for (uint32_t v = 0; v < p->f->value_count; v++) look_at(s, p->f->values[v]);
}

/* Needs the IR, `written` and `agreed`; leaves divergent, divergent_branch and uniform_loop. */
void ls_find_uniform(ls_proof *p) {
    const ls_ir_function *f = p->f;
    memset(p->divergent, 0, f->value_count * sizeof *p->divergent);
    memset(p->divergent_branch, 0, f->block_count * sizeof *p->divergent_branch);
    for (uint32_t l = 0; l < f->loop_count; l++) p->uniform_loop[l] = true;
    for (uint32_t v = 0; v < f->value_count; v++) { /* where it begins */
        uint8_t kind = f->values[v]->kind;
        if (kind == LS_VALUE_SREG || kind == LS_VALUE_OBJECT || kind == LS_VALUE_UNDEF)
            p->divergent[v] = diverges(p, f->values[v]);
    }
    LS_SCRATCH(scratch);
    spreading s = begin_spreading(&scratch, p);
    do {
        s.changed = false;
        spread(&s);
    } while (s.changed);
}
