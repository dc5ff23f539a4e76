/* The registers of a matrix product (wgmma.mma_async) belong to the unit until the group of the product has
 * been waited for: only further products may sum into its sums before, and nothing may write a fragment of A.
 * On every way from a product to another use of its result, through copies of registers and joins of the
 * ways, and to where registers of A are written again, there is a wait that leaves fewer groups open than
 * have been committed since, the product's own among them. On every way to a product there is a wgmma.fence
 * behind the instructions that its sums and its fragment come from. */
#include "verify/check/product_results.h"
#include "base/recover.h"
#include "verify/check/ways.h"

enum { MOST_COMMITS = 8 }; /* that are counted */

typedef LS_VEC(const ls_ir_value *) values;

typedef struct {
    const ls_ir_block *block;
    uint32_t commits;
} place;

static void add(values *all, bool *known, const ls_ir_value *v) {
    if (!v || known[v->id]) return;
    known[v->id] = true;
    LS_VEC_PUSH(all, v);
}

/* The use by an instruction: a copy of a register, a further sum, or one that needs the result. */
static void follow(values *all, bool *known, bool *needs, const ls_ir_use *use) {
    const ls_ir_instr *i = use->instr;
    const bool sums =
        use->kind == LS_USE_SRC && i->op == LS_OP_WGMMA_MMA_ASYNC && !i->src[use->index].operand;
    if (sums) return;
    if (use->kind == LS_USE_SRC && i->op == LS_OP_MOV)
        for (uint32_t k = 0; k < i->dst_count; k++) add(all, known, i->dst[k].value);
    else
        needs[i->id] = true;
}

/* Which instructions need the product's result, wherever they are. */
static void find_uses(const ls_ir_instr *product, bool *known, bool *needs) {
    values all = {0};
    for (uint32_t k = 0; k < product->dst_count; k++) add(&all, known, product->dst[k].value);
    for (uint32_t n = 0; n < all.length; n++)
        for (uint32_t k = 0; k < all.items[n]->use_count; k++) {
            const ls_ir_use *use = &all.items[n]->uses[k];
            if (use->kind == LS_USE_PHI)
                add(&all, known, use->phi->value);
            else if (use->kind == LS_USE_ETA)
                add(&all, known, use->eta);
            else
                follow(&all, known, needs, use);
        }
    LS_VEC_FREE(&all);
}

/* --- Fragments of A ------------------------------------------------------------------------------------ */

static bool is_copy(const ls_ir_instr *i) {
    return i->op == LS_OP_MOV && i->src_count == 1 && i->src[0].kind == LS_IR_REG && i->src[0].value &&
           i->guard.kind == LS_IR_ABSENT;
}

/* Sums are the first operand of a product, and A the second: several registers, or one descriptor. */
static bool is_in_registers(const ls_ir_instr *product, const ls_ir_operand *o) {
    uint32_t parts = 0;
    for (uint32_t k = 0; k < product->src_count; k++) parts += product->src[k].operand == o->operand;
    return o->kind == LS_IR_REG && (o->operand == 0 || (o->operand == 1 && parts > 1));
}

/* The registers of the fragment, and those that it was copied from: in code that is not optimised, the
 * source's variables are among these. */
static void find_fragment(const ls_ir_instr *product, bool *registers) {
    for (uint32_t k = 0; k < product->src_count; k++) {
        const ls_ir_operand *o = &product->src[k];
        if (o->operand != 1 || !is_in_registers(product, o)) continue;
        registers[o->reg] = true;
        for (const ls_ir_value *v = o->value; v && v->kind == LS_VALUE_INSTR && is_copy(v->instr);
             v = v->instr->src[0].value)
            registers[v->instr->src[0].reg] = true;
    }
}

static void find_writers(const ls_ir_function *f, const ls_ir_instr *product, bool *needs) {
    LS_SCRATCH(scratch);
    bool *registers = ls_arena_zalloc(&scratch, f->register_count + 1);
    find_fragment(product, registers);
    for (uint32_t i = 0; i < f->instr_count; i++)
        for (uint32_t k = 0; k < f->instrs[i]->dst_count; k++) {
            const ls_ir_operand *o = &f->instrs[i]->dst[k];
            if (o->kind == LS_IR_REG && registers[o->reg]) needs[f->instrs[i]->id] = true;
        }
}

/* --- Waits --------------------------------------------------------------------------------------------- */

/* Goes on in a block with so many groups committed since the product; true: their wait is there. *early: a
 * use before that. */
static bool is_awaited_in(const ls_ir_block *b, uint32_t from, uint32_t *commits, const bool *needs,
                          const ls_ir_instr **early) {
    for (uint32_t k = from; k < b->instr_count; k++) {
        const ls_ir_instr *i = b->instrs[k];
        uint64_t left;
        if (needs[i->id]) return *early = i, true;
        if (i->guard.kind != LS_IR_ABSENT) continue;
        if (i->op == LS_OP_WGMMA_COMMIT_GROUP && *commits < MOST_COMMITS) ++*commits;
        if (i->op == LS_OP_WGMMA_WAIT_GROUP && ls_constant_operand(&i->src[0], &left) && *commits > left)
            return true;
    }
    return false;
}

/* A use of the product's result that may be executed before a wait for the product; NULL if there is none. */
static const ls_ir_instr *find_early_use(const ls_ir_function *f, const ls_ir_instr *product) {
    LS_SCRATCH(scratch);
    bool *known = ls_arena_zalloc(&scratch, f->value_count + 1);
    bool *needs = ls_arena_zalloc(&scratch, f->instr_count + 1);
    bool(*seen)[MOST_COMMITS + 1] = ls_arena_zalloc(&scratch, (f->block_count + 1) * sizeof *seen);
    const ls_ir_instr *early = NULL;
    LS_VEC(place) work = {0};
    find_uses(product, known, needs);
    find_writers(f, product, needs);
    uint32_t from = 0;
    while (product->block->instrs[from] != product) from++;
    place at = {product->block, 0};
    for (from++; !early; from = 0) {
        if (!is_awaited_in(at.block, from, &at.commits, needs, &early))
            for (uint32_t k = 0; k < at.block->succ_count; k++) {
                bool *there = &seen[at.block->succs[k]->id][at.commits];
                const place next = {at.block->succs[k], at.commits};
                if (!*there) LS_VEC_PUSH(&work, next);
                *there = true;
            }
        if (!work.length) break;
        at = work.items[--work.length];
    }
    LS_VEC_FREE(&work);
    return early;
}

/* --- Fences -------------------------------------------------------------------------------------------- */

/* Which instructions the product's registers come from; sums of other products need no fence. */
static void find_sources(const ls_ir_instr *product, bool *known, bool *sources) {
    values all = {0};
    for (uint32_t k = 0; k < product->src_count; k++)
        if (is_in_registers(product, &product->src[k])) add(&all, known, product->src[k].value);
    for (uint32_t n = 0; n < all.length; n++) {
        const ls_ir_value *v = all.items[n];
        if (v->kind == LS_VALUE_PHI)
            for (uint32_t k = 0; k < v->phi->block->pred_count; k++) add(&all, known, v->phi->args[k]);
        else if (v->kind == LS_VALUE_ETA)
            add(&all, known, v->eta.value);
        else if (v->kind == LS_VALUE_INSTR && is_copy(v->instr))
            add(&all, known, v->instr->src[0].value);
        else if (v->kind == LS_VALUE_INSTR && v->instr->op != LS_OP_WGMMA_MMA_ASYNC)
            sources[v->instr->id] = true;
    }
    LS_VEC_FREE(&all);
}

/* Goes back in a block, from before an instruction; true: the way ends here, at a fence or at *unfenced. */
static bool is_fenced_in(const ls_ir_block *b, uint32_t from, const bool *sources,
                         const ls_ir_instr **unfenced) {
    for (uint32_t k = from; k--;) {
        const ls_ir_instr *i = b->instrs[k];
        if (sources[i->id]) return *unfenced = i, true;
        if (i->op == LS_OP_WGMMA_FENCE && i->guard.kind == LS_IR_ABSENT) return true;
    }
    return false;
}

/* What the product's registers come from with no fence behind it on some way, or the product itself where
 * there is a way to it without any fence; NULL if there is none. */
static const ls_ir_instr *find_unfenced(const ls_ir_function *f, const ls_ir_instr *product) {
    LS_SCRATCH(scratch);
    bool *known = ls_arena_zalloc(&scratch, f->value_count + 1);
    bool *sources = ls_arena_zalloc(&scratch, f->instr_count + 1);
    bool *seen = ls_arena_zalloc(&scratch, f->block_count + 1);
    const ls_ir_instr *unfenced = NULL;
    LS_VEC(const ls_ir_block *) work = {0};
    find_sources(product, known, sources);
    const ls_ir_block *at = product->block;
    uint32_t from = 0;
    while (at->instrs[from] != product) from++;
    for (; !unfenced; from = at->instr_count) {
        if (!is_fenced_in(at, from, sources, &unfenced)) {
            if (!at->pred_count) unfenced = product;
            for (uint32_t k = 0; k < at->pred_count; k++) {
                if (!seen[at->preds[k]->id]) LS_VEC_PUSH(&work, at->preds[k]);
                seen[at->preds[k]->id] = true;
            }
        }
        if (!work.length) break;
        at = work.items[--work.length];
    }
    LS_VEC_FREE(&work);
    return unfenced;
}

bool ls_check_results(ls_protocol *x) {
    const ls_ir_function *f = x->p->f;
    for (uint32_t k = 0; k < f->instr_count; k++) {
        const ls_ir_instr *product = f->instrs[k];
        if (product->op != LS_OP_WGMMA_MMA_ASYNC) continue;
        const char *format = "this may use registers of the matrix product at line %u before its group has "
                             "been waited for";
        const ls_ir_instr *wrong = find_early_use(f, product);
        if (!wrong) {
            wrong = find_unfenced(f, product);
            format = "there may be no wgmma.fence between this and the matrix product at line %u";
        }
        if (wrong) return ls_not_known(x, wrong, ls_arena_printf(&x->p->arena, format, product->pos->line));
    }
    return true;
}
