/* What handing over (handoff.c) and locks (locks.c) are made of: which accesses are to a flag and what they
 * write there, which fences and barriers lie on all ways between two instructions. */
#include "verify/check/signals.h"
#include "verify/check/ways.h"
#include "verify/execute/lower.h"
#include "verify/execute/roots.h"
#include "verify/query/query.h"

/* --- Flags -----------------------------------------------------------------------------------------------
 */

static bool is_of_one_object(const ls_event *e) {
    const ls_ir_access *a = e->access;
    return a->base_count == 1 && !a->other_bases && a->count == 1 && a->bytes && e->size == a->bytes &&
           !a->opaque && !e->collective && !e->in_flight && !e->place_count;
}

/* Zero before the launch, if the program does not say otherwise. */
static bool starts_open(const ls_proof *p, const ls_ir_base *base) {
    if (base->kind == LS_BASE_PARAM) return true;
    if (base->kind != LS_BASE_OBJECT) return false;
    const ls_ir_object *o = p->f->objects[base->object];
    return o->kind == LS_OBJECT_GLOBAL && !(o->variable && o->variable->initializer);
}

bool ls_is_flag(const ls_proof *p, const ls_event *e) {
    const ls_ir_instr *i = e->access->instr;
    return is_of_one_object(e) && e->access->kind != LS_ACCESS_WRITE && ls_order_of(i->form).strong &&
           i->dst_count == 1 && i->dst[0].value && i->guard.kind == LS_IR_ABSENT &&
           e->access->space != LS_SPACE_SHARED && starts_open(p, e->access->bases[0]);
}

bool ls_is_lockable(const ls_event *e) {
    const ls_ir_instr *i = e->access->instr;
    return is_of_one_object(e) && i->dst_count == 1 && i->dst[0].value && i->guard.kind == LS_IR_ABSENT;
}

/* The operand that says what is written; of compare-and-swap the second. */
static bool written(const ls_ir_instr *i, uint32_t which, uint64_t *value) {
    return i->src_count > which && ls_constant_operand(&i->src[which], value);
}

static uint64_t cut(uint64_t value, uint32_t bytes) {
    return value & ls_mask(8 * bytes);
}

static ls_flag_use atomic_use(const ls_ir_instr *i, uint32_t bytes, uint64_t *value) {
    const ls_ptx_form *form = i->form;
    uint64_t one, two;
    if (!written(i, 1, &one)) return LS_FLAG_OTHER;
    one = cut(one, bytes);
    if (ls_ptx_form_has(form, LS_MOD_CAS)) {
        if (!written(i, 2, &two)) return LS_FLAG_OTHER;
        *value = cut(two, bytes);
        return *value == one ? LS_FLAG_KEPT : LS_FLAG_SET;
    }
    if (ls_ptx_form_has(form, LS_MOD_EXCH)) return *value = one, LS_FLAG_SET;
    bool adds = ls_ptx_form_has(form, LS_MOD_ADD) || ls_ptx_form_has(form, LS_MOD_OR) ||
                ls_ptx_form_has(form, LS_MOD_XOR);
    if (adds && !one) return LS_FLAG_KEPT;
    if (ls_ptx_form_has(form, LS_MOD_AND) && one == ls_mask(8 * bytes)) return LS_FLAG_KEPT;
    return LS_FLAG_OTHER;
}

ls_flag_use ls_flag_access(const ls_proof *p, const ls_event *w, const ls_event *flag, uint64_t *value) {
    const ls_ir_access *a = w->access;
    if (a->kind == LS_ACCESS_READ) return LS_FLAG_APART;
    bool meets = !a->base_count || a->other_bases;
    for (uint32_t i = 0; i < a->base_count; i++)
        meets |= ls_same_object(p, a->bases[i], flag->access->bases[0]);
    if (!meets) return LS_FLAG_APART;
    if (!is_of_one_object(w) || a->bytes != flag->access->bytes || a->instr->guard.kind != LS_IR_ABSENT)
        return LS_FLAG_OTHER;
    if (a->kind == LS_ACCESS_ATOMIC) return atomic_use(a->instr, a->bytes, value);
    if (!written(a->instr, 1, value)) return LS_FLAG_OTHER;
    *value = cut(*value, a->bytes);
    return LS_FLAG_SET;
}

bool ls_is_increment(ls_proof *p, const ls_event *e, const ls_term *most) {
    const ls_ir_instr *i = e->access->instr;
    uint64_t one;
    if (e->access->kind != LS_ACCESS_ATOMIC || i->src_count != 2 || e->access->bytes < 4) return false;
    if (ls_ptx_form_has(i->form, LS_MOD_ADD)) return written(i, 1, &one) && one == 1;
    if (!ls_ptx_form_has(i->form, LS_MOD_INC)) return false;
    const ls_term *bound = ls_operand_of(p->whole, &i->src[1]);
    return bound->width == most->width &&
           ls_is_implied(p, e, e->when, ls_not(&p->terms, ls_ult(&p->terms, bound, most)));
}

const ls_term *ls_value_read(ls_proof *p, const ls_event *e) {
    const ls_ir_instr *i = e->access->instr;
    return i->dst_count == 1 && i->dst[0].value ? ls_value_of(p->whole, i->dst[0].value) : NULL;
}

typedef struct { /* flags and counters that are 0 before the launch */
    LS_VEC(const ls_ir_base *) all;
} zeros;

static void free_zeros(void *part) {
    LS_VEC_FREE(&((zeros *)part)->all);
}

static const ls_part ZEROS = {sizeof(zeros), free_zeros};

void ls_tell_zeros(ls_proof *p) {
    const zeros *assumed = ls_part_of(p, &ZEROS);
    for (uint32_t i = 0; i < assumed->all.length; i++) {
        const char *name = ls_base_name(p, assumed->all.items[i]);
        ls_scope_line(p, ls_arena_printf(&p->arena, "assumes that '%s' is 0 before the launch", name),
                      "assumes that '%s', on which threads wait or from which they take tickets, is 0 before "
                      "the launch",
                      name);
    }
}

void ls_assume_zero(ls_proof *p, const ls_ir_base *flag) {
    zeros *assumed = ls_part_of(p, &ZEROS);
    for (uint32_t i = 0; i < assumed->all.length; i++)
        if (assumed->all.items[i] == flag) return;
    LS_VEC_PUSH(&assumed->all, flag);
}

/* --- Questions -------------------------------------------------------------------------------------------
 */

static bool is_impossible(ls_proof *p, const ls_event *e, const ls_term *known, const ls_term *also) {
    ls_query q;
    const ls_ir_block *block = e->node->block;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .a = block, .b = block});
    ls_query_add(&q, 1, known, NULL);
    ls_query_add(&q, 1, also, NULL);
    for (int i = 0; i < 3; i++) ls_query_add(&q, 1, ls_true(&p->terms), p->ctaid[i]);
    ls_query_claim(&q, p->launch);
    bool none = ls_query_ask(&q, (ls_question){LS_AIM_PROOF}) == LS_UNSAT;
    ls_query_end(&q);
    return none;
}

bool ls_may_equal(ls_proof *p, const ls_event *e, const ls_term *known, const ls_term *read, uint64_t value) {
    ls_terms *t = &p->terms;
    return !is_impossible(p, e, known, ls_eq(t, read, ls_const(t, read->width, value)));
}

bool ls_is_implied(ls_proof *p, const ls_event *e, const ls_term *known, const ls_term *claim) {
    return is_impossible(p, e, known, ls_not(&p->terms, claim));
}

/* --- Fences and barriers ---------------------------------------------------------------------------------
 */

bool ls_is_signal(const ls_event *e, ls_reach between) {
    const ls_order o = ls_order_of(e->access->instr->form);
    return o.strong && o.scope >= between;
}

static bool is_fence(const ls_ir_instr *i) {
    return i->form->opcode->fence == LS_FENCE_THREADS;
}

bool ls_has_fences(const ls_proof *p) {
    for (uint32_t k = 0; k < p->f->instr_count; k++) {
        const ls_order o = ls_order_of(p->f->instrs[k]->form);
        if (o.acquires || o.releases) return true;
    }
    return false;
}

static bool releases(const void *between, const ls_ir_instr *i) {
    const ls_order o = ls_order_of(i->form);
    return is_fence(i) && o.releases && o.scope >= *(const ls_reach *)between;
}

static bool acquires(const void *between, const ls_ir_instr *i) {
    const ls_order o = ls_order_of(i->form);
    return is_fence(i) && o.acquires && o.scope >= *(const ls_reach *)between;
}

bool ls_is_released(const ls_proof *p, const ls_ir_instr *from, const ls_ir_instr *to, ls_reach between) {
    const ls_order o = ls_order_of(to->form);
    if (to->access_count && o.releases && o.scope >= between) return true;
    return !ls_way_exists(p, from, to, &(ls_obstacle){releases, &between});
}

bool ls_is_acquired(const ls_proof *p, const ls_ir_instr *from, const ls_ir_instr *to, ls_reach between) {
    const ls_order o = ls_order_of(from->form);
    if (from->access_count && o.acquires && o.scope >= between) return true;
    return !ls_way_exists(p, from, to, &(ls_obstacle){acquires, &between});
}

const ls_ir_instr *ls_block_barrier(const ls_proof *p, const ls_node *n) {
    if (!n->barrier || n->warp || !(n->orders & LS_ORDERS_GLOBAL) || n->block->loop) return NULL;
    if (n->barrier->guard.kind != LS_IR_ABSENT || p->racy_barriers) return NULL;
    return n->barrier;
}

const ls_ir_instr *ls_barrier_between(const ls_proof *p, const ls_ir_instr *first, const ls_ir_instr *then) {
    for (uint32_t n = 0; n < p->node_count; n++) {
        const ls_ir_instr *bar = ls_block_barrier(p, p->nodes[n]);
        if (bar && ls_instr_dominates(bar, then) && !ls_way_exists(p, bar, first, NULL)) return bar;
    }
    return NULL;
}

static bool is_one_of(const void *two, const ls_ir_instr *i) {
    const ls_ir_instr *const *both = two;
    return i == both[0] || i == both[1];
}

bool ls_must_pass(const ls_proof *p, const ls_ir_instr *from, const ls_ir_instr *to) {
    const ls_ir_instr *const both[] = {from, to};
    return !ls_way_exists(p, from, NULL, &(ls_obstacle){is_one_of, both});
}

const ls_event *ls_whole_event(const ls_proof *p, const ls_event *e) {
    const ls_event *found = NULL;
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        if (p->whole_events.items[i].access != e->access) continue;
        if (found) return NULL;
        found = &p->whole_events.items[i];
    }
    return found;
}
