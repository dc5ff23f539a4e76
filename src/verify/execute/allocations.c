/* What the host code allocates (allocations.h). A size counts where it is a constant, or computed from values
 * that the launch depends on as well (the kernel's parameters, or what its sizes are computed from): of a
 * size that comes from elsewhere nothing is known. An access that can leave the memory is an error where
 * everything that it depends on follows from those values: `a[i]` for all threads of (n + 255) / 256 blocks
 * where a has n elements. Where it depends on data, or on parameters that have nothing to do with the size,
 * the program may well see to it that they fit: that accesses stay within is then assumed, as it is where no
 * size is known; and the scope says so. */
#include "verify/execute/allocations.h"
#include "verify/execute/assume.h"
#include "verify/execute/condition.h"
#include "verify/execute/facts.h"
#include "verify/execute/lower.h"

#include "base/buf.h"

#include <string.h>

struct ls_allocated {
    ls_term_list settled;     /* symbols that follow from those of the size; in the proof's arena */
    const char *name, *bytes; /* for people */
    uint32_t line;
    bool open, broken; /* it is not shown that accesses stay within; it is shown that one does not */
    uint32_t asked;    /* how often a solver was asked */
};
typedef struct ls_allocated allocated;

static bool contains(const ls_term_list *set, const ls_term *symbol) {
    for (uint32_t i = 0; i < set->length; i++)
        if (set->items[i] == symbol) return true;
    return false;
}

static void leaves_of(ls_proof *p, const ls_condition *c, ls_term_list *out) {
    const ls_term *term = ls_condition_term(p, c);
    out->length = 0;
    ls_leaves(&term, 1, out);
}

/* NAME == EXPRESSION, as the host code computes a size or an argument. */
static bool is_equation(const ls_condition *c) {
    return c && c->op == LS_COND_EQ &&
           (c->args[0]->op == LS_COND_PARAMETER || c->args[0]->op == LS_COND_LAUNCH);
}

/* The equation in a fact that describes a value of the host code case by case, as a quotient of unsigned
 * numbers is: x >= 0 && (n < 0 || x == n / 256). NULL: there is none. */
static const ls_condition *described(const ls_condition *c) {
    if (!c || is_equation(c)) return c;
    if (c->op != LS_COND_AND && c->op != LS_COND_OR) return NULL;
    const ls_condition *one = described(c->args[0]);
    return one ? one : described(c->args[1]);
}

/* What follows from what is settled: true where that is more than before. */
static bool settle(ls_proof *p, ls_term_list *settled) {
    ls_term_list left = {0}, right = {0}, all = {0};
    bool more = false;
    for (uint32_t i = 0; i < p->options->fact_count; i++) {
        const ls_condition *fact = ls_launch_fact(p, i), *c = described(fact);
        if (!c) continue;
        leaves_of(p, c->args[0], &left);
        leaves_of(p, c->args[1], &right);
        leaves_of(p, fact, &all);
        bool follows = left.length == 1 && !contains(settled, left.items[0]) &&
                       !contains(&right, left.items[0]); /* n == n says that it is given */
        for (uint32_t k = 0; k < all.length && follows; k++)
            follows = all.items[k] == left.items[0] || contains(settled, all.items[k]);
        if (follows) LS_VEC_PUSH_IN(&p->arena, settled, left.items[0]);
        more |= follows;
    }
    LS_VEC_FREE(&left);
    LS_VEC_FREE(&right);
    LS_VEC_FREE(&all);
    return more;
}

static bool is_parameter(ls_proof *p, const ls_term *symbol) {
    uint64_t key;
    return symbol->op == LS_T_SYM && ls_intmap_get(&p->parameter_keys, symbol->value, &key);
}

/* The launch depends on the value: it is a parameter, or a size or parameter is computed from it. */
static bool is_tied(ls_proof *p, const ls_term *symbol) {
    bool tied = is_parameter(p, symbol);
    ls_term_list right = {0};
    for (uint32_t i = 0; i < p->options->fact_count && !tied; i++) {
        const ls_condition *c = ls_launch_fact(p, i);
        if (!is_equation(c)) continue;
        leaves_of(p, c->args[1], &right);
        for (uint32_t k = 0; k < right.length; k++) tied |= right.items[k] == symbol;
    }
    LS_VEC_FREE(&right);
    return tied;
}

static const ls_ir_object *parameter(const ls_proof *p, uint32_t index) {
    for (uint32_t i = 0; i < p->f->object_count; i++) {
        const ls_ir_object *o = p->f->objects[i];
        if (o->kind == LS_OBJECT_PARAM && o->index == index) return o;
    }
    return NULL;
}

/* Where the memory begins that the launch gives for the parameter, or for all arrays of dynamic shared
 * memory; NULL: the kernel has no such pointer. */
static const ls_term *start_of(ls_proof *p, const ls_argument_memory *m, const char **name) {
    const uint32_t width = p->f->module->address_size == 32 ? 32 : 64;
    const ls_ir_object *object = parameter(p, m->parameter);
    for (uint32_t i = 0; i < p->f->object_count && m->parameter == LS_DYNAMIC_SHARED && !object; i++)
        if (p->f->objects[i]->kind == LS_OBJECT_SHARED && p->f->objects[i]->is_extern)
            object = p->f->objects[i];
    if (!object || (object->kind == LS_OBJECT_PARAM && object->size < m->at + width / 8)) return NULL;
    const bool is_shared = object->kind == LS_OBJECT_SHARED;
    *name = is_shared ? object->name : ls_proof_member(p, object->id, m->at);
    return is_shared ? ls_object_address(p, object->id) : ls_parameter(p, object->id, m->at, width);
}

static void assume(ls_proof *p, const ls_argument_memory *m) {
    ls_diags *ignored = ls_diags_new();
    const ls_condition *c = ls_condition_parse(&p->arena, m->bytes, ignored);
    ls_diags_free(ignored);
    const char *name = NULL;
    const ls_term *start = start_of(p, m, &name);
    if (!c || !start || !ls_condition_concerns(p, c)) return;
    const ls_term *bytes = ls_condition_term(p, c);
    ls_term_list leaves = {0};
    ls_leaves(&bytes, 1, &leaves);
    bool known = bytes->scope == LS_SCOPE_GRID && start->op == LS_T_SYM;
    for (uint32_t i = 0; i < leaves.length && known; i++) known = is_tied(p, leaves.items[i]);
    if (known) {
        allocated *of = LS_NEW(&p->arena, allocated);
        ls_buf text = {0};
        ls_fact_show(p->f->ptx, p->options, m->bytes, &text);
        *of = (allocated){
            .name = name, .bytes = ls_arena_strdup(&p->arena, ls_buf_text(&text)), .line = m->line};
        ls_buf_free(&text);
        for (uint32_t i = 0; i < leaves.length; i++) LS_VEC_PUSH_IN(&p->arena, &of->settled, leaves.items[i]);
        while (settle(p, &of->settled)) continue;
        ls_add_size(p, (ls_sized){start, bytes, of});
    }
    LS_VEC_FREE(&leaves);
}

void ls_assume_allocations(ls_proof *p) {
    for (uint32_t i = 0; i < p->options->allocation_count && p->f->ptx->is_entry; i++)
        assume(p, &p->options->allocations[i]);
}

/* The thread, where it is in its loops, and where memory begins. */
static bool is_any(ls_proof *p, const ls_sized *size, const ls_term *symbol) {
    const ls_sym *sym = ls_sym_of(&p->terms, symbol);
    if ((size && symbol == size->start) || sym->kind == LS_SYM_COUNT || ls_is_object_address(p, symbol))
        return true;
    const ls_term *origin = p->terms.syms.items[sym->origin].term;
    for (int i = 0; i < 3; i++)
        if (origin == p->tid[i] || origin == p->ctaid[i]) return true;
    return false;
}

/* What the conditions are made of. Limits that hold for every launch are not counted: they decide on nothing.
 */
static void leaves_of_all(const ls_proof *p, const ls_term_list *conditions, ls_term_list *out) {
    ls_term_list own = {0};
    for (uint32_t i = 0; i < conditions->length; i++)
        if (conditions->items[i] != p->launch) LS_VEC_PUSH(&own, conditions->items[i]);
    ls_leaves(own.items, own.length, out);
    LS_VEC_FREE(&own);
}

bool ls_is_settled(const ls_sized *size, const ls_term *symbol) {
    return contains(&size->allocated->settled, symbol);
}

const ls_term *ls_left_open(ls_proof *p, const ls_sized *size, const ls_term_list *conditions) {
    ls_term_list leaves = {0}, constants = {0};
    const ls_term *open = NULL;
    while (!size && settle(p, &constants)) continue;
    const ls_term_list *settled = size ? &size->allocated->settled : &constants;
    leaves_of_all(p, conditions, &leaves);
    for (uint32_t i = 0; i < leaves.length && !open; i++) {
        const ls_term *leaf = leaves.items[i];
        if (leaf->op != LS_T_SYM || (!is_any(p, size, leaf) && !contains(settled, leaf))) open = leaf;
    }
    LS_VEC_FREE(&leaves);
    return open;
}

bool ls_launch_settles(ls_proof *p, const ls_sized *size, const ls_term_list *conditions) {
    return !ls_left_open(p, size, conditions);
}

bool ls_is_worth_asking(const ls_sized *size) {
    enum { MOST_ASKED = 2 };
    return size->allocated->asked++ < MOST_ASKED;
}

void ls_leave_broken(const ls_sized *size) {
    size->allocated->broken = true;
}

void ls_leave_open(ls_proof *p, const ls_sized *size) {
    size->allocated->open = true;
    if (!p->options->bounds) p->assumed |= LS_ASSUMED_INSIDE;
}

const ls_argument_inside *ls_find_inside(ls_proof *p, uint32_t object, uint64_t at,
                                         const ls_term **distance) {
    const ls_ir_object *o = p->f->objects[object];
    for (uint32_t i = 0; i < p->options->inside_count && p->f->ptx->is_entry; i++) {
        const ls_argument_inside *in = &p->options->inside[i];
        if (o->kind != LS_OBJECT_PARAM || o->index != in->parameter || at != in->at || !in->bytes) continue;
        ls_diags *ignored = ls_diags_new();
        const ls_condition *c = ls_condition_parse(&p->arena, in->bytes, ignored);
        ls_diags_free(ignored);
        if (!c || !ls_condition_concerns(p, c)) return NULL;
        *distance = ls_condition_term(p, c);
        return in;
    }
    return NULL;
}

void ls_tell_allocations(ls_proof *p) {
    uint32_t count;
    const ls_sized *all = ls_sizes(p, &count);
    for (uint32_t i = 0; i < count; i++) {
        const allocated *of = all[i].allocated;
        if (!of) continue;
        const char *within = of->broken ? ""
                             : of->open ? p->options->bounds
                                              ? "; it is not proved that accesses stay inside"
                                              : "; accesses are assumed to stay inside (--bounds checks this)"
                                        : ": accesses stay inside";
        ls_scope_line(p, NULL, "for '%s' of %s bytes (allocated at line %u)%s", of->name, of->bytes, of->line,
                      within);
    }
    for (uint32_t i = 0; i < p->options->allocation_count && p->f->ptx->is_entry; i++) {
        const ls_argument_memory *m = &p->options->allocations[i];
        const ls_ir_object *object = m->is_zero ? parameter(p, m->parameter) : NULL;
        if (object)
            ls_scope_line(p, NULL, "'%s' holds zeros before the launch, as the host code has set it",
                          ls_proof_member(p, object->id, m->at));
    }
}

bool ls_is_zeroed(const ls_proof *p, const ls_ir_base *base) {
    if (base->kind != LS_BASE_PARAM || !p->f->ptx->is_entry) return false;
    for (uint32_t i = 0; i < p->options->allocation_count; i++) {
        const ls_argument_memory *m = &p->options->allocations[i];
        const ls_ir_object *object = m->is_zero ? parameter(p, m->parameter) : NULL;
        if (object && object->id == base->object && base->offset == m->at) return true;
    }
    return false;
}
