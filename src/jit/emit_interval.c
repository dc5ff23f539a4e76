/* The end of an interval (emulate/compiled.h): a whole warp has come to a barrier of all warps, or to the
 * kernel's end. Compiled code goes on with the next warp, and, where all have come, behind the barrier. */
#ifdef LS_HAVE_JIT
#include "jit/emit.h"

static value of_interval(const emitter *e, size_t offset, LLVMTypeRef type) {
    return jit_field(e, e->interval, offset, type);
}

static void to_interval(const emitter *e, size_t offset, value x) {
    e->L->SetMetadata(e->L->BuildStore(e->at, x, jit_at(e, e->interval, offset)), e->tbaa, e->state_tag);
}

static void go_to_next_warp(emitter *e) {
    value next = jit_at(e, e->warp, sizeof(warp));
    value behind = B(e, ICmp, LLVMIntEQ, next, of_interval(e, offsetof(interval, behind), e->ptr));
    e->L->BuildStore(e->at, B(e, Select, behind, of_interval(e, offsetof(interval, warps), e->ptr), next),
                     e->warp_at);
    e->L->BuildBr(e->at, e->next_warp);
}

/* All have come: the last one goes on as the first. */
static void go_on_behind(emitter *e, uint32_t k) {
    LLVMBasicBlockRef on = jit_block(e), off = jit_block(e);
    value go = jit_call_emulator(e, (uintptr_t)em_interval_over, e->i8, &e->interval, 1);
    e->L->BuildCondBr(e->at, B(e, ICmp, LLVMIntNE, go, jit_int(e, e->i8, 0)), on, off);
    jit_go_on_at(e, off);
    e->L->BuildRet(e->at, jit_int(e, e->i32, 0));
    jit_go_on_at(e, on);
    e->L->BuildStore(e->at, jit_int(e, e->i32, e->p->of->head_of[k + 1] - 1), e->head_at);
    e->L->BuildBr(e->at, e->next_warp);
}

/* As check_divergence of barrier.c: where loops are counted, each one that comes is compared with the first.
 */
static void note_arrival(emitter *e, uint32_t k) {
    const barrier_info *x = e->p->insns[k].extra;
    if (!(e->p->checks & LS_CHECK_BARRIER) || !x->loop_count) return;
    value arguments[] = {e->warp, jit_insn_at(e, k),
                         jit_int(e, e->i32, e->p->rows.items[jit_row(e->p, x->id.slot)].bits)};
    jit_call_emulator(e, (uintptr_t)em_barrier_came, e->L->VoidTypeInContext(e->context), arguments, 3);
}

/* A whole warp has come to a barrier of all, or, where `behind` is NULL, to the kernel's end. */
static void end_interval(emitter *e, uint32_t k, const basic_block *behind) {
    for (uint32_t r = 0; r < e->p->rows.length; r++) {
        if (!ls_bitset_has(e->live, r)) continue;
        if (behind && jit_is_kept(e->p, behind, r))
            jit_first_to_frame(e, r);
        else
            jit_to_frame(e, r);
    }
    LLVMBasicBlockRef alone = jit_block(e), several = jit_block(e), good = jit_block(e), last = jit_block(e),
                      more = jit_block(e);
    e->L->BuildCondBr(e->at, B(e, ICmp, LLVMIntEQ, e->interval, e->L->ConstNull(e->ptr)), alone, several);
    jit_go_on_at(e, alone);
    jit_leave_in_front(e, k);
    jit_go_on_at(e, several);
    value left = of_interval(e, offsetof(interval, left), e->i32);
    value first = B(e, ICmp, LLVMIntEQ, left, of_interval(e, offsetof(interval, count), e->i32));
    value same =
        behind
            ? B(e, ICmp, LLVMIntEQ, of_interval(e, offsetof(interval, end), e->ptr), jit_insn_at(e, k))
            : B(e, ICmp, LLVMIntNE, of_interval(e, offsetof(interval, ended), e->i32), jit_int(e, e->i32, 0));
    e->L->BuildCondBr(e->at, B(e, Or, first, same), good, alone);
    jit_go_on_at(e, good);
    if (behind) note_arrival(e, k);
    if (!behind) to_interval(e, offsetof(interval, ended), jit_int(e, e->i32, 1));
    left = B(e, Sub, left, jit_int(e, e->i32, 1));
    to_interval(e, offsetof(interval, end), jit_insn_at(e, k));
    to_interval(e, offsetof(interval, left), left);
    e->L->BuildCondBr(e->at, B(e, ICmp, LLVMIntEQ, left, jit_int(e, e->i32, 0)), last, more);
    jit_go_on_at(e, more);
    go_to_next_warp(e);
    jit_go_on_at(e, last);
    if (behind)
        go_on_behind(e, k);
    else
        e->L->BuildRet(e->at, jit_int(e, e->i32, 0));
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
