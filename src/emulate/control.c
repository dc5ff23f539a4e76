/* Control flow of a warp: paths of divergent lanes form a tree. A branch on which the lanes disagree makes
 * the running path wait at the branch's immediate post-dominator and run its two sides as children; a child
 * that gets there hands its lanes to the parent. All leaves are runnable at any time, not only the newest one
 * as in a reconvergence stack: a path that spins (waits for a lock that a sibling holds) is put aside after a
 * while, which gives the forward progress of independent thread scheduling. Calls are paths, too: the child
 * runs the callee in a frame of its own and reconverges at the callee's exit. */
#include "base/recover.h"
#include "emulate/compiled.h"
#include "emulate/machine.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    BRANCH_BUDGET = 20000,
    LOOK = 128,
    CALL_BYTES = 16, /* that a call takes of the stack at least: the way back, saved registers */
};

/* --- Paths --- */
static uint32_t new_path(warp *w, path p) {
    uint32_t index = w->path_free;
    if (index != NO_SLOT) {
        w->path_free = w->paths[index].parent;
    } else {
        if (w->path_count == w->path_capacity) {
            w->path_capacity *= 2;
            w->paths = ls_xrealloc(w->paths, w->path_capacity * sizeof *w->paths);
        }
        index = w->path_count++;
    }
    w->paths[index] = p;
    return index;
}

static void free_path(warp *w, uint32_t index) {
    w->paths[index].state = PATH_FREE;
    w->paths[index].parent = w->path_free;
    w->path_free = index;
}

static void suspend(warp *w, const insn *pc) {
    path *p = &w->paths[w->current];
    p->pc = w->guarded ? w->guarded : pc;
    p->mask = w->guarded ? w->outer : w->mask;
    w->guarded = NULL;
}

static const insn *resume(warp *w, uint32_t index) {
    path *p = &w->paths[index];
    w->current = index;
    w->mask = p->mask;
    w->regs = p->regs;
    w->code = p->code;
    w->local_base = p->local_base;
    return p->pc;
}

/* The next path that can run, after the current one; NULL where there is none. */
static const insn *next_path(warp *w) {
    uint32_t index = w->current;
    for (uint32_t k = 0; k < w->path_count; k++) {
        if (++index >= w->path_count) index = 0;
        if (w->paths[index].state == PATH_READY) return resume(w, index);
    }
    w->state = w->live ? WARP_BLOCKED : WARP_DONE;
    return NULL;
}

/* A path that can run and reconverges where the one that just ended did: the other side of its branch goes
 * first, as on a reconvergence stack, so that the lanes meet soon. */
static const insn *next_sibling(warp *w, uint32_t parent) {
    for (uint32_t index = 0; index < w->path_count; index++)
        if (w->paths[index].state == PATH_READY && w->paths[index].parent == parent) return resume(w, index);
    return next_path(w);
}

const insn *em_block_path(warp *w, const insn *pc, path_state state) {
    suspend(w, pc);
    w->paths[w->current].state = (uint8_t)state;
    return next_path(w);
}

/* --- Results of calls --- */
static char *frame_memory(const warp *w, uint32_t lane, uint32_t offset) {
    return w->local + (size_t)lane * w->machine->local_size + offset;
}

static void copy_results(warp *w, const path *parent, const path *child, uint64_t lanes) {
    const call_info *call = parent->wait_at->extra;
    for (uint32_t k = 0; k < call->result_count && k < child->code->function->return_count; k++) {
        const call_value *to = &call->results[k];
        const frame_object *from = &child->code->returns[k];
        FOR_LANES(l, lanes) {
            uint64_t value = 0;
            uint32_t size = from->size < to->size || !to->size ? from->size : to->size;
            char *target =
                to->in_memory ? frame_memory(w, l, parent->local_base + to->frame_offset) : (char *)&value;
            if (!to->in_memory && size > 8) size = 8;
            if (from->offset != NO_SLOT) {
                memcpy(target, frame_memory(w, l, child->local_base + from->offset), size);
            } else if (from->reg.slot != NO_SLOT) {
                char *saved = w->regs;
                w->regs = child->regs;
                uint64_t v = read_lane(w, from->reg, l);
                w->regs = saved;
                memcpy(target, &v, size < 8 ? size : 8);
            }
            if (!to->in_memory) {
                char *saved = w->regs;
                w->regs = parent->regs;
                write_lane(w, to->reg, l, value);
                w->regs = saved;
            }
        }
    }
}

/* Hands lanes of the current path to its parent. */
static void arrive(warp *w, uint64_t lanes) {
    path *child = &w->paths[w->current], *parent = &w->paths[child->parent];
    if (parent->callee_regs && parent->callee_regs == child->regs) copy_results(w, parent, child, lanes);
    parent->mask |= lanes;
}

/* The current path has no lanes left: drops it, and parents that nobody arrived at. */
static const insn *drop_path(warp *w) {
    uint32_t index = w->current;
    for (;;) {
        uint32_t up = w->paths[index].parent;
        free_path(w, index);
        if (up == NO_SLOT) return next_path(w);
        path *parent = &w->paths[up];
        if (--parent->children) return next_sibling(w, up);
        if (parent->callee_regs) {
            em_give_frame(w->worker, parent->callee_regs);
            parent->callee_regs = NULL;
        }
        if (parent->mask) {
            parent->state = PATH_READY;
            return resume(w, up);
        }
        index = up;
        w->current = up;
    }
}

const insn *em_exec_reconverge(warp *w, const insn *i) {
    if (w->paths[w->current].reconverge != i) return i + 1;
    arrive(w, w->mask);
    return drop_path(w);
}

/* --- Branches --- */
static bool stopped(warp *w) {
    machine *m = w->machine;
    if (m->cancel && *m->cancel) atomic_store(&m->stop, 1);
    if (ls_deadline_passed(&w->worker->deadline)) atomic_store(&m->stop, 1);
    return atomic_load_explicit(&m->stop, memory_order_relaxed) != 0;
}

/* The lanes that have reached a parent's reconvergence point go on from there. They meet the others again at
 * the next point out. */
static bool split_parent(warp *w, uint32_t index) {
    path ahead = w->paths[index];
    if (!ahead.mask || ahead.state != PATH_PARENT) return false;
    w->strayed = true;
    w->paths[index].mask = 0;
    ahead.state = PATH_READY;
    ahead.children = 0;
    ahead.callee_regs = NULL;
    if (ahead.parent != NO_SLOT) w->paths[ahead.parent].children++;
    new_path(w, ahead);
    return true;
}

/* Lanes that wait for the current path, which spins: they may hold what it waits for. */
static void let_ahead_of_current(warp *w) {
    for (uint32_t up = w->paths[w->current].parent; up != NO_SLOT; up = w->paths[up].parent)
        split_parent(w, up);
}

/* Lanes that wait for paths which wait at a barrier: the barrier may be waiting for them. */
bool em_let_ahead(warp *w) {
    bool any = false;
    uint32_t count = w->path_count;
    for (uint32_t k = 0; k < count; k++) any |= split_parent(w, k);
    if (any) w->state = WARP_READY;
    return any;
}

/* After many backward branches another path, or another warp, has its turn. */
static const insn *take_turns(warp *w, const insn *to) {
    w->budget = BRANCH_BUDGET;
    em_compile_block(w->block);
    suspend(w, to);
    if (stopped(w) || w->machine->options.stack_order) return NULL;
    if (w->strong) let_ahead_of_current(w);
    w->spun = w->strong;
    w->strong = 0;
    for (uint32_t k = 1; k < w->path_count; k++) {
        uint32_t index = (w->current + k) % w->path_count;
        if (w->paths[index].state != PATH_READY) continue;
        if (index > w->current) return resume(w, index);
        resume(w, index); /* all have had their turn: let other warps run */
        break;
    }
    return NULL;
}

const insn *em_exec_yield(warp *w, const insn *i) {
    if (w->guarded) return i + 1;
    w->strong++;
    return take_turns(w, i + 1);
}

static inline const insn *go(warp *w, const insn *to, bool backward) {
    if (!backward) return to;
    if (!--w->budget) return take_turns(w, to);
    /* In between only a look at the clock: what is in the loop may take long. */
    return w->budget % LOOK == 0 && stopped(w) ? take_turns(w, to) : to;
}

/* `lanes` go to `target`, the others to `other`; all meet at `r`. */
static const insn *diverge(warp *w, uint64_t lanes, const insn *target, const insn *other, const insn *r) {
    uint64_t rest = w->mask & ~lanes;
    path *p = &w->paths[w->current];
    if (p->reconverge != r) { /* a new region: this path waits at its end */
        path child = *p;
        p->pc = r;
        p->mask = 0;
        p->state = PATH_PARENT;
        p->children = 1;
        p->callee_regs = NULL;
        child.parent = w->current;
        child.reconverge = r;
        child.children = 0;
        child.state = PATH_READY;
        child.callee_regs = NULL;
        w->current = new_path(w, child);
    }
    if (target == r || other == r) {
        uint64_t gone = target == r ? lanes : rest;
        arrive(w, gone);
        w->mask &= ~gone;
        w->paths[w->current].mask = w->mask;
        return target == r ? other : target;
    }
    path sibling = w->paths[w->current];
    sibling.pc = other;
    sibling.mask = rest;
    w->paths[sibling.parent].children++;
    new_path(w, sibling);
    w->mask = lanes;
    w->paths[w->current].mask = lanes;
    return target;
}

const insn *em_exec_branch(warp *w, const insn *i) {
    const branch_info *b = i->extra;
    uint64_t taken = guard_mask(w, i);
    if (taken == w->mask) return go(w, b->target, b->backward);
    if (!taken) return go(w, b->other, b->other <= i);
    w->worker->branches[i->site].divergent++;
    const insn *to = diverge(w, taken, b->target, b->other, b->reconverge);
    return go(w, to, to <= i);
}

const insn *em_exec_jump(warp *w, const insn *i) {
    const branch_info *b = i->extra;
    return go(w, b->target, b->backward);
}

const insn *em_exec_switch(warp *w, const insn *i) {
    const switch_info *s = i->extra;
    const uint32_t *index = slot32(w, s->index.slot);
    for (;;) {
        uint32_t k = index[first_lane(w->mask)];
        if (k >= s->count || !s->targets[k])
            return em_stop(w, i, LS_EMU_TRAPPED, "brx.idx: index %u is outside of its %u targets", k,
                           s->count);
        uint64_t same = 0;
        FOR_LANES(l, w->mask) same |= (uint64_t)(index[l] == k) << l;
        if (same == w->mask) return go(w, s->targets[k], s->targets[k] <= i);
        /* the others come back to this instruction */
        const insn *to = diverge(w, same, s->targets[k], i, s->reconverge);
        if (to != i) return go(w, to, to <= i);
    }
}

const insn *em_exec_return(warp *w, const insn *i) {
    const branch_info *b = i->extra;
    uint64_t lanes = guard_mask(w, i);
    if (lanes == w->mask) return b->target;
    if (!lanes) return i + 1;
    return diverge(w, lanes, b->target, b->other, b->reconverge);
}

const insn *em_exec_exit(warp *w, const insn *i) {
    uint64_t lanes = guard_mask(w, i);
    if (!lanes) return i + 1;
    w->live &= ~lanes;
    w->block->live_threads -= lane_count(lanes);
    w->mask &= ~lanes;
    for (uint32_t k = 0; k < w->path_count; k++) /* who waits for these lanes looks again */
        if (w->paths[k].state == PATH_WAITS) w->paths[k].state = PATH_READY;
    const insn *next = i + 1;
    if (!w->mask) {
        next = drop_path(w);
        if (!w->live) w->state = WARP_DONE;
    } else {
        w->paths[w->current].mask = w->mask;
    }
    if (w->block->open_barriers) em_barrier_check(w->block);
    if (!next && w->state == WARP_READY && w->live) next = next_path(w);
    return next;
}

/* --- Guards and scalar instructions --- */
const insn *em_exec_guard(warp *w, const insn *i) {
    uint64_t outer = w->mask, inner = guard_mask(w, i);
    const insn *end = i + 1 + i->imm;
    if (!inner) return end;
    w->outer = outer;
    w->guarded = i;
    w->mask = inner;
    const insn *at = i + 1;
    for (; at != end; at++) {
        const insn *next = at->fn(w, at);
        if (next == at + 1 && w->guarded) continue;
        if (!w->guarded) return next; /* the path was put aside; it comes back to the guard */
        w->guarded = NULL;
        return next;
    }
    w->guarded = NULL;
    w->mask = outer;
    return end;
}

const insn *em_exec_scalar(warp *w, const insn *i) {
    const alu *x = i->extra;
    FOR_LANES(l, w->mask) {
        uint64_t s[LS_ISA_SOURCES] = {0}, more[LS_ISA_MORE] = {0};
        for (uint32_t k = 0; k < x->src_count; k++) s[k] = read_lane(w, x->src[k], l);
        uint64_t r = x->of.fn(&x->of, s, more);
        write_lane(w, x->dst[0], l, r);
        if (x->dst_count > 1) write_lane(w, x->dst[1], l, more[0]);
    }
    return i + 1;
}

const insn *em_exec_pack(warp *w, const insn *i) {
    const pack_info *p = i->extra;
    uint64_t ones = (UINT64_C(1) << p->bits) - 1;
    FOR_LANES(l, w->mask) {
        uint64_t whole = p->pack ? 0 : read_lane(w, p->whole, l);
        for (uint32_t k = 0; k < p->parts; k++) {
            if (p->pack)
                whole |= (read_lane(w, p->part[k], l) & ones) << (k * p->bits);
            else
                write_lane(w, p->part[k], l, whole >> (k * p->bits) & ones);
        }
        if (p->pack) write_lane(w, p->whole, l, whole);
    }
    return i + 1;
}

const insn *em_exec_nop(warp *w, const insn *i) {
    (void)w;
    return i + 1;
}

const insn *em_exec_loop(warp *w, const insn *i) {
    uint64_t *counts = w->loop_counts + (size_t)i->imm * MAX_LANES;
    FOR_LANES(l, w->mask) counts[l]++;
    return i + 1;
}

const insn *em_exec_tail(warp *w, const insn *i) {
    FOR_LANES(k, (uint64_t)i->imm) w->tails[k] |= w->mask;
    return i + 1;
}

/* The clock goes on when it is read. A warp that reads it again and again waits for a time to come, which may
 * be millions of cycles away: it goes on faster and faster then. */
static uint64_t read_clock(warp *w) {
    enum { STEP = 4, SLOW_READS = 8, LARGEST = 1 << 20 };
    worker *k = w->worker;
    k->clock_reads = k->clock_reader == w ? k->clock_reads + 1 : 0;
    k->clock_reader = w;
    uint64_t doublings = k->clock_reads > SLOW_READS ? k->clock_reads - SLOW_READS : 0;
    return k->clock += doublings > 18 ? LARGEST : (uint64_t)STEP << doublings;
}

const insn *em_exec_sreg(warp *w, const insn *i) {
    uint64_t value = 0;
    struct timespec now;
    switch (i->a) {
    case LS_SREG_CLOCK:
    case LS_SREG_CLOCK64: value = read_clock(w); break;
    case LS_SREG_CLOCK_HI: value = read_clock(w) >> 32; break;
    case LS_SREG_GLOBALTIMER:
    case LS_SREG_GLOBALTIMER_LO:
    case LS_SREG_GLOBALTIMER_HI:
        clock_gettime(CLOCK_REALTIME, &now);
        value = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        if (i->a == LS_SREG_GLOBALTIMER_HI) value >>= 32;
        break;
    case LS_SREG_SMID: value = w->worker->index; break;
    default: break; /* performance counters read as 0 */
    }
    FOR_LANES(l, w->mask) write_lane(w, (operand){i->d, i->aux}, l, value);
    return i + 1;
}

const insn *em_exec_trap(warp *w, const insn *i) {
    return em_stop(w, i, LS_EMU_TRAPPED, "trap");
}

const insn *em_exec_unsupported(warp *w, const insn *i) {
    const ls_ptx_instr *ast = w->machine->emulator->sites.items[i->site].ast;
    return em_stop(w, i, LS_EMU_UNSUPPORTED, "'%s' is not modelled: %s", ast ? ast->form->text : "?",
                   (const char *)i->extra);
}

const insn *em_stop(warp *w, const insn *i, ls_emu_status status, const char *format, ...) {
    machine *m = w->machine;
    ls_lock(&m->lock);
    if (!atomic_exchange(&m->stop, 1)) {
        char text[512];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        m->status = status;
        m->message = ls_arena_strdup(&m->arena, text);
        const site *s = &m->emulator->sites.items[i->site];
        m->stop_pos = s->pos;
    }
    ls_unlock(&m->lock);
    w->state = WARP_BLOCKED;
    return NULL;
}

/* --- Calls --- */
static const code *callee_of(warp *w, const call_info *call, uint64_t *lanes) {
    if (call->callee) return call->callee;
    const uint64_t *targets = slot64(w, call->target);
    uint64_t address = targets[first_lane(*lanes)], same = 0;
    FOR_LANES(l, *lanes) same |= (uint64_t)(targets[l] == address) << l;
    *lanes = same;
    const ls_emulator *e = w->machine->emulator;
    uint64_t number = (address - WINDOW_CODE) / 16;
    if ((address & WINDOW_MASK) != WINDOW_CODE || number >= e->module->function_count) return NULL;
    uint64_t k;
    const ls_ptx_function *f = e->module->functions[number];
    return ls_intmap_get(&e->code_of, (uintptr_t)f, &k) ? e->codes.items[k] : NULL;
}

static void pass_arguments(warp *w, const call_info *call, const code *callee, char *regs, uint32_t base,
                           uint64_t lanes) {
    for (uint32_t k = 0; k < call->arg_count && k < callee->function->param_count; k++) {
        const call_value *from = &call->args[k];
        const frame_object *to = &callee->params[k];
        uint32_t size = from->size < to->size ? from->size : to->size;
        FOR_LANES(l, lanes) {
            uint64_t value = from->in_memory ? 0 : read_lane(w, from->reg, l);
            const char *source = from->in_memory ? frame_memory(w, l, w->local_base + from->frame_offset)
                                                 : (const char *)&value;
            if (!from->in_memory && size > 8) size = 8;
            if (to->offset != NO_SLOT) {
                memcpy(frame_memory(w, l, base + to->offset), source, size);
            } else if (to->reg.slot != NO_SLOT) {
                if (from->in_memory) memcpy(&value, source, size < 8 ? size : 8);
                char *saved = w->regs;
                w->regs = regs;
                write_lane(w, to->reg, l, value);
                w->regs = saved;
            }
        }
    }
}

const insn *em_exec_call(warp *w, const insn *i) {
    const call_info *call = i->extra;
    uint64_t lanes = guard_mask(w, i), all = w->mask;
    if (!lanes) return i + 1;
    if (call->builtin) return em_exec_builtin(w, i, call, lanes);
    uint64_t called = lanes;
    const code *callee = callee_of(w, call, &called);
    if (!callee || callee->is_kernel)
        return em_stop(w, i, LS_EMU_TRAPPED, "call of %s, which is not a function of this module",
                       call->name);
    if (!callee->decoded)
        return em_stop(w, i, LS_EMU_UNSUPPORTED, "call of %s: '%s' is external or cannot be decoded",
                       call->name, callee->function->symbol->name);
    uint32_t used = w->code->local_bytes, base = w->local_base + (used < CALL_BYTES ? CALL_BYTES : used);
    if ((uint64_t)base + callee->local_bytes > w->machine->local_size || w->path_count > 100000)
        return em_stop(w, i, LS_EMU_TRAPPED, "stack overflow in the call of %s", call->name);
    char *regs = em_take_frame(w->worker, callee->frame_bytes + FRAME_SLACK);
    if (!regs) return em_stop(w, i, LS_EMU_TRAPPED, "out of memory in the call of %s", call->name);
    em_fill_frame(w, callee, regs, base);
    em_enter_frame(w, callee, base, called);
    pass_arguments(w, call, callee, regs, base, called);
    path *p = &w->paths[w->current];
    path child = *p, rest = *p;
    p->pc = i + 1;
    p->mask = all & ~lanes; /* those that do not call are there already */
    p->state = PATH_PARENT;
    p->children = 1;
    p->wait_at = i;
    p->callee_regs = regs;
    uint32_t caller = w->current;
    child.parent = caller;
    child.reconverge = callee->exit;
    child.regs = regs;
    child.code = callee;
    child.local_base = base;
    child.mask = called;
    child.pc = callee->entry;
    if (called != lanes) { /* an indirect call of several functions: the others execute it again */
        p->children = 2;
        rest.parent = caller;
        rest.reconverge = i + 1;
        rest.mask = lanes & ~called;
        rest.pc = i;
        new_path(w, rest);
    }
    /* A call counts like a way back: code without loops has turns and a time limit, too. */
    const insn *to = resume(w, new_path(w, child));
    uint32_t cost = 1 + callee->frame_bytes / 256;
    w->budget = w->budget > cost ? w->budget - cost + 1 : 1;
    return go(w, to, true);
}

/* --- Running --- */
void em_warp_prepare(warp *w) {
    const code *c = w->machine->kernel;
    em_fill_frame(w, c, w->frame, 0);
    w->compiled = COMPILED_UNKNOWN;
    w->regs = w->frame;
    w->mask = w->full;
    for (uint32_t k = 0; k < c->before_count; k++) c->before[k].fn(w, &c->before[k]);
}

void em_warp_turns_again(warp *w) {
    w->budget = BRANCH_BUDGET;
    w->strong = 0;
    w->warp_epoch = w->warp_full = 0;
    w->tick = 0;
    w->ticks = false;
}

void em_warp_again(warp *w) {
    const code *c = w->machine->kernel;
    if (c->block_sregs.length) em_fill_block_sregs(w, c, w->frame);
    for (uint32_t k = 0; k < c->written.length; k++)
        *(uint64_t *)(void *)(w->frame + c->written.items[k]) = 0;
    if (w->block->undefined || w->block->gaps) em_enter_frame(w, c, 0, w->full);
    if (w->loop_counts) memset(w->loop_counts, 0, sizeof(uint64_t) * c->counted_loops * MAX_LANES);
    if (c->tail_count) memset(w->tails, 0, c->tail_count * sizeof *w->tails);
    em_warp_turns_again(w);
}

void em_warp_start(warp *w) {
    w->waited = false;
    const code *c = w->machine->kernel;
    em_warp_again(w);
    w->path_count = 1;
    w->path_free = NO_SLOT;
    path *root = &w->paths[0];
    root->pc = w->block->affine ? c->affine_entry : c->entry;
    root->reconverge = NULL;
    root->mask = w->full;
    root->parent = NO_SLOT;
    root->children = 0;
    root->state = PATH_READY;
    root->regs = w->frame;
    root->code = c;
    root->local_base = 0;
    root->callee_regs = NULL;
    w->current = 0;
    w->live = w->full;
    w->state = WARP_READY;
    w->guarded = NULL;
    w->strayed = false;
    w->sure = false;
    resume(w, 0);
}

static const insn *run_counting(warp *w, const insn *i) {
    worker *k = w->worker;
    while (i) {
        k->counts[i->site]++;
        k->lanes[i->site] += lane_count(w->mask);
        i = i->fn(w, i);
    }
    return NULL;
}

static void run_limited(warp *w, const insn *i) {
    worker *k = w->worker;
    while (i && k->instructions_left) {
        k->instructions_left--;
        i = i->fn(w, i);
    }
    if (!i) return;
    suspend(w, i);
    atomic_store(&w->machine->stop, 1);
}

bool em_warp_run(warp *w) {
    path *p = &w->paths[w->current];
    const insn *i = p->state == PATH_READY ? resume(w, w->current) : next_path(w);
    if (!i) return false;
    w->state = WARP_READY;
    if (w->worker->counts)
        run_counting(w, i);
    else if (w->machine->options.most_instructions)
        run_limited(w, i);
    else
        while (i) i = i->fn(w, i);
    return true;
}
