/* Which values may be read before they are written, as far as it shows before the run. Registers that no
 * definition reaches on some way from the entry, and those that are computed from them, get a mask of the
 * lanes that have written them; it is looked at where an undefined value matters: a guard, an address, a
 * store to global memory. To copy one is no fault (elements of vectors that nobody asks for are copied
 * often), nor to compute with it. In compiled code there are rarely any such registers, and then this costs
 * nothing.
 *
 * In the same spirit loads are told apart: those whose value is only copied on read uninitialised memory
 * unpunished (padding, members of structs that were never set). */
#include "emulate/decode/decode.h"

#include <stdlib.h>

enum { MOST_STEPS = 20000000 };

/* --- Copies --- */
/* What becomes of a register's value. Structs are copied from local to global memory member by member, set or
 * not: of what is read from local memory only a use in computations counts. */
enum { COPIED, STORED, USED };

static bool stores_copy(const ls_ir_instr *in) {
    ls_ptx_space space = ls_ptx_form_space(in->form);
    return (space != LS_SPACE_GLOBAL && space != LS_SPACE_GENERIC) || in->src_count > 2;
}

static uint8_t results_use(const decoder *d, const ls_ir_instr *in) {
    uint8_t most = COPIED;
    for (uint32_t k = 0; k < in->dst_count; k++)
        if (in->dst[k].kind == LS_IR_REG && d->uses[in->dst[k].reg] > most) most = d->uses[in->dst[k].reg];
    return most;
}

/* Of one source: handed on as it is, to memory or to the instruction's results, or not. */
static uint8_t source_use(const ls_ir_instr *in, uint32_t k, uint8_t results) {
    if (in->src[k].role != LS_ROLE_DATA) return USED;
    switch (in->op) {
    case LS_OP_MOV:
    case LS_OP_CVT: return results;
    case LS_OP_CALL: return COPIED;
    case LS_OP_SELP: return k < 2 ? results : USED;
    case LS_OP_SHFL: return k == 0 ? results : USED;
    case LS_OP_ST: return stores_copy(in) ? COPIED : STORED;
    default: return USED;
    }
}

static bool note_uses(decoder *d, const ls_ir_instr *in) {
    bool changed = false;
    uint8_t results = results_use(d, in);
    if (in->guard.kind == LS_IR_REG) d->uses[in->guard.reg] = USED;
    for (uint32_t k = 0; k < in->src_count; k++) {
        const ls_ir_operand *o = &in->src[k];
        uint8_t use = source_use(in, k, results);
        if (o->kind != LS_IR_REG || d->uses[o->reg] >= use) continue;
        d->uses[o->reg] = use;
        changed = true;
    }
    return changed;
}

/* --- Registers that may be read first --- */
typedef struct {
    const ls_ir_instr **items; /* that mention the register, in order */
    uint32_t count;
} mentions;

typedef struct {
    decoder *d;
    mentions *by_register;
    uint32_t *seen;              /* by block: the register it was reached for, + 1 */
    uint8_t *local;              /* by block, for the register at hand: EXPOSED, KILLS */
    const ls_ir_block **pending; /* at most one for each block */
    uint64_t steps;
} search;

enum { EXPOSED = 1, KILLS = 2 };

static bool reads(const ls_ir_instr *in, uint32_t reg) {
    if (in->guard.kind == LS_IR_REG && in->guard.reg == reg) return true;
    for (uint32_t k = 0; k < in->src_count; k++)
        if (in->src[k].kind == LS_IR_REG && in->src[k].reg == reg) return true;
    return false;
}

static bool kills(const ls_ir_instr *in, uint32_t reg) {
    if (in->guard.kind == LS_IR_REG) return false;
    for (uint32_t k = 0; k < in->dst_count; k++)
        if (in->dst[k].kind == LS_IR_REG && in->dst[k].reg == reg) return true;
    return false;
}

/* One definition that dominates all uses, as almost always. */
static bool is_plain(const mentions *m, uint32_t reg) {
    const ls_ir_instr *def = m->count ? m->items[0] : NULL;
    if (!def || !kills(def, reg) || reads(def, reg)) return false;
    for (uint32_t k = 1; k < m->count; k++)
        if (!ls_ir_dominates(def->block, m->items[k]->block)) return false;
    return true;
}

static void summarize(search *s, const mentions *m, uint32_t reg) {
    for (uint32_t k = 0; k < m->count; k++) s->local[m->items[k]->block->id] = 0;
    for (uint32_t k = 0; k < m->count; k++) {
        uint8_t *b = &s->local[m->items[k]->block->id];
        if (!(*b & KILLS) && reads(m->items[k], reg)) *b |= EXPOSED;
        if (kills(m->items[k], reg)) *b |= KILLS;
    }
}

/* Whether a way from the entry leads to a read without a write. */
static bool reaches_entry(search *s, const mentions *m, uint32_t reg) {
    uint32_t n = 0, stamp = reg + 1;
    summarize(s, m, reg);
    for (uint32_t k = 0; k < m->count; k++) {
        const ls_ir_block *b = m->items[k]->block;
        if (!(s->local[b->id] & EXPOSED) || s->seen[b->id] == stamp) continue;
        s->seen[b->id] = stamp;
        s->pending[n++] = b;
    }
    bool first = false; /* it can be the first thing that is done to the register */
    while (n && !first && s->steps < MOST_STEPS) {
        const ls_ir_block *b = s->pending[--n];
        first = b == s->d->ir->entry;
        for (uint32_t p = 0; p < b->pred_count; p++, s->steps++) {
            const ls_ir_block *up = b->preds[p];
            if (s->seen[up->id] == stamp || s->local[up->id] & KILLS) continue;
            s->seen[up->id] = stamp;
            s->pending[n++] = up;
        }
    }
    for (uint32_t k = 0; k < m->count; k++) s->local[m->items[k]->block->id] = 0;
    return first;
}

static void mention(search *s, const ls_ir_instr *in, const ls_ir_operand *o, bool fill) {
    if (o->kind != LS_IR_REG) return;
    mentions *m = &s->by_register[o->reg];
    if (fill && m->count && m->items[m->count - 1] == in) return;
    if (fill) m->items[m->count] = in;
    m->count++;
}

static void mention_all(search *s, bool fill) {
    const ls_ir_function *ir = s->d->ir;
    for (uint32_t i = 0; i < ir->instr_count; i++) {
        const ls_ir_instr *in = ir->instrs[i];
        mention(s, in, &in->guard, fill);
        for (uint32_t k = 0; k < in->src_count; k++) mention(s, in, &in->src[k], fill);
        for (uint32_t k = 0; k < in->dst_count; k++) mention(s, in, &in->dst[k], fill);
    }
}

static void give_mask(decoder *d, uint32_t reg) {
    d->written[reg] = em_new_slot(d, WIDTH_PRED);
    LS_VEC_PUSH(&d->c->written, d->written[reg]);
}

/* Parameters in registers are written by the call. */
static bool is_parameter(const decoder *d, uint32_t reg) {
    const ls_ptx_function *f = d->c->function;
    for (uint32_t k = 0; k < f->param_count; k++)
        if (f->params[k]->symbol == d->ir->registers[reg].symbol) return true;
    return d->ir->registers[reg].kind != LS_REGISTER_PTX;
}

static bool find_roots(decoder *d) {
    ls_arena arena;
    ls_arena_init(&arena);
    uint32_t registers = d->ir->register_count, blocks = d->ir->block_count;
    search s = {.d = d,
                .by_register = LS_NEW_N(&arena, mentions, registers + 1),
                .seen = LS_NEW_N(&arena, uint32_t, blocks + 1),
                .local = LS_NEW_N(&arena, uint8_t, blocks + 1),
                .pending = LS_NEW_N(&arena, const ls_ir_block *, blocks + 1)};
    bool any = false;
    mention_all(&s, false);
    for (uint32_t r = 0; r < registers; r++) {
        s.by_register[r].items = LS_NEW_N(&arena, const ls_ir_instr *, s.by_register[r].count + 1);
        s.by_register[r].count = 0;
    }
    mention_all(&s, true);
    for (uint32_t r = 0; r < registers; r++) {
        const mentions *m = &s.by_register[r];
        if (!m->count || is_plain(m, r) || is_parameter(d, r) || !reaches_entry(&s, m, r)) continue;
        give_mask(d, r);
        any = true;
    }
    ls_arena_free(&arena);
    return any;
}

/* --- What is computed from them --- */
static bool computes(const ls_ir_instr *in) {
    if (!in->form->opcode || in->access_count || in->op == LS_OP_CALL) return false;
    switch (in->form->opcode->class) {
    case LS_CLASS_MEMORY:
    case LS_CLASS_ATOMIC:
    case LS_CLASS_SYNC:
    case LS_CLASS_ASYNC:
    case LS_CLASS_WARP:
    case LS_CLASS_MATRIX:
    case LS_CLASS_TEXTURE:
    case LS_CLASS_SURFACE: return false;
    default: return true;
    }
}

static bool spread(decoder *d, const ls_ir_instr *in) {
    bool from = false, changed = false;
    for (uint32_t k = 0; k < in->src_count && computes(in); k++)
        from |= in->src[k].kind == LS_IR_REG && d->written[in->src[k].reg] != NO_SLOT;
    for (uint32_t k = 0; from && k < in->dst_count; k++) {
        if (in->dst[k].kind != LS_IR_REG || d->written[in->dst[k].reg] != NO_SLOT) continue;
        give_mask(d, in->dst[k].reg);
        changed = true;
    }
    return changed;
}

void em_find_undefined(decoder *d) {
    d->uses = NULL;
    d->written = NULL;
    if (!(d->e->checks & LS_CHECK_UNINIT)) return;
    const ls_ir_function *ir = d->ir;
    d->uses = LS_NEW_N(d->arena, uint8_t, ir->register_count + 1);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = ir->instr_count; i--;) again |= note_uses(d, ir->instrs[i]);
    }
    d->written = LS_NEW_N(d->arena, uint32_t, ir->register_count + 1);
    for (uint32_t r = 0; r < ir->register_count; r++) d->written[r] = NO_SLOT;
    if (!find_roots(d)) {
        d->written = NULL;
        return;
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < ir->instr_count; i++) again |= spread(d, ir->instrs[i]);
    }
}

bool em_is_copied(const decoder *d, const ls_ir_instr *in, bool local) {
    return d->uses && results_use(d, in) < (local ? USED : STORED);
}

/* --- Operations --- */
static uint32_t mask_of(const decoder *d, const ls_ir_operand *o) {
    return o->kind == LS_IR_REG && d->written ? d->written[o->reg] : NO_SLOT;
}

static void check(decoder *d, const ls_ir_operand *o, undefined_use use) {
    uint32_t mask = mask_of(d, o);
    if (mask == NO_SLOT) return;
    undefined_read *x = LS_NEW(d->arena, undefined_read);
    *x = (undefined_read){mask, d->ir->registers[o->reg].name, use};
    em_emit(d, em_exec_undefined)->extra = x;
}

void em_check_guard(decoder *d) {
    check(d, &d->instr->guard, d->instr == d->instr->block->terminator ? USE_BRANCH : USE_GUARD);
}

void em_check_sources(decoder *d) {
    const ls_ir_instr *in = d->instr;
    for (uint32_t k = 0; d->written && k < in->src_count; k++) {
        bool address = in->src[k].role == LS_ROLE_READ || in->src[k].role == LS_ROLE_WRITE ||
                       in->src[k].role == LS_ROLE_READ_WRITE;
        bool stored = (in->op == LS_OP_ST && !stores_copy(in)) || in->op == LS_OP_ATOM || in->op == LS_OP_RED;
        if (address || stored) check(d, &in->src[k], address ? USE_ADDRESS : USE_STORE);
    }
}

void em_note_written(decoder *d) {
    const ls_ir_instr *in = d->instr;
    for (uint32_t k = 0; d->written && k < in->dst_count; k++) {
        if (mask_of(d, &in->dst[k]) == NO_SLOT) continue;
        written_info *x = LS_NEW(d->arena, written_info);
        x->mask = mask_of(d, &in->dst[k]);
        x->select = NO_SLOT;
        if (in->op == LS_OP_SELP && in->src_count == 3 && in->src[2].kind == LS_IR_REG) {
            x->select = em_source(d, &in->src[2], WIDTH_PRED).slot;
            for (uint32_t n = 0; n < 3; n++) x->from[n] = mask_of(d, &in->src[n]);
            x->count = 3;
        }
        for (uint32_t n = 0; x->select == NO_SLOT && computes(in) && n < in->src_count && x->count < 8; n++)
            if (mask_of(d, &in->src[n]) != NO_SLOT) x->from[x->count++] = mask_of(d, &in->src[n]);
        em_emit(d, em_exec_written)->extra = x;
    }
}
