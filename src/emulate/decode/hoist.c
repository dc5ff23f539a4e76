/* Instructions whose result is the same whenever a thread of a block executes them, whatever the block: those
 * on constants, parameters and special registers other than the block's place in the grid. They are executed
 * once when a warp's registers are set up, and are no part of the code. Moves of a special register stand for
 * the register itself.
 *
 * Only registers with one assignment take part, and instructions that consist of nothing but vector loops;
 * where every execution is counted or watched, none do. */
#include "emulate/decode/decode.h"

/* How many slots a vector loop reads; 0: it is not moved. */
static const uint8_t sources[LANE_COUNT] = {
#define OP1(name, D, A, expr)        [LANE_##name] = 1,
#define OP2(name, D, A, B, expr)     [LANE_##name] = 2,
#define OP3(name, D, A, B, C, expr)  [LANE_##name] = 3,
#define CMP(name, T, relation, expr) [LANE_##name] = 2,
#include "emulate/lanes/ops.def"
};

static void count_up(uint8_t *counts, const ls_ir_operand *o) {
    if (o->kind == LS_IR_REG && counts[o->reg] < 2) counts[o->reg]++;
}

void em_count_assignments(decoder *d) {
    d->assignments = LS_NEW_N(d->arena, uint8_t, d->ir->register_count + 1);
    d->reads = LS_NEW_N(d->arena, uint8_t, d->ir->register_count + 1);
    d->writers = LS_NEW_N(d->arena, last_writer, d->ir->register_count + 1);
    for (uint32_t b = 0; b < d->ir->block_count; b++)
        for (uint32_t i = 0; i < d->ir->blocks[b]->instr_count; i++) {
            const ls_ir_instr *in = d->ir->blocks[b]->instrs[i];
            for (uint32_t k = 0; k < in->dst_count; k++) count_up(d->assignments, &in->dst[k]);
            for (uint32_t k = 0; k < in->src_count; k++) count_up(d->reads, &in->src[k]);
            count_up(d->reads, &in->guard);
        }
}

void em_fix_slot(decoder *d, uint32_t slot, bool uniform) {
    bool is_new;
    *ls_intmap_at(&d->fixed, slot, &is_new) = uniform;
}

bool em_is_uniform(const decoder *d, uint32_t slot) {
    uint64_t uniform;
    return ls_intmap_get(&d->fixed, slot, &uniform) && uniform;
}

void em_before(decoder *d, insn i) {
    const uint32_t slots[] = {i.a, i.b, i.c};
    bool uniform = true;
    for (uint32_t k = 0; k < sources[i.op]; k++) uniform &= em_is_uniform(d, slots[k]);
    LS_VEC_PUSH(&d->before, i);
    em_fix_slot(d, i.d, uniform);
}

bool em_is_fixed(const decoder *d, uint32_t slot) {
    uint64_t ignored;
    return ls_intmap_get(&d->fixed, slot, &ignored);
}

static bool assigned_once(const decoder *d) {
    const ls_ir_instr *in = d->instr;
    for (uint32_t k = 0; k < in->dst_count; k++)
        if (in->dst[k].kind == LS_IR_REG && d->assignments[in->dst[k].reg] != 1) return false;
    return in->dst_count > 0;
}

static bool is_written(const decoder *d, uint32_t from, uint32_t to, uint32_t slot) {
    for (uint32_t k = from; k < to; k++)
        if (d->out.items[k].d == slot) return true;
    return false;
}

static bool is_fixed_insn(const decoder *d, uint32_t from, uint32_t at) {
    const insn *i = &d->out.items[at];
    const uint32_t slots[] = {i->a, i->b, i->c};
    if (!i->op || !sources[i->op]) return false;
    for (uint32_t k = 0; k < sources[i->op]; k++)
        if (!em_is_fixed(d, slots[k]) && !is_written(d, from, at, slots[k])) return false;
    return true;
}

/* The block's place in the grid does not change while the block runs: a move of it is another name. */
static bool rename_register(decoder *d, uint32_t from, uint32_t first_slot, uint32_t mark) {
    const ls_ir_instr *in = d->instr;
    const insn *i = &d->out.items[from];
    if (d->out.length != from + 1 || (i->op != LANE_MOV_32 && i->op != LANE_MOV_64)) return false;
    if (in->op != LS_OP_MOV || in->dst_count != 1 || in->src[0].kind != LS_IR_SREG || i->d < first_slot)
        return false;
    for (uint32_t k = 0; k < d->c->sregs.length; k++) {
        if (d->c->sregs.items[k].slot != i->a) continue;
        d->registers[in->dst[0].reg].slot = i->a;
        d->out.length = from;
        d->used.length = mark;
        return true;
    }
    return false;
}

void em_hoist(decoder *d, uint32_t from, uint32_t first_slot, uint32_t mark) {
    if (!d->c->is_kernel || d->e->watched || d->e->profile || from == d->out.length || !assigned_once(d))
        return;
    if (rename_register(d, from, first_slot, mark)) return;
    for (uint32_t k = from; k < d->out.length; k++)
        if (!is_fixed_insn(d, from, k)) {
            em_split(d, from, mark);
            return;
        }
    for (uint32_t k = from; k < d->out.length; k++) em_before(d, d->out.items[k]);
    d->out.length = from;
}
