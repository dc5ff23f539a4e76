/* The two halves of a cluster's barrier, barrier.cluster.arrive and .wait, which need not stand together.
 * What one thread does is before what another one does where the first comes before an arrival whose wait the
 * other one has passed: so the wait stands for both halves, for everything but what lies between the two. Of
 * that, nothing is ordered by this barrier, neither with what others do before nor with what they do behind
 * it.
 *
 * A wait belongs to an arrival that every way to it passes, and from which every way leads to it, with no
 * other half on these ways. An arrival that is relaxed orders what a fence in front of it has released. */
#include "verify/execute/cluster_halves.h"
#include "base/recover.h"
#include "isa/order.h"

enum { MOST_BLOCKS = 64 /* between two halves */ };

typedef struct {
    const ls_ir_instr *arrival, *wait;
    const ls_ir_block *blocks[MOST_BLOCKS]; /* on the ways from the one to the other, without theirs */
    uint32_t count;
} span;

static uint32_t index_of(const ls_ir_instr *i) {
    uint32_t k = 0;
    while (i->block->instrs[k] != i) k++;
    return k;
}

static bool has_effect(const ls_ir_instr *i) {
    return i->call || i->unknown || i->access_count || i->form->opcode->effects;
}

/* The next instruction before it in its block that is more than arithmetic; NULL: none. */
static const ls_ir_instr *before(const ls_ir_instr *i) {
    const ls_ir_instr *last = NULL;
    for (uint32_t k = 0; i->block->instrs[k] != i; k++)
        if (has_effect(i->block->instrs[k])) last = i->block->instrs[k];
    return last;
}

static bool is_any_half(const ls_ir_instr *i) {
    return !i->call && !i->unknown &&
           (i->form->opcode->barrier == LS_BARRIER_CLUSTER_ARRIVE ||
            i->form->opcode->barrier == LS_BARRIER_CLUSTER_WAIT);
}

/* A fence that releases, for the cluster at least, what its thread has done. */
static bool is_release(const ls_ir_instr *i) {
    if (!i || i->call || i->unknown || i->form->opcode->fence != LS_FENCE_THREADS ||
        i->guard.kind != LS_IR_ABSENT)
        return false;
    const ls_order order = ls_order_of(i->form);
    return order.releases && order.scope >= LS_REACH_CLUSTER;
}

static bool is_half(const ls_ir_instr *i, uint8_t kind) {
    if (!is_any_half(i) || i->form->opcode->barrier != kind || i->guard.kind != LS_IR_ABSENT) return false;
    return !strstr(i->form->text, ".relaxed") || (kind == LS_BARRIER_CLUSTER_ARRIVE && is_release(before(i)));
}

/* The last half in the block before an instruction of it, or before its end. */
static const ls_ir_instr *last_half(const ls_ir_block *b, const ls_ir_instr *end) {
    const ls_ir_instr *last = NULL;
    for (uint32_t k = 0; k < b->instr_count && b->instrs[k] != end; k++)
        if (is_any_half(b->instrs[k])) last = b->instrs[k];
    return last;
}

/* The blocks on the ways from the arrival to the wait; false: another half is on them, or there are too many.
 */
static bool find_ways(span *s) {
    const ls_ir_block *from = s->arrival->block, *to = s->wait->block;
    if (from == to) return true;
    for (uint32_t next = 0; next <= s->count; next++) {
        const ls_ir_block *b = next ? s->blocks[next - 1] : from;
        for (uint32_t k = 0; k < b->succ_count; k++) {
            const ls_ir_block *succ = b->succs[k];
            bool known = succ == to;
            for (uint32_t n = 0; n < s->count; n++) known |= s->blocks[n] == succ;
            if (known) continue;
            if (succ == from || s->count == MOST_BLOCKS || last_half(succ, NULL)) return false;
            s->blocks[s->count++] = succ;
        }
    }
    return true;
}

static bool find_span(const ls_ir_instr *wait, span *s) {
    *s = (span){.wait = wait};
    if (!is_half(wait, LS_BARRIER_CLUSTER_WAIT)) return false;
    const ls_ir_instr *last = last_half(wait->block, wait);
    for (const ls_ir_block *b = wait->block->idom; b && !last; b = b->idom) last = last_half(b, NULL);
    if (!last || !is_half(last, LS_BARRIER_CLUSTER_ARRIVE)) return false;
    const ls_ir_block *from = last->block, *to = wait->block;
    if (from != to && (!ls_ir_postdominates(to, from) || from->loop != to->loop)) return false;
    if (from != to && last_half(to, wait)) return false;
    s->arrival = last;
    return find_ways(s);
}

bool ls_is_cluster_barrier(const ls_ir_instr *wait) {
    span s;
    return find_span(wait, &s);
}

bool ls_is_cluster_arrival(const ls_ir_instr *arrival) {
    if (!is_half(arrival, LS_BARRIER_CLUSTER_ARRIVE)) return false;
    const ls_ir_block *b = arrival->block;
    span s;
    uint32_t k = index_of(arrival) + 1;
    for (; b; b = b->ipdom, k = 0) /* the next half */
        for (; k < b->instr_count; k++)
            if (is_any_half(b->instrs[k])) return find_span(b->instrs[k], &s) && s.arrival == arrival;
    return false;
}

/* --- Between them --- */

static const uint32_t PRIVATE = LS_READS_MEMORY | LS_BRANCH | LS_VARIES | LS_WARP_BARRIER | LS_CROSS_LANE;

/* Others cannot notice when it happens: it reads what nobody writes, or does nothing but compute. */
static bool is_private(const ls_proof *p, const ls_ir_instr *i) {
    if (!has_effect(i)) return true;
    if (i->call || i->unknown || (i->form->opcode->effects & ~PRIVATE)) return false;
    for (uint32_t k = 0; k < i->access_count; k++) {
        const ls_ir_access *a = &i->accesses[k];
        if (a->kind != LS_ACCESS_READ || a->other_bases || p->writes_unknown) return false;
        for (uint32_t b = 0; b < a->base_count; b++)
            if (p->written[a->bases[b]->id]) return false;
    }
    return true;
}

static bool is_within(const span *s, const ls_ir_instr *i) {
    for (uint32_t k = 0; k < s->count; k++)
        if (s->blocks[k] == i->block) return true;
    const bool first = i->block == s->arrival->block, last = i->block == s->wait->block;
    return (first || last) && (!first || index_of(i) > index_of(s->arrival)) &&
           (!last || index_of(i) < index_of(s->wait));
}

bool ls_halves_are_one(const ls_proof *p, const ls_ir_instr *wait) {
    span s;
    if (!find_span(wait, &s)) return false;
    for (uint32_t k = 0; k < p->f->instr_count; k++) {
        const ls_ir_instr *i = p->f->instrs[k];
        if (i != s.arrival && i != wait && is_within(&s, i) && !is_private(p, i)) return false;
    }
    return true;
}

bool ls_is_between_halves(const ls_proof *p, const ls_ir_instr *instr) {
    span s;
    for (uint32_t k = 0; k < p->f->instr_count; k++)
        if (is_any_half(p->f->instrs[k]) && find_span(p->f->instrs[k], &s) && is_within(&s, instr) &&
            !ls_halves_are_one(p, s.wait))
            return true;
    return false;
}
