/* Pointers that are read from memory: members of structs that a parameter points to, elements of arrays of
 * pointers, pointers in __device__ and __constant__ variables. Where nobody writes what they are read from,
 * such a pointer is the same wherever it is read, and it is assumed, as of parameters, that it points to
 * memory of its own: two of them point to the same memory where they were read from the same place, and
 * nowhere else. So an access through one has a *root*, the object that the pointer was read from, and a
 * *trace*, the places in it (and, for pointers to pointers, in what that points to). The accesses of two
 * threads overlap where the traces are equal and the offsets from the pointers overlap. */
#include "verify/execute/roots.h"
#include "verify/execute/lower.h"
#include "verify/proof.h"
#include "verify/query/query.h"

typedef struct {
    ls_proof *p;
    bool *rooted; /* by base */
} finder;

/* The load of the pointer. */
static const ls_ir_access *load_of(const ls_ir_base *base) {
    const ls_ir_instr *i = base->value->instr;
    return i->access_count == 1 ? &i->accesses[0] : NULL;
}

/* A variable of the whole program, a parameter itself, or what a parameter points to. */
static bool is_outer(const ls_proof *p, const ls_ir_base *base) {
    if (base->kind == LS_BASE_PARAM) return true;
    if (base->kind != LS_BASE_OBJECT) return false;
    uint8_t kind = p->f->objects[base->object]->kind;
    return kind == LS_OBJECT_GLOBAL || kind == LS_OBJECT_CONST || kind == LS_OBJECT_PARAM;
}

/* Pointers in the parameter have bases of their own, by their places; one that is taken from any place in it
 * may be each of them. */
static bool has_own_bases(const ls_proof *p, const ls_ir_base *parameter) {
    if (parameter->kind != LS_BASE_OBJECT || p->f->objects[parameter->object]->kind != LS_OBJECT_PARAM)
        return false;
    for (uint32_t i = 0; i < p->f->base_count; i++)
        if (p->f->bases[i]->kind == LS_BASE_PARAM && p->f->bases[i]->object == parameter->object) return true;
    return false;
}

static bool may_be_rooted(const ls_proof *p, const ls_ir_base *base) {
    if (base->kind != LS_BASE_LOADED || p->f->module->address_size != 64) return false;
    const ls_ir_instr *i = base->value->instr;
    const ls_ir_access *a = load_of(base);
    if (!a || i->op != LS_OP_LD || i->guard.kind != LS_IR_ABSENT || i->unknown) return false;
    bool weak = a->semantics == LS_MOD_UNKNOWN || a->semantics == LS_MOD_WEAK;
    return weak && a->bytes == 8 && a->base_count == 1 && !a->other_bases && !a->opaque && !a->is_volatile &&
           !has_own_bases(p, a->bases[0]);
}

static const ls_ir_base *parent_of(const ls_ir_base *base) {
    return load_of(base)->bases[0];
}

/* Both are read from the same object, or from what pointers of one root point to. */
static bool are_of_one_root(const finder *f, const ls_ir_base *a, const ls_ir_base *b) {
    for (uint32_t depth = 0; a != b; depth++) {
        if (depth == LS_MOST_PLACES || !f->rooted[a->id] || !f->rooted[b->id]) return false;
        a = parent_of(a);
        b = parent_of(b);
    }
    return true;
}

static bool is_written(const finder *f, const ls_ir_base *base) {
    for (uint32_t i = 0; i < f->p->f->access_count; i++) {
        const ls_ir_access *a = f->p->f->accesses[i];
        for (uint32_t k = 0; k < a->base_count && a->kind != LS_ACCESS_READ; k++)
            if (are_of_one_root(f, a->bases[k], base)) return true;
    }
    return false;
}

static bool stays_rooted(const finder *f, const ls_ir_base *base) {
    const ls_ir_base *parent = parent_of(base);
    uint32_t depth = 1;
    for (; f->rooted[parent->id]; parent = parent_of(parent))
        if (++depth > LS_MOST_PLACES) return false;
    return is_outer(f->p, parent) && !is_written(f, parent_of(base));
}

/* Nothing is written whose place is not known: it might be where the pointers are. */
static bool writes_known(const finder *f) {
    for (uint32_t i = 0; i < f->p->f->access_count; i++) {
        const ls_ir_access *a = f->p->f->accesses[i];
        if (a->kind == LS_ACCESS_READ) continue;
        if (!a->base_count || a->other_bases || a->opaque) return false;
        for (uint32_t k = 0; k < a->base_count; k++) {
            const ls_ir_base *base = a->bases[k];
            bool known = base->kind == LS_BASE_OBJECT || base->kind == LS_BASE_PARAM;
            if (!known && !(f->rooted[base->id] && are_of_one_root(f, base, a->bases[0]))) return false;
        }
    }
    return true;
}

typedef struct {
    const ls_ir_base **first; /* by base: the first of its root; NULL: it has none */
    const ls_term **address;  /* by base that is the first of a root: what stands for its memory */
} roots;

static const ls_part ROOTS = {sizeof(roots), NULL};

void ls_find_roots(ls_proof *p) {
    uint32_t count = p->f->base_count;
    finder f = {p, LS_NEW_N(&p->arena, bool, count + 1)};
    roots *r = ls_part_of(p, &ROOTS);
    r->first = LS_NEW_N(&p->arena, const ls_ir_base *, count + 1);
    r->address = LS_NEW_N(&p->arena, const ls_term *, count + 1);
    bool any = false, changed = true;
    for (uint32_t i = 0; i < count; i++) any |= f.rooted[i] = may_be_rooted(p, p->f->bases[i]);
    while (any && changed) {
        changed = false;
        for (uint32_t i = 0; i < count; i++)
            if (f.rooted[i] && !stays_rooted(&f, p->f->bases[i])) f.rooted[i] = false, changed = true;
    }
    if (!any || !writes_known(&f)) return;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i && f.rooted[i] && !r->first[i]; k++)
            if (are_of_one_root(&f, p->f->bases[i], p->f->bases[k])) r->first[i] = p->f->bases[k];
}

/* The first base of the same root; NULL: it has none. */
static const ls_ir_base *root_of(const ls_proof *p, const ls_ir_base *base) {
    if (base->kind != LS_BASE_LOADED) return NULL;
    const roots *r = ls_part_of(p, &ROOTS);
    return r->first ? r->first[base->id] : NULL;
}

bool ls_has_root(const ls_proof *p, const ls_ir_base *base) {
    return root_of(p, base) != NULL;
}

bool ls_same_object(const ls_proof *p, const ls_ir_base *a, const ls_ir_base *b) {
    return a == b || ls_object_number(p, a) == ls_object_number(p, b);
}

uint32_t ls_object_number(const ls_proof *p, const ls_ir_base *base) {
    return ls_is_dynamic_shared(p, base) ? UINT32_MAX : ls_first_base(p, base)->id;
}

const ls_ir_base *ls_first_base(const ls_proof *p, const ls_ir_base *base) {
    const ls_ir_base *first = root_of(p, base);
    return first ? first : base;
}

const ls_term *ls_root_address(ls_proof *p, const ls_ir_base *base) {
    const ls_ir_base *first = root_of(p, base);
    if (!first) return NULL;
    const ls_term **address = &((roots *)ls_part_of(p, &ROOTS))->address[first->id];
    if (!*address) *address = ls_symbol(&p->terms, first->name, 64, LS_SCOPE_GRID, LS_SYM_INPUT, 1, 0);
    return *address;
}

const char *ls_root_name(ls_proof *p, const ls_ir_base *base) {
    if (!root_of(p, base)) return NULL;
    while (root_of(p, base)) base = parent_of(base);
    return ls_arena_printf(&p->arena, "*%s[…]", ls_base_name(p, base));
}

/* --- Accesses --------------------------------------------------------------------------------------------
 */

static bool has_leaf(const ls_term *term, const ls_term *leaf) {
    ls_term_list leaves = {0};
    bool found = false;
    ls_leaves(&term, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++) found |= leaves.items[i] == leaf;
    LS_VEC_FREE(&leaves);
    return found;
}

/* How far an address is from the pointer that it is made from; NULL where that is not simply what is added.
 */
static const ls_term *offset_from(const ls_state *s, const ls_ir_base *base, const ls_term *address) {
    ls_proof *p = s->proof;
    const ls_term *start = root_of(p, base) ? ls_value_of(s, base->value) : ls_base_address(p, base);
    bool read = !root_of(p, base) || ls_is_uf(&p->terms, start, LS_UF_READ_ONLY);
    if (!start || !read || start->width != 64 || address->width != 64) return NULL;
    const ls_term *offset = ls_sub(&p->terms, address, start);
    return has_leaf(offset, start) ? NULL : offset;
}

/* An address in terms of its root. */
typedef struct {
    const ls_term *offset; /* from the pointer */
    const ls_term *places[LS_MOST_PLACES];
    uint32_t count;
} trace;

static bool follow(const ls_state *s, const ls_ir_base *base, trace *out) {
    ls_terms *t = &s->proof->terms;
    const ls_ir_access *a = load_of(base);
    const ls_ir_operand *from = &a->instr->src[a->src];
    const ls_term *address = ls_resize(t, ls_operand_of(s, from), 64, false);
    address = ls_add(t, address, ls_const(t, 64, (uint64_t)from->offset + base->value->result * a->bytes));
    const ls_term *offset = offset_from(s, a->bases[0], address);
    if (!offset || out->count == LS_MOST_PLACES) return false;
    out->places[out->count++] = offset;
    return !root_of(s->proof, a->bases[0]) || follow(s, a->bases[0], out);
}

/* The one of the pointers that the address is made from. */
static bool find_pointer(const ls_state *s, const ls_ir_access *a, const ls_term *address, trace *out) {
    const ls_ir_base *found = NULL;
    for (uint32_t i = 0; i < a->base_count; i++) {
        const ls_term *offset = offset_from(s, a->bases[i], address);
        bool other = !offset; /* another pointer is left in it */
        for (uint32_t k = 0; k < a->base_count && !other; k++)
            other = has_leaf(offset, ls_value_of(s, a->bases[k]->value));
        if (other) continue;
        found = a->bases[i];
        out->offset = offset;
        break;
    }
    return found && follow(s, found, out);
}

enum { MOST_CHOICES = 8 };

/* Where branches have chosen between pointers of one root, offset and places are chosen as well. */
static bool find_trace(const ls_state *s, const ls_ir_access *a, const ls_term *address, uint32_t depth,
                       trace *out) {
    ls_terms *t = &s->proof->terms;
    *out = (trace){.count = 0};
    const ls_term *choice = address->op == LS_T_ITE ? address : NULL;
    for (uint32_t i = 0; address->op == LS_T_LIN && i < address->count && !choice; i++)
        if (address->args[i]->op == LS_T_ITE && address->coefs[i] == 1 && address->args[i]->width == 64)
            choice = address->args[i];
    if (a->base_count < 2 || !choice || depth == MOST_CHOICES) return find_pointer(s, a, address, out);
    const ls_term *rest = ls_sub(t, address, choice);
    trace yes, no;
    if (!find_trace(s, a, ls_add(t, choice->args[1], rest), depth + 1, &yes) ||
        !find_trace(s, a, ls_add(t, choice->args[2], rest), depth + 1, &no) || yes.count != no.count)
        return find_pointer(s, a, address, out);
    out->offset = ls_ite(t, choice->args[0], yes.offset, no.offset);
    out->count = yes.count;
    for (uint32_t i = 0; i < yes.count; i++)
        out->places[i] = ls_ite(t, choice->args[0], yes.places[i], no.places[i]);
    return true;
}

static bool has_root(const ls_proof *p, const ls_ir_access *a) {
    for (uint32_t i = 0; i < a->base_count; i++)
        if (!root_of(p, a->bases[i]) || root_of(p, a->bases[i]) != root_of(p, a->bases[0])) return false;
    return a->base_count && !a->other_bases;
}

void ls_trace_pointer(const ls_state *s, ls_event *e) {
    ls_proof *p = s->proof;
    trace found;
    if (!has_root(p, e->access) || !find_trace(s, e->access, e->address, 0, &found)) return;
    const ls_ir_base *from = e->access->bases[0];
    e->address = ls_add(&p->terms, ls_root_address(p, from), found.offset);
    e->place_count = found.count;
    memcpy(e->places, found.places, sizeof e->places);
    for (from = parent_of(from); root_of(p, from);) from = parent_of(from);
    ls_scope_line(p, NULL,
                  "assumes that the pointers in '%s' are not null and point to memory that does not overlap",
                  ls_base_name(p, from));
}

void ls_query_places(ls_query *q, const ls_event *a, const ls_event *b) {
    ls_terms *t = &q->view.p->terms;
    for (uint32_t i = 0; i < a->place_count && i < b->place_count; i++) {
        ls_query_add(q, 1, ls_true(t), a->places[i]);
        ls_query_add(q, 2, ls_true(t), b->places[i]);
        ls_query_claim(q, ls_eq(t, ls_query_term(q, 1, a->places[i]), ls_query_term(q, 2, b->places[i])));
    }
}
