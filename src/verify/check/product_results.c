/* The registers that a matrix product (wgmma.mma_async) sums into belong to the unit until the group of the
 * product has been waited for: only further products may sum into them before. On every way from a product to
 * another use of its result, through copies of registers and joins of the ways, there is a wait that leaves
 * fewer groups open than have been committed since, the product's own among them. (Registers with a fragment
 * of A that are written too early are not looked for.) */
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

bool ls_check_results(ls_protocol *x) {
    const ls_ir_function *f = x->p->f;
    for (uint32_t k = 0; k < f->instr_count; k++) {
        const ls_ir_instr *product = f->instrs[k];
        if (product->op != LS_OP_WGMMA_MMA_ASYNC) continue;
        const ls_ir_instr *early = find_early_use(f, product);
        if (early)
            return ls_not_known(
                x, early,
                ls_arena_printf(&x->p->arena,
                                "this may use the result of the matrix product at line %u before "
                                "its group has been waited for",
                                product->pos->line));
    }
    return true;
}
