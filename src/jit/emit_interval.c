/* The end of an interval (emulate/compiled.h): a whole warp has reached a barrier of all warps, or the
 * kernel's end. Compiled code goes on with the next warp, and, where all have come, behind the barrier. */
#ifdef LS_HAVE_JIT
#include "jit/emit.h"

static value of_interval(const emitter *e, size_t offset, LLVMTypeRef type) {
    return jit_field(e, e->interval, offset, type);
}

static void to_state(const emitter *e, value of, size_t offset, value x) {
    e->L->SetMetadata(e->L->BuildStore(e->at, x, jit_at(e, of, offset)), e->tbaa, e->state_tag);
}

static void to_interval(const emitter *e, size_t offset, value x) {
    to_state(e, e->interval, offset, x);
}

void jit_begin_turn(const emitter *e) {
    if (e->masked || e->p->of->alone) return;
    to_state(e, e->worker, offsetof(worker, turn), e->warp);
    if (e->regs_at) e->L->BuildStore(e->at, e->regs, e->regs_at);
}

/* Goes on with the next warp, behind the last one with the first; where that began, all have come: on here.
 * Nothing is counted: each warp would wait for what the one before has written. from: the head that the
 * others begin at, too, or NO_SLOT. */
static void go_to_next_warp(emitter *e, uint32_t from) {
    LLVMBasicBlockRef last = jit_block(e), more = jit_block(e);
    value next = jit_at(e, e->warp, sizeof(warp));
    value behind = B(e, ICmp, LLVMIntEQ, next, of_interval(e, offsetof(interval, behind), e->ptr));
    next = B(e, Select, behind, of_interval(e, offsetof(interval, warps), e->ptr), next);
    value all = B(e, ICmp, LLVMIntEQ, next, of_interval(e, offsetof(interval, first), e->ptr));
    e->L->BuildCondBr(e->at, all, last, more);
    jit_go_on_at(e, more);
    e->L->BuildStore(e->at, next, e->warp_at);
    if (from != NO_SLOT) {
        e->warp = next;
        e->regs = jit_field(e, next, offsetof(warp, regs), e->ptr);
        jit_begin_turn(e);
    }
    e->L->BuildBr(e->at, from != NO_SLOT ? e->heads[from] : e->next_warp);
    jit_go_on_at(e, last);
}

/* Whether a barrier is nothing but the end of an interval: nobody notes it, and it is not yet time for a look
 * at what ends the run. *passed: what is to be stored then, of barriers that were passed. */
static value is_mere_end(emitter *e, value block, value *passed) {
    value barriers = jit_field(e, e->worker, offsetof(worker, barriers), e->i32);
    *passed = B(e, Add, barriers, jit_int(e, e->i32, 1));
    value noted = B(e, ZExt, of_interval(e, offsetof(interval, noted), e->i8), e->i32);
    value jobs = jit_field(e, block, offsetof(block_run, jobs.length), e->i32);
    value look = B(e, ICmp, LLVMIntEQ, B(e, And, *passed, jit_int(e, e->i32, LOOK_BARRIERS - 1)),
                   jit_int(e, e->i32, 0));
    value none = B(e, ICmp, LLVMIntEQ, B(e, Or, noted, jobs), jit_int(e, e->i32, 0));
    return B(e, And, none, B(e, Not, look));
}

/* As em_interval_over does then. */
static void pass_barrier(emitter *e, value block, value passed) {
    value count = of_interval(e, offsetof(interval, count), e->i32), one = jit_int(e, e->i32, 1),
          entered = of_interval(e, offsetof(interval, entered), e->i64),
          epoch = jit_field(e, block, offsetof(block_run, epoch), e->i32);
    to_interval(e, offsetof(interval, first), e->warp);
    to_interval(e, offsetof(interval, entered), B(e, Add, entered, B(e, ZExt, count, e->i64)));
    to_interval(e, offsetof(interval, start),
                jit_at(e, of_interval(e, offsetof(interval, end), e->ptr), sizeof(insn)));
    to_interval(e, offsetof(interval, head), B(e, Add, B(e, Load2, e->i32, e->behind_at), one));
    to_state(e, block, offsetof(block_run, epoch), B(e, Add, epoch, one));
    to_state(e, e->worker, offsetof(worker, barriers), passed);
}

/* All have come: the last one goes on as the first. */
static void go_on_behind(emitter *e) {
    LLVMBasicBlockRef on = jit_block(e), off = jit_block(e), mere = jit_block(e), noted = jit_block(e);
    value block = jit_field(e, e->warp, offsetof(warp, block), e->ptr), passed;
    e->L->BuildCondBr(e->at, is_mere_end(e, block, &passed), mere, noted);
    jit_go_on_at(e, mere);
    pass_barrier(e, block, passed);
    e->L->BuildBr(e->at, on);
    jit_go_on_at(e, noted);
    value go = jit_call_emulator(e, (uintptr_t)em_interval_over, e->i8, &e->interval, 1);
    jit_branch(e, B(e, ICmp, LLVMIntNE, go, jit_int(e, e->i8, 0)), on, off);
    jit_go_on_at(e, off);
    e->L->BuildRet(e->at, jit_int(e, e->i32, 0));
    jit_go_on_at(e, on);
    e->L->BuildStore(e->at, B(e, Load2, e->i32, e->behind_at), e->head_at);
    e->L->BuildBr(e->at, e->next_warp);
}

/* As check_divergence of barrier.c: where loops are counted, each one that comes is compared with the first.
 */
static bool is_noted(const emitter *e, uint32_t k) {
    return e->p->checks & LS_CHECK_BARRIER && ((const barrier_info *)e->p->insns[k].extra)->loop_count;
}

static void note_arrival(emitter *e, value at, uint32_t k) {
    const barrier_info *x = e->p->insns[k].extra;
    value arguments[] = {e->warp, at, jit_int(e, e->i32, e->p->rows.items[jit_row(e->p, x->id.slot)].bits)};
    jit_call_emulator(e, (uintptr_t)em_barrier_came, e->L->VoidTypeInContext(e->context), arguments, 3);
}

/* Goes on where the warp is the first one, or the others have reached the same; else leaves by this exit. */
static void check_arrival(emitter *e, value same, value exit) {
    LLVMBasicBlockRef alone = jit_block(e), good = jit_block(e);
    value first = B(e, ICmp, LLVMIntEQ, e->warp, of_interval(e, offsetof(interval, first), e->ptr));
    jit_branch(e, B(e, Or, first, same), good, alone);
    jit_go_on_at(e, alone);
    e->L->BuildRet(e->at, exit);
    jit_go_on_at(e, good);
}

static void leave_without_interval(emitter *e, value exit) {
    LLVMBasicBlockRef alone = jit_block(e), several = jit_block(e);
    jit_branch(e, B(e, ICmp, LLVMIntNE, e->interval, e->L->ConstNull(e->ptr)), several, alone);
    jit_go_on_at(e, alone);
    e->L->BuildRet(e->at, exit);
    jit_go_on_at(e, several);
}

/* A whole warp has reached a barrier of all; from: the head that it has come from, or NO_SLOT. Goes on here
 * when all have. Where no other end can be reached from that head, it is not compared with the one that the
 * others have reached. */
static void emit_arrival_at(emitter *e, value at, value exit, uint32_t noted, uint32_t from) {
    const bool sure = from != NO_SLOT && e->p->of->heads[from].end;
    leave_without_interval(e, exit);
    if (!sure)
        check_arrival(e, B(e, ICmp, LLVMIntEQ, of_interval(e, offsetof(interval, end), e->ptr), at), exit);
    if (noted != NO_SLOT) note_arrival(e, at, noted);
    if (!sure) to_interval(e, offsetof(interval, end), at);
    go_to_next_warp(e, from);
    if (sure) to_interval(e, offsetof(interval, end), at);
}

void jit_emit_arrival(emitter *e) {
    if (e->arrival) {
        jit_go_on_at(e, e->arrival);
        value k = B(e, ZExt, B(e, Load2, e->i32, e->came_to), e->i64);
        value offset = B(e, Mul, k, jit_int(e, e->i64, sizeof(insn)));
        emit_arrival_at(e, e->L->BuildGEP2(e->at, e->i8, e->insns, &offset, 1, ""),
                        B(e, Load2, e->i32, e->came_by), NO_SLOT, NO_SLOT);
        go_on_behind(e);
    }
    if (!e->all_came) return;
    jit_go_on_at(e, e->all_came);
    go_on_behind(e);
}

static void come_to_barrier(emitter *e, uint32_t k) {
    value exit = jit_int(e, e->i32, jit_exit_in_front(e, k));
    const uint32_t source = e->heads ? e->p->sources[k] : 0, from = source ? source - 1 : NO_SLOT;
    const bool noted = is_noted(e, k), alone = from < e->p->of->head_count;
    if (!e->behind_at) {
        e->came_to = jit_place(e, e->i32);
        e->came_by = jit_place(e, e->i32);
        e->behind_at = jit_place(e, e->i32);
    }
    e->L->BuildStore(e->at, jit_int(e, e->i32, e->p->of->head_of[k + 1] - 1), e->behind_at);
    if (noted || alone) {
        emit_arrival_at(e, jit_insn_at(e, k), exit, noted ? k : NO_SLOT, alone ? from : NO_SLOT);
        if (!e->all_came) e->all_came = jit_block(e);
        e->L->BuildBr(e->at, e->all_came);
        return;
    }
    if (!e->arrival) e->arrival = jit_block(e);
    e->L->BuildStore(e->at, jit_int(e, e->i32, k), e->came_to);
    e->L->BuildStore(e->at, exit, e->came_by);
    e->L->BuildBr(e->at, e->arrival);
}

/* --- The next block --- */
/* Values of the block, from its place in its row: those that depend on it. */
typedef struct {
    value *moved; /* by value: what it becomes; NULL: it stays */
    value x;      /* the block's place */
} block_step;

static value value_at(emitter *e, const block_step *s, uint32_t k) {
    return s->moved[k] ? s->moved[k] : jit_field(e, e->block_values, (uint64_t)k * 8, e->i64);
}

static value shifted(emitter *e, const block_op *o, value x, value y) {
    value fits = B(e, ICmp, LLVMIntULT, y, jit_int(e, e->i64, 8u * o->width));
    value by = B(e, Select, fits, y, jit_int(e, e->i64, 0));
    value all = o->kind == BLOCK_SHL ? B(e, Shl, x, by) : B(e, LShr, x, by);
    return B(e, Select, fits, all, jit_int(e, e->i64, 0));
}

/* As value_of in block_values.c. */
static value moved_value(emitter *e, const block_step *s, const block_op *o) {
    if (o->kind == BLOCK_PLACE) return s->x;
    value x = value_at(e, s, o->a);
    if (o->kind == BLOCK_SIGNED) return B(e, SExt, B(e, Trunc, x, e->i32), e->i64);
    if (o->kind == BLOCK_UNSIGNED) return B(e, ZExt, B(e, Trunc, x, e->i32), e->i64);
    value y = value_at(e, s, o->b);
    switch (o->kind) {
    case BLOCK_ADD: return B(e, Add, x, y);
    case BLOCK_SUB: return B(e, Sub, x, y);
    case BLOCK_MUL: return B(e, Mul, x, y);
    case BLOCK_AND: return B(e, And, x, y);
    case BLOCK_OR: return B(e, Or, x, y);
    default: return shifted(e, o, x, y);
    }
}

static bool is_moved(const emitter *e, const block_op *o) {
    if (o->kind == BLOCK_PLACE) return o->a == 0;
    if (o->kind == BLOCK_FIXED) return false;
    const bool one = o->kind == BLOCK_SIGNED || o->kind == BLOCK_UNSIGNED;
    return e->moved_at[o->a] || (!one && e->moved_at[o->b]);
}

static block_step step_to(emitter *e, value x) {
    const code *c = e->p->code;
    block_step s = {LS_NEW_N(e->arena, value, c->block_ops.length + 1), B(e, ZExt, x, e->i64)};
    for (uint32_t k = 0; k < c->block_ops.length; k++) {
        const block_op *o = &c->block_ops.items[k];
        if (!e->moved_at[k + 1]) continue;
        value v = moved_value(e, &s, o);
        s.moved[k + 1] = o->width != 8 ? B(e, ZExt, B(e, Trunc, v, e->i32), e->i64) : v;
    }
    return s;
}

value jit_block_value(const emitter *e, uint32_t k) {
    if (e->block_start && e->moved_at[k]) return B(e, Load2, e->i64, e->moved_at[k]);
    return jit_field(e, e->block_values, (uint64_t)k * 8, e->i64);
}

/* What changes from block to block stands in places of the function, and in the emulator's state only where
 * that is looked at: stores would take up the room of those of the kernel. */
void jit_begin_blocks(emitter *e) {
    const code *c = e->p->code;
    LLVMBasicBlockRef several = jit_block(e);
    e->block_start = jit_block(e);
    e->place_at = jit_place(e, e->i32);
    e->more_at = jit_place(e, e->i32);
    e->turn_at = jit_place(e, e->i64);
    e->moved_at = LS_NEW_N(e->arena, value, c->block_ops.length + 1);
    for (uint32_t k = 0; k < c->block_ops.length; k++)
        if (is_moved(e, &c->block_ops.items[k])) e->moved_at[k + 1] = jit_place(e, e->i64);
    value block = jit_field(e, e->L->GetParam(e->function, 0), offsetof(warp, block), e->ptr);
    e->L->BuildStore(e->at, jit_field(e, block, offsetof(block_run, id), e->i32), e->place_at);
    e->L->BuildStore(e->at, jit_int(e, e->i32, 0), e->more_at);
    e->L->BuildStore(e->at, jit_int(e, e->i64, 0), e->turn_at);
    jit_branch(e, B(e, ICmp, LLVMIntNE, e->interval, e->L->ConstNull(e->ptr)), several, e->block_start);
    jit_go_on_at(e, several);
    e->L->BuildStore(e->at, of_interval(e, offsetof(interval, more), e->i32), e->more_at);
    e->L->BuildStore(e->at, of_interval(e, offsetof(interval, turn), e->i64), e->turn_at);
    e->L->BuildBr(e->at, e->block_start);
}

void jit_emit_block_start(emitter *e) {
    if (!e->block_start) return;
    jit_go_on_at(e, e->block_start);
    const block_step s = step_to(e, B(e, Load2, e->i32, e->place_at));
    for (uint32_t k = 0; k <= e->p->code->block_ops.length; k++)
        if (s.moved[k]) e->L->BuildStore(e->at, s.moved[k], e->moved_at[k]);
    jit_look_at_block(e);
    e->L->BuildBr(e->at, e->next_warp);
}

static void put_block_down(emitter *e, value next) {
    value arguments[] = {e->interval, next, B(e, Load2, e->i32, e->place_at),
                         B(e, Load2, e->i32, e->more_at)};
    jit_call_emulator(e, (uintptr_t)em_put_block_down, e->L->VoidTypeInContext(e->context), arguments, 4);
}

void jit_put_block_down(emitter *e) {
    if (e->block_start) put_block_down(e, e->warp);
}

/* As holds in block_values.c. */
static value holds(emitter *e, const sum_condition *c, value ranges, uint32_t k, value v) {
    const uint64_t at = k * sizeof(lane_range);
    value narrow = B(e, Trunc, v, e->i32), high = NULL;
    if (c->kind == SUM_DISJOINT) {
        value bits = jit_field(e, ranges, at + offsetof(lane_range, bits), e->i64);
        return B(e, ICmp, LLVMIntEQ, B(e, And, bits, v), jit_int(e, e->i64, 0));
    }
    high = jit_field(e, ranges, at + offsetof(lane_range, high), e->i64);
    if (c->kind == SUM_UNSIGNED)
        return B(e, ICmp, LLVMIntULE, B(e, Add, high, B(e, ZExt, narrow, e->i64)),
                 jit_int(e, e->i64, UINT32_MAX));
    value low = jit_field(e, ranges, at + offsetof(lane_range, low), e->i64);
    v = B(e, SExt, narrow, e->i64);
    value least = B(e, ICmp, LLVMIntSGE, B(e, Add, low, v), jit_int(e, e->i64, (uint64_t)INT32_MIN));
    value most = B(e, ICmp, LLVMIntSLE, B(e, Add, high, v), jit_int(e, e->i64, INT32_MAX));
    return B(e, And, least, most);
}

static value may_follow(emitter *e, const block_step *s, value more) {
    const code *c = e->p->code;
    value good = B(e, ICmp, LLVMIntNE, more, jit_int(e, e->i32, 0));
    value block = jit_field(e, e->warp, offsetof(warp, block), e->ptr);
    value ranges = jit_field(e, block, offsetof(block_run, ranges), e->ptr);
    for (uint32_t k = 0; k < c->conditions.length; k++) {
        const sum_condition *x = &c->conditions.items[k];
        if (s->moved[x->value]) good = B(e, And, good, holds(e, x, ranges, k, s->moved[x->value]));
    }
    value machine_at = jit_field(e, e->warp, offsetof(warp, machine), e->ptr);
    value stop = jit_field(e, machine_at, offsetof(machine, stop), e->i32);
    return B(e, And, good, B(e, ICmp, LLVMIntEQ, stop, jit_int(e, e->i32, 0)));
}

/* All warps have ended: the same again for the block beside this one, where that may follow. */
static void go_to_next_block(emitter *e, value behind) {
    LLVMBasicBlockRef on = jit_block(e), off = jit_block(e);
    value more = B(e, Load2, e->i32, e->more_at), one = jit_int(e, e->i32, 1);
    value x = B(e, Add, B(e, Load2, e->i32, e->place_at), one);
    const block_step s = step_to(e, x);
    jit_branch(e, may_follow(e, &s, more), on, off);
    jit_go_on_at(e, off);
    put_block_down(e, behind);
    e->L->BuildRet(e->at, jit_int(e, e->i32, 0));
    jit_go_on_at(e, on);
    e->L->BuildStore(e->at, x, e->place_at);
    e->L->BuildStore(e->at, B(e, Sub, more, one), e->more_at);
    e->L->BuildStore(e->at, jit_int(e, e->i64, 0), e->turn_at);
    e->L->BuildStore(e->at, of_interval(e, offsetof(interval, warps), e->ptr), e->warp_at);
    e->L->BuildBr(e->at, e->block_start);
}

/* Of a kernel without barriers: nothing else can have come before. */
static void end_alone(emitter *e) {
    LLVMBasicBlockRef last = jit_block(e);
    value next = jit_at(e, e->warp, sizeof(warp)), turn = B(e, Load2, e->i64, e->turn_at);
    e->L->BuildStore(e->at, next, e->warp_at);
    e->L->BuildStore(e->at, B(e, Add, turn, jit_int(e, e->i64, 1)), e->turn_at);
    value behind = of_interval(e, offsetof(interval, behind), e->ptr);
    e->L->BuildCondBr(e->at, B(e, ICmp, LLVMIntEQ, next, behind), last, e->next_warp);
    jit_go_on_at(e, last);
    go_to_next_block(e, behind);
}

static void come_to_end(emitter *e, uint32_t k) {
    value exit = jit_int(e, e->i32, jit_exit_in_front(e, k));
    leave_without_interval(e, exit);
    if (e->p->of->alone) {
        end_alone(e);
        return;
    }
    value ended = of_interval(e, offsetof(interval, ended), e->i32);
    check_arrival(e, B(e, ICmp, LLVMIntNE, ended, jit_int(e, e->i32, 0)), exit);
    to_interval(e, offsetof(interval, ended), jit_int(e, e->i32, 1));
    to_interval(e, offsetof(interval, end), jit_insn_at(e, k));
    go_to_next_warp(e, NO_SLOT);
    e->L->BuildRet(e->at, jit_int(e, e->i32, 0));
}

/* A whole warp has reached a barrier of all, or, where `behind` is NULL, the kernel's end. */
static void end_interval(emitter *e, uint32_t k, const basic_block *behind) {
    for (uint32_t r = 0; r < e->p->rows.length; r++) {
        if (!ls_bitset_has(e->live, r)) continue;
        if (behind && jit_is_kept(e->p, behind, r))
            jit_first_to_frame(e, r);
        else
            jit_to_frame(e, r);
    }
    if (behind)
        come_to_barrier(e, k);
    else
        come_to_end(e, k);
}

void jit_emit_stop(emitter *e, uint32_t k) {
    const basic_block *behind = e->masked ? NULL : jit_behind_barrier(e->p, k);
    const bool ends = !e->masked && e->p->insns[k].guard == NO_SLOT &&
                      em_interpreted(e->p->of, &e->p->insns[k]) == em_exec_exit;
    if (behind || ends)
        end_interval(e, k, behind);
    else
        jit_leave(e, k);
}
#endif
