/* From block to block: edges, branches that lanes may take in part, and where they meet again. A branch with
 * short sides that lanes go apart at is executed here, one side after the other under a mask; any other is
 * left to the interpreter. Code that is made quickly has nothing but that for such a branch: code for lanes
 * that stay together, beside it, would be as much again. */
#ifdef LS_HAVE_JIT
#include "jit/emit.h"

enum { LOOK = 128 }; /* as control.c looks at the clock: backward branches between two looks */

/* Counts a branch back for the turn's budget: true where it is time for a look at the clock, and it is not
 * counted; *left: what is to be stored else. */
static value is_time(emitter *e, value *left) {
    *left = B(e, Sub, jit_field(e, e->warp, offsetof(warp, budget), e->i32), jit_int(e, e->i32, 1));
    return B(e, ICmp, LLVMIntEQ, B(e, And, *left, jit_int(e, e->i32, LOOK - 1)), jit_int(e, e->i32, 0));
}

static void store_budget(emitter *e, value left) {
    value place = jit_at(e, e->warp, offsetof(warp, budget));
    e->L->SetMetadata(e->L->BuildStore(e->at, left, place), e->tbaa, e->state_tag);
}

/* Goes to a block; back: the turn's budget is counted, and where it is time for a look at the clock, the
 * interpreter executes the branch k. */
void jit_emit_edge(emitter *e, uint32_t to, uint32_t k, bool back) {
    const basic_block *b = &e->p->blocks.items[to];
    int32_t *saved = LS_NEW_N(e->arena, int32_t, e->p->rows.length + 1);
    if (back) {
        value left, look = is_time(e, &left);
        LLVMBasicBlockRef now = jit_block(e), later = jit_block(e);
        jit_branch(e, B(e, Not, look), later, now);
        jit_go_on_at(e, now);
        jit_leave(e, k);
        jit_go_on_at(e, later);
        store_budget(e, left);
    }
    if (e->entries[to] == 1) {
        e->handed[to] = LS_NEW(e->arena, known);
        *e->handed[to] = jit_known(e);
    }
    memcpy(saved, e->state, e->p->rows.length * sizeof *saved);
    jit_convert(e, b->in, &b->live);
    e->L->BuildBr(e->at, jit_block_of(e, to));
    memcpy(e->state, saved, e->p->rows.length * sizeof *saved);
}

/* --- Short sides --- */
/* The instructions of a block in front of `end`, under the guard. */
static void emit_guarded_block(emitter *e, const basic_block *b, uint32_t end) {
    const ls_bitset *live = jit_live_in_block(e->p, e->arena, b);
    for (uint32_t k = b->first; k < end;) {
        effect *x = &e->p->effects[k];
        if (x->deed == DO_GUARD) {
            const uint32_t behind = k + 1 + (uint32_t)e->p->insns[k].imm;
            jit_emit_guard(e, k, behind, &live[behind - b->first]);
            k = behind;
            continue;
        }
        x->guarded = true; /* while it is emitted: nothing is left to the interpreter from here */
        jit_emit_plain(e, k++);
        x->guarded = false;
    }
}

/* The chain of blocks from one side of a branch to where the lanes meet, for these lanes. */
static void emit_side(emitter *e, uint32_t from, uint32_t meet, value lanes) {
    e->guard = lanes;
    for (uint32_t n = from; n != meet; n = e->p->blocks.items[n].successors.items[0])
        emit_guarded_block(e, &e->p->blocks.items[n], e->p->blocks.items[n].end);
    e->guard = NULL;
}

/* Rows that are written on a side and that nobody needs of before: what else stands in them on the way is all
 * the same. */
static void find_fresh_of(emitter *e, const basic_block *b) {
    for (uint32_t r = 0; r < e->p->rows.length; r++)
        if (ls_bitset_has(&b->written, r) && !ls_bitset_has(e->live, r)) ls_bitset_add(&e->fresh, r);
}

static void find_fresh(emitter *e, uint32_t from, uint32_t meet) {
    for (uint32_t n = from; n != meet; n = e->p->blocks.items[n].successors.items[0])
        find_fresh_of(e, &e->p->blocks.items[n]);
}

/* As em_exec_branch does; apart: whether lanes go apart here, as 0 or 1. */
static void count_divergence(emitter *e, uint32_t k, value apart) {
    const uint64_t at =
        (uint64_t)e->p->insns[k].site * sizeof(branch_stats) + offsetof(branch_stats, divergent);
    value more = B(e, Add, jit_field(e, e->branches, at, e->i64), apart);
    e->L->SetMetadata(e->L->BuildStore(e->at, more, jit_at(e, e->branches, at)), e->tbaa, e->state_tag);
}

static value has_lanes(emitter *e, value lanes) {
    return B(e, ICmp, LLVMIntNE, jit_bits_of(e, lanes), jit_int(e, e->i32, 0));
}

static value parted(emitter *e, value taken, value rest) {
    return B(e, ZExt, B(e, And, has_lanes(e, taken), has_lanes(e, rest)), e->i64);
}

/* A side that no lane may take: it is jumped over then. */
static void emit_doubtful_side(emitter *e, uint32_t from, uint32_t meet, value lanes) {
    if (from == meet) return;
    const uint32_t rows = e->p->rows.length;
    const known before = jit_known(e);
    int32_t *after = LS_NEW_N(e->arena, int32_t, rows + 1);
    ls_bitset written = ls_bitset_new(e->arena, rows), all = ls_bitset_new(e->arena, rows);
    LLVMBasicBlockRef then = jit_block(e), skip = jit_block(e), join = jit_block(e);
    for (uint32_t n = from; n != meet; n = e->p->blocks.items[n].successors.items[0])
        ls_bitset_union(&written, &e->p->blocks.items[n].written);
    for (uint32_t r = 0; r < rows; r++) {
        after[r] = ls_bitset_has(&written, r) ? SHAPE_VARYING : e->state[r];
        ls_bitset_add(&all, r);
    }
    e->L->BuildCondBr(e->at, has_lanes(e, lanes), then, skip);
    jit_go_on_at(e, skip);
    jit_convert(e, after, &all);
    e->L->BuildBr(e->at, join);
    jit_go_on_at(e, then);
    memcpy(e->state, before.state, rows * sizeof *e->state);
    emit_side(e, from, meet, lanes);
    e->L->BuildBr(e->at, join);
    jit_go_on_at(e, join);
    jit_know_reaches(e, &before);
    ls_bitset_union(&e->dirty, &written); /* by the other way, too */
    for (uint32_t r = 0; r < rows; r++)
        if (ls_bitset_has(&written, r)) jit_change(e, r);
}

/* Both sides, one after the other as the interpreter runs them (diverge in control.c), each under the mask of
 * its lanes. */
static void emit_sides(emitter *e, uint32_t k, value taken) {
    const branch_info *b = e->p->insns[k].extra;
    const uint32_t meet = jit_block_at(e->p, b->reconverge);
    const basic_block *at = &e->p->blocks.items[meet];
    const known before = jit_known(e);
    void (*const side)(emitter *, uint32_t, uint32_t, value) = e->quick ? emit_doubtful_side : emit_side;
    value active = jit_active(e), rest = B(e, Not, taken);
    if (active) taken = B(e, And, taken, active), rest = B(e, And, rest, active);
    count_divergence(e, k, e->quick ? parted(e, taken, rest) : jit_int(e, e->i64, 1));
    find_fresh(e, jit_block_at(e->p, b->target), meet);
    find_fresh(e, jit_block_at(e->p, b->other), meet);
    side(e, jit_block_at(e->p, b->target), meet, taken);
    side(e, jit_block_at(e->p, b->other), meet, rest);
    jit_convert(e, at->in, &at->live);
    e->L->BuildBr(e->at, jit_block_of(e, meet));
    jit_know(e, &before);
}

/* --- The rest of a loop --- */
/* Lanes leave a loop of one block one after the other: those that stay go on, and the others wait behind the
 * loop, as in the interpreter. What lanes have when they leave is put aside then; in the loop their rows may
 * get anything. With the predicate that they have left by the interpreter can go on from any branch back with
 * all lanes: it counts their parting once more. */
typedef struct {
    uint32_t branch;
    const basic_block *own;
    int32_t *state; /* at the branch, and at the start of each turn */
    ls_bitset all;  /* rows */
    value mask_at;  /* a place: the lanes that stay */
    value *left_at; /* by row: a place for what lanes have left with; NULL: nobody needs it */
    LLVMBasicBlockRef again;
} rest_of_loop;

static LLVMTypeRef type_of_row(const emitter *e, uint32_t r) {
    const uint8_t width = e->p->rows.items[r].width;
    return width == WIDTH_PRED ? e->lanes : jit_row_type(e, width);
}

/* What these lanes have is what they leave with. */
static void put_aside(emitter *e, const rest_of_loop *x, value lanes) {
    for (uint32_t r = 0; r < e->p->rows.length; r++) {
        if (!x->left_at[r]) continue;
        value old = lanes ? B(e, Load2, type_of_row(e, r), x->left_at[r]) : NULL, now = jit_read_row(e, r);
        e->L->BuildStore(e->at, lanes ? B(e, Select, lanes, now, old) : now, x->left_at[r]);
    }
}

/* All rows as they are when these lanes stay, the others have left; NULL: all have. */
static void bring_together(emitter *e, const rest_of_loop *x, value lanes) {
    for (uint32_t r = 0; r < e->p->rows.length; r++) {
        if (!x->left_at[r]) continue;
        value all = B(e, Load2, type_of_row(e, r), x->left_at[r]);
        jit_write_row(e, r, lanes ? B(e, Select, lanes, jit_read_row(e, r), all) : all);
    }
}

/* The lanes of `mask_at` go back to the start. */
static void emit_way_back(emitter *e, const rest_of_loop *x) {
    LLVMBasicBlockRef now = jit_block(e), later = jit_block(e);
    jit_go_on_at(e, x->again);
    value left, look = is_time(e, &left);
    jit_branch(e, B(e, Not, look), later, now);
    jit_go_on_at(e, now);
    count_divergence(e, x->branch, jit_int(e, e->i64, UINT64_MAX));
    bring_together(e, x, B(e, BitCast, B(e, Load2, e->i32, x->mask_at), e->lanes));
    jit_leave(e, x->branch);
    jit_go_on_at(e, later);
    store_budget(e, left);
}

/* All lanes may write the rows, as what those have left with is put aside: but where a guard stands in front
 * of the first write, which lanes that stay may not pass. */
static void find_loose(emitter *e, const rest_of_loop *x) {
    ls_bitset guarded = ls_bitset_new(e->arena, e->p->rows.length);
    for (uint32_t k = x->own->first; k < x->branch; k++) {
        const effect *f = &e->p->effects[k];
        for (uint32_t n = 0; n < f->write_count; n++) {
            const uint32_t r = jit_row(e->p, f->writes[n].slot);
            if (f->guarded) ls_bitset_add(&guarded, r);
            if (!ls_bitset_has(&guarded, r)) ls_bitset_add(&e->loose, r);
        }
    }
}

/* One turn, by the lanes that stay; then the same again where any do. */
static void emit_turn(emitter *e, const rest_of_loop *x) {
    LLVMBasicBlockRef more = jit_block(e), some = jit_block(e), over = jit_block(e);
    value before = B(e, Load2, e->i32, x->mask_at);
    e->guard = B(e, BitCast, before, e->lanes);
    find_fresh_of(e, x->own);
    find_loose(e, x);
    emit_guarded_block(e, x->own, x->branch);
    value stay = B(e, And, jit_bits_of(e, jit_guard_value(e, &e->p->insns[x->branch])), before);
    e->guard = NULL;
    jit_convert(e, x->state, &x->all);
    e->L->BuildStore(e->at, stay, x->mask_at);
    e->L->BuildCondBr(e->at, B(e, ICmp, LLVMIntEQ, stay, before), x->again, more);
    jit_go_on_at(e, more);
    put_aside(e, x, B(e, BitCast, B(e, Xor, stay, before), e->lanes));
    e->L->BuildCondBr(e->at, B(e, ICmp, LLVMIntNE, stay, jit_int(e, e->i32, 0)), some, over);
    jit_go_on_at(e, some);
    count_divergence(e, x->branch, jit_int(e, e->i64, 1));
    e->L->BuildBr(e->at, x->again);
    jit_go_on_at(e, over);
    bring_together(e, x, NULL);
}

static void prepare_rest(emitter *e, rest_of_loop *x) {
    for (uint32_t r = 0; r < e->p->rows.length; r++) {
        const bool written = ls_bitset_has(&x->own->written, r);
        x->state[r] = written ? SHAPE_VARYING : e->state[r];
        ls_bitset_add(&x->all, r);
        if (written) jit_change(e, r);
        if (written && ls_bitset_has(e->live, r)) x->left_at[r] = jit_place(e, type_of_row(e, r));
    }
}

/* bits: the lanes that stay. */
static void emit_rest(emitter *e, uint32_t k, value bits) {
    const branch_info *b = e->p->insns[k].extra;
    const uint32_t rows = e->p->rows.length;
    const known before = jit_known(e);
    rest_of_loop x = {.branch = k,
                      .own = &e->p->blocks.items[jit_block_at(e->p, b->target)],
                      .state = LS_NEW_N(e->arena, int32_t, rows + 1),
                      .all = ls_bitset_new(e->arena, rows),
                      .mask_at = jit_place(e, e->i32),
                      .left_at = LS_NEW_N(e->arena, value, rows + 1),
                      .again = jit_block(e)};
    prepare_rest(e, &x);
    e->L->BuildStore(e->at, bits, x.mask_at);
    count_divergence(e, k, jit_int(e, e->i64, 1));
    jit_convert(e, x.state, &x.all);
    put_aside(e, &x, NULL);
    ls_bitset_union(&e->dirty, &x.own->written);
    e->L->BuildBr(e->at, x.again);
    const known at_branch = jit_known(e);
    emit_way_back(e, &x);
    jit_know(e, &at_branch);
    emit_turn(e, &x);
    jit_know_reaches(e, &before);
    for (uint32_t r = 0; r < rows; r++)
        if (ls_bitset_has(&x.own->written, r)) jit_change(e, r);
    ls_bitset_union(&e->dirty, &x.own->written);
    jit_emit_edge(e, jit_block_at(e->p, b->other), k, false);
    jit_know(e, &before);
}

/* --- Branches --- */
void jit_emit_branch(emitter *e, uint32_t k) {
    const insn *i = &e->p->insns[k];
    const branch_info *b = i->extra;
    value p = jit_guard_value(e, i);
    const bool uniform = e->state[jit_row(e->p, i->guard)] == SHAPE_UNIFORM;
    if (e->quick && !uniform && jit_has_short_sides(e->p, k)) {
        emit_sides(e, k, p);
        return;
    }
    LLVMBasicBlockRef taken = jit_block(e), other = jit_block(e);
    if (uniform) {
        e->L->BuildCondBr(e->at, p, taken, other);
    } else {
        LLVMBasicBlockRef mixed = jit_block(e), apart = jit_block(e);
        value bits = jit_bits_of(e, p), all = e->masked ? e->mask : jit_int(e, e->i32, UINT32_MAX);
        if (e->masked) bits = B(e, And, bits, e->mask);
        e->L->BuildCondBr(e->at, B(e, ICmp, LLVMIntEQ, bits, all), taken, mixed);
        jit_go_on_at(e, mixed);
        e->L->BuildCondBr(e->at, B(e, ICmp, LLVMIntEQ, bits, jit_int(e, e->i32, 0)), other, apart);
        jit_go_on_at(e, apart);
        if (jit_has_short_sides(e->p, k))
            emit_sides(e, k, p);
        else if (!e->quick && jit_is_own_loop(e->p, k))
            emit_rest(e, k, bits);
        else
            jit_leave(e, k);
    }
    jit_go_on_at(e, taken);
    jit_emit_edge(e, jit_block_at(e->p, b->target), k, b->backward);
    jit_go_on_at(e, other);
    jit_emit_edge(e, jit_block_at(e->p, b->other), k, b->other <= i);
}

/* A path ends where it meets the others of its region. */
void jit_emit_reconverge(emitter *e, uint32_t k) {
    if (!e->masked) return;
    LLVMBasicBlockRef meet = jit_block(e), on = jit_block(e);
    value here = B(e, ICmp, LLVMIntEQ, e->reconverge, jit_insn_at(e, k));
    e->L->BuildCondBr(e->at, here, meet, on);
    jit_go_on_at(e, meet);
    jit_leave(e, k);
    jit_go_on_at(e, on);
}
#endif
