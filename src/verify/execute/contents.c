/* What memory holds, as one thread sees it: its own stores since the last barrier, the newest first, and
 * below them the contents at that time, a function of the address. Where there are no races, which is an
 * obligation of its own, nobody else changes in a barrier interval what a thread reads in it; so two loads of
 * one address agree, threads that were in step since the barrier see the same contents, and a load of what
 * the thread stored itself gives that. A barrier, and a loop that stores, begin a new *epoch* of unknown
 * contents.
 *
 * Memory of which more is to be known than that (atomics, volatile accesses, fences, warps in lock-step) is
 * left out: there a load gives anything. */
#include "verify/execute/contents.h"
#include "isa/order.h"
#include "verify/execute/calls.h"
#include "verify/execute/lower.h"
#include "verify/execute/nodes.h"
#include "verify/execute/roots.h"
#include "verify/proof.h"

enum { MOST_CHOICES = 32, MOST_RECORDS = 2000 };

struct ls_record {
    const ls_record *before;
    const ls_state *state;
    const ls_ir_block *block;
    const ls_term *when, *guard; /* path condition and guard; the guard alone */
    uint8_t memory;              /* a new epoch: which memory */
    const bool *bases;           /* … of these objects alone; NULL: all of it */
    const ls_term *epoch;        /* … NULL for a store */
    const ls_ir_base *base;      /* of a store */
    const ls_term *address, *value;
    uint32_t bytes;
};

typedef struct {
    bool *tracked;              /* by base: what it holds is followed */
    const ls_record **at;       /* by node that ends with a barrier: what is stored behind it */
    const ls_term *start, *own; /* the time at which the kernel starts; the thread's own memory */
} holdings;

static const ls_part HOLDINGS = {sizeof(holdings), NULL};

static holdings *holdings_of(const ls_proof *p) {
    return ls_part_of(p, &HOLDINGS);
}

/* --- Which memory ----------------------------------------------------------------------------------------
 */

enum { LS_OWN = LS_ORDERS_COUNT /* beside LS_ORDERS_SHARED and LS_ORDERS_GLOBAL: the thread's own */ };

static uint8_t memory_of(const ls_proof *p, const ls_ir_base *base) {
    uint8_t kind = base->kind == LS_BASE_OBJECT ? p->f->objects[base->object]->kind : LS_OBJECT_GLOBAL;
    if (kind == LS_OBJECT_LOCAL) return LS_OWN;
    if (kind == LS_OBJECT_SHARED || base->space == LS_SPACE_SHARED) return LS_ORDERS_SHARED;
    return kind == LS_OBJECT_GLOBAL ? LS_ORDERS_GLOBAL : 0;
}

static bool is_block_barrier(const ls_ir_instr *i) {
    uint64_t id = 0;
    bool named = !i->src_count || !i->src[0].value || !ls_ir_constant(i->src[0].value, &id) || id;
    return ls_is_barrier(i) && !named && i->src_count == 1 && i->guard.kind == LS_IR_ABSENT;
}

/* Synchronisation other than by barriers of the whole block: contents change at other places, too. */
static bool has_other_order(const ls_proof *p) {
    for (uint32_t i = 0; i < p->f->instr_count; i++) {
        const ls_ir_instr *instr = p->f->instrs[i];
        uint32_t effects = instr->form->opcode->effects;
        ls_call_kind kind = ls_call_of(instr); /* what is called through a register: indirect.c */
        bool call = instr->call && instr->call->name && (kind == LS_CALL_UNKNOWN || kind == LS_CALL_SYNC);
        if (is_block_barrier(instr)) continue;
        bool strong = instr->access_count && ls_order_of(instr->form).strong;
        if (call || strong || kind == LS_CALL_GRID ||
            (effects & (LS_BARRIER | LS_ATOMIC | LS_FENCE | LS_ASYNC)))
            return true;
    }
    return p->has_copies || p->unmodelled_sync || p->options->warp_sync || p->options->only_divergence ||
           p->options->promises_only;
}

static bool is_plain(const ls_ir_access *a) {
    bool weak = a->semantics == LS_MOD_UNKNOWN || a->semantics == LS_MOD_WEAK;
    return weak && !a->opaque && !a->is_volatile && a->kind != LS_ACCESS_ATOMIC;
}

void ls_find_tracked(ls_proof *p) {
    bool *tracked = holdings_of(p)->tracked = LS_NEW_N(&p->arena, bool, p->f->base_count + 1);
    bool other = has_other_order(p);
    for (uint32_t i = 0; i < p->f->base_count && !p->writes_unknown; i++) {
        uint8_t memory = memory_of(p, p->f->bases[i]);
        bool checked = memory == LS_ORDERS_SHARED || !p->options->only_intra_group;
        tracked[i] =
            memory && ls_base_address(p, p->f->bases[i]) && (memory == LS_OWN || (!other && checked));
    }
    for (uint32_t i = 0; i < p->f->access_count; i++) {
        const ls_ir_access *a = p->f->accesses[i];
        for (uint32_t b = 0; b < p->f->base_count && !is_plain(a); b++)
            for (uint32_t k = 0; k < a->base_count; k++)
                if (ls_same_object(p, a->bases[k], p->f->bases[b])) tracked[b] = false;
    }
}

/* --- Records ---------------------------------------------------------------------------------------------
 */

static ls_record *push(ls_state *s, const ls_ir_block *block, const ls_term *when, const ls_term *guard) {
    ls_record *r = LS_NEW(&s->proof->arena, ls_record);
    *r = (ls_record){.before = s->memory, .state = s, .block = block, .when = when, .guard = guard};
    s->memory = r;
    return r;
}

static const ls_term *new_epoch(const ls_state *s, const ls_ir_block *block) {
    const ls_term *epoch = ls_fresh(s, "contents", 32, LS_SYM_EPOCH);
    ls_sym *sym = ls_sym_of(&s->proof->terms, epoch);
    sym->key = block;
    sym->tag = s->tag;
    return epoch;
}

void ls_memory_store(ls_state *s, const ls_ir_instr *i) {
    if (!i->access_count) return;
    ls_proof *p = s->proof;
    ls_terms *t = &p->terms;
    const bool *tracked = holdings_of(p)->tracked;
    for (uint32_t k = 0; k < i->access_count; k++) {
        const ls_ir_access *a = &i->accesses[k];
        bool followed = false;
        for (uint32_t b = 0; b < a->base_count; b++) followed |= tracked[a->bases[b]->id];
        if (a->kind == LS_ACCESS_READ || !followed) continue;
        const ls_term *guard = ls_guard_of(s, i), *when = ls_and(t, s->path, guard);
        bool simple = i->op == LS_OP_ST && a->base_count == 1 && !a->other_bases && a->bytes <= 8 && a->bytes;
        const ls_term *start = ls_resize(t, ls_operand_of(s, &i->src[a->src]), 64, false);
        uint32_t element = 0;
        for (uint32_t d = 0; simple && d < i->src_count; d++) {
            if (i->src[d].role != LS_ROLE_DATA || d == a->src) continue;
            ls_record *r = push(s, i->block, when, guard);
            r->base = a->bases[0];
            r->bytes = a->bytes;
            r->address =
                ls_add(t, start, ls_const(t, 64, (uint64_t)i->src[a->src].offset + element++ * a->bytes));
            r->value = ls_resize(t, ls_operand_of(s, &i->src[d]), a->bytes * 8, false);
        }
        if (simple && element == (a->count ? a->count : 1)) continue;
        bool *bases = LS_NEW_N(&p->arena, bool, p->f->base_count + 1);
        for (uint32_t b = 0; b < a->base_count; b++) bases[a->bases[b]->id] = true;
        ls_record *r = push(s, i->block, when, guard);
        r->memory = LS_ORDERS_SHARED | LS_ORDERS_GLOBAL | LS_OWN;
        r->bases = bases;
        r->epoch = new_epoch(s, i->block);
    }
}

void ls_memory_barrier(ls_state *s, const ls_node *node, const ls_term *path) {
    ls_proof *p = s->proof;
    bool whole = s == p->whole;
    ls_record *r = push(s, node->block, path, ls_true(&p->terms));
    r->memory = node->orders;
    r->epoch = new_epoch(s, node->block);
    if (!whole) return;
    holdings *m = holdings_of(p);
    if (!m->at) m->at = LS_NEW_N(&p->arena, const ls_record *, p->node_count + 1);
    m->at[node->id] = r;
}

void ls_memory_start(ls_state *s, const ls_node *anchor) {
    const holdings *m = holdings_of(s->proof);
    s->memory = anchor && m->at ? m->at[anchor->id] : NULL;
    const ls_record *at = s->memory;
    if (!at) return;
    ls_record *r = push(s, anchor->block, ls_true(&s->proof->terms), ls_true(&s->proof->terms));
    r->memory = at->memory;
    r->epoch = at->epoch;
}

void ls_memory_forget(ls_state *s, const ls_ir_block *block) {
    ls_record *r = push(s, block, ls_true(&s->proof->terms), ls_true(&s->proof->terms));
    r->memory = LS_ORDERS_SHARED | LS_ORDERS_GLOBAL | LS_OWN;
    r->epoch = new_epoch(s, block);
}

/* In an arbitrary iteration: what the loop stores to holds anything, and so does what it synchronises. */
void ls_memory_loop(ls_state *s, const ls_ir_loop *loop, const ls_term *when) {
    ls_proof *p = s->proof;
    bool *bases = LS_NEW_N(&p->arena, bool, p->f->base_count + 1), any = false;
    for (uint32_t i = 0; i < p->f->access_count; i++) {
        const ls_ir_access *a = p->f->accesses[i];
        if (a->kind == LS_ACCESS_READ || !ls_ir_loop_contains(loop, a->instr->block)) continue;
        for (uint32_t b = 0; b < a->base_count; b++) any = bases[a->bases[b]->id] = true;
    }
    uint8_t orders = 0;
    for (uint32_t n = 0; n < p->node_count; n++)
        if (p->nodes[n]->barrier && ls_ir_loop_contains(loop, p->nodes[n]->block))
            orders |= p->nodes[n]->orders;
    for (int step = 0; step < 2; step++) {
        if (step ? !any : !orders) continue;
        ls_record *r = push(s, loop->header, when, ls_true(&p->terms));
        r->memory = step ? LS_ORDERS_SHARED | LS_ORDERS_GLOBAL | LS_OWN : orders;
        r->bases = step ? bases : NULL;
        r->epoch = new_epoch(s, loop->header);
    }
}

/* --- Loads -----------------------------------------------------------------------------------------------
 */

typedef struct {
    const ls_state *s;
    const ls_ir_block *block;
    const ls_ir_base *base;
    uint32_t choices, records;
    bool lost;
} reader;

/* The contents of an epoch: a function of the place. */
static const ls_term *contents(reader *r, const ls_term *epoch, const ls_term *address, uint32_t bytes) {
    ls_proof *p = r->s->proof;
    ls_terms *t = &p->terms;
    const ls_ir_base *first = r->base;
    for (uint32_t i = 0; i < first->id; i++)
        if (ls_same_object(p, p->f->bases[i], r->base)) first = p->f->bases[i];
    const ls_term *start = ls_resize(t, ls_base_address(p, r->base), 64, false);
    const ls_term *args[3] = {ls_sub(t, address, start), epoch, holdings_of(p)->own};
    return ls_uf(t, (ls_function){LS_UF_CONTENTS, first}, bytes * 8, args,
                 memory_of(p, r->base) == LS_OWN ? 3 : 2);
}

static bool concerns(const reader *r, const ls_record *at) {
    const ls_proof *p = r->s->proof;
    if (!at->epoch) return ls_same_object(p, at->base, r->base);
    if (!(at->memory & memory_of(p, r->base))) return false;
    bool found = !at->bases;
    for (uint32_t i = 0; i < p->f->base_count && !found; i++)
        found = at->bases[i] && ls_same_object(p, p->f->bases[i], r->base);
    return found;
}

/* Whether it was executed on every way to the load, so that only its guard matters. */
static const ls_term *condition(const reader *r, const ls_record *at) {
    bool always = at->state == r->s && ls_ir_dominates(at->block, r->block);
    return always ? at->guard : at->when;
}

static const ls_term *read_from(reader *r, const ls_record *at, const ls_term *address, uint32_t bytes);

static const ls_term *choose(reader *r, const ls_record *at, const ls_term *hit, const ls_term *value,
                             const ls_term *address, uint32_t bytes) {
    if (ls_is_true(hit)) return value;
    if (++r->choices > MOST_CHOICES) r->lost = true;
    const ls_term *rest = r->lost ? value : read_from(r, at->before, address, bytes);
    return ls_ite(&r->s->proof->terms, hit, value, rest);
}

/* One of the pieces of a larger store: both are aligned, so it is one of them or none. */
static const ls_term *choose_piece(reader *r, const ls_record *at, const ls_term *when, const ls_term *d,
                                   const ls_term *address, uint32_t bytes) {
    ls_terms *t = &r->s->proof->terms;
    const ls_term *any = ls_false(t), *value = NULL;
    for (uint32_t first = 0; first < at->bytes; first += bytes) {
        const ls_term *here = ls_eq(t, d, ls_const(t, 64, first));
        const ls_term *part = ls_extract(t, at->value, first * 8, bytes * 8);
        value = value ? ls_ite(t, here, part, value) : part;
        any = ls_or(t, any, here);
    }
    return choose(r, at, ls_and(t, when, any), value, address, bytes);
}

/* In two halves, where it was stored in smaller pieces. */
static const ls_term *read_halves(reader *r, const ls_record *at, const ls_term *address, uint32_t bytes) {
    ls_terms *t = &r->s->proof->terms;
    uint32_t half = bytes / 2;
    const ls_term *low = read_from(r, at, address, half);
    const ls_term *high = read_from(r, at, ls_add(t, address, ls_const(t, 64, half)), half);
    const ls_term *shifted =
        ls_binary(t, LS_T_SHL, ls_zext(t, high, bytes * 8), ls_const(t, bytes * 8, half * 8));
    return ls_add(t, ls_zext(t, low, bytes * 8), shifted);
}

static const ls_term *read_from(reader *r, const ls_record *at, const ls_term *address, uint32_t bytes) {
    ls_proof *p = r->s->proof;
    ls_terms *t = &p->terms;
    for (; at; at = at->before) {
        if (++r->records > MOST_RECORDS) r->lost = true;
        if (r->lost) break;
        if (!concerns(r, at)) continue;
        const ls_term *when = condition(r, at);
        if (at->epoch) return choose(r, at, when, contents(r, at->epoch, address, bytes), address, bytes);
        const ls_term *d = ls_sub(t, address, at->address);
        int64_t distance = ls_is_const(d) ? (int64_t)d->value : 0, end = distance + bytes;
        if (at->bytes == bytes) { /* accesses are aligned: the same place or another */
            const ls_term *hit = ls_and(t, when, ls_eq(t, d, ls_const(t, 64, 0)));
            if (!ls_is_false(hit)) return choose(r, at, hit, at->value, address, bytes);
        } else if (!ls_is_const(d) && at->bytes > bytes) {
            return choose_piece(r, at, when, d, address, bytes);
        } else if (!ls_is_const(d)) {
            r->lost = true;
        } else if (distance >= 0 && end <= at->bytes) {
            const ls_term *part = ls_extract(t, at->value, (uint32_t)distance * 8, bytes * 8);
            return choose(r, at, when, part, address, bytes);
        } else if (end > 0 && distance < (int64_t)at->bytes) {
            return read_halves(r, at, address, bytes);
        }
    }
    return contents(r, holdings_of(p)->start, address, bytes);
}

const ls_term *ls_memory_load(const ls_state *s, const ls_ir_access *a, const ls_term *address,
                              uint32_t width) {
    ls_proof *p = s->proof;
    bool tracked = a->base_count == 1 && !a->other_bases && holdings_of(p)->tracked[a->bases[0]->id];
    if (!tracked || width != a->bytes * 8 || width > 64) return NULL;
    return ls_memory_peek(s, a->instr->block, a->bases[0], address, a->bytes);
}

const ls_term *ls_memory_peek(const ls_state *s, const ls_ir_block *block, const ls_ir_base *base,
                              const ls_term *address, uint32_t bytes) {
    holdings *m = holdings_of(s->proof);
    if (!s->path || !m->tracked[base->id]) return NULL;
    if (!m->start) {
        m->start = new_epoch(s, NULL);
        m->own = ls_fresh(s, "own contents", 32, LS_SYM_CHOICE);
    }
    reader r = {.s = s, .block = block, .base = base};
    const ls_term *v = read_from(&r, s->memory, address, bytes);
    return r.lost ? NULL : v;
}

bool ls_is_initial(ls_proof *p, const ls_term *term, bool own) {
    const ls_term *start = holdings_of(p)->start;
    if (!ls_is_uf(&p->terms, term, LS_UF_CONTENTS) || !start || term->count != (own ? 3 : 2)) return false;
    const ls_term *epoch = term->args[1];
    bool at_start = epoch->op == LS_T_SYM && ls_sym_of(&p->terms, epoch)->origin == start->value;
    return at_start && (own || memory_of(p, ls_function_of(&p->terms, term)->of) == LS_ORDERS_GLOBAL);
}

bool ls_is_own(ls_proof *p, const ls_term *symbol) {
    const ls_term *own = holdings_of(p)->own;
    return own && symbol->op == LS_T_SYM && ls_sym_of(&p->terms, symbol)->origin == own->value;
}
