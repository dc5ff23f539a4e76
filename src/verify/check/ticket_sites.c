/* Where a kernel synchronises. Sites are instructions of the whole kernel's execution, with their conditions
 * and addresses as terms in the arbitrary iteration of their loop. Which tickets they take is in
 * ticket_numbers.c. */
#include "verify/check/ticket_sites.h"
#include "verify/check/boxes.h"
#include "verify/check/bulk_groups.h"
#include "verify/check/flights.h"
#include "verify/check/products.h"
#include "verify/check/ticket_lanes.h"
#include "verify/check/ticket_named.h"
#include "verify/check/ticket_numbers.h"
#include "verify/check/ticket_reach.h"
#include "verify/check/ticket_threads.h"
#include "verify/check/tickets.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/execute/nodes.h"
#include "verify/query/query.h"

#include <string.h>

static const uint64_t MOST_ROUNDS = UINT64_C(1) << 31; /* of a loop: the scope says so */

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

/* --- Terms -----------------------------------------------------------------------------------------------
 */

const ls_term *ls_site_counter(const ls_protocol *x, const ls_site *s) {
    const ls_term *k = s->loop ? ls_counter_of(x->p, s->loop, x->p->whole->tag) : NULL;
    return k ? ls_resize(&x->p->terms, k, 64, false) : NULL;
}

const ls_term *ls_ticket_term(const ls_protocol *x, ls_ticket ticket, const ls_term *counter) {
    const ls_term *offset = ls_const(&x->p->terms, 64, (uint64_t)ticket.offset);
    return ticket.step ? ls_add(&x->p->terms, ls_scale(&x->p->terms, counter, (uint64_t)ticket.step), offset)
                       : offset;
}

bool ls_has_ticket(const ls_site *s, ls_ticket ticket, int64_t *rounds) {
    int64_t d = ticket.offset - s->ticket.offset, step = s->ticket.step;
    if (!step || (ticket.step && ticket.step != step) || d % step) return false;
    *rounds = d / step;
    return true;
}

bool ls_is_at_mbarrier(const ls_site *s) {
    return s->kind == LS_SITE_ARRIVE || s->kind == LS_SITE_JOIN || s->kind == LS_SITE_WAIT ||
           s->kind == LS_SITE_COPY_IN;
}

bool ls_uses_mbarrier(const ls_site *s) {
    return ls_is_at_mbarrier(s) || s->kind == LS_SITE_PEEK;
}

bool ls_is_bulk(const ls_site *s) {
    return s->kind == LS_SITE_COPY_IN || s->kind == LS_SITE_COPY_OUT || s->kind == LS_SITE_PRODUCT;
}

bool ls_is_copy(const ls_site *s) {
    return ls_is_bulk(s) || s->kind == LS_SITE_FLIGHT;
}

const ls_term *ls_stays_in(const ls_protocol *x, const ls_ir_loop *loop) {
    ls_terms *t = &x->p->terms;
    const ls_term *all = ls_true(t);
    for (uint32_t e = 0; e < loop->exit_count; e++) {
        const ls_ir_block *from = loop->exits[e].from;
        bool negated;
        const ls_ir_value *predicate = ls_ir_branch_predicate(from, &negated);
        if (!predicate || from->succ_count != 2) return NULL;
        const ls_term *c = ls_value_of(x->p->whole, predicate);
        bool first = from->succs[0] == loop->exits[e].to;
        all = ls_and(t, all, first != negated ? ls_not(t, c) : c);
    }
    for (uint32_t b = 0; b < loop->block_count; b++)
        if (!loop->blocks[b]->succ_count) return NULL;
    return all;
}

/* By how much a number that is compared grows with every iteration, at most. */
static uint64_t longest_step(ls_term_walk *walk, const ls_term *k) {
    enum { MOST_STEP = 1 << 16 }; /* what grows by more is no index */
    uint64_t longest = 1;
    for (const ls_term *a = ls_walk_down(walk); a; a = ls_walk_down(walk)) {
        if (a->op != LS_T_SLT && a->op != LS_T_ULT) continue;
        for (uint32_t i = 0; i < a->count; i++) {
            const ls_term *sum = a->args[i];
            for (uint32_t n = 0; n < sum->count && sum->op == LS_T_LIN && sum->width == 32; n++) {
                const ls_term *part = sum->args[n];
                const int64_t step = ls_signed(sum->coefs[n], sum->width);
                const uint64_t size = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
                const bool counts = part == k || (part->count == 1 && part->args[0] == k);
                if (counts && size > longest && size <= MOST_STEP) longest = size;
            }
        }
    }
    return longest;
}

const ls_term *ls_few_rounds(const ls_protocol *x, const ls_term *const *conditions, uint32_t count,
                             const ls_term *k) {
    ls_terms *t = &x->p->terms;
    ls_term_walk walk = {0};
    ls_walk_add(&walk, conditions, count);
    const uint64_t step = x->p->options->exact_overflow ? 1 : longest_step(&walk, k);
    ls_walk_free(&walk);
    if (k->uhi < MOST_ROUNDS / step) return ls_true(t);
    return ls_ult(t, k, ls_const(t, k->width, MOST_ROUNDS / step));
}

static void add_few_rounds(const ls_protocol *x, ls_query *q, const ls_term *const *conditions,
                           uint32_t count) {
    ls_term_list leaves = {0};
    ls_leaves(conditions, count, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *k = leaves.items[i];
        const ls_sym *sym = k->op == LS_T_SYM ? ls_sym_of(&x->p->terms, k) : NULL;
        if (!sym || sym->kind != LS_SYM_COUNT) continue;
        const ls_term *stays = ls_stays_in(x, sym->key);
        ls_query_add(q, 1, ls_few_rounds(x, conditions, count, k), NULL);
        if (stays) ls_query_add(q, 1, ls_few_rounds(x, &stays, 1, k), NULL);
    }
    LS_VEC_FREE(&leaves);
}

bool ls_never(const ls_protocol *x, const ls_term *const *conditions, uint32_t count) {
    ls_proof *p = x->p;
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true});
    ls_query_launch(&q);
    add_few_rounds(x, &q, conditions, count);
    for (uint32_t i = 0; i < count; i++) ls_query_add(&q, 1, conditions[i], NULL);
    bool never = ls_query_solve(&q) == LS_UNSAT;
    ls_query_end(&q);
    return never;
}

bool ls_is_common(const ls_protocol *x, const ls_site *s, const ls_term *condition) {
    ls_terms *t = &x->p->terms;
    const ls_term *counter = s->loop ? ls_counter_of(x->p, s->loop, x->p->whole->tag) : NULL;
    ls_term_list leaves = {0};
    ls_leaves(&condition, 1, &leaves);
    bool common = !s->loop || x->p->uniform_loop[s->loop->id];
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        const ls_sym *sym = leaf->op == LS_T_SYM ? ls_sym_of(t, leaf) : NULL;
        common &= leaf == counter || (sym && sym->kind == LS_SYM_INPUT && sym->scope != LS_SCOPE_THREAD);
    }
    LS_VEC_FREE(&leaves);
    return common;
}

/* --- Loops -----------------------------------------------------------------------------------------------
 */

/* It is gone round until the phase is over. */
static bool spins(const ls_ir_instr *wait) {
    const ls_ir_loop *loop = wait->block->loop;
    return loop && ls_spins_on(loop) == wait;
}

bool ls_is_wait_over(ls_terms *t, const ls_term *symbol) {
    const ls_sym *sym = ls_sym_of(t, symbol);
    return sym->kind == LS_SYM_CHOICE && symbol->width == 1 && sym->key && ls_is_wait(sym->key) &&
           spins(sym->key);
}

static const ls_term *as_over(ls_subst *subst, const ls_term *symbol) {
    return ls_is_wait_over(subst->ctx, symbol) ? ls_true(subst->ctx) : symbol;
}

const ls_term *ls_past_waits(const ls_protocol *x, const ls_term *condition) {
    ls_subst subst = {.ctx = &x->p->terms, .replace = as_over};
    const ls_term *past = ls_substitute(&subst, condition);
    ls_subst_free(&subst);
    return past;
}

static const ls_term *not_over(ls_subst *subst, const ls_term *symbol) {
    return symbol == subst->data ? ls_false(subst->ctx) : symbol;
}

/* The loop is left where the wait is over, and not else. */
static bool leaves_when_over(ls_proof *p, const ls_ir_loop *loop, const ls_ir_instr *wait) {
    const ls_term *over =
        wait->dst_count && wait->dst[0].value ? ls_value_of(p->whole, wait->dst[0].value) : NULL;
    if (!over || over->op != LS_T_SYM || over->width != 1 || !loop->exit_count) return false;
    for (uint32_t e = 0; e < loop->exit_count; e++) {
        const ls_ir_block *from = loop->exits[e].from;
        bool negated;
        const ls_ir_value *predicate = ls_ir_branch_predicate(from, &negated);
        if (!predicate || from->succ_count != 2) return false;
        const ls_term *c = ls_value_of(p->whole, predicate);
        bool first = from->succs[0] == loop->exits[e].to;
        if (c->width != 1) return false;
        if (first == negated) c = ls_not(&p->terms, c);
        ls_subst subst = {.ctx = &p->terms, .replace = not_over, .data = (void *)(uintptr_t)over};
        c = ls_substitute(&subst, c);
        ls_subst_free(&subst);
        if (!ls_is_false(c)) return false;
    }
    return true;
}

/* --- Sites -----------------------------------------------------------------------------------------------
 */

static bool has_text(const ls_ir_instr *i, const char *part) {
    return strstr(i->form->text, part) != NULL;
}

static bool is_bulk(const ls_ir_instr *i) {
    return i->form->opcode->copy == LS_COPY_BULK || i->form->opcode->copy == LS_COPY_BULK_REDUCE;
}

uint64_t ls_bulk_bytes(const ls_ir_instr *i) {
    uint64_t bytes = 0;
    bool bulk = is_bulk(i) && i->src_count >= 3;
    if (bulk && i->src[2].kind == LS_IR_IMM) return i->src[2].bits;
    return bulk && i->src[2].value && ls_ir_constant(i->src[2].value, &bytes) ? bytes : 0;
}

static const ls_site_kind NOTHING = LS_SITE_COUNT;

static ls_site_kind kind_of(const ls_ir_instr *i) {
    static const uint8_t by_mbarrier[] = {[LS_MBARRIER_ARRIVE] = LS_SITE_ARRIVE + 1,
                                          [LS_MBARRIER_ARRIVE_DROP] = LS_SITE_ARRIVE + 1,
                                          [LS_MBARRIER_ARRIVE_COPIED] = LS_SITE_JOIN + 1,
                                          [LS_MBARRIER_INVAL] = LS_SITE_INVALIDATE + 1,
                                          [LS_MBARRIER_WAIT] = LS_SITE_WAIT + 1};
    const ls_ptx_opcode *opcode = i->form->opcode;
    if (!opcode->effects) return NOTHING;
    if (by_mbarrier[opcode->mbarrier]) return (ls_site_kind)(by_mbarrier[opcode->mbarrier] - 1);
    if (ls_is_tensor_load(i)) return LS_SITE_COPY_IN;
    if (ls_is_tensor_store(i)) return LS_SITE_COPY_OUT;
    if (is_bulk(i)) return has_text(i, ".bulk_group") ? LS_SITE_COPY_OUT : LS_SITE_COPY_IN;
    if (opcode->copy == LS_COPY_BULK_COMMIT) return LS_SITE_COMMIT;
    if (opcode->copy == LS_COPY_BULK_WAIT) return LS_SITE_GROUP_WAIT;
    if (i->op == LS_OP_WGMMA_MMA_ASYNC) return LS_SITE_PRODUCT;
    if (i->op == LS_OP_WGMMA_COMMIT_GROUP) return LS_SITE_UNIT_COMMIT;
    if (i->op == LS_OP_WGMMA_WAIT_GROUP) return LS_SITE_UNIT_WAIT;
    if (opcode->fence == LS_FENCE_INIT) return LS_SITE_INIT_FENCE;
    bool fence = opcode->fence == LS_FENCE_PROXY && has_text(i, ".async") && !has_text(i, ".global");
    return fence ? LS_SITE_FENCE : NOTHING;
}

bool ls_is_ticketed(const ls_ir_instr *i) {
    ls_site_kind kind = kind_of(i);
    return i->form->opcode->mbarrier == LS_MBARRIER_INIT ||
           i->form->opcode->barrier == LS_BARRIER_BLOCK_ARRIVE ||
           (kind != NOTHING && kind != LS_SITE_FENCE && kind != LS_SITE_INIT_FENCE);
}

static uint64_t position_of(const ls_node *n, uint32_t index) {
    return (uint64_t)n->id << 32 | index << 1; /* of which the last bit is free */
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

/* Of the threads of the block at a barrier that counts them (__syncthreads_count), those for which it holds.
 */
static const ls_term *as_counted(ls_subst *subst, const ls_term *symbol) {
    const ls_protocol *x = subst->data;
    const ls_sym *sym = ls_sym_of(subst->ctx, symbol);
    const ls_ir_instr *i = sym->kind == LS_SYM_CHOICE ? sym->key : NULL;
    bool counts = i && i->form->opcode->barrier == LS_BARRIER_BLOCK_RED &&
                  ls_ptx_form_has(i->form, LS_MOD_POPC) && i->guard.kind == LS_IR_ABSENT && i->src_count == 2;
    if (!counts || i->dst_count != 1 || ls_value_of(x->p->whole, i->dst[0].value) != symbol) return symbol;
    uint64_t count = 0;
    const ls_term *holds = ls_operand_of(x->p->whole, &i->src[1]);
    for (uint32_t n = 0; n < x->threads; n++) {
        const ls_term *one = ls_for_thread(x, holds, n);
        if (!ls_is_const(one) && !ls_is_true(one) && !ls_is_false(one)) return symbol;
        count += !ls_is_false(one);
    }
    return ls_const(subst->ctx, symbol->width, count);
}

static bool count_of(const ls_protocol *x, const ls_ir_operand *o, uint64_t *count) {
    ls_subst subst = {.ctx = &x->p->terms, .replace = as_counted, .data = (void *)(uintptr_t)x};
    const ls_term *term = ls_substitute(&subst, ls_operand_of(x->p->whole, o));
    ls_subst_free(&subst);
    return ls_is_const(term) && (*count = term->value, true);
}

/* The arrival that gave the state; NULL: it is not known. */
static const ls_ir_instr *arrival_of(ls_proof *p, const ls_ir_operand *state) {
    const ls_term *token = ls_operand_of(p->whole, state);
    const ls_sym *sym = token->op == LS_T_SYM ? ls_sym_of(&p->terms, token) : NULL;
    if (!sym || sym->kind != LS_SYM_CHOICE || !sym->key) return NULL;
    const ls_ir_instr *i = sym->key;
    bool arrives =
        i->form->opcode->mbarrier == LS_MBARRIER_ARRIVE && i->guard.kind == LS_IR_ABSENT && i->dst_count == 1;
    return arrives && i->dst[0].value && ls_value_of(p->whole, i->dst[0].value) == token ? i : NULL;
}

static bool no_wait(ls_protocol *x, const ls_ir_instr *i) {
    return ls_not_known(x, i, "a test of a phase outside of a loop that waits for it is not modelled");
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
        s->arrivals = 1;
        s->drops = i->form->opcode->mbarrier == LS_MBARRIER_ARRIVE_DROP;
        if (s->drops && s->loop) return ls_not_known(x, i, "an arrive_drop in a loop is not modelled");
        if (i->form->opcode->mbarrier == LS_MBARRIER_ARRIVE_COPIED) return s->silent = true;
        if (has_text(i, ".expect_tx"))
            return (i->src_count == 2 && constant_of(&i->src[1], &s->bytes)) ||
                   ls_not_known(x, i, "the number of announced bytes (expect_tx) is not a constant");
        return i->src_count == 1 || (count_of(x, &i->src[1], &s->arrivals) && s->arrivals) ||
               ls_not_known(x, i, "an arrival whose count is not a constant is not modelled");
    case LS_SITE_PEEK:
    case LS_SITE_WAIT: {
        if (s->kind == LS_SITE_WAIT && !leaves_when_over(p, i->block->loop, i)) return no_wait(x, i);
        if (has_text(i, ".relaxed") || i->src_count < 2)
            return ls_not_known(x, i, "a wait of this kind is not modelled");
        s->mbarrier = address_of(p, &i->src[0]);
        s->token = has_text(i, ".parity") ? NULL : arrival_of(p, &i->src[1]);
        return has_text(i, ".parity") || s->token ||
               ls_not_known(x, i, "it is not known which arrival returned the state that is waited for");
    }
    case LS_SITE_JOIN: s->mbarrier = address_of(p, &i->src[0]); return true;
    case LS_SITE_COPY_IN:
    case LS_SITE_COPY_OUT: {
        bool in = s->kind == LS_SITE_COPY_IN;
        if (ls_is_tensor_load(i)) return ls_read_tensor_load(x, s);
        if (ls_is_tensor_store(i)) return ls_read_tensor_store(x, s);
        s->bytes = s->size = ls_bulk_bytes(i);
        if (!s->size || has_text(i, ".multicast") || (in && i->src_count != 4) || (!in && i->src_count != 3))
            return ls_not_known(x, i,
                                "a bulk copy of this kind, or whose size is not a constant, is not modelled");
        s->address = address_of(p, &i->src[in ? 0 : 1]);
        s->base = base_of(i, in ? 0 : 1);
        s->writes = in;
        if (in) s->mbarrier = address_of(p, &i->src[3]);
        bool from = in && i->form->opcode->copy == LS_COPY_BULK && has_text(i, ".global") && base_of(i, 1);
        if (!s->base || (in ? !from : !base_of(i, 0)))
            return ls_not_known(x, i, "it is not known what memory is copied here");
        return true;
    }
    case LS_SITE_INVALIDATE: s->mbarrier = address_of(p, &i->src[0]); return true;
    case LS_SITE_UNIT_WAIT:
    case LS_SITE_GROUP_WAIT:
        s->reads_only = has_text(i, ".read");
        return constant_of(&i->src[0], &s->bytes) ||
               ls_not_known(x, i, "a wait for a number of groups that is not a constant is not modelled");
    default: return true;
    }
}

static const ls_term *phase_asked(const ls_protocol *x, const ls_site *s) {
    return ls_operand_of(x->p->whole, &s->instr->src[1]);
}

/* Both are about the same phase: they name the same mbarrier and parity, in the same iteration. */
static bool is_of_peek(const ls_protocol *x, const ls_site *peek, const ls_site *wait) {
    return peek->kind == LS_SITE_PEEK && wait->kind == LS_SITE_WAIT && peek->loop == wait->loop &&
           peek->position < wait->position && peek->mbarrier == wait->mbarrier && !peek->token &&
           !wait->token && phase_asked(x, peek) == phase_asked(x, wait) &&
           ls_ir_dominates(peek->node->block, wait->node->block);
}

/* A wait that is left out where a look before it has seen the phase over is as good as one that never is:
 * who has seen that need not wait. */
static void join_peek(const ls_protocol *x, ls_site *s) {
    ls_terms *t = &x->p->terms;
    for (uint32_t i = x->sites.length; i-- > 0 && s->kind == LS_SITE_WAIT;) {
        const ls_site *peek = &x->sites.items[i];
        if (!is_of_peek(x, peek, s) || !peek->instr->dst[0].value) continue;
        const ls_term *missed = ls_not(t, ls_value_of(x->p->whole, peek->instr->dst[0].value));
        if (ls_never(x, (const ls_term *[]){peek->when, missed, ls_not(t, s->when)}, 3)) s->when = peek->when;
        return;
    }
}

bool ls_number_peeks(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        ls_site *peek = &x->sites.items[i];
        for (uint32_t k = 0; k < x->sites.length && peek->kind == LS_SITE_PEEK; k++)
            if (is_of_peek(x, peek, &x->sites.items[k])) peek->ticket = x->sites.items[k].ticket;
        if (peek->kind == LS_SITE_PEEK && peek->ticket.object == LS_NO_OBJECT) return no_wait(x, peek->instr);
    }
    return true;
}

/* The iterations in which the site may be reached. */
static void find_iterations(const ls_protocol *x, ls_site *s) {
    const ls_term *k = s->loop ? ls_counter_of(x->p, s->loop, x->p->whole->tag) : NULL;
    s->last = k && k->uhi <= LS_MOST_ITERATIONS ? (int64_t)k->uhi : k ? INT64_MAX : 0;
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
    s.nested = nested;
    if (nested && kind != LS_SITE_LANES)
        return ls_not_known(x, i, "synchronisation in a loop within a loop is not modelled");
    s.when = ls_and(&p->terms, ls_reach_of(p, n->block), ls_guard_of(p->whole, i));
    s.named = kind != LS_SITE_LANES && ls_is_handed(p, i);
    if (!s.named && !read_operands(x, &s)) return false;
    join_peek(x, &s);
    ls_find_threads(x, &s);
    find_iterations(x, &s);
    if (kind == LS_SITE_PRODUCT || kind == LS_SITE_UNIT_COMMIT || kind == LS_SITE_UNIT_WAIT)
        return ls_add_products(x, &s);
    if (s.named) return ls_add_named(x, &s);
    if (kind == LS_SITE_LANES)
        ls_add_lanes(x, n, &s);
    else
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
    s.when = ls_and(&p->terms, ls_reach_of(p, n->block), ls_guard_of(p->whole, i));
    ls_find_threads(x, &s);
    uint64_t count, most = 0;
    const ls_term *k = s.loop ? ls_counter_of(p, s.loop, p->whole->tag) : NULL;
    if (nested || s.thread_count != 1 || (s.loop && (!k || k->uhi > LS_MOST_STAGES)) ||
        !count_of(x, &i->src[1], &count))
        return ls_not_known(
            x, i,
            "an mbarrier that several threads initialise, or whose count is not a constant, is not modelled");
    most = k ? k->uhi : 0;
    const uint32_t thread = ls_first_thread(&s);
    for (uint64_t it = 0; it <= most; it++) {
        const ls_term *when = ls_in_iteration(x, &s, s.when, it);
        if (ls_is_false(when)) continue;
        if (!ls_never(x, (const ls_term *[]){ls_is_thread(x, thread), ls_not(&p->terms, when)}, 2))
            return ls_not_known(x, i, "an mbarrier that is initialised under a condition is not modelled");
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
    bool lanes = n->barrier->form->opcode->barrier == LS_BARRIER_WARP && n->meets;
    return lanes && x->threads <= 32 && constant_of(&n->barrier->src[0], &mask) && mask == UINT32_MAX;
}

static bool add_node(ls_protocol *x, const ls_node *n) {
    if (n->barrier && !n->warp && !(n->orders & LS_ORDERS_SHARED))
        return ls_not_known(
            x, n->barrier,
            "a barrier of the cluster with accesses between its two halves is not modelled in a "
            "kernel with mbarriers and bulk copies");
    for (uint32_t k = n->first; k < n->end; k++) {
        const ls_ir_instr *i = n->block->instrs[k];
        ls_site_kind kind = i == n->barrier && is_block_barrier(x, n) ? LS_SITE_BARRIER : kind_of(i);
        if (ls_is_handed(x->p, i)) kind = LS_SITE_ARRIVE; /* and a wait, perhaps */
        if (kind == NOTHING && ls_meets_lanes(i)) kind = LS_SITE_LANES;
        if (kind == LS_SITE_WAIT && !spins(i)) kind = LS_SITE_PEEK;
        if (i->form->opcode->mbarrier == LS_MBARRIER_INIT && !add_inits(x, n, k)) return false;
        if (kind != NOTHING && !add_site(x, kind, n, k)) return false;
        /* without an increment of what is expected it is one of the arrivals, too */
        bool counts = kind == LS_SITE_JOIN && has_text(i, ".noinc");
        if (counts && !add_site(x, LS_SITE_ARRIVE, n, k)) return false;
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

bool ls_joins_flights(const ls_proof *p) {
    for (uint32_t i = 0; i < p->f->instr_count; i++)
        if (p->f->instrs[i]->form->opcode->mbarrier == LS_MBARRIER_ARRIVE_COPIED) return true;
    return false;
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
        bool flight = ls_is_flight(a->instr) && ls_joins_flights(p);
        if (!a->base_count || a->other_bases)
            return ls_not_known(x, a->instr, "it is not known what is accessed here");
        if (!is_shared(p, e)) continue;
        if (a->base_count != 1 || !e->size || a->kind == LS_ACCESS_ATOMIC ||
            (is_asynchronous(a->instr) && !flight) || e->in_flight || e->collective)
            return ls_not_known(
                x, a->instr,
                "an access of this kind is not modelled in a kernel with mbarriers and bulk copies");
        bool nested;
        uint32_t index = 0;
        while (a->instr->block->instrs[index] != a->instr) index++;
        ls_site s = {.kind = flight ? LS_SITE_FLIGHT : LS_SITE_ACCESS,
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
        ls_find_threads(x, &s);
        LS_VEC_PUSH(&x->sites, s);
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
    if (!ls_check_named(x) || !ls_split_groups(x) || !add_accesses(x)) return false;
    return ls_number_sites(x) && ls_find_boxes(x);
}
