/* Static single assignment form, rebuilt from PTX registers (Cytron et al. 1991, pruned). PTX from a compiler
 * defines most registers once; those whose definition dominates every use need no phis and get their value at
 * once. The others get phis on the iterated dominance frontier of their definitions, where they are live, and
 * are renamed on a walk down the dominator tree. A guarded definition keeps the old value where the guard
 * does not hold, so it also reads the register: that is the instruction's `prior`. Reads with no definition
 * before them see an undefined value. */
#include "base/recover.h"
#include "ir/private.h"

#include <assert.h>

typedef struct {
    ls_ir_function *f;
    uint32_t *slot; /* by register: index among those renamed, or LS_IR_NONE */
    uint32_t *regs; /* by slot: the register */
    uint32_t slot_count;
    ls_ir_instr **only_def;             /* by register: its definition, of those that have one */
    ls_ir_value **value;                /* by register: its only value, or its undefined one */
    ls_intmap constants[LS_TYPE_COUNT]; /* bits → value */
    ls_intmap specials, objects;
    ls_arena scratch; /* for all that is not a part of the function */
} builder;

/* --- Constants and other leaves --------------------------------------------------------------------------
 */

static ls_ir_value *constant_value(builder *b, const ls_ir_operand *operand) {
    bool is_new;
    uint64_t *at = ls_intmap_at(&b->constants[operand->type], operand->bits, &is_new);
    if (is_new) {
        ls_ir_value *value = ir_new_value(b->f, LS_VALUE_IMM, (ls_ptx_type)operand->type, LS_IR_NONE);
        value->bits = operand->bits;
        *at = (uintptr_t)value;
    }
    return (ls_ir_value *)(uintptr_t)*at;
}

static ls_ir_value *special_value(builder *b, const ls_ir_operand *operand) {
    const ls_ptx_sreg_info *info = ls_ptx_sreg_of((ls_ptx_sreg)operand->sreg);
    bool is_new = true;
    uint64_t scratch, *at = &scratch;
    if (info->varies != LS_PER_READ)
        at = ls_intmap_at(&b->specials, operand->sreg | (uint64_t)operand->element << 32, &is_new);
    if (is_new) {
        ls_ir_value *value = ir_new_value(b->f, LS_VALUE_SREG, info->type, LS_IR_NONE);
        value->sreg = operand->sreg;
        value->element = operand->element;
        *at = (uintptr_t)value;
    }
    return (ls_ir_value *)(uintptr_t)*at;
}

/* Offsets of addresses in [ ] belong to the access, those of other operands to the value. */
static ls_ir_value *object_value(builder *b, const ls_ir_operand *operand) {
    int64_t offset = operand->role == LS_ROLE_DATA ? operand->offset : 0;
    bool is_new = true, small = offset >= 0 && offset <= UINT32_MAX;
    uint64_t scratch, *at = &scratch;
    if (small) at = ls_intmap_at(&b->objects, operand->object | (uint64_t)offset << 32, &is_new);
    if (is_new) {
        ls_ptx_type type = b->f->module->address_size == 64 ? LS_TYPE_U64 : LS_TYPE_U32;
        ls_ir_value *value = ir_new_value(b->f, LS_VALUE_OBJECT, type, LS_IR_NONE);
        value->object.id = operand->object;
        value->object.offset = offset;
        *at = (uintptr_t)value;
    }
    return (ls_ir_value *)(uintptr_t)*at;
}

static ls_ir_value *undefined_value(builder *b, uint32_t reg) {
    if (!b->value[reg])
        b->value[reg] = ir_new_value(b->f, LS_VALUE_UNDEF, (ls_ptx_type)b->f->registers[reg].type, reg);
    return b->value[reg];
}

static ls_ir_value *leaf_value(builder *b, const ls_ir_operand *operand) {
    switch (operand->kind) {
    case LS_IR_IMM: return constant_value(b, operand);
    case LS_IR_SREG: return special_value(b, operand);
    case LS_IR_OBJECT: return object_value(b, operand);
    default: return NULL;
    }
}

/* --- Which registers need renaming -----------------------------------------------------------------------
 */

/* Whether the only definition comes before the use on every way to it. */
static bool reaches_use(const ls_ir_instr *def, const ls_ir_instr *use) {
    if (def->block == use->block) return def->id < use->id;
    return ls_ir_dominates(def->block, use->block);
}

static void note_use(builder *b, const ls_ir_operand *operand, const ls_ir_instr *use, bool *several) {
    if (operand->kind != LS_IR_REG) return;
    const ls_ir_instr *def = b->only_def[operand->reg];
    if (def && !reaches_use(def, use)) several[operand->reg] = true;
}

static void choose_renamed(builder *b) {
    ls_ir_function *f = b->f;
    bool *several = ls_arena_alloc(&b->scratch, f->register_count + 1);
    for (uint32_t r = 0; r < f->register_count; r++) several[r] = f->registers[r].def_count > 1;
    for (uint32_t i = 0; i < f->instr_count; i++)
        for (uint32_t d = 0; d < f->instrs[i]->dst_count; d++) {
            const ls_ir_operand *dst = &f->instrs[i]->dst[d];
            if (dst->kind != LS_IR_REG) continue;
            b->only_def[dst->reg] = f->instrs[i];
            if (ir_is_guarded(f->instrs[i])) several[dst->reg] = true;
        }
    for (uint32_t i = 0; i < f->instr_count; i++) {
        const ls_ir_instr *instr = f->instrs[i];
        note_use(b, &instr->guard, instr, several);
        for (uint32_t s = 0; s < instr->src_count; s++) note_use(b, &instr->src[s], instr, several);
    }
    for (uint32_t r = 0; r < f->register_count; r++) {
        b->slot[r] = LS_IR_NONE;
        if (!several[r]) continue;
        b->slot[r] = b->slot_count;
        b->regs[b->slot_count++] = r;
    }
}

/* --- Placing phis ----------------------------------------------------------------------------------------
 */

typedef LS_VEC(uint32_t) block_ids;

typedef struct { /* for each renamed register: blocks that define it, blocks that read it before that */
    block_ids *defs, *exposed;
} places;

static void add_place(block_ids *list, uint32_t block) {
    if (!list->length || list->items[list->length - 1] != block) LS_VEC_PUSH(list, block);
}

static void find_places(builder *b, places *p) {
    ls_ir_function *f = b->f;
    uint32_t *defined_in = ls_arena_alloc(&b->scratch, sizeof *defined_in * (b->slot_count + 1));
    for (uint32_t i = 0; i < b->slot_count; i++) defined_in[i] = LS_IR_NONE;
    for (uint32_t i = 0; i < f->instr_count; i++) {
        const ls_ir_instr *instr = f->instrs[i];
        uint32_t block = instr->block->id;
        for (uint32_t s = 0; s <= instr->src_count; s++) {
            const ls_ir_operand *use = s < instr->src_count ? &instr->src[s] : &instr->guard;
            uint32_t slot = use->kind == LS_IR_REG ? b->slot[use->reg] : LS_IR_NONE;
            if (slot != LS_IR_NONE && defined_in[slot] != block) add_place(&p->exposed[slot], block);
        }
        for (uint32_t d = 0; d < instr->dst_count; d++) {
            uint32_t slot = instr->dst[d].kind == LS_IR_REG ? b->slot[instr->dst[d].reg] : LS_IR_NONE;
            if (slot == LS_IR_NONE) continue;
            if (ir_is_guarded(instr) && defined_in[slot] != block) add_place(&p->exposed[slot], block);
            defined_in[slot] = block;
            add_place(&p->defs[slot], block);
        }
    }
}

typedef struct {
    uint32_t *live, *has_phi, *is_def; /* by block: the slot + 1 it was last marked for */
    block_ids work;
} marks;

/* Marks the blocks that a register is live into: from its exposed reads up to its definitions. */
static void mark_live(builder *b, uint32_t slot, const places *p, marks *m) {
    for (uint32_t i = 0; i < p->defs[slot].length; i++) m->is_def[p->defs[slot].items[i]] = slot + 1;
    m->work.length = 0;
    for (uint32_t i = 0; i < p->exposed[slot].length; i++) {
        uint32_t block = p->exposed[slot].items[i];
        if (m->live[block] == slot + 1) continue;
        m->live[block] = slot + 1;
        LS_VEC_PUSH(&m->work, block);
    }
    while (m->work.length) {
        const ls_ir_block *block = b->f->blocks[m->work.items[--m->work.length]];
        for (uint32_t i = 0; i < block->pred_count; i++) {
            uint32_t pred = block->preds[i]->id;
            if (m->live[pred] == slot + 1 || m->is_def[pred] == slot + 1) continue;
            m->live[pred] = slot + 1;
            LS_VEC_PUSH(&m->work, pred);
        }
    }
}

typedef LS_VEC(ls_ir_phi *) phi_list;

static void add_phi(builder *b, ls_ir_block *block, uint32_t reg, phi_list *lists, phi_list *all) {
    ls_ir_function *f = b->f;
    ls_ir_phi *phi = LS_NEW(&f->hidden->arena, ls_ir_phi);
    phi->block = block;
    phi->args = LS_NEW_N(&f->hidden->arena, ls_ir_value *, block->pred_count);
    phi->value = ir_new_value(f, LS_VALUE_PHI, (ls_ptx_type)f->registers[reg].type, reg);
    phi->value->phi = phi;
    phi->value->block = block;
    LS_VEC_PUSH_IN(&f->hidden->arena, &lists[block->id], phi);
    LS_VEC_PUSH_IN(&f->hidden->arena, all, phi);
}

static void place_phis_of(builder *b, uint32_t slot, const places *p, marks *m, phi_list *lists,
                          phi_list *all) {
    mark_live(b, slot, p, m);
    m->work.length = 0;
    for (uint32_t i = 0; i < p->defs[slot].length; i++) LS_VEC_PUSH(&m->work, p->defs[slot].items[i]);
    while (m->work.length) {
        const ls_ir_block *block = b->f->blocks[m->work.items[--m->work.length]];
        for (uint32_t i = 0; i < block->frontier_count; i++) {
            ls_ir_block *join = block->frontier[i];
            if (m->has_phi[join->id] == slot + 1 || m->live[join->id] != slot + 1) continue;
            m->has_phi[join->id] = slot + 1;
            add_phi(b, join, b->regs[slot], lists, all);
            if (m->is_def[join->id] != slot + 1) LS_VEC_PUSH(&m->work, join->id);
        }
    }
}

static void place_phis(builder *b) {
    ls_ir_function *f = b->f;
    uint32_t slots = b->slot_count + 1, blocks = f->block_count;
    places p = {LS_NEW_N(&b->scratch, block_ids, slots), LS_NEW_N(&b->scratch, block_ids, slots)};
    uint32_t *memory = LS_NEW_N(&b->scratch, uint32_t, 3 * (size_t)blocks);
    marks m = {.live = memory, .has_phi = memory + blocks, .is_def = memory + 2 * blocks};
    phi_list *lists = LS_NEW_N(&b->scratch, phi_list, blocks), all = {0};
    find_places(b, &p);
    for (uint32_t slot = 0; slot < b->slot_count; slot++) place_phis_of(b, slot, &p, &m, lists, &all);
    for (uint32_t i = 0; i < blocks; i++) {
        f->blocks[i]->phis = lists[i].items;
        f->blocks[i]->phi_count = lists[i].length;
    }
    f->phis = all.items;
    f->phi_count = f->stats.phis = all.length;
    for (uint32_t slot = 0; slot < b->slot_count; slot++) {
        LS_VEC_FREE(&p.defs[slot]);
        LS_VEC_FREE(&p.exposed[slot]);
    }
    LS_VEC_FREE(&m.work);
}

/* --- Renaming --------------------------------------------------------------------------------------------
 */

typedef struct { /* what to put back when the walk leaves a block */
    uint32_t slot;
    ls_ir_value *before;
} undo;

typedef struct {
    builder *b;
    ls_ir_value **current; /* by slot; NULL: nothing yet */
    LS_VEC(undo) undos;
} renaming;

static ls_ir_value *current_value(renaming *r, uint32_t reg) {
    uint32_t slot = r->b->slot[reg];
    ls_ir_value *value = slot == LS_IR_NONE ? r->b->value[reg] : r->current[slot];
    return value ? value : undefined_value(r->b, reg);
}

static void define(renaming *r, uint32_t reg, ls_ir_value *value) {
    uint32_t slot = r->b->slot[reg];
    if (slot == LS_IR_NONE) {
        r->b->value[reg] = value;
        return;
    }
    undo u = {slot, r->current[slot]};
    LS_VEC_PUSH(&r->undos, u);
    r->current[slot] = value;
}

static void read_operand(renaming *r, ls_ir_operand *operand) {
    operand->value = operand->kind == LS_IR_REG ? current_value(r, operand->reg) : leaf_value(r->b, operand);
}

static void rename_instr(renaming *r, ls_ir_instr *instr) {
    ls_ir_function *f = r->b->f;
    read_operand(r, &instr->guard);
    for (uint32_t s = 0; s < instr->src_count; s++) read_operand(r, &instr->src[s]);
    if (ir_is_guarded(instr) && instr->dst_count) {
        instr->prior = LS_NEW_N(&f->hidden->arena, ls_ir_value *, instr->dst_count);
        for (uint32_t d = 0; d < instr->dst_count; d++)
            if (instr->dst[d].kind == LS_IR_REG) instr->prior[d] = current_value(r, instr->dst[d].reg);
    }
    for (uint32_t d = 0; d < instr->dst_count; d++) {
        ls_ir_operand *dst = &instr->dst[d];
        if (dst->kind != LS_IR_REG) continue;
        dst->value = ir_new_value(f, LS_VALUE_INSTR, (ls_ptx_type)f->registers[dst->reg].type, dst->reg);
        dst->value->instr = instr;
        dst->value->result = d;
        dst->value->block = instr->block;
        define(r, dst->reg, dst->value);
    }
}

/* The position of a block among the predecessors of another; they stand in the order of their ids. */
static uint32_t pred_index(const ls_ir_block *block, const ls_ir_block *pred) {
    uint32_t low = 0, high = block->pred_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (block->preds[middle]->id <= pred->id)
            low = middle;
        else
            high = middle;
    }
    assert(block->preds[low] == pred);
    return low;
}

static void rename_block(renaming *r, ls_ir_block *block) {
    for (uint32_t i = 0; i < block->phi_count; i++)
        define(r, block->phis[i]->value->reg, block->phis[i]->value);
    for (uint32_t i = 0; i < block->instr_count; i++) rename_instr(r, block->instrs[i]);
    for (uint32_t s = 0; s < block->succ_count; s++) {
        ls_ir_block *succ = block->succs[s];
        if (!succ->phi_count) continue;
        uint32_t edge = pred_index(succ, block);
        for (uint32_t i = 0; i < succ->phi_count; i++)
            succ->phis[i]->args[edge] = current_value(r, succ->phis[i]->value->reg);
    }
}

static void rename_all(builder *b) {
    ls_ir_function *f = b->f;
    renaming r = {.b = b};
    r.current = ls_arena_zalloc(&b->scratch, sizeof *r.current * (b->slot_count + 1));
    typedef struct {
        ls_ir_block *block;
        uint32_t child, undo_mark;
    } visit;
    LS_VEC(visit) stack = {0};
    visit first = {f->entry, 0, 0};
    rename_block(&r, f->entry);
    LS_VEC_PUSH(&stack, first);
    while (stack.length) {
        visit *top = &stack.items[stack.length - 1];
        if (top->child < top->block->dom_child_count) {
            visit next = {top->block->dom_children[top->child++], 0, r.undos.length};
            rename_block(&r, next.block);
            LS_VEC_PUSH(&stack, next);
            continue;
        }
        for (; r.undos.length > top->undo_mark; r.undos.length--) {
            const undo *u = &r.undos.items[r.undos.length - 1];
            r.current[u->slot] = u->before;
        }
        stack.length--;
    }
    LS_VEC_FREE(&r.undos);
    LS_VEC_FREE(&stack);
}

void ir_fill_ssa(ls_ir_function *f) {
    builder b = {.f = f};
    uint32_t n = f->register_count + 1;
    ls_arena_open(&b.scratch);
    b.slot = LS_NEW_N(&b.scratch, uint32_t, n);
    b.regs = LS_NEW_N(&b.scratch, uint32_t, n);
    b.only_def = LS_NEW_N(&b.scratch, ls_ir_instr *, n);
    b.value = LS_NEW_N(&b.scratch, ls_ir_value *, n);
    choose_renamed(&b);
    place_phis(&b);
    rename_all(&b);
    ir_fill_uses(f);
    for (uint32_t t = 0; t < LS_TYPE_COUNT; t++) ls_intmap_free(&b.constants[t]);
    ls_intmap_free(&b.specials);
    ls_intmap_free(&b.objects);
    ls_arena_close(&b.scratch);
}
