/* Natural loops: a back edge goes to a block that dominates its source; the loop is what reaches the source
 * without passing that header. Loops of one header are one loop. Inner loops are found first (their headers
 * come later in reverse post-order) and then stepped over whole, so every edge is looked at once for each
 * loop it is directly in. A retreating edge to a block that does not dominate its source means irreducible
 * control flow, and is reported. */
#include "ir/private.h"

static ls_ir_loop *outermost(ls_ir_loop **outer, ls_ir_loop *loop) {
    ls_ir_loop *top = loop;
    while (outer[top->id] != top) top = outer[top->id];
    while (outer[loop->id] != top) { /* compress */
        ls_ir_loop *next = outer[loop->id];
        outer[loop->id] = top;
        loop = next;
    }
    return top;
}

typedef LS_VEC(ls_ir_block *) block_list;

static void add_outside_preds(block_list *work, ls_ir_loop **outer, ls_ir_block *block, ls_ir_loop *inner) {
    for (uint32_t i = 0; i < block->pred_count; i++) {
        ls_ir_block *pred = block->preds[i];
        if (inner && pred->loop && outermost(outer, pred->loop) == inner) continue;
        LS_VEC_PUSH(work, pred);
    }
}

static void collect_loop(ls_ir_loop *loop, ls_ir_loop **outer, block_list *work) {
    loop->header->loop = loop->header->loop ? loop->header->loop : loop;
    while (work->length) {
        ls_ir_block *block = work->items[--work->length];
        if (!block->loop) {
            block->loop = loop;
            add_outside_preds(work, outer, block, NULL);
            continue;
        }
        ls_ir_loop *inner = outermost(outer, block->loop);
        if (inner == loop) continue;
        inner->parent = loop;
        outer[inner->id] = loop;
        add_outside_preds(work, outer, inner->header, inner);
    }
}

/* One loop for each header, inner ones first; ids in that order for now. */
static void find_loops(ls_ir_function *f) {
    ls_ir_loop **outer = ls_xmalloc(sizeof *outer * (f->block_count + 1));
    block_list work = {0}, latches = {0};
    f->loops = LS_NEW_N(&f->private->arena, ls_ir_loop *, f->block_count + 1);
    for (uint32_t i = f->block_count; i-- > 0;) {
        ls_ir_block *header = f->blocks[i];
        latches.length = 0;
        for (uint32_t p = 0; p < header->pred_count; p++)
            if (ls_ir_dominates(header, header->preds[p])) LS_VEC_PUSH(&latches, header->preds[p]);
        if (!latches.length) continue;
        ls_ir_loop *loop = LS_NEW(&f->private->arena, ls_ir_loop);
        loop->id = f->loop_count;
        loop->header = header;
        header->is_loop_header = true;
        loop->latch_count = latches.length;
        loop->latches = LS_NEW_N(&f->private->arena, ls_ir_block *, latches.length);
        memcpy(loop->latches, latches.items, sizeof *latches.items * latches.length);
        outer[loop->id] = loop;
        f->loops[f->loop_count++] = loop;
        for (uint32_t p = 0; p < latches.length; p++) LS_VEC_PUSH(&work, latches.items[p]);
        collect_loop(loop, outer, &work);
    }
    free(outer);
    LS_VEC_FREE(&work);
    LS_VEC_FREE(&latches);
}

bool ls_ir_loop_contains(const ls_ir_loop *loop, const ls_ir_block *block) {
    const ls_ir_loop *inner = block->loop;
    while (inner && inner->depth > loop->depth) inner = inner->parent;
    return inner == loop;
}

/* Outer loops first, depths, members and exits. */
static void describe_loops(ls_ir_function *f) {
    for (uint32_t i = 0; i < f->loop_count / 2; i++) {
        ls_ir_loop *swapped = f->loops[i];
        f->loops[i] = f->loops[f->loop_count - 1 - i];
        f->loops[f->loop_count - 1 - i] = swapped;
    }
    for (uint32_t i = 0; i < f->loop_count; i++) {
        f->loops[i]->id = i;
        f->loops[i]->depth = f->loops[i]->parent ? f->loops[i]->parent->depth + 1 : 1;
    }
    for (uint32_t i = 0; i < f->block_count; i++)
        for (ls_ir_loop *loop = f->blocks[i]->loop; loop; loop = loop->parent) loop->block_count++;
    for (uint32_t i = 0; i < f->loop_count; i++) {
        f->loops[i]->blocks = LS_NEW_N(&f->private->arena, ls_ir_block *, f->loops[i]->block_count);
        f->loops[i]->block_count = 0;
    }
    for (uint32_t i = 0; i < f->block_count; i++)
        for (ls_ir_loop *loop = f->blocks[i]->loop; loop; loop = loop->parent)
            loop->blocks[loop->block_count++] = f->blocks[i];
}

static void fill_exits(ls_ir_function *f) {
    LS_VEC(ls_ir_edge) exits = {0};
    for (uint32_t i = 0; i < f->loop_count; i++) {
        ls_ir_loop *loop = f->loops[i];
        exits.length = 0;
        for (uint32_t b = 0; b < loop->block_count; b++)
            for (uint32_t s = 0; s < loop->blocks[b]->succ_count; s++) {
                ls_ir_edge edge = {loop->blocks[b], loop->blocks[b]->succs[s]};
                if (!ls_ir_loop_contains(loop, edge.to)) LS_VEC_PUSH(&exits, edge);
            }
        loop->exit_count = exits.length;
        loop->exits = LS_NEW_N(&f->private->arena, ls_ir_edge, exits.length + 1);
        if (exits.length) memcpy(loop->exits, exits.items, sizeof *exits.items * exits.length);
    }
    LS_VEC_FREE(&exits);
}

static const ls_ir_pos *first_position(const ls_ir_block *block) {
    return block->instr_count ? block->instrs[0]->pos : NULL;
}

static void report_irreducible(ls_ir_function *f, const ls_ir_edge *edge) {
    const ls_ir_pos *pos = first_position(edge->to);
    if (f->private->options.quiet || !f->private->diags) return;
    ls_diags_add(f->private->diags, LS_WARNING, pos ? pos->file : f->module->filename, pos ? pos->line : 0,
                 pos ? pos->column : 0,
                 "irreducible control flow in '%s': the cycle through block %u%s%s%s can also be entered "
                 "elsewhere (edge from block %u)",
                 f->name, edge->to->id, edge->to->label ? " (" : "", edge->to->label ? edge->to->label : "",
                 edge->to->label ? ")" : "", edge->from->id);
}

static void find_irreducible(ls_ir_function *f) {
    LS_VEC(ls_ir_edge) edges = {0};
    for (uint32_t i = 0; i < f->block_count; i++)
        for (uint32_t s = 0; s < f->blocks[i]->succ_count; s++) {
            ls_ir_edge edge = {f->blocks[i], f->blocks[i]->succs[s]};
            if (edge.to->id > i || ls_ir_dominates(edge.to, edge.from)) continue;
            edge.to->irreducible_entry = true;
            report_irreducible(f, &edge);
            LS_VEC_PUSH(&edges, edge);
        }
    f->irreducible_count = edges.length;
    f->irreducible = LS_NEW_N(&f->private->arena, ls_ir_edge, edges.length + 1);
    if (edges.length) memcpy(f->irreducible, edges.items, sizeof *edges.items * edges.length);
    LS_VEC_FREE(&edges);
}

void ir_fill_loops(ls_ir_function *f) {
    find_loops(f);
    describe_loops(f);
    fill_exits(f);
    find_irreducible(f);
}
