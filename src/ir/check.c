/* The checker of invariants: what every pass may rely on, each stated once. It looks at what is there:
 * control flow always, dominance, loops, values and gates once their passes have run. */
#include "base/buf.h"
#include "base/recover.h"
#include "ir/private.h"

typedef struct {
    const ls_ir_function *f;
    ls_buf wrong; /* the first thing that was found */
} checker;

/* Notes the first violation; later ones are most often its consequences. */
#define REQUIRE(c, condition, ...)                                                                           \
    do {                                                                                                     \
        if (!(condition) && !(c)->wrong.length) ls_buf_printf(&(c)->wrong, __VA_ARGS__);                     \
    } while (0)

static bool has_block(ls_ir_block *const *list, uint32_t count, const ls_ir_block *block) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == block) return true;
    return false;
}

/* Predecessors stand in the order of their ids. */
static bool has_pred(const ls_ir_block *block, const ls_ir_block *pred) {
    uint32_t low = 0, high = block->pred_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (block->preds[middle] == pred) return true;
        if (block->preds[middle]->id < pred->id)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* --- Control flow ----------------------------------------------------------------------------------------
 */

static void check_end(checker *c, const ls_ir_block *block) {
    const ls_ir_instr *end = block->terminator;
    if (end) {
        REQUIRE(c, block->instr_count && block->instrs[block->instr_count - 1] == end,
                "block %u: terminator is not the last instruction", block->id);
        if (end->op != LS_OP_BRX_IDX)
            REQUIRE(c, block->succ_count <= 1u + ir_is_guarded(end), "block %u: too many successors",
                    block->id);
    } else {
        REQUIRE(c, block->succ_count == (block != c->f->exit), "block %u falls through to %u blocks",
                block->id, block->succ_count);
    }
}

static void check_block(checker *c, const ls_ir_block *block, uint32_t id, uint32_t *instr) {
    REQUIRE(c, block->id == id, "block %u stands at %u", block->id, id);
    check_end(c, block);
    for (uint32_t i = 0; i < block->succ_count; i++) {
        REQUIRE(c, has_pred(block->succs[i], block), "edge %u to %u has no way back", id,
                block->succs[i]->id);
        REQUIRE(c, block->succ_count > 16 || !has_block(block->succs, i, block->succs[i]),
                "block %u has successor %u twice", id, block->succs[i]->id);
    }
    for (uint32_t i = 0; i < block->pred_count; i++) {
        REQUIRE(c,
                block->preds[i]->id < c->f->block_count &&
                    c->f->blocks[block->preds[i]->id] == block->preds[i],
                "block %u has a predecessor that was dropped", id);
        REQUIRE(c, !i || block->preds[i - 1]->id < block->preds[i]->id, "predecessors of %u out of order",
                id);
    }
    for (uint32_t i = 0; i < block->instr_count; i++, (*instr)++) {
        const ls_ir_instr *in = block->instrs[i];
        REQUIRE(c, in->block == block, "instruction %u stands in another block", in->id);
        REQUIRE(c, in->id == *instr && c->f->instrs[*instr] == in, "instruction %u has a wrong number",
                in->id);
        REQUIRE(c, in->form && in->pos && in->pos->file, "instruction %u lacks form or position", in->id);
    }
}

static void check_operand(checker *c, const ls_ir_instr *instr, const ls_ir_operand *operand) {
    const ls_ir_function *f = c->f;
    if (operand->kind == LS_IR_REG)
        REQUIRE(c, operand->reg < f->register_count, "instruction %u: register %u", instr->id, operand->reg);
    if (operand->kind == LS_IR_OBJECT)
        REQUIRE(c, operand->object < f->object_count, "instruction %u: object %u", instr->id,
                operand->object);
    if (operand->kind == LS_IR_BLOCK)
        REQUIRE(c, operand->block && f->blocks[operand->block->id] == operand->block,
                "instruction %u: label of no block", instr->id);
}

static void check_flow(checker *c) {
    const ls_ir_function *f = c->f;
    uint32_t instr = 0;
    REQUIRE(c, f->entry == f->blocks[0] && !f->entry->pred_count, "the entry is not the first block");
    REQUIRE(c, f->exit == f->blocks[f->block_count - 1] && !f->exit->succ_count && !f->exit->instr_count,
            "the exit is not the last block");
    for (uint32_t i = 0; i < f->block_count; i++) check_block(c, f->blocks[i], i, &instr);
    REQUIRE(c, instr == f->instr_count, "%u instructions in blocks, %u in all", instr, f->instr_count);
    for (uint32_t i = 0; i < f->instr_count; i++) {
        const ls_ir_instr *in = f->instrs[i];
        check_operand(c, in, &in->guard);
        for (uint32_t s = 0; s < in->src_count; s++) check_operand(c, in, &in->src[s]);
        for (uint32_t d = 0; d < in->dst_count; d++) check_operand(c, in, &in->dst[d]);
    }
}

/* --- Dominance and loops ---------------------------------------------------------------------------------
 */

static void check_dominance(checker *c) {
    for (uint32_t i = 0; i < c->f->block_count; i++) {
        const ls_ir_block *block = c->f->blocks[i];
        REQUIRE(c, (block->idom == NULL) == (block == c->f->entry), "block %u: wrong root of dominators", i);
        REQUIRE(c, (block->ipdom == NULL) == (block == c->f->exit), "block %u: wrong root of post-dominators",
                i);
        REQUIRE(c, !block->idom || (block->idom->id < i && ls_ir_dominates(block->idom, block)),
                "block %u: dominator out of order", i);
        for (uint32_t p = 0; block->idom && p < block->pred_count; p++)
            REQUIRE(c, ls_ir_dominates(block->idom, block->preds[p]), "block %u: dominator is passed by", i);
        for (uint32_t s = 0; block->ipdom && s < block->succ_count; s++)
            REQUIRE(c, ls_ir_postdominates(block->ipdom, block->succs[s]),
                    "block %u: post-dominator is passed by", i);
    }
}

static void check_loops(checker *c) {
    for (uint32_t i = 0; i < c->f->loop_count; i++) {
        const ls_ir_loop *loop = c->f->loops[i];
        REQUIRE(c, loop->id == i && loop->header->is_loop_header && loop->blocks[0] == loop->header,
                "loop %u: wrong header", i);
        REQUIRE(c, !loop->parent || (loop->parent->id < i && loop->depth == loop->parent->depth + 1),
                "loop %u: wrong nesting", i);
        REQUIRE(c, loop->latch_count > 0, "loop %u: no back edge", i);
        for (uint32_t b = 0; b < loop->block_count; b++)
            REQUIRE(c,
                    ls_ir_dominates(loop->header, loop->blocks[b]) &&
                        ls_ir_loop_contains(loop, loop->blocks[b]),
                    "loop %u: block %u does not belong", i, loop->blocks[b]->id);
        for (uint32_t e = 0; e < loop->exit_count; e++)
            REQUIRE(c,
                    ls_ir_loop_contains(loop, loop->exits[e].from) &&
                        !ls_ir_loop_contains(loop, loop->exits[e].to),
                    "loop %u: wrong exit", i);
    }
}

/* --- Values ----------------------------------------------------------------------------------------------
 */

/* The value that an η stands for in the end. */
static const ls_ir_value *behind_eta(const ls_ir_value *value) {
    while (value->kind == LS_VALUE_ETA) value = value->eta.value;
    return value;
}

static bool is_defined_at(const ls_ir_value *value, const ls_ir_instr *use) {
    value = behind_eta(value);
    if (value->kind == LS_VALUE_INSTR && value->block == use->block) return value->instr->id < use->id;
    return ls_ir_dominates(value->block, use->block);
}

static void check_read(checker *c, const ls_ir_instr *instr, const ls_ir_value *value) {
    REQUIRE(c, value && value->id < c->f->value_count && c->f->values[value->id] == value,
            "instruction %u reads a value that is not there", instr->id);
    if (value)
        REQUIRE(c, is_defined_at(value, instr), "instruction %u reads value %u before it is made", instr->id,
                value->id);
}

static bool has_value(const ls_ir_operand *operand) {
    return operand->kind == LS_IR_REG || operand->kind == LS_IR_IMM || operand->kind == LS_IR_SREG ||
           operand->kind == LS_IR_OBJECT;
}

static void check_instr_values(checker *c, const ls_ir_instr *instr) {
    if (has_value(&instr->guard)) check_read(c, instr, instr->guard.value);
    for (uint32_t s = 0; s < instr->src_count; s++)
        if (has_value(&instr->src[s])) check_read(c, instr, instr->src[s].value);
    REQUIRE(c, (instr->prior != NULL) == (ir_is_guarded(instr) && instr->dst_count),
            "instruction %u: prior values where there is no guard, or none where there is", instr->id);
    for (uint32_t d = 0; d < instr->dst_count; d++) {
        const ls_ir_value *value = instr->dst[d].value;
        if (instr->dst[d].kind != LS_IR_REG) continue;
        REQUIRE(c, value && value->kind == LS_VALUE_INSTR && value->instr == instr && value->result == d,
                "instruction %u: result %u has another maker", instr->id, d);
        if (instr->prior) check_read(c, instr, instr->prior[d]);
    }
}

static void check_phi(checker *c, const ls_ir_phi *phi) {
    const ls_ir_value *value = phi->value;
    REQUIRE(c, value->kind == LS_VALUE_PHI && value->phi == phi && value->block == phi->block,
            "phi of value %u is not its own", value->id);
    for (uint32_t i = 0; i < phi->block->pred_count; i++) {
        const ls_ir_value *arg = phi->args[i];
        REQUIRE(c, arg, "phi of value %u has no argument %u", value->id, i);
        if (arg)
            REQUIRE(c, ls_ir_dominates(behind_eta(arg)->block, phi->block->preds[i]),
                    "argument %u of the phi of value %u does not reach it", i, value->id);
    }
}

static void check_uses(checker *c) {
    for (uint32_t i = 0; i < c->f->value_count; i++) {
        const ls_ir_value *value = c->f->values[i];
        REQUIRE(c, value->id == i, "value %u stands at %u", value->id, i);
        if (value->kind == LS_VALUE_ETA)
            REQUIRE(c, ls_ir_loop_contains(value->eta.loop, value->eta.value->block),
                    "η of value %u leaves a loop it is not in", value->eta.value->id);
        for (uint32_t u = 0; u < value->use_count; u++) {
            const ls_ir_use *use = &value->uses[u];
            const ls_ir_value *seen = use->kind == LS_USE_SRC     ? use->instr->src[use->index].value
                                      : use->kind == LS_USE_GUARD ? use->instr->guard.value
                                      : use->kind == LS_USE_PRIOR ? use->instr->prior[use->index]
                                      : use->kind == LS_USE_PHI   ? use->phi->args[use->index]
                                                                  : use->eta->eta.value;
            REQUIRE(c, seen == value, "use %u of value %u is out of date", u, i);
        }
    }
}

static void check_gates(checker *c) {
    for (uint32_t i = 0; i < c->f->block_count; i++) {
        const ls_ir_block *block = c->f->blocks[i];
        const ls_ir_gate *gate = block->gate;
        if (!gate) continue;
        REQUIRE(c, gate->kind != LS_GATE_EDGE || gate->edge < block->pred_count, "block %u: gate of no edge",
                i);
        REQUIRE(c, block->is_loop_header == (block->carried != NULL), "block %u: wrong gates of a loop", i);
        REQUIRE(c, block->pred_count < 2 || block->is_loop_header || gate->kind != LS_GATE_EDGE,
                "block %u: a join with no predicate", i);
        for (uint32_t b = 0; b < block->gate_branch_count; b++)
            REQUIRE(c, block->gate_branches[b]->succ_count > 1, "block %u: gate by no branch", i);
    }
}

static char *find_wrong(const void *of) {
    const ls_ir_function *function = of;
    checker c = {.f = function};
    check_flow(&c);
    if (function->entry->dom_children) check_dominance(&c);
    if (function->loops) check_loops(&c);
    if (function->values) {
        for (uint32_t i = 0; i < function->instr_count; i++) check_instr_values(&c, function->instrs[i]);
        for (uint32_t i = 0; i < function->phi_count; i++) check_phi(&c, function->phis[i]);
        check_uses(&c);
        check_gates(&c);
    }
    return c.wrong.text;
}

char *ls_ir_check(const ls_ir_function *function) {
    return ls_guarded_text(find_wrong, function);
}
