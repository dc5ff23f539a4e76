/* The new body of a function: every register is a word of the file, code for spilled variables stands before
 * and after the instructions that name them. Everything else of the body stays where it was; instructions
 * that cannot be reached are left out. Requires slots. */
#include "allocate/private.h"

#include <assert.h>
#include <stdio.h>

typedef struct {
    job *j;
    emitter *e;
    uint32_t next;    /* position of the next instruction of the linear order */
    uint32_t used;    /* classes of registers that are named */
    uint32_t dropped; /* instructions */
    bool failed;
    ls_intmap symbols; /* by bits and word */
} rewriter;

/* --- Operands --------------------------------------------------------------------------------------------
 */
static const reference *reference_to(const job *j, uint32_t p, uint32_t w, bool is_def) {
    for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++)
        if (j->refs[i].web == w && j->refs[i].is_def == is_def) return &j->refs[i];
    return NULL;
}

static ls_ptx_symbol *new_symbol(ls_arena *arena, uint32_t bits, uint32_t word) {
    char name[16];
    ls_word_name(bits, word, name);
    ls_ptx_symbol *symbol = LS_NEW(arena, ls_ptx_symbol);
    symbol->kind = LS_SYMBOL_REGISTER;
    symbol->name = ls_arena_strdup(arena, name);
    symbol->length = (uint32_t)strlen(name);
    return symbol;
}

static ls_ptx_symbol *symbol_of(rewriter *r, uint32_t p, uint32_t w, bool is_def) {
    const web *v = &r->j->webs[w];
    uint32_t word = v->word;
    if (v->spilled) {
        const reference *ref = reference_to(r->j, p, w, is_def);
        assert(ref);
        word = ref->word;
    }
    r->used |= ls_class_bit(v->bits);
    uint64_t key = (uint64_t)v->bits << 32 | word;
    bool is_new;
    uint64_t *known = ls_intmap_at(&r->symbols, key, &is_new);
    if (is_new) *known = (uintptr_t)new_symbol(r->e->arena, v->bits, word);
    return (ls_ptx_symbol *)(uintptr_t)*known;
}

/* The IR operand that a register in PTX operand `index` was decoded to. */
static const ls_ir_operand *decoded(const job *j, const ls_ir_instr *instr, uint32_t index,
                                    const ls_ptx_symbol *symbol, uint32_t element, bool *is_def) {
    for (int side = 0; side < 2; side++) {
        const ls_ir_operand *list = side ? instr->src : instr->dst;
        uint32_t count = side ? instr->src_count : instr->dst_count;
        for (uint32_t k = 0; k < count; k++) {
            if (list[k].kind != LS_IR_REG || list[k].operand != index || list[k].flags & LS_IR_IMPLICIT)
                continue;
            const ls_ir_register *reg = &j->f->registers[list[k].reg];
            if (reg->symbol != symbol || (element && reg->element && reg->element != element)) continue;
            *is_def = side == 0;
            return &list[k];
        }
    }
    return NULL;
}

static ls_ptx_operand renamed(rewriter *r, uint32_t p, uint32_t index, const ls_ptx_operand *old,
                              uint32_t element) {
    bool is_def;
    const ls_ir_operand *ir = decoded(r->j, r->j->order[p], index, old->symbol, element, &is_def);
    ls_ptx_operand out = *old;
    if (!ir || !ir->value || r->j->web_of[ir->value->id] == NONE) {
        r->failed = true;
        return out;
    }
    out.symbol = symbol_of(r, p, r->j->web_of[ir->value->id], is_def);
    if (old->symbol->vector > 1) out.element = 0;
    return out;
}

static ls_ptx_operand rewritten(rewriter *r, uint32_t p, uint32_t index, const ls_ptx_operand *old);

static ls_ptx_operand whole_vector(rewriter *r, uint32_t p, uint32_t index, const ls_ptx_operand *old) {
    ls_ptx_operand out = {.kind = LS_OPERAND_VECTOR, .count = old->symbol->vector};
    if (r->j->order[p]->form->vector <= 1 && r->j->order[p]->op == LS_OP_MOV) r->failed = true;
    out.parts = LS_NEW_N(r->e->arena, ls_ptx_operand, out.count);
    for (uint32_t i = 0; i < out.count; i++) out.parts[i] = renamed(r, p, index, old, LS_ELEMENT_X + i);
    return out;
}

static bool has_parts(const ls_ptx_operand *operand) {
    return operand->kind == LS_OPERAND_VECTOR || operand->kind == LS_OPERAND_ADDRESS ||
           operand->kind == LS_OPERAND_PAIR || operand->kind == LS_OPERAND_LIST;
}

static ls_ptx_operand rewritten(rewriter *r, uint32_t p, uint32_t index, const ls_ptx_operand *old) {
    if (old->kind == LS_OPERAND_REGISTER && old->symbol->kind == LS_SYMBOL_REGISTER) {
        bool is_vector = old->symbol->vector > 1;
        if (is_vector && !old->element) return whole_vector(r, p, index, old);
        return renamed(r, p, index, old, is_vector ? old->element : 0);
    }
    ls_ptx_operand out = *old;
    if (!has_parts(old)) return out;
    out.parts = LS_NEW_N(r->e->arena, ls_ptx_operand, old->count + 1);
    for (uint32_t i = 0; i < old->count; i++) out.parts[i] = rewritten(r, p, index, &old->parts[i]);
    return out;
}

/* --- Instructions ----------------------------------------------------------------------------------------
 */
static void emit_reloads(rewriter *r, uint32_t p) {
    job *j = r->j;
    for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++) {
        const reference *ref = &j->refs[i];
        const web *w = &j->webs[ref->web];
        if ((!ref->is_def || ref->merge) && w->spilled) ls_emit_reload(j, r->e, w, ref->word, &j->before[p]);
    }
}

static void emit_stores(rewriter *r, uint32_t p, const ls_ptx_instr *instr) {
    job *j = r->j;
    char guard[32] = "";
    if (instr->guard)
        snprintf(guard, sizeof guard, "@%s%s ", instr->guard_negated ? "!" : "", instr->guard->name);
    for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++) {
        const reference *ref = &j->refs[i];
        const web *w = &j->webs[ref->web];
        if (ref->is_def && w->spilled && w->uses)
            ls_emit_store(j, r->e, w, ref->word, &j->after[p], instr->guard && !ref->merge ? guard : NULL);
    }
}

/* Stores that need no code (Figure 26 d). */
static void count_dropped(job *j, uint32_t p) {
    for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++)
        if (j->refs[i].is_def) j->out->stores[j->webs[j->refs[i].web].place]++;
}

static void rewrite_instr(rewriter *r, const ls_ptx_stmt *stmt) {
    job *j = r->j;
    if (r->next >= j->length || j->order[r->next]->ast != stmt->instr) return; /* not reached */
    uint32_t p = r->next++;
    if (ls_is_dropped(j, p)) {
        r->dropped++;
        count_dropped(j, p);
        return;
    }
    const ls_ptx_instr *old = stmt->instr;
    ls_ptx_instr *instr = LS_NEW(r->e->arena, ls_ptx_instr);
    *instr = *old;
    instr->operands = LS_NEW_N(r->e->arena, ls_ptx_operand, old->operand_count + 1);
    for (uint32_t i = 0; i < old->operand_count; i++)
        instr->operands[i] = rewritten(r, p, i, &old->operands[i]);
    const ls_ir_value *guard = j->order[p]->guard.kind == LS_IR_ABSENT ? NULL : j->order[p]->guard.value;
    if (old->guard && (!guard || j->web_of[guard->id] == NONE)) {
        r->failed = true;
        return;
    }
    if (old->guard) instr->guard = symbol_of(r, p, j->web_of[guard->id], false);
    emit_reloads(r, p);
    ls_ptx_stmt copy = *stmt;
    copy.instr = instr;
    LS_VEC_PUSH(&r->e->stmts, copy);
    emit_stores(r, p, instr);
}

/* --- Statements ------------------------------------------------------------------------------------------
 */
static bool declares_registers(const ls_ptx_stmt *stmt) {
    return stmt->kind == LS_STMT_DECLARE && stmt->declared_count && stmt->declared[0]->space == LS_SPACE_REG;
}

static void rewrite_block(rewriter *r, const ls_ptx_block *block);

static ls_ptx_block *inner_block(rewriter *r, const ls_ptx_block *block) {
    emitter inner = {.arena = r->e->arena}, *outer = r->e;
    r->e = &inner;
    rewrite_block(r, block);
    r->e = outer;
    outer->added += inner.added;
    ls_ptx_block *out = LS_NEW(outer->arena, ls_ptx_block);
    out->count = inner.stmts.length;
    out->stmts = LS_NEW_N(outer->arena, ls_ptx_stmt, out->count + 1);
    if (out->count) memcpy(out->stmts, inner.stmts.items, out->count * sizeof *out->stmts);
    LS_VEC_FREE(&inner.stmts);
    return out;
}

static void rewrite_block(rewriter *r, const ls_ptx_block *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        ls_ptx_stmt stmt = block->stmts[i];
        if (stmt.kind == LS_STMT_INSTR) {
            rewrite_instr(r, &stmt);
            continue;
        }
        if (declares_registers(&stmt)) continue;
        if (stmt.kind == LS_STMT_BLOCK) stmt.block = inner_block(r, stmt.block);
        LS_VEC_PUSH(&r->e->stmts, stmt);
    }
}

/* --- The function ----------------------------------------------------------------------------------------
 */

void ls_set_tune(ls_ptx_function *function, ls_arena *arena, ls_ptx_tune tune, ls_ptx_tune_kind instead_of) {
    ls_ptx_tune *tunes = LS_NEW_N(arena, ls_ptx_tune, function->tune_count + 1);
    uint32_t count = 0;
    tunes[count++] = tune;
    for (uint32_t i = 0; i < function->tune_count; i++)
        if (function->tunes[i].kind != tune.kind && function->tunes[i].kind != instead_of)
            tunes[count++] = function->tunes[i];
    function->tunes = tunes;
    function->tune_count = count;
}

/* A block size that the allocation rests on becomes part of the kernel. ptxas does not mind -maxrregcount
 * then, so that a limit becomes part of it, too. */
static void set_limits(const job *j, ls_ptx_function *function, ls_arena *arena) {
    if (!function->is_entry) return;
    if (j->block[0])
        ls_set_tune(function, arena,
                    (ls_ptx_tune){.kind = LS_TUNE_REQNTID,
                                  .count = 3,
                                  .values = {j->block[0], j->block[1], j->block[2]}},
                    LS_TUNE_MAXNTID);
    if (j->maxnreg)
        ls_set_tune(function, arena,
                    (ls_ptx_tune){.kind = LS_TUNE_MAXNREG, .count = 1, .values = {j->maxnreg}},
                    LS_TUNE_MAXNREG);
}

ls_ptx_function *ls_rewrite(job *j, ls_arena *arena) {
    emitter body = {.arena = arena}, head = {.arena = arena};
    rewriter r = {.j = j, .e = &body};
    rewrite_block(&r, j->ptx->body);
    for (uint32_t w = 0; w < j->web_count; w++) /* temporaries of those are named, too */
        if (j->webs[w].spilled) r.used |= ls_class_bit(j->webs[w].bits);
    ls_emit_declarations(j, &head, r.used);
    if (j->smem_spilling) ls_emit(&head, "\t.pragma \"enable_smem_spilling\";");
    head.added = 0;
    ls_emit_setup(j, &head);
    for (uint32_t i = 0; i < body.stmts.length; i++) LS_VEC_PUSH(&head.stmts, body.stmts.items[i]);

    ls_ptx_function *function = LS_NEW(arena, ls_ptx_function);
    *function = *j->ptx;
    function->body = LS_NEW(arena, ls_ptx_block);
    function->body->count = head.stmts.length;
    function->body->stmts = LS_NEW_N(arena, ls_ptx_stmt, head.stmts.length + 1);
    memcpy(function->body->stmts, head.stmts.items, head.stmts.length * sizeof *head.stmts.items);
    j->out->instrs_after = j->length - r.dropped + body.added + head.added;
    LS_VEC_FREE(&head.stmts);
    ls_intmap_free(&r.symbols);
    LS_VEC_FREE(&body.stmts);
    set_limits(j, function, arena);
    return r.failed || r.next != j->length ? NULL : function;
}

ls_ptx_function *ls_limit(job *j, ls_arena *arena) {
    emitter e = {.arena = arena};
    if (j->smem_spilling) ls_emit(&e, "\t.pragma \"enable_smem_spilling\";");
    for (uint32_t i = 0; i < j->ptx->body->count; i++) LS_VEC_PUSH(&e.stmts, j->ptx->body->stmts[i]);
    ls_ptx_function *function = LS_NEW(arena, ls_ptx_function);
    *function = *j->ptx;
    function->body = LS_NEW(arena, ls_ptx_block);
    function->body->count = e.stmts.length;
    function->body->stmts = LS_NEW_N(arena, ls_ptx_stmt, e.stmts.length + 1);
    if (e.stmts.length) memcpy(function->body->stmts, e.stmts.items, e.stmts.length * sizeof *e.stmts.items);
    LS_VEC_FREE(&e.stmts);
    set_limits(j, function, arena);
    return function;
}
