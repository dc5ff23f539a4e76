/* Loops within loops that synchronise become one loop. A kernel that goes from tile to tile, and in each of
 * them through the stages of a ring, counts the stages on from one tile to the next; what is proved of the
 * n-th stage does not depend on the tile that it belongs to. Here the inner loop is made the only one: the
 * way out of it, through the rest of the outer loop and in again, becomes another way round it.
 *
 *     outer: before; inner: body; if (more) goto inner; behind; if (tiles) goto outer;
 *     →  before'; inner: body; if (more) goto inner; behind; if (tiles) { before; goto inner; }
 *
 * Where the inner loop is tested before its first iteration, a tile may have none, and the outer loop could
 * go round without the inner one. So there are two kernels: in one, each tile has an iteration at least, and
 * the first test is not asked for its answer; in the other, none has one, and the inner loop is gone. Who
 * uses them has to show that it is the one or the other (`tested` has the headers of these loops).
 *
 * That is splitting of blocks: what can be reached from the outer loop's header without passing the entry of
 * the inner loop's body exists twice, once for the first time. Every path through the kernel executes the
 * same instructions as before, but for those tests. */
#include "ir/private.h"

#include "base/recover.h"

enum { MOST_ROUNDS = 12, MOST_INSTRS = 20000 };

/* Threads synchronise by it, and not only by waiting: a loop that does nothing but wait is no loop here. */
static bool synchronises(const ls_ir_instr *i) {
    const ls_ptx_opcode *o = i->form->opcode;
    if (!o) return false;
    return o->mbarrier == LS_MBARRIER_ARRIVE || o->mbarrier == LS_MBARRIER_ARRIVE_DROP ||
           o->mbarrier == LS_MBARRIER_ARRIVE_COPIED || o->copy == LS_COPY_BULK ||
           o->barrier == LS_BARRIER_BLOCK_ARRIVE || o->copy == LS_COPY_BULK_REDUCE ||
           i->op == LS_OP_WGMMA_MMA_ASYNC;
}

/* Every iteration of the loop comes there. */
static bool is_on_every_way(const ls_ir_loop *loop, const ls_ir_block *block) {
    bool every = true;
    for (uint32_t i = 0; i < loop->latch_count && every; i++)
        every = ls_ir_dominates(block, loop->latches[i]);
    return every;
}

/* The block in which an iteration's part that synchronises begins; it may be in a loop within the loop. NULL:
 * nothing does, in this loop itself. */
static ls_ir_block *entry_of(const ls_ir_loop *loop) {
    ls_ir_block *entry = NULL;
    bool works = false;
    for (uint32_t b = 0; b < loop->block_count; b++) {
        ls_ir_block *block = loop->blocks[b];
        bool matters = false;
        for (uint32_t i = 0; i < block->instr_count; i++) {
            const ls_ptx_opcode *o = block->instrs[i]->form->opcode;
            matters |= synchronises(block->instrs[i]) || (o && o->mbarrier);
            works |= synchronises(block->instrs[i]) && block->loop == loop;
        }
        if (!matters) continue;
        if (!entry) entry = block;
        while (!ls_ir_dominates(entry, block)) entry = entry->idom;
    }
    while (works && !is_on_every_way(loop, entry) && entry != loop->header) entry = entry->idom;
    return works ? entry : NULL;
}

/* The block goes to another one instead, by its edges and by what its last instruction names. */
static void redirect(ls_ir_block *block, const ls_ir_block *from, ls_ir_block *to) {
    ls_ir_instr *last = block->terminator;
    for (uint32_t k = 0; k < block->succ_count; k++)
        if (block->succs[k] == from) block->succs[k] = to;
    if (last && last->op == LS_OP_BRA && last->src_count && last->src[0].kind == LS_IR_BLOCK &&
        last->src[0].block == from)
        last->src[0].block = to;
    for (uint32_t k = 0; last && last->targets && k < last->target_count; k++)
        if (last->targets[k] == from) last->targets[k] = to;
}

/* The one block, of the loop itself, that does nothing but to go on to the block; NULL: there is none. */
static ls_ir_block *straight_before(const ls_ir_loop *loop, const ls_ir_block *block) {
    ls_ir_block *before = NULL;
    for (uint32_t i = 0; i < block->pred_count; i++) {
        ls_ir_block *from = block->preds[i];
        if (block->loop != loop && ls_ir_loop_contains(block->loop, from)) continue;
        if (before || from->succ_count != 1 || from->loop != loop) return NULL;
        before = from;
    }
    return block == loop->header ? NULL : before;
}

/* An empty block that goes on to another one. */
static ls_ir_block *block_before(ls_ir_function *f, ls_ir_block *to) {
    ls_ir_block *own = LS_NEW(&f->hidden->arena, ls_ir_block);
    own->origin = to->origin;
    own->succs = LS_NEW_N(&f->hidden->arena, ls_ir_block *, 1);
    own->succs[own->succ_count++] = to;
    return own;
}

/* Where that is in a loop within the loop, a block in front of that, of its own unless there is one; else the
 * block itself. What is computed straight before it, as the address of a stage, belongs to the iteration. */
static ls_ir_block *own_entry(ls_ir_function *f, const ls_ir_loop *loop, ls_ir_block *entry) {
    const ls_ir_loop *within = entry->loop;
    while (within != loop && within->parent != loop) within = within->parent;
    ls_ir_block *before = straight_before(loop, within == loop ? entry : within->header);
    if (before) {
        while (straight_before(loop, before)) before = straight_before(loop, before);
        return before;
    }
    if (within == loop) return entry;
    ls_ir_block *header = within->header, *own = block_before(f, header);
    for (uint32_t i = 0; i < header->pred_count; i++)
        if (!ls_ir_loop_contains(within, header->preds[i])) redirect(header->preds[i], header, own);
    return own;
}

typedef struct {
    ls_ir_function *f;
    const ls_ir_loop *outer;
    const ls_ir_block *entry;
    ls_ir_block **copy; /* by block: what it is for the first time; NULL: it is not split */
} splitting;

static ls_ir_instr *copy_of(ls_ir_function *f, const ls_ir_instr *i) {
    ls_arena *arena = &f->hidden->arena;
    ls_ir_instr *c = LS_NEW(arena, ls_ir_instr);
    *c = *i;
    c->dst = LS_NEW_N(arena, ls_ir_operand, i->dst_count + 1);
    c->src = LS_NEW_N(arena, ls_ir_operand, i->src_count + 1);
    for (uint32_t k = 0; k < i->dst_count; k++) c->dst[k] = i->dst[k];
    for (uint32_t k = 0; k < i->src_count; k++) c->src[k] = i->src[k];
    if (!i->call) return c;
    c->call = LS_NEW(arena, ls_ir_call);
    *c->call = *i->call;
    c->call->args = LS_NEW_N(arena, ls_ir_argument, i->call->arg_count + 1);
    c->call->results = LS_NEW_N(arena, ls_ir_argument, i->call->result_count + 1);
    for (uint32_t k = 0; k < i->call->arg_count; k++) c->call->args[k] = i->call->args[k];
    for (uint32_t k = 0; k < i->call->result_count; k++) c->call->results[k] = i->call->results[k];
    return c;
}

/* Marks what is reached from the outer loop's header without passing the entry. */
static void find_first_time(splitting *s, ls_ir_block **work) {
    uint32_t count = 0;
    work[count++] = s->outer->header;
    s->copy[s->outer->header->id] = LS_NEW(&s->f->hidden->arena, ls_ir_block);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < work[i]->succ_count; k++) {
            ls_ir_block *to = work[i]->succs[k];
            if (to == s->entry || !ls_ir_loop_contains(s->outer, to) || s->copy[to->id]) continue;
            s->copy[to->id] = LS_NEW(&s->f->hidden->arena, ls_ir_block);
            work[count++] = to;
        }
    }
}

/* Where a block goes on to, for the first time. */
static void go_first_time(const splitting *s, ls_ir_block *block) {
    for (uint32_t b = 0; b < s->f->block_count; b++)
        if (s->copy[b]) redirect(block, s->f->blocks[b], s->copy[b]);
}

static void fill_copy(const splitting *s, const ls_ir_block *of) {
    ls_arena *arena = &s->f->hidden->arena;
    ls_ir_block *c = s->copy[of->id];
    c->origin = of->origin;
    c->instr_count = of->instr_count;
    c->succ_count = of->succ_count;
    c->instrs = LS_NEW_N(arena, ls_ir_instr *, of->instr_count + 1);
    c->succs = LS_NEW_N(arena, ls_ir_block *, of->succ_count + 1);
    for (uint32_t i = 0; i < of->instr_count; i++) {
        c->instrs[i] = copy_of(s->f, of->instrs[i]);
        if (of->instrs[i] == of->terminator) c->terminator = c->instrs[i];
    }
    for (uint32_t i = 0; i < of->succ_count; i++) c->succs[i] = of->succs[i];
    if (c->terminator && c->terminator->targets) {
        ls_ir_block **targets = LS_NEW_N(arena, ls_ir_block *, c->terminator->target_count + 1);
        for (uint32_t i = 0; i < c->terminator->target_count; i++) targets[i] = of->terminator->targets[i];
        c->terminator->targets = targets;
    }
    go_first_time(s, c);
}

/* Only what the blocks have been before they were numbered is left. */
static void forget_relations(ls_ir_block *block) {
    *block = (ls_ir_block){.origin = block->origin,
                           .label = block->label,
                           .instrs = block->instrs,
                           .instr_count = block->instr_count,
                           .terminator = block->terminator,
                           .succs = block->succs,
                           .succ_count = block->succ_count};
}

static bool has_room(const ls_ir_function *f, const ls_ir_loop *outer) {
    uint32_t instrs = f->instr_count;
    for (uint32_t b = 0; b < outer->block_count; b++) instrs += outer->blocks[b]->instr_count;
    return instrs <= MOST_INSTRS;
}

static bool split(ls_ir_function *f, const ls_ir_loop *inner, ls_ir_block *entry) {
    LS_SCRATCH(scratch);
    splitting s = {.f = f, .outer = inner->parent};
    if (!has_room(f, s.outer)) return false;
    s.entry = own_entry(f, inner, entry);
    s.copy = ls_arena_zalloc(&scratch, sizeof *s.copy * f->block_count);
    ls_ir_block **work = ls_arena_alloc(&scratch, sizeof *work * f->block_count);
    find_first_time(&s, work);
    uint32_t copies = 1; /* the entry, perhaps */
    for (uint32_t b = 0; b < f->block_count; b++) {
        if (!s.copy[b]) continue;
        fill_copy(&s, f->blocks[b]);
        copies++;
    }
    for (uint32_t b = 0; b < f->block_count; b++) /* the ways in from elsewhere */
        if (!ls_ir_loop_contains(inner->parent, f->blocks[b])) go_first_time(&s, f->blocks[b]);
    for (uint32_t b = 0; b < f->block_count; b++) forget_relations(f->blocks[b]);
    f->loop_count = 0;
    ir_number_blocks(f, f->block_count + copies);
    return true;
}

/* --- First tests --- */

/* Where the loop goes on to from its header, or leaves from there; NULL: the header does not decide that. */
static ls_ir_block *side_of_header(const ls_ir_loop *loop, bool within) {
    const ls_ir_block *header = loop->header;
    const ls_ir_instr *last = header->terminator;
    if (header->loop != loop || header->succ_count != 2 || !last || last->op != LS_OP_BRA) return NULL;
    const bool first = ls_ir_loop_contains(loop, header->succs[0]);
    if (first == ls_ir_loop_contains(loop, header->succs[1])) return NULL;
    return header->succs[first == within ? 0 : 1];
}

static bool is_tested(const ls_ir_function *f, const ls_ir_block *header) {
    for (uint32_t i = 0; i < f->tested_count; i++)
        if (f->tested[i] == header->origin) return true;
    return false;
}

/* Threads synchronise in the outer loop, outside of the inner one: it is not to go round without that. */
static bool synchronises_around(const ls_ir_loop *loop) {
    bool found = false;
    for (uint32_t b = 0; b < loop->parent->block_count; b++) {
        const ls_ir_block *block = loop->parent->blocks[b];
        for (uint32_t i = 0; i < block->instr_count && !ls_ir_loop_contains(loop, block); i++) {
            const ls_ptx_opcode *o = block->instrs[i]->form->opcode;
            found |= o && (o->mbarrier || o->copy || (o->barrier && o->barrier != LS_BARRIER_WARP));
        }
    }
    return found;
}

/* Gives the loop a first test of its own, whose answer is known. False: there is no such test. */
static bool answer_first_test(ls_ir_function *f, const ls_ir_loop *loop, const ls_ir_block *entry) {
    ls_ir_block *header = loop->header, *to = side_of_header(loop, !f->hidden->without);
    if (!to || entry == header || is_tested(f, header) || f->tested_count == MOST_ROUNDS) return false;
    ls_arena *arena = &f->hidden->arena;
    if (!f->tested) f->tested = LS_NEW_N(arena, uint32_t, MOST_ROUNDS);
    f->tested[f->tested_count++] = header->origin;
    if (to->is_loop_header && ls_ir_loop_contains(loop, to)) { /* which stays one of its own */
        ls_ir_block *between = block_before(f, to);
        redirect(header, to, between);
        to = between;
    }
    ls_ir_block *own = block_before(f, to);
    own->origin = header->origin;
    own->instrs = LS_NEW_N(arena, ls_ir_instr *, header->instr_count + 1);
    for (uint32_t i = 0; i < header->instr_count; i++)
        if (header->instrs[i] != header->terminator)
            own->instrs[own->instr_count++] = copy_of(f, header->instrs[i]);
    for (uint32_t i = 0; i < header->pred_count; i++)
        if (!ls_ir_loop_contains(loop, header->preds[i])) redirect(header->preds[i], header, own);
    for (uint32_t b = 0; b < f->block_count; b++) forget_relations(f->blocks[b]);
    f->loop_count = 0;
    ir_number_blocks(f, f->block_count + 2);
    return true;
}

/* The next loop within another one that is to be the only one, and the entry of its body; NULL: none. */
static const ls_ir_loop *next_nest(const ls_ir_function *f, uint32_t from, ls_ir_block **entry) {
    for (uint32_t i = from; i < f->loop_count; i++) {
        *entry = f->loops[i]->parent ? entry_of(f->loops[i]) : NULL;
        if (*entry) return f->loops[i];
    }
    return NULL;
}

bool ir_is_nested(const ls_ir_function *f) {
    ls_ir_block *entry;
    return next_nest(f, 0, &entry) != NULL;
}

/* First tests are to be answered: of all such loops or of none, as they go with each other. */
static bool has_work_around(const ls_ir_function *f) {
    ls_ir_block *entry;
    const ls_ir_loop *loop = next_nest(f, 0, &entry);
    while (loop && !(side_of_header(loop, true) && entry != loop->header && synchronises_around(loop)))
        loop = next_nest(f, loop->id + 1, &entry);
    return loop != NULL;
}

bool ir_unnest(ls_ir_function *f) {
    ls_ir_block *entry;
    const bool answers = has_work_around(f);
    for (uint32_t b = 0; b < f->block_count; b++) f->blocks[b]->origin = f->blocks[b]->id;
    for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
        const ls_ir_loop *loop = next_nest(f, 0, &entry);
        while (loop && !(answers && answer_first_test(f, loop, entry)) && !split(f, loop, entry))
            loop = next_nest(f, loop->id + 1, &entry);
        if (!loop) return true;
        if (!ir_fill_dominance(f)) return false;
        ir_fill_loops(f);
    }
    return true;
}
