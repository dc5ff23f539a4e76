/* Where a kernel synchronises, and with which ticket. Sites are instructions of the whole kernel's execution,
 * with their conditions and addresses as terms in the arbitrary iteration of their loop. An mbarrier site
 * takes the elements of an array in turn: which ones is read off the first iterations, and then proved for
 * all of them. */
#include "verify/check/ticket_sites.h"
#include "verify/check/flights.h"
#include "verify/check/tickets.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/execute/nodes.h"
#include "verify/query/query.h"

#include <string.h>

enum { MOST_ITERATIONS = 2 * LS_MOST_STAGES };

bool ls_not_known(ls_protocol *x, const ls_ir_instr *where, const char *trouble) {
    if (x->trouble) return false;
    x->trouble = trouble;
    x->where = where;
    return false;
}

void ls_protocol_free(ls_protocol *x) {
    LS_VEC_FREE(&x->sites);
    LS_VEC_FREE(&x->objects);
    LS_VEC_FREE(&x->inits);
}

/* --- Sites -----------------------------------------------------------------------------------------------
 */

static bool has_text(const ls_ir_instr *i, const char *part) {
    return strstr(i->form->text, part) != NULL;
}

uint64_t ls_bulk_bytes(const ls_ir_instr *i) {
    uint64_t bytes = 0;
    bool bulk = (i->op == LS_OP_CP_ASYNC_BULK || i->op == LS_OP_CP_REDUCE_ASYNC_BULK) && i->src_count >= 3;
    if (bulk && i->src[2].kind == LS_IR_IMM) return i->src[2].bits;
    return bulk && i->src[2].value && ls_ir_constant(i->src[2].value, &bytes) ? bytes : 0;
}

static const ls_site_kind NOTHING = LS_SITE_COUNT;

static ls_site_kind kind_of(const ls_ir_instr *i) {
    switch (i->op) {
    case LS_OP_MBARRIER_ARRIVE: return LS_SITE_ARRIVE;
    case LS_OP_MBARRIER_TRY_WAIT:
    case LS_OP_MBARRIER_TEST_WAIT: return LS_SITE_WAIT;
    case LS_OP_CP_REDUCE_ASYNC_BULK:
    case LS_OP_CP_ASYNC_BULK: return has_text(i, ".bulk_group") ? LS_SITE_COPY_OUT : LS_SITE_COPY_IN;
    case LS_OP_CP_ASYNC_BULK_COMMIT_GROUP: return LS_SITE_COMMIT;
    case LS_OP_CP_ASYNC_BULK_WAIT_GROUP: return LS_SITE_GROUP_WAIT;
    case LS_OP_FENCE_PROXY: return has_text(i, ".async") && !has_text(i, ".global") ? LS_SITE_FENCE : NOTHING;
    case LS_OP_FENCE_MBARRIER_INIT: return LS_SITE_INIT_FENCE;
    case LS_OP_MBARRIER_INVAL: return LS_SITE_INVALIDATE;
    default: return NOTHING;
    }
}

bool ls_is_ticketed(const ls_ir_instr *i) {
    ls_site_kind kind = kind_of(i);
    return i->op == LS_OP_MBARRIER_INIT ||
           (kind != NOTHING && kind != LS_SITE_FENCE && kind != LS_SITE_INIT_FENCE);
}

static uint64_t position_of(const ls_node *n, uint32_t index) {
    return (uint64_t)n->id << 32 | index;
}

static const ls_term *address_of(ls_proof *p, const ls_ir_operand *o) {
    const ls_term *a = ls_operand_of(p->whole, o);
    return ls_add(&p->terms, a, ls_const(&p->terms, a->width, (uint64_t)o->offset));
}

static bool constant_of(const ls_ir_operand *o, uint64_t *value) {
    if (o->kind == LS_IR_IMM) return *value = o->bits, true;
    return o->value && ls_ir_constant(o->value, value);
}

static const ls_ir_base *base_of(const ls_ir_instr *i, uint32_t src) {
    for (uint32_t k = 0; k < i->access_count; k++)
        if (i->accesses[k].src == src && i->accesses[k].base_count == 1 && !i->accesses[k].other_bases)
            return i->accesses[k].bases[0];
    return NULL;
}

/* What the instruction itself says. */
static bool read_operands(ls_protocol *x, ls_site *s) {
    const ls_ir_instr *i = s->instr;
    ls_proof *p = x->p;
    switch ((ls_site_kind)s->kind) {
    case LS_SITE_ARRIVE:
        if (has_text(i, ".relaxed") || has_text(i, ".noComplete") || has_text(i, ".cluster"))
            return ls_not_known(x, i, "an arrival of this kind is not modelled");
        s->mbarrier = address_of(p, &i->src[0]);
        if (has_text(i, ".expect_tx"))
            return (i->src_count == 2 && constant_of(&i->src[1], &s->bytes)) ||
                   ls_not_known(x, i, "the bytes that are expected are not a constant");
        return i->src_count == 1 || ls_not_known(x, i, "an arrival for several threads is not modelled");
    case LS_SITE_WAIT: {
        const ls_ir_loop *loop = i->block->loop;
        if (!loop || ls_spins_on(loop) != i || !ls_leaves_when_over(p, loop, i))
            return ls_not_known(
                x, i, "a question for a phase that is not a loop which waits for it is not modelled");
        if (!has_text(i, ".parity") || has_text(i, ".relaxed") || i->src_count < 2)
            return ls_not_known(x, i, "a wait of this kind is not modelled");
        s->mbarrier = address_of(p, &i->src[0]);
        return true;
    }
    case LS_SITE_COPY_IN:
    case LS_SITE_COPY_OUT: {
        bool in = s->kind == LS_SITE_COPY_IN;
        s->bytes = s->size = ls_bulk_bytes(i);
        if (!s->size || has_text(i, ".multicast") || (in && i->src_count != 4) || (!in && i->src_count != 3))
            return ls_not_known(x, i,
                                "a bulk copy of this kind, or whose size is not a constant, is not modelled");
        s->address = address_of(p, &i->src[in ? 0 : 1]);
        s->base = base_of(i, in ? 0 : 1);
        s->writes = in;
        if (in) s->mbarrier = address_of(p, &i->src[3]);
        bool from = in && i->op == LS_OP_CP_ASYNC_BULK && has_text(i, ".global") && base_of(i, 1);
        if (!s->base || (in ? !from : !base_of(i, 0)))
            return ls_not_known(x, i, "it is not known what memory is copied here");
        return true;
    }
    case LS_SITE_INVALIDATE: s->mbarrier = address_of(p, &i->src[0]); return true;
    case LS_SITE_GROUP_WAIT:
        s->reads_only = has_text(i, ".read");
        return constant_of(&i->src[0], &s->bytes) ||
               ls_not_known(x, i, "a wait for a number of groups that is not a constant is not modelled");
    default: return true;
    }
}

/* The iterations in which the site may be come to. */
static void find_iterations(const ls_protocol *x, ls_site *s) {
    const ls_term *k = s->loop ? ls_counter_of(x->p, s->loop, x->p->whole->tag) : NULL;
    s->last = k && k->uhi <= MOST_ITERATIONS ? (int64_t)k->uhi : k ? INT64_MAX : 0;
    while (k && s->first < LS_MOST_STAGES && ls_is_false(ls_in_iteration(x, s, s->when, (uint64_t)s->first)))
        s->first++;
    while (s->last != INT64_MAX && s->last > 0 &&
           ls_is_false(ls_in_iteration(x, s, s->when, (uint64_t)s->last)))
        s->last--;
}

static bool add_site(ls_protocol *x, ls_site_kind kind, const ls_node *n, uint32_t index) {
    ls_proof *p = x->p;
    const ls_ir_instr *i = n->block->instrs[index];
    ls_site s = {.kind = (uint8_t)kind, .instr = i, .node = n, .position = position_of(n, index)};
    bool nested;
    s.ticket.object = LS_NO_OBJECT;
    s.loop = ls_loop_around(n->block, &nested);
    if (nested) return ls_not_known(x, i, "synchronisation in a loop within a loop is not modelled");
    s.when = ls_and(&p->terms, p->whole->reach[n->id], ls_guard_of(p->whole, i));
    if (!read_operands(x, &s)) return false;
    ls_find_site_threads(x, &s);
    find_iterations(x, &s);
    LS_VEC_PUSH(&x->sites, s);
    return true;
}

/* Each mbarrier that is initialised, also those that a loop does one after the other. */
static bool add_inits(ls_protocol *x, const ls_node *n, uint32_t index) {
    ls_proof *p = x->p;
    const ls_ir_instr *i = n->block->instrs[index];
    ls_site s = {.instr = i, .node = n};
    bool nested;
    s.loop = ls_loop_around(n->block, &nested);
    s.when = ls_and(&p->terms, p->whole->reach[n->id], ls_guard_of(p->whole, i));
    ls_find_site_threads(x, &s);
    uint64_t count, most = 0;
    const ls_term *k = s.loop ? ls_counter_of(p, s.loop, p->whole->tag) : NULL;
    if (nested || s.thread_count != 1 || (s.loop && (!k || k->uhi > LS_MOST_STAGES)) ||
        !constant_of(&i->src[1], &count))
        return ls_not_known(
            x, i, "an initialisation by several threads, or with no constant count, is not modelled");
    most = k ? k->uhi : 0;
    uint32_t thread = 0;
    while (!(s.threads[thread / 64] >> thread % 64 & 1)) thread++;
    for (uint64_t it = 0; it <= most; it++) {
        const ls_term *when = ls_in_iteration(x, &s, s.when, it);
        if (ls_is_false(when)) continue;
        if (!ls_never(x, (const ls_term *[]){ls_is_thread(x, thread), ls_not(&p->terms, when)}, 2))
            return ls_not_known(x, i, "an initialisation that hangs on a condition is not modelled");
        const ls_term *at = ls_in_iteration(x, &s, address_of(p, &i->src[0]), it);
        const ls_ir_base *base = base_of(i, 0);
        if (!base) return ls_not_known(x, i, "it is not known which mbarrier this is");
        ls_mbarrier_init init = {at, when, base, count, LS_NO_OBJECT, 0, i, position_of(n, index), thread};
        LS_VEC_PUSH(&x->inits, init);
    }
    return true;
}

/* A barrier for all threads of the block: the lanes of a block of one warp meet at one of the warp, too. */
static bool is_block_barrier(const ls_protocol *x, const ls_node *n) {
    uint64_t mask;
    if (!n->barrier) return false;
    if (!n->warp) return (n->orders & LS_ORDERS_SHARED) && n->barrier->guard.kind == LS_IR_ABSENT;
    bool lanes = n->barrier->op == LS_OP_BAR_WARP_SYNC && (n->orders & LS_ORDERS_WARP); /* they do meet */
    return lanes && x->threads <= 32 && constant_of(&n->barrier->src[0], &mask) && mask == UINT32_MAX;
}

static bool add_node(ls_protocol *x, const ls_node *n) {
    for (uint32_t k = n->first; k < n->end; k++) {
        const ls_ir_instr *i = n->block->instrs[k];
        ls_site_kind kind = i == n->barrier && is_block_barrier(x, n) ? LS_SITE_BARRIER : kind_of(i);
        if (i->op == LS_OP_MBARRIER_INIT && !add_inits(x, n, k)) return false;
        if (kind != NOTHING && !add_site(x, kind, n, k)) return false;
    }
    return true;
}

static bool is_shared(const ls_proof *p, const ls_event *e) {
    for (uint32_t b = 0; b < e->access->base_count; b++) {
        const ls_ir_base *base = e->access->bases[b];
        if (base->space == LS_SPACE_SHARED || base->space == LS_SPACE_SHARED_CLUSTER) return true;
        if (base->kind == LS_BASE_OBJECT && p->f->objects[base->object]->kind == LS_OBJECT_SHARED)
            return true;
    }
    return e->access->space == LS_SPACE_SHARED || e->access->space == LS_SPACE_SHARED_CLUSTER;
}

/* It goes on behind the instruction. */
static bool is_asynchronous(const ls_ir_instr *i) {
    return i->form->opcode->effects & LS_ASYNC;
}

/* Ordinary accesses to shared memory. */
static bool add_accesses(ls_protocol *x) {
    ls_proof *p = x->p;
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *e = &p->whole_events.items[i];
        const ls_ir_access *a = e->access;
        if (ls_is_ticketed(a->instr)) continue;
        if (!a->base_count || a->other_bases)
            return ls_not_known(x, a->instr, "it is not known what is accessed here");
        if (!is_shared(p, e)) continue;
        if (a->base_count != 1 || !e->size || a->kind == LS_ACCESS_ATOMIC || is_asynchronous(a->instr) ||
            e->in_flight || e->collective)
            return ls_not_known(x, a->instr,
                                "an access of this kind beside mbarriers and bulk copies is not modelled");
        bool nested;
        uint32_t index = 0;
        while (a->instr->block->instrs[index] != a->instr) index++;
        ls_site s = {.kind = LS_SITE_ACCESS,
                     .instr = a->instr,
                     .node = e->node,
                     .when = e->when,
                     .address = e->address,
                     .size = e->size,
                     .writes = a->kind != LS_ACCESS_READ,
                     .base = a->bases[0]};
        s.ticket.object = LS_NO_OBJECT;
        s.position = position_of(e->node, index);
        s.loop = ls_loop_around(e->node->block, &nested);
        ls_find_site_threads(x, &s);
        LS_VEC_PUSH(&x->sites, s);
    }
    return true;
}

/* --- Arrays of mbarriers ---------------------------------------------------------------------------------
 */

static const ls_term *word(const ls_protocol *x, const ls_term *address) {
    return ls_resize(&x->p->terms, address, 32, false);
}

/* Which mbarrier the address is; LS_NO_OBJECT: none. */
static uint32_t init_at(const ls_protocol *x, const ls_term *address) {
    for (uint32_t i = 0; i < x->inits.length; i++) {
        const ls_term *d = ls_sub(&x->p->terms, word(x, address), word(x, x->inits.items[i].address));
        if (ls_is_const(d) && !d->value) return i;
    }
    return LS_NO_OBJECT;
}

/* The mbarriers of the first iterations, up to where they come again. */
static uint32_t find_cycle(const ls_protocol *x, const ls_site *s, uint32_t *cycle) {
    uint32_t count = 0;
    const ls_term *k = ls_counter_of(x->p, s->loop, x->p->whole->tag);
    for (uint64_t it = 0; k && it <= k->uhi && it < MOST_ITERATIONS; it++) {
        uint32_t at = init_at(x, ls_in_iteration(x, s, s->mbarrier, it));
        if (at == LS_NO_OBJECT && count && ls_is_false(ls_in_iteration(x, s, s->when, it))) break;
        if (at == LS_NO_OBJECT || count == LS_MOST_STAGES)
            return at == LS_NO_OBJECT && it == k->uhi ? count : 0;
        if (count && at == cycle[0]) return count;
        cycle[count++] = at;
    }
    return count;
}

static bool make_object(ls_protocol *x, const ls_site *s, const uint32_t *cycle, uint32_t count) {
    ls_ticket_object o = {.kind = LS_TICKETS_MBARRIER, .stages = count};
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++)
        if (cycle[i] < cycle[first]) first = i;
    for (uint32_t i = 0; i < count; i++) {
        ls_mbarrier_init *init = &x->inits.items[cycle[(first + i) % count]];
        if (init->object != LS_NO_OBJECT || init->count != x->inits.items[cycle[0]].count)
            return ls_not_known(x, s->instr, "mbarriers that are used in different orders are not modelled");
        init->object = x->objects.length;
        init->element = i;
        o.elements[i] = init->address;
        o.count = init->count;
    }
    LS_VEC_PUSH(&x->objects, o);
    return true;
}

/* The object of a site in a loop, and its element in the first iteration. */
static bool find_array(ls_protocol *x, ls_site *s) {
    uint32_t cycle[LS_MOST_STAGES], count = find_cycle(x, s, cycle);
    if (!count) return ls_not_known(x, s->instr, "it is not known which mbarrier this is");
    if (x->inits.items[cycle[0]].object == LS_NO_OBJECT && !make_object(x, s, cycle, count)) return false;
    const ls_mbarrier_init *init = &x->inits.items[cycle[0]];
    uint32_t stages = x->objects.items[init->object].stages;
    bool same = stages == count;
    for (uint32_t i = 0; i < count && same; i++)
        same = x->inits.items[cycle[i]].object == init->object &&
               x->inits.items[cycle[i]].element == (init->element + i) % stages;
    if (!same)
        return ls_not_known(x, s->instr, "mbarriers that are used in different orders are not modelled");
    s->ticket = (ls_ticket){init->object, true, init->element};
    return true;
}

static bool find_element(ls_protocol *x, ls_site *s) {
    uint32_t at = init_at(x, s->mbarrier);
    if (at == LS_NO_OBJECT) return ls_not_known(x, s->instr, "it is not known which mbarrier this is");
    if (x->inits.items[at].object == LS_NO_OBJECT && !make_object(x, s, &at, 1)) return false;
    s->ticket = (ls_ticket){x->inits.items[at].object, false, x->inits.items[at].element};
    return true;
}

/* --- Tickets ---------------------------------------------------------------------------------------------
 */

/* The ticket's element is the site's in every iteration. */
static bool holds_always(const ls_protocol *x, const ls_site *s) {
    ls_terms *t = &x->p->terms;
    const ls_ticket_object *o = &x->objects.items[s->ticket.object];
    if (!s->ticket.moves) return true;
    const ls_term *stages = ls_const(t, 64, o->stages);
    const ls_term *number = ls_add(t, ls_site_counter(x, s),
                                   ls_const(t, 64, (uint64_t)(s->ticket.offset + 2 * (int64_t)o->stages)));
    const ls_term *element = ls_binary(t, LS_T_UREM, number, stages),
                  *at = word(x, o->elements[o->stages - 1]);
    for (uint32_t i = o->stages - 1; i-- > 0;)
        at = ls_ite(t, ls_eq(t, element, ls_const(t, 64, i)), word(x, o->elements[i]), at);
    const ls_term *wrong = ls_not(t, ls_eq(t, at, word(x, s->mbarrier)));
    return ls_never(x, (const ls_term *[]){s->when, wrong}, 2);
}

/* The phase's parity is what the wait asks for, in every iteration. */
static bool parity_holds(const ls_protocol *x, const ls_site *s) {
    ls_terms *t = &x->p->terms;
    uint64_t stages = x->objects.items[s->ticket.object].stages;
    const ls_term *k = s->ticket.moves ? ls_site_counter(x, s) : ls_const(t, 64, 0);
    const ls_term *number = ls_add(t, k, ls_const(t, 64, (uint64_t)s->ticket.offset + 2 * stages));
    const ls_term *phase = ls_binary(t, LS_T_UDIV, number, ls_const(t, 64, stages));
    const ls_term *asked = ls_resize(t, ls_operand_of(x->p->whole, &s->instr->src[1]), 64, false);
    const ls_term *one = ls_const(t, 64, 1);
    const ls_term *same = ls_eq(t, ls_binary(t, LS_T_AND, phase, one), ls_binary(t, LS_T_AND, asked, one));
    return ls_never(x, (const ls_term *[]){s->when, ls_not(t, same)}, 2);
}

/* How often threads of the site have been at such sites for its mbarrier before, in no loop. */
static uint32_t count_before(const ls_protocol *x, const ls_site *s) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *o = &x->sites.items[i];
        uint32_t stages = o->ticket.object == LS_NO_OBJECT ? 1 : x->objects.items[o->ticket.object].stages;
        count += o->kind == s->kind && !o->loop && o->position < s->position &&
                 o->ticket.object == s->ticket.object &&
                 (uint32_t)((o->ticket.offset + stages) % stages) == (uint32_t)s->ticket.offset &&
                 ls_threads_meet(o, s);
    }
    return count;
}

/* Arrivals are for one phase after the other; waits for the one that their parity names, of those that may be
 * meant.
 */
static bool find_phase(ls_protocol *x, ls_site *s) {
    int64_t stages = x->objects.items[s->ticket.object].stages, element = s->ticket.offset;
    int64_t before = count_before(x, s);
    if (s->kind == LS_SITE_ARRIVE) { /* the element of its first iteration, and on from there */
        int64_t start = (element + s->first) % stages;
        s->ticket.offset = start + before * stages - s->first;
        return holds_always(x, s) || ls_not_known(x, s->instr, "it is not known which mbarrier this is");
    }
    for (int64_t less = 0; less < 2; less++) {
        s->ticket.offset = element + (before - less) * stages;
        if (!less && !holds_always(x, s)) break;
        if (parity_holds(x, s)) return true;
    }
    return ls_not_known(x, s->instr,
                        "the parity that is waited for is not that of one phase after the other");
}

/* A copy counts its bytes at the phase that somebody expects them for. */
static bool find_partner(ls_protocol *x, ls_site *s) {
    const ls_site *best = NULL;
    ls_ticket at = s->ticket;
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *o = &x->sites.items[i];
        int64_t stages = x->objects.items[at.object].stages;
        if (o->kind != LS_SITE_ARRIVE || !o->bytes || o->loop != s->loop || o->ticket.object != at.object)
            continue;
        if ((o->ticket.offset - at.offset) % stages || o->ticket.moves != at.moves) continue;
        uint64_t d = o->position < s->position ? s->position - o->position : o->position - s->position;
        uint64_t b = !best                          ? UINT64_MAX
                     : best->position < s->position ? s->position - best->position
                                                    : best->position - s->position;
        if (d < b) best = o;
    }
    if (!best) return ls_not_known(x, s->instr, "nobody expects the bytes of this copy");
    s->ticket = best->ticket;
    return holds_always(x, s) || ls_not_known(x, s->instr, "it is not known which mbarrier this is");
}

static bool is_at_mbarrier(const ls_site *s) {
    return s->kind == LS_SITE_ARRIVE || s->kind == LS_SITE_WAIT || s->kind == LS_SITE_COPY_IN;
}

static uint32_t new_object(ls_protocol *x, ls_tickets_kind kind, uint32_t barrier) {
    ls_ticket_object o = {.kind = (uint8_t)kind, .stages = 1, .barrier = barrier};
    LS_VEC_PUSH(&x->objects, o);
    return x->objects.length - 1;
}

/* Barriers and groups: those in no loop in their order, one in a loop by its iterations. */
static bool number_others(ls_protocol *x) {
    int64_t barriers = 0, commits = 0;
    bool in_loop = false;
    x->outside = new_object(x, LS_TICKETS_OUTSIDE, 0);
    x->read = new_object(x, LS_TICKETS_READ, 0);
    x->group = new_object(x, LS_TICKETS_GROUP, 0);
    for (uint32_t i = 0; i < x->sites.length; i++) {
        ls_site *s = &x->sites.items[i];
        if (s->kind == LS_SITE_BARRIER && !s->loop) s->ticket = (ls_ticket){x->outside, false, barriers++};
        if (s->kind == LS_SITE_BARRIER && s->loop)
            s->ticket = (ls_ticket){new_object(x, LS_TICKETS_LOOP, i), true, 0};
        if (s->kind != LS_SITE_COMMIT) continue;
        if (in_loop || (s->loop && commits) || s->thread_count != 1)
            return ls_not_known(
                x, s->instr, "groups of several threads, or of several places and a loop, are not modelled");
        in_loop |= s->loop != NULL;
        s->ticket = (ls_ticket){x->group, s->loop != NULL, s->loop ? -s->first : commits};
        commits++;
    }
    return true;
}

bool ls_read_protocol(ls_protocol *x) {
    ls_proof *p = x->p;
    const uint32_t *block = p->options->block;
    x->threads = block[0] * block[1] * block[2];
    if (!x->threads || x->threads > LS_MOST_BLOCK)
        return ls_not_known(x, NULL, "the block's size is not known (--block)");
    for (uint32_t n = 0; n < p->node_count; n++)
        if (p->whole->reach[n] && !add_node(x, p->nodes[n])) return false;
    if (!add_accesses(x)) return false;
    for (int in_loop = 1; in_loop >= 0; in_loop--)
        for (uint32_t i = 0; i < x->sites.length; i++) {
            ls_site *s = &x->sites.items[i];
            if (!is_at_mbarrier(s) || (s->loop != NULL) != in_loop) continue;
            if (!(in_loop ? find_array(x, s) : find_element(x, s))) return false;
        }
    for (uint32_t i = 0; i < x->sites.length; i++) /* in the order of the kernel */
        if (is_at_mbarrier(&x->sites.items[i]) && x->sites.items[i].kind != LS_SITE_COPY_IN &&
            !find_phase(x, &x->sites.items[i]))
            return false;
    for (uint32_t i = 0; i < x->sites.length; i++)
        if (x->sites.items[i].kind == LS_SITE_COPY_IN && !find_partner(x, &x->sites.items[i])) return false;
    return number_others(x);
}
