/* Variables (003 §4): the unit that is given a register or spilled. After SSA was taken back a variable is
 * what the phis tie together: all values of one PTX register that meet in live phis, in η, or in a guarded
 * write that may keep what was there before. One PTX register that is used again for something else is two
 * variables.
 * Leaves webs, web_of, the linear order (that of the text) and the references of each instruction. */
#include "allocate/private.h"

#include <assert.h>

/* --- Union of values -------------------------------------------------------------------------------------
 */
static uint32_t find(uint32_t *parent, uint32_t x) {
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
}

static void unite(uint32_t *parent, const ls_ir_value *a, const ls_ir_value *b) {
    if (!a || !b || a->reg != b->reg || a->reg == LS_IR_NONE) return;
    parent[find(parent, a->id)] = find(parent, b->id);
}

typedef struct {
    ls_bitset seen;
    LS_VEC(const ls_ir_value *) work;
} marking;

static void mark(marking *m, const ls_ir_value *value) {
    if (!value || ls_bitset_has(&m->seen, value->id)) return;
    ls_bitset_add(&m->seen, value->id);
    if (value->kind == LS_VALUE_PHI || value->kind == LS_VALUE_ETA) LS_VEC_PUSH(&m->work, value);
}

/* Values that an instruction reads, directly or through phis and η. */
static void mark_live(const job *j, marking *m) {
    for (uint32_t i = 0; i < j->f->instr_count; i++) {
        const ls_ir_instr *instr = j->f->instrs[i];
        for (uint32_t k = 0; k < instr->src_count; k++) mark(m, instr->src[k].value);
        mark(m, instr->guard.kind == LS_IR_ABSENT ? NULL : instr->guard.value);
        for (uint32_t k = 0; instr->prior && k < instr->dst_count; k++) mark(m, instr->prior[k]);
    }
    while (m->work.length) {
        const ls_ir_value *value = m->work.items[--m->work.length];
        if (value->kind == LS_VALUE_ETA) {
            mark(m, value->eta.value);
            continue;
        }
        for (uint32_t k = 0; k < value->phi->block->pred_count; k++) mark(m, value->phi->args[k]);
    }
}

static void unite_all(const job *j, const marking *m, uint32_t *parent) {
    for (uint32_t i = 0; i < j->f->value_count; i++) {
        const ls_ir_value *value = j->f->values[i];
        if (!ls_bitset_has(&m->seen, i)) continue;
        if (value->kind == LS_VALUE_ETA) unite(parent, value, value->eta.value);
        if (value->kind != LS_VALUE_PHI) continue;
        for (uint32_t k = 0; k < value->phi->block->pred_count; k++)
            unite(parent, value, value->phi->args[k]);
    }
    for (uint32_t i = 0; i < j->f->instr_count; i++) {
        const ls_ir_instr *instr = j->f->instrs[i];
        for (uint32_t k = 0; instr->prior && k < instr->dst_count; k++)
            unite(parent, instr->dst[k].value, instr->prior[k]);
    }
}

/* --- Variables -------------------------------------------------------------------------------------------
 */
static bool is_register(const job *j, const ls_ir_operand *operand) {
    return operand->kind == LS_IR_REG && operand->value &&
           j->f->registers[operand->reg].kind == LS_REGISTER_PTX;
}

static void init_web(const job *j, web *w, uint32_t reg) {
    uint32_t bits = ls_ptx_type_bits((ls_ptx_type)j->f->registers[reg].type);
    bits = bits > 1 && bits < 16 ? 16 : bits;
    *w = (web){.reg = reg, .bits = (uint8_t)bits, .start = NONE, .first_def = NONE};
    w->words = (uint8_t)(bits == 1 ? 0 : bits <= 32 ? 1 : bits / 32);
}

static void number_webs(job *j, uint32_t *parent) {
    uint32_t count = j->f->value_count;
    uint32_t *number = LS_NEW_N(j->arena, uint32_t, count + 1);
    j->web_of = LS_NEW_N(j->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const ls_ir_value *value = j->f->values[i];
        j->web_of[i] = NONE;
        if (value->reg == LS_IR_NONE || j->f->registers[value->reg].kind != LS_REGISTER_PTX) continue;
        uint32_t root = find(parent, i);
        if (!number[root]) number[root] = ++j->web_count;
        j->web_of[i] = number[root] - 1;
    }
    j->webs = LS_NEW_N(j->arena, web, j->web_count + 1);
    for (uint32_t i = 0; i < count; i++)
        if (j->web_of[i] != NONE) init_web(j, &j->webs[j->web_of[i]], j->f->values[i]->reg);
}

/* --- References ------------------------------------------------------------------------------------------
 */
typedef LS_VEC(reference) references;

static void add_reference(const job *j, references *refs, uint32_t first, const ls_ir_operand *operand,
                          bool is_def, bool guarded) {
    if (!is_register(j, operand)) return;
    uint32_t w = j->web_of[operand->value->id];
    for (uint32_t i = first; i < refs->length; i++)
        if (refs->items[i].web == w && refs->items[i].is_def == is_def) return;
    LS_VEC_PUSH(refs, ((reference){.web = w, .is_def = is_def, .guarded = guarded}));
}

static double weight_of(const ls_ir_block *block) {
    double weight = 1;
    for (uint32_t depth = block->loop ? block->loop->depth : 0; depth && weight < 1e6; depth--) weight *= 8;
    return weight;
}

/* A guarded instruction that overwrites its own guard: its results cannot be stored under that guard, so they
 * are completed with what was there before. */
static void merge_results_of(reference *refs, uint32_t count, uint32_t guard) {
    bool overwrites = false;
    for (uint32_t i = 0; i < count; i++) overwrites |= refs[i].is_def && refs[i].web == guard;
    for (uint32_t i = 0; overwrites && i < count; i++) refs[i].merge = refs[i].is_def;
}

static void fill_references(job *j) {
    references refs = {0};
    j->ref_start = LS_NEW_N(j->arena, uint32_t, j->length + 1);
    for (uint32_t p = 0; p < j->length; p++) {
        const ls_ir_instr *instr = j->order[p];
        uint32_t first = j->ref_start[p] = refs.length;
        bool guarded = instr->guard.kind != LS_IR_ABSENT;
        for (uint32_t k = 0; k < instr->src_count; k++)
            add_reference(j, &refs, first, &instr->src[k], false, guarded);
        if (guarded) add_reference(j, &refs, first, &instr->guard, false, true);
        for (uint32_t k = 0; k < instr->dst_count; k++)
            add_reference(j, &refs, first, &instr->dst[k], true, guarded);
        if (guarded && is_register(j, &instr->guard))
            merge_results_of(refs.items + first, refs.length - first, j->web_of[instr->guard.value->id]);
        for (uint32_t i = first; i < refs.length; i++) {
            web *w = &j->webs[refs.items[i].web];
            w->weight += weight_of(instr->block);
            if (!refs.items[i].is_def)
                w->uses++;
            else if (!w->defs++)
                w->first_def = p;
        }
    }
    j->ref_start[j->length] = refs.length;
    j->refs = LS_NEW_N(j->arena, reference, refs.length + 1);
    if (refs.length) memcpy(j->refs, refs.items, refs.length * sizeof *j->refs);
    LS_VEC_FREE(&refs);
}

/* --- The linear order: as the text has it, since the new text will have the same -------------------------
 */
static void walk(job *j, const ls_intmap *of_ast, const ls_ptx_block *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        const ls_ptx_stmt *stmt = &block->stmts[i];
        uint64_t id;
        if (stmt->kind == LS_STMT_BLOCK) walk(j, of_ast, stmt->block);
        if (stmt->kind != LS_STMT_INSTR || !ls_intmap_get(of_ast, (uintptr_t)stmt->instr, &id)) continue;
        j->position[id] = j->length;
        j->order[j->length++] = j->f->instrs[id];
    }
}

static void fill_order(job *j) {
    ls_intmap of_ast = {0};
    for (uint32_t i = 0; i < j->f->instr_count; i++) {
        const ls_ir_instr *instr = j->f->instrs[i];
        bool is_new;
        if (instr->ast) *ls_intmap_at(&of_ast, (uintptr_t)instr->ast, &is_new) = i;
    }
    j->order = LS_NEW_N(j->arena, const ls_ir_instr *, j->f->instr_count + 1);
    j->position = LS_NEW_N(j->arena, uint32_t, j->f->instr_count + 1);
    walk(j, &of_ast, j->ptx->body);
    assert(j->length == j->f->instr_count);
    ls_intmap_free(&of_ast);
}

void ls_fill_webs(job *j) {
    uint32_t count = j->f->value_count;
    uint32_t *parent = LS_NEW_N(j->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) parent[i] = i;
    marking m = {.seen = ls_bitset_new(j->arena, count)};
    mark_live(j, &m);
    unite_all(j, &m, parent);
    LS_VEC_FREE(&m.work);
    number_webs(j, parent);
    fill_order(j);
    fill_references(j);
}
