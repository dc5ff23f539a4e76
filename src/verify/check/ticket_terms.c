/* What is asked about single sites of a protocol (ticket_sites.c): their terms in one iteration, the threads
 * that come there, and the loops around them, some of which only wait. */
#include "verify/check/ticket_sites.h"
#include "verify/check/flights.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/query/query.h"

static const uint64_t MOST_ROUNDS = UINT64_C(1) << 31; /* of a loop: the scope says so */

/* --- Terms -----------------------------------------------------------------------------------------------
 */

const ls_term *ls_site_counter(const ls_protocol *x, const ls_site *s) {
    const ls_term *k = s->loop ? ls_counter_of(x->p, s->loop, x->p->whole->tag) : NULL;
    return k ? ls_resize(&x->p->terms, k, 64, false) : NULL;
}

const ls_term *ls_ticket_term(const ls_protocol *x, ls_ticket ticket, const ls_term *counter) {
    const ls_term *offset = ls_const(&x->p->terms, 64, (uint64_t)ticket.offset);
    return ticket.moves ? ls_add(&x->p->terms, counter, offset) : offset;
}

typedef struct {
    const ls_proof *p;
    const ls_term *counter;
    uint64_t iteration;
    bool has_thread;
    uint32_t thread[3];
} choice;

static const ls_term *chosen(ls_subst *subst, const ls_term *symbol) {
    const choice *c = subst->data;
    if (symbol == c->counter) return ls_const(subst->ctx, symbol->width, c->iteration);
    for (int i = 0; i < 3 && c->has_thread; i++)
        if (symbol == c->p->tid[i]) return ls_const(subst->ctx, symbol->width, c->thread[i]);
    return symbol;
}

static const ls_term *choose(choice *c, const ls_term *term) {
    ls_subst subst = {.ctx = (ls_terms *)(uintptr_t)&c->p->terms, .replace = chosen, .data = c};
    const ls_term *result = ls_substitute(&subst, term);
    ls_subst_free(&subst);
    return result;
}

/* A term of a site in one of its iterations. */
const ls_term *ls_in_iteration(const ls_protocol *x, const ls_site *s, const ls_term *term, uint64_t k) {
    choice c = {.p = x->p,
                .counter = s->loop ? ls_counter_of(x->p, s->loop, x->p->whole->tag) : NULL,
                .iteration = k};
    return choose(&c, term);
}

/* Loops go round fewer times than that. */
static void add_few_rounds(ls_query *q, const ls_term *const *conditions, uint32_t count) {
    ls_terms *t = &q->view.p->terms;
    ls_term_list leaves = {0};
    ls_leaves(conditions, count, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *k = leaves.items[i];
        bool open = k->op == LS_T_SYM && ls_sym_of(t, k)->kind == LS_SYM_COUNT && k->uhi >= MOST_ROUNDS;
        if (open) ls_query_add(q, 1, ls_ult(t, k, ls_const(t, k->width, MOST_ROUNDS)), NULL);
    }
    LS_VEC_FREE(&leaves);
}

bool ls_never(const ls_protocol *x, const ls_term *const *conditions, uint32_t count) {
    ls_proof *p = x->p;
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true});
    for (int i = 0; i < 3; i++) {
        ls_query_add(&q, 1, ls_true(&p->terms), p->tid[i]);
        ls_query_add(&q, 1, ls_true(&p->terms), p->ctaid[i]);
    }
    ls_query_claim(&q, p->launch);
    add_few_rounds(&q, conditions, count);
    for (uint32_t i = 0; i < count; i++) ls_query_add(&q, 1, conditions[i], NULL);
    bool never = ls_query_solve(&q) == LS_UNSAT;
    ls_query_end(&q);
    return never;
}

/* --- Threads ---------------------------------------------------------------------------------------------
 */

static void number_to_index(const ls_protocol *x, uint32_t n, uint32_t index[3]) {
    const uint32_t *block = x->p->options->block;
    index[0] = n % block[0];
    index[1] = n / block[0] % block[1];
    index[2] = n / block[0] / block[1];
}

const ls_term *ls_is_thread(const ls_protocol *x, uint32_t thread) {
    ls_terms *t = &x->p->terms;
    const ls_term *is = ls_true(t);
    uint32_t index[3];
    if (thread == LS_NO_OBJECT) return is;
    number_to_index(x, thread, index);
    for (int i = 0; i < 3; i++)
        is = ls_and(t, is, ls_eq(t, x->p->tid[i], ls_const(t, x->p->tid[i]->width, index[i])));
    return is;
}

void ls_find_site_threads(ls_protocol *x, ls_site *s) {
    for (uint32_t n = 0; n < x->threads; n++) {
        choice c = {.p = x->p, .has_thread = true};
        number_to_index(x, n, c.thread);
        if (ls_is_false(choose(&c, s->when))) continue;
        s->threads[n / 64] |= UINT64_C(1) << n % 64;
        s->thread_count++;
    }
}

bool ls_threads_within(const ls_site *a, const ls_site *b) {
    bool within = true;
    for (uint32_t i = 0; i < LS_MOST_BLOCK / 64; i++) within &= !(a->threads[i] & ~b->threads[i]);
    return within;
}

bool ls_threads_meet(const ls_site *a, const ls_site *b) {
    bool meet = false;
    for (uint32_t i = 0; i < LS_MOST_BLOCK / 64; i++) meet |= (a->threads[i] & b->threads[i]) != 0;
    return meet;
}

/* --- Loops -----------------------------------------------------------------------------------------------
 */

static bool is_wait(const ls_ir_instr *i) {
    return i->op == LS_OP_MBARRIER_TRY_WAIT || i->op == LS_OP_MBARRIER_TEST_WAIT;
}

bool ls_is_wait_over(ls_terms *t, const ls_term *symbol) {
    const ls_sym *sym = ls_sym_of(t, symbol);
    return sym->kind == LS_SYM_CHOICE && symbol->width == 1 && sym->key && is_wait(sym->key);
}

/* A loop that does nothing but ask until one wait is over. */
const ls_ir_instr *ls_spins_on(const ls_ir_loop *loop) {
    const ls_ir_instr *wait = NULL;
    for (uint32_t b = 0; b < loop->block_count; b++)
        for (uint32_t k = 0; k < loop->blocks[b]->instr_count; k++) {
            const ls_ir_instr *i = loop->blocks[b]->instrs[k];
            bool acts = i->access_count || i->call || (i->form->opcode->effects & ~(uint32_t)LS_VARIES);
            if (is_wait(i) && !wait && i->guard.kind == LS_IR_ABSENT)
                wait = i;
            else if (acts && i != loop->blocks[b]->terminator)
                return NULL;
        }
    return wait;
}

static const ls_term *not_over(ls_subst *subst, const ls_term *symbol) {
    return symbol == subst->data ? ls_false(subst->ctx) : symbol;
}

/* The loop is left where the wait is over, and not else. */
bool ls_leaves_when_over(ls_proof *p, const ls_ir_loop *loop, const ls_ir_instr *wait) {
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

/* The outermost loop around a block that does more than wait; *nested: there is another one in it. */
const ls_ir_loop *ls_loop_around(const ls_ir_block *block, bool *nested) {
    const ls_ir_loop *found = NULL;
    *nested = false;
    for (const ls_ir_loop *loop = block->loop; loop; loop = loop->parent) {
        if (ls_spins_on(loop)) continue;
        *nested |= found != NULL;
        found = loop;
    }
    return found;
}
