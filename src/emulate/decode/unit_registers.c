/* Which instructions may touch registers that a matrix unit still has (check/unit_registers.h), as far as it
 * shows before the run: a forward analysis over the blocks, of which registers are in the hands of a product
 * that is not committed, of one that is and may not have been waited for, or of a load, and which have been
 * written since the last wgmma.fence. Copies (mov) hand on what their source has; a register that the
 * compiler keeps in local memory is lost from sight there. Operations are emitted where it is not certain
 * that nothing is wrong, and for the copies and products that they ask about. */
#include "emulate/check/unit_registers.h"
#include "emulate/decode/decode.h"

#include <string.h>

/* Sets of registers that are followed, by their numbers in the function; the first one is UNIT_START. */
enum { OPEN, COMMITTED, LOADED, WRITTEN, SETS };

struct unit_analysis {
    uint32_t *number; /* by register id: 1 + its number in the function; 0: it is not followed */
    uint32_t count, words;
    uint32_t base;    /* of the function's numbers among all */
    uint64_t *before; /* by block id: SETS sets where it begins */
    uint64_t *now;
    const ls_ir_function *ir;
    bool unfenced; /* a product may use a register that was written since the last fence */
};

/* --- Sets --- */
static uint64_t *set_of(const unit_analysis *u, uint64_t *sets, uint32_t which) {
    return sets + (size_t)which * u->words;
}
static bool has(const unit_analysis *u, uint32_t which, uint32_t n) {
    return set_of(u, u->now, which)[n / 64] >> n % 64 & 1;
}
static void put(const unit_analysis *u, uint32_t which, uint32_t n, bool value) {
    uint64_t *at = &set_of(u, u->now, which)[n / 64], bit = UINT64_C(1) << n % 64;
    *at = value ? *at | bit : *at & ~bit;
}
static void empty(const unit_analysis *u, uint32_t which) {
    memset(set_of(u, u->now, which), 0, u->words * sizeof(uint64_t));
}

static uint32_t number_of(const unit_analysis *u, const ls_ir_operand *o) {
    return o->kind == LS_IR_REG ? u->number[o->reg] : 0;
}

/* --- Instructions --- */
static bool is_product(const ls_ir_instr *in) {
    return in->op == LS_OP_WGMMA_MMA_ASYNC && !in->unknown;
}

/* Whether the source is a register with a fragment of A. */
static bool is_fragment(const ls_ir_instr *in, uint32_t k) {
    uint32_t count;
    return in->src[k].operand == 1 && em_operand_group(in, 1, &count) && count > 1;
}

/* Whether a compiler keeps a value on the stack, or takes it from there: unoptimised code does, between any
 * two instructions. */
static bool is_spill(const ls_ir_function *ir, const ls_ir_instr *in) {
    if (in->op != LS_OP_LD && in->op != LS_OP_ST) return false;
    if (ls_ptx_form_space(in->form) == LS_SPACE_LOCAL) return true;
    for (uint32_t k = 0; k < in->src_count; k++) {
        const char *name = in->src[k].kind == LS_IR_REG ? ir->registers[in->src[k].reg].name : NULL;
        if (name && (!strcmp(name, "%SP") || !strcmp(name, "%SPL"))) return true;
    }
    return false;
}

static void follow(unit_analysis *u, const ls_ir_operand *o, bool *changed) {
    if (o->kind != LS_IR_REG || u->number[o->reg]) return;
    u->number[o->reg] = u->count++;
    *changed = true;
}

/* The registers of units, and those that are copied to or from them. */
static bool find_registers(unit_analysis *u, const ls_ir_function *ir) {
    bool changed = false;
    for (uint32_t i = 0; i < ir->instr_count; i++) {
        const ls_ir_instr *in = ir->instrs[i];
        if (!is_product(in) && in->op != LS_OP_TCGEN05_LD) continue;
        for (uint32_t k = 0; k < in->dst_count; k++) follow(u, &in->dst[k], &changed);
        for (uint32_t k = 0; k < in->src_count; k++)
            if (is_product(in) && is_fragment(in, k)) follow(u, &in->src[k], &changed);
    }
    const bool any = changed;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < ir->instr_count; i++) {
            const ls_ir_instr *in = ir->instrs[i];
            bool copies = false;
            if (in->op != LS_OP_MOV) continue;
            for (uint32_t k = 0; k < in->dst_count; k++) copies |= number_of(u, &in->dst[k]) > 0;
            for (uint32_t k = 0; k < in->src_count; k++) copies |= number_of(u, &in->src[k]) > 0;
            for (uint32_t k = 0; copies && k < in->dst_count; k++) follow(u, &in->dst[k], &changed);
            for (uint32_t k = 0; copies && k < in->src_count; k++) follow(u, &in->src[k], &changed);
        }
    }
    return any;
}

/* --- The analysis --- */
static void copy(const unit_analysis *u, const ls_ir_instr *in) {
    for (uint32_t which = 0; which < SETS; which++) {
        bool any = false;
        for (uint32_t k = 0; k < in->src_count; k++) {
            const uint32_t n = number_of(u, &in->src[k]);
            any |= n && has(u, which, n);
        }
        for (uint32_t k = 0; k < in->dst_count; k++) {
            const uint32_t n = number_of(u, &in->dst[k]);
            if (n && (any || in->guard.kind == LS_IR_ABSENT)) put(u, which, n, any);
        }
    }
}

static void begin_product(unit_analysis *u, const ls_ir_instr *in) {
    u->unfenced |= has(u, WRITTEN, UNIT_START);
    for (uint32_t k = 0; k < in->dst_count + in->src_count; k++) {
        const bool sum = k < in->dst_count;
        if (!sum && !is_fragment(in, k - in->dst_count)) continue;
        const uint32_t n = number_of(u, sum ? &in->dst[k] : &in->src[k - in->dst_count]);
        if (!n) continue;
        u->unfenced |= has(u, WRITTEN, n);
        put(u, OPEN, n, true);
    }
}

static void write_results(const unit_analysis *u, const ls_ir_instr *in) {
    const bool loads = in->op == LS_OP_TCGEN05_LD;
    for (uint32_t k = 0; k < in->dst_count; k++) {
        const uint32_t n = number_of(u, &in->dst[k]);
        for (uint32_t which = 0; n && which < WRITTEN && in->guard.kind == LS_IR_ABSENT; which++)
            put(u, which, n, false);
        if (n) put(u, loads ? LOADED : WRITTEN, n, true);
    }
}

static bool waits_for_all(const ls_ir_instr *in) {
    return in->op == LS_OP_WGMMA_WAIT_GROUP && in->src_count && in->src[0].kind == LS_IR_IMM &&
           !in->src[0].bits;
}

static void step(unit_analysis *u, const ls_ir_instr *in) {
    const bool surely = in->guard.kind == LS_IR_ABSENT;
    if (is_product(in)) {
        begin_product(u, in);
    } else if (in->op == LS_OP_MOV || is_spill(u->ir, in)) {
        copy(u, in);
    } else if (in->op == LS_OP_WGMMA_COMMIT_GROUP) {
        uint64_t *to = set_of(u, u->now, COMMITTED), *from = set_of(u, u->now, OPEN);
        for (uint32_t k = 0; k < u->words; k++) to[k] |= from[k];
        if (surely) empty(u, OPEN);
    } else if (surely && waits_for_all(in)) {
        empty(u, COMMITTED);
    } else if (surely && in->op == LS_OP_WGMMA_FENCE) {
        empty(u, WRITTEN);
    } else if (surely && in->op == LS_OP_TCGEN05_WAIT_LD) {
        empty(u, LOADED);
    } else {
        write_results(u, in);
    }
}

/* Goes through the block and hands on what holds at its end; whether that is new somewhere. */
static bool go_through(unit_analysis *u, const ls_ir_block *b) {
    const size_t size = (size_t)SETS * u->words;
    bool changed = false;
    memcpy(u->now, u->before + b->id * size, size * sizeof(uint64_t));
    for (uint32_t i = 0; i < b->instr_count; i++) step(u, b->instrs[i]);
    for (uint32_t s = 0; s < b->succ_count; s++) {
        uint64_t *to = u->before + b->succs[s]->id * size;
        for (size_t k = 0; k < size; k++) {
            changed |= (u->now[k] & ~to[k]) != 0;
            to[k] |= u->now[k];
        }
    }
    return changed;
}

void em_find_unit_registers(decoder *d) {
    const ls_ir_function *ir = d->ir;
    if (!(d->e->checks & LS_CHECK_RACE)) return;
    unit_analysis *u = LS_NEW(d->arena, unit_analysis);
    u->ir = ir;
    u->number = LS_NEW_N(d->arena, uint32_t, ir->register_count + 1);
    u->count = 1;
    if (!find_registers(u, ir)) return;
    u->words = (u->count + 63) / 64;
    u->base = d->e->unit_registers ? d->e->unit_registers - 1 : 0;
    d->e->unit_registers = u->base + u->count;
    u->before = LS_NEW_N(d->arena, uint64_t, (size_t)(ir->block_count + 1) * SETS * u->words);
    u->now = LS_NEW_N(d->arena, uint64_t, (size_t)SETS * u->words);
    set_of(u, u->before + (size_t)ir->entry->id * SETS * u->words, WRITTEN)[0] |= d->c->is_kernel;
    for (bool again = true; again;) {
        again = false;
        u->unfenced = false;
        for (uint32_t b = 0; b < ir->block_count; b++) again |= go_through(u, ir->blocks[b]);
    }
    d->units = u;
}

void em_enter_unit_block(decoder *d, const ls_ir_block *b) {
    const unit_analysis *u = d->units;
    const size_t size = u ? (size_t)SETS * u->words : 0;
    if (u) memcpy(u->now, u->before + b->id * size, size * sizeof(uint64_t));
}

/* --- Operations --- */
static bool may_be_under_way(const unit_analysis *u, uint32_t n) {
    return has(u, OPEN, n) || has(u, COMMITTED, n) || has(u, LOADED, n);
}

/* The numbers of those operands that are followed; `any` may be under way. */
static const uint32_t *numbers(decoder *d, const ls_ir_operand *o, uint32_t count, bool fragments,
                               uint32_t *found, bool *any) {
    const unit_analysis *u = d->units;
    uint32_t *all = LS_NEW_N(d->arena, uint32_t, count + 1);
    *found = 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t n = number_of(u, &o[k]);
        if (!n || (fragments && !is_fragment(d->instr, k))) continue;
        *any |= may_be_under_way(u, n);
        all[(*found)++] = u->base + n;
    }
    return all;
}

static const char *shape_of(const ls_ir_instr *in) {
    for (uint32_t k = 0; k < in->form->modifier_count; k++)
        if (in->form->modifiers[k] == LS_MOD_SHAPE) return in->form->modifier_texts[k];
    return "";
}

/* Products and loads look at their registers themselves, when all lanes have come. */
static void emit(decoder *d, unit_touch t, bool any) {
    const ls_ir_instr *in = d->instr;
    const bool unit = is_product(in) || in->op == LS_OP_TCGEN05_LD;
    if (!unit && !any && !d->units->unfenced) return;
    if (is_product(in)) t.shape = shape_of(in);
    t.spill = is_spill(d->ir, in);
    unit_touch *kept = LS_NEW(d->arena, unit_touch);
    *kept = t;
    if (unit)
        d->touch = kept;
    else
        em_emit(d, in->op == LS_OP_MOV || t.spill ? em_exec_unit_copy : em_exec_unit_touch)->extra = kept;
}

void em_check_unit_registers(decoder *d) {
    unit_analysis *u = d->units;
    const ls_ir_instr *in = d->instr;
    d->touch = NULL;
    if (!u) return;
    unit_touch t = {0};
    bool any = false;
    t.reads = numbers(d, in->src, in->src_count, is_product(in), &t.read_count, &any);
    t.writes = numbers(d, in->dst, in->dst_count, false, &t.write_count, &any);
    if (t.read_count + t.write_count) emit(d, t, any);
    step(u, in);
}
