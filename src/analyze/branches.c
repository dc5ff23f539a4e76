/* Branches on which lanes of a warp can disagree, loops with trip counts that differ between lanes, and the
 * term that makes it so. A branch that diverges by its shape may still be uniform by its lanes: threadIdx.x /
 * 32 is, and so is threadIdx.x < 64. */
#include "analyze/access.h"

/* The search for terms. It remembers what it has found, as one branch's predicate often comes of another's.
 */
typedef struct {
    const analysis *a;
    const char **known;       /* by value: its term, or NULL */
    uint32_t *seen;           /* by value: the number of the last search that came by … */
    const ls_ir_value **from; /* … and what it came from */
    uint32_t searches;
    LS_VEC(const ls_ir_value *) work, visited;
} term_search;

static const char *const NO_TERM = "a value that differs between threads";

static void go_to(term_search *s, const ls_ir_value *to, const ls_ir_value *from) {
    if (s->seen[to->id] == s->searches || ls_shape_warp_uniform(s->a, &s->a->shapes[to->id])) return;
    s->seen[to->id] = s->searches;
    s->from[to->id] = from;
    LS_VEC_PUSH(&s->work, to);
}

static const char *term_of_register(const ls_ir_value *v) {
    static const char *const identifiers[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
    bool is_thread = v->sreg == LS_SREG_TID && v->element >= LS_ELEMENT_X && v->element <= LS_ELEMENT_Z;
    return is_thread ? identifiers[v->element - LS_ELEMENT_X] : ls_ptx_sreg_of((ls_ptx_sreg)v->sreg)->name;
}

/* Where the value is a term by itself: which; else its operands are next. */
static const char *look_at(term_search *s, const ls_ir_value *v) {
    if (s->known[v->id]) return s->known[v->id] == NO_TERM ? NULL : s->known[v->id];
    if (v->kind == LS_VALUE_SREG) return term_of_register(v);
    if (v->kind == LS_VALUE_ETA) go_to(s, v->eta.value, v);
    if (v->kind == LS_VALUE_PHI)
        for (uint32_t i = 0; i < v->phi->block->pred_count; i++) go_to(s, v->phi->args[i], v);
    if (v->kind != LS_VALUE_INSTR) return NULL;
    uint32_t effects = v->instr->form->opcode ? v->instr->form->opcode->effects : 0;
    if (effects & LS_ATOMIC) return "the result of an atomic operation";
    if (effects & LS_READS_MEMORY) return "loaded data";
    if (v->instr->op == LS_OP_CALL) return "the result of a call";
    for (uint32_t i = v->instr->src_count; i > 0; i--)
        if (v->instr->src[i - 1].value) go_to(s, v->instr->src[i - 1].value, v);
    return NULL;
}

/* What makes a predicate differ between lanes: the first leaf that is found going back. */
static const char *term_of(term_search *s, const ls_ir_value *value) {
    const char *term = NULL;
    s->work.length = s->visited.length = 0;
    s->searches++;
    go_to(s, value, NULL);
    while (s->work.length && !term) {
        const ls_ir_value *v = s->work.items[--s->work.length];
        LS_VEC_PUSH(&s->visited, v);
        term = look_at(s, v);
        for (; term && v; v = s->from[v->id]) s->known[v->id] = term; /* the way that led there */
    }
    for (uint32_t i = 0; !term && i < s->visited.length; i++) s->known[s->visited.items[i]->id] = NO_TERM;
    return term ? term : NO_TERM;
}

/* One of the two ways leads to the end of the kernel with nothing on it. */
static bool leads_out(const ls_ir_function *f, const ls_ir_block *block) {
    for (uint32_t i = 0; i < block->succ_count; i++) {
        const ls_ir_block *to = block->succs[i];
        if (to == f->exit) return true;
        if (to->succ_count == 1 && to->succs[0] == f->exit && to->instr_count <= 1) return true;
    }
    return false;
}

/* By block: whether an edge leaves a loop from there. */
static bool *find_exits(analysis *a) {
    bool *exits = LS_NEW_N(&a->arena, bool, a->f->block_count + 1);
    for (uint32_t l = 0; l < a->f->loop_count; l++)
        for (uint32_t i = 0; i < a->f->loops[l]->exit_count; i++)
            exits[a->f->loops[l]->exits[i].from->id] = true;
    return exits;
}

void ls_fill_branches(analysis *a) {
    ls_analysis *out = a->out;
    if (out->branches) return;
    ls_fill_branch_lanes(a, NULL);
}

void ls_fill_branch_lanes(analysis *a, ls_warp *warp) {
    const ls_ir_function *f = a->f;
    ls_analysis *out = a->out;
    out->branches = LS_NEW_N(&a->arena, ls_branch_result, f->block_count + 1);
    const bool *exits = find_exits(a);
    term_search search = {.a = a,
                          .known = LS_NEW_N(&a->arena, const char *, f->value_count + 1),
                          .seen = LS_NEW_N(&a->arena, uint32_t, f->value_count + 1),
                          .from = LS_NEW_N(&a->arena, const ls_ir_value *, f->value_count + 1)};
    for (uint32_t b = 0; b < f->block_count; b++) {
        bool negated;
        const ls_ir_block *block = f->blocks[b];
        const ls_ir_value *predicate = ls_ir_branch_predicate(block, &negated);
        if (!predicate || block->succ_count < 2) continue;
        ls_branch_result *result = &out->branches[out->branch_count++];
        *result = (ls_branch_result){.block = block, .divergent = ls_branch_diverges(a, block)};
        if (result->divergent && warp) {
            const ls_lanes *lanes = ls_warp_lanes(warp, predicate);
            result->divergent = !lanes->seen || !ls_lanes_is_uniform(lanes, ls_warp_active(warp, block).may);
        }
        result->is_loop_exit = exits[b];
        result->early_exit = leads_out(f, block);
        if (result->divergent) result->term = term_of(&search, predicate);
    }
    LS_VEC_FREE(&search.work);
    LS_VEC_FREE(&search.visited);
}
