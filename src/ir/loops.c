/* Natural loops: a back edge goes to a block that dominates its source; the loop is what reaches the source
 * without passing that header. Loops of one header are one loop. Inner loops are found first (their headers
 * come later in reverse post-order) and then stepped over whole, so every edge is looked at once for each
 * loop it is directly in. What decides when a loop is left (the predicates of η, 003 §3.2) is the exits and
 * what they are control dependent on inside of the loop. A retreating edge to a block that does not dominate
 * its source means irreducible control flow, and is reported. */
#include "ir/private.h"

#include "base/recover.h"

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
    LS_SCRATCH(scratch);
    ls_ir_loop **outer = ls_arena_alloc(&scratch, sizeof *outer * (f->block_count + 1));
    block_list work = {0}, latches = {0};
    f->loops = LS_NEW_N(&f->hidden->arena, ls_ir_loop *, f->block_count + 1);
    for (uint32_t i = f->block_count; i-- > 0;) {
        ls_ir_block *header = f->blocks[i];
        latches.length = 0;
        for (uint32_t p = 0; p < header->pred_count; p++)
            if (ls_ir_dominates(header, header->preds[p])) LS_VEC_PUSH(&latches, header->preds[p]);
        if (!latches.length) continue;
        ls_ir_loop *loop = LS_NEW(&f->hidden->arena, ls_ir_loop);
        loop->id = f->loop_count;
        loop->header = header;
        header->is_loop_header = true;
        loop->latch_count = latches.length;
        loop->latches = LS_NEW_N(&f->hidden->arena, ls_ir_block *, latches.length);
        memcpy(loop->latches, latches.items, sizeof *latches.items * latches.length);
        outer[loop->id] = loop;
        f->loops[f->loop_count++] = loop;
        for (uint32_t p = 0; p < latches.length; p++) LS_VEC_PUSH(&work, latches.items[p]);
        collect_loop(loop, outer, &work);
    }
    LS_VEC_FREE(&work);
    LS_VEC_FREE(&latches);
}

bool ls_ir_loop_contains(const ls_ir_loop *loop, const ls_ir_block *block) {
    return block->loop && block->loop_position - loop->first < loop->block_count;
}

/* Outer loops first; depths. */
static void order_loops(ls_ir_function *f) {
    for (uint32_t i = 0; i < f->loop_count / 2; i++) {
        ls_ir_loop *swapped = f->loops[i];
        f->loops[i] = f->loops[f->loop_count - 1 - i];
        f->loops[f->loop_count - 1 - i] = swapped;
    }
    for (uint32_t i = 0; i < f->loop_count; i++) {
        f->loops[i]->id = i;
        f->loops[i]->depth = f->loops[i]->parent ? f->loops[i]->parent->depth + 1 : 1;
    }
}

/* Lays all loops' blocks out in one array, in which each loop is one piece: a loop's place is reserved in its
 * parent's piece when its header, its first block in reverse post-order, is met. */
static void fill_members(ls_ir_function *f) {
    LS_SCRATCH(scratch);
    uint32_t total = 0;
    for (uint32_t i = f->loop_count; i-- > 0;) { /* inner loops first */
        ls_ir_loop *loop = f->loops[i];
        if (loop->parent) loop->parent->block_count += loop->block_count;
    }
    uint32_t *next =
        ls_arena_alloc(&scratch, sizeof *next * (f->loop_count + 1)); /* by loop: its next free place */
    for (uint32_t i = 0; i < f->loop_count; i++) {
        ls_ir_loop *loop = f->loops[i];
        if (!loop->parent) loop->first = total, total += loop->block_count;
    }
    ls_ir_block **members = LS_NEW_N(&f->hidden->arena, ls_ir_block *, total + 1);
    for (uint32_t i = 0; i < f->block_count; i++) {
        ls_ir_block *block = f->blocks[i];
        ls_ir_loop *loop = block->loop;
        if (!loop) continue;
        if (block == loop->header) {
            if (loop->parent) {
                loop->first = next[loop->parent->id];
                next[loop->parent->id] += loop->block_count;
            }
            next[loop->id] = loop->first;
            loop->blocks = members + loop->first;
        }
        block->loop_position = next[loop->id]++;
        members[block->loop_position] = block;
    }
}

static void count_direct_members(ls_ir_function *f) {
    for (uint32_t i = 0; i < f->block_count; i++)
        if (f->blocks[i]->loop) f->blocks[i]->loop->block_count++;
}

/* An edge leaves the loops that its source is in, from the innermost out, as far as its target is not. */
static void visit_exits(ls_ir_function *f, bool counting) {
    for (uint32_t i = 0; i < f->block_count; i++)
        for (uint32_t s = 0; s < f->blocks[i]->succ_count; s++) {
            ls_ir_edge edge = {f->blocks[i], f->blocks[i]->succs[s]};
            ls_ir_loop *loop = edge.from->loop;
            for (; loop && !ls_ir_loop_contains(loop, edge.to); loop = loop->parent) {
                if (!counting) loop->exits[loop->exit_count] = edge;
                loop->exit_count++;
            }
        }
}

static void fill_exits(ls_ir_function *f) {
    visit_exits(f, true);
    for (uint32_t i = 0; i < f->loop_count; i++) {
        f->loops[i]->exits = LS_NEW_N(&f->hidden->arena, ls_ir_edge, f->loops[i]->exit_count + 1);
        f->loops[i]->exit_count = 0;
    }
    visit_exits(f, false);
}

/* Control dependence inside of the loop, from its exits backwards. */
static void fill_exit_branches(ls_ir_function *f, ls_ir_loop *loop, uint32_t *mark, block_list *found) {
    found->length = 0;
    for (uint32_t e = 0; e < loop->exit_count; e++) {
        ls_ir_block *from = loop->exits[e].from;
        if (mark[from->id] == loop->id + 1) continue;
        mark[from->id] = loop->id + 1;
        LS_VEC_PUSH(found, from);
    }
    for (uint32_t next = 0; next < found->length; next++) {
        const ls_ir_block *block = found->items[next];
        for (uint32_t i = 0; i < block->control_count; i++) {
            ls_ir_block *branch = block->control[i].block;
            if (mark[branch->id] == loop->id + 1 || !ls_ir_loop_contains(loop, branch)) continue;
            mark[branch->id] = loop->id + 1;
            LS_VEC_PUSH(found, branch);
        }
    }
    loop->exit_branches = LS_NEW_N(&f->hidden->arena, ls_ir_block *, found->length + 1);
    for (uint32_t i = 0; i < found->length; i++)
        if (found->items[i]->succ_count > 1) loop->exit_branches[loop->exit_branch_count++] = found->items[i];
}

static void fill_all_exit_branches(ls_ir_function *f) {
    LS_SCRATCH(scratch);
    uint32_t *mark = ls_arena_zalloc(&scratch, sizeof *mark * f->block_count);
    block_list found = {0};
    for (uint32_t i = 0; i < f->loop_count; i++) fill_exit_branches(f, f->loops[i], mark, &found);
    LS_VEC_FREE(&found);
}

static const ls_place *first_position(const ls_ir_block *block) {
    return block->instr_count ? block->instrs[0]->pos : NULL;
}

static void report_irreducible(ls_ir_function *f, const ls_ir_edge *edge) {
    const ls_place *pos = first_position(edge->to);
    if (f->hidden->options.quiet || !f->hidden->diags) return;
    ls_diags_add(f->hidden->diags, LS_WARNING, pos ? pos->file : f->module->filename, pos ? pos->line : 0,
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
    f->irreducible = LS_NEW_N(&f->hidden->arena, ls_ir_edge, edges.length + 1);
    if (edges.length) memcpy(f->irreducible, edges.items, sizeof *edges.items * edges.length);
    LS_VEC_FREE(&edges);
}

void ir_fill_loops(ls_ir_function *f) {
    find_loops(f);
    order_loops(f);
    count_direct_members(f);
    fill_members(f);
    fill_exits(f);
    fill_all_exit_branches(f);
    find_irreducible(f);
}
