/* Accesses told apart without a solver, by the digits of their addresses (digits.c): if the indices that tell
 * the two threads apart are among the digits, two accesses whose addresses differ in the constant alone, by
 * less than the smallest stride, never meet. Where that needs that nothing wraps, and it may be assumed, the
 * scope of the proof says so. */
#include "verify/check/radix.h"
#include "verify/check/contract.h"
#include "verify/check/digits.h"
#include "verify/check/flights.h"
#include "verify/query/query.h"

typedef ls_wide wide;

static uint64_t assumed_window(ls_proof *p, const ls_term *part, bool same_block) {
    ls_digits n = {.p = p, .same_block = same_block, .assume = true};
    if (p->options->exact_overflow || part->width != 64 || !ls_digits_add(&n, part, 1)) return 0;
    return ls_digits_tell_apart(&n) ? ls_digits_window(&n) : 0;
}

/* Of the values that a part of an address has for two threads. */
enum { MOST_CHOICES = 6 /* in an address that are looked at */ };

typedef struct {
    uint64_t window; /* they are at least so far apart where the threads differ; 0: nothing is known */
    uint64_t reach;  /* and at most so far; UINT64_MAX: nothing is known */
    uint64_t assumed_window; /* a window where nothing wraps */
} spacing;

typedef struct {  /* what was found out already */
    ls_intmap by; /* part of an address and view to index in `all` */
    LS_VEC(spacing) all;
} spacings;

static void free_spacings(void *part) {
    spacings *known = part;
    ls_intmap_free(&known->by);
    LS_VEC_FREE(&known->all);
}

static const ls_part SPACINGS = {sizeof(spacings), free_spacings};

static spacing find_spacing(ls_proof *p, const ls_term *part, bool same_block) {
    ls_digits n = {.p = p, .same_block = same_block};
    spacing none = {.reach = UINT64_MAX};
    wide half = (wide)1 << (part->width - 1);
    if (!ls_digits_add(&n, part, 1) || n.reach >= half) return none;
    uint64_t window = ls_digits_tell_apart(&n) ? ls_digits_window(&n) : 0;
    return (spacing){.window = n.reach + (wide)window < half ? window : 0, .reach = (uint64_t)n.reach};
}

static spacing spacing_of(ls_proof *p, const ls_term *part, bool same_block) {
    bool is_new;
    uint64_t key = (uint64_t)part->id * 2 + same_block;
    spacings *known = ls_part_of(p, &SPACINGS);
    uint64_t *place = ls_intmap_at(&known->by, key, &is_new);
    if (!is_new) return known->all.items[*place];
    *place = known->all.length;
    spacing s = find_spacing(p, part, same_block);
    if (!s.window) s.window = ls_digits_wrapped_window(p, part, same_block);
    if (!s.window) s.assumed_window = assumed_window(p, part, same_block);
    LS_VEC_PUSH(&known->all, s);
    return s;
}

/* Of two accesses whose places are at least `window` apart, before the constants: b from a on is far enough
 * up, and a from b on. */
static bool are_apart(uint64_t window, uint64_t distance, uint64_t upper, uint64_t lower) {
    return distance + upper <= window && lower <= window + distance;
}

bool ls_apart_by_radix(ls_proof *p, const ls_event *a, const ls_event *b, bool same_block) {
    if (a->part != b->part) return false;
    spacing s = spacing_of(p, a->part, same_block);
    uint32_t width = a->part->width;
    int64_t difference = ls_signed(a->constant - b->constant, width);
    uint64_t distance = difference < 0 ? -(uint64_t)difference : (uint64_t)difference;
    uint64_t size = a->size > b->size ? a->size : b->size, half = UINT64_C(1) << (width - 2);
    if (distance >= half || size >= half) return false;
    uint64_t upper = difference < 0 ? b->size : a->size, lower = difference < 0 ? a->size : b->size;
    if (are_apart(s.window, distance, upper, lower)) return true;
    if (s.reach < half && distance >= s.reach + size) return true; /* further than the digits go */
    if (!are_apart(s.assumed_window, distance, upper, lower)) return false;
    return ls_may_not_overflow(p, a, b);
}
/* A copy in the background may read less than it writes: at most as much. */
static uint32_t bytes_of(const ls_ir_access *a) {
    uint32_t bytes = a->bytes;
    for (uint32_t k = 0; k < a->instr->access_count && !bytes && ls_is_flight(a->instr); k++)
        bytes = a->instr->accesses[k].bytes;
    return bytes;
}

static const ls_term *itself(ls_subst *subst, const ls_term *symbol) {
    (void)subst;
    return symbol;
}

/* The term, where the condition is as it is said. */
static const ls_term *where(ls_terms *t, const ls_term *term, const ls_term *condition, bool holds) {
    ls_subst subst = {.ctx = t, .replace = itself, .first = condition->id};
    bool is_new;
    *ls_intmap_at(&subst.memo, condition->id, &is_new) =
        (uint64_t)(uintptr_t)(holds ? ls_true(t) : ls_false(t));
    const ls_term *result = ls_substitute(&subst, term);
    ls_subst_free(&subst);
    return result;
}

static bool is_among(const ls_term_list *list, const ls_term *term) {
    bool found = false;
    for (uint32_t i = 0; i < list->length && !found; i++) found = list->items[i] == term;
    return found;
}

static void find_choices(const ls_term *address, ls_term_list *conditions) {
    ls_term_walk walk = {0};
    ls_walk_add(&walk, &address, 1);
    for (const ls_term *a = ls_walk_down(&walk); a && conditions->length < MOST_CHOICES;
         a = ls_walk_down(&walk))
        if (a->op == LS_T_ITE && a->width > 1 && !is_among(conditions, a->args[0]))
            LS_VEC_PUSH(conditions, a->args[0]);
    ls_walk_free(&walk);
}

/* A choice in the address of which the access leaves one: `if (x < width) { next = …; end = …; } else next =
 * end = 0;` … `if (next != end) out[next] = v;` */
static void settle_choice(ls_terms *t, ls_event *e, const ls_term *condition) {
    if (!ls_occurs(e->when, condition)) return; /* it would not change */
    for (int holds = 0; holds < 2; holds++) {
        if (!ls_is_false(where(t, e->when, condition, !holds))) continue;
        const ls_term *is = holds ? condition : ls_not(t, condition);
        e->address = where(t, e->address, condition, holds);
        e->when = ls_and(t, is, where(t, e->when, condition, holds));
        return;
    }
}

static void cut_address(ls_proof *p, ls_event *e) {
    e->constant = e->address->op == LS_T_LIN ? e->address->value : 0;
    e->part = ls_sub(&p->terms, e->address, ls_const(&p->terms, e->address->width, e->constant));
}

void ls_split_address(ls_proof *p, ls_event *e) {
    ls_term_list conditions = {0};
    find_choices(e->address, &conditions);
    for (uint32_t i = 0; i < conditions.length; i++) settle_choice(&p->terms, e, conditions.items[i]);
    LS_VEC_FREE(&conditions);
    cut_address(p, e);
    e->size = (uint64_t)bytes_of(e->access) * (e->access->count ? e->access->count : 1);
}

void ls_settle_address(ls_proof *p, ls_event *e) {
    ls_terms *t = &p->terms;
    ls_term_list conditions = {0};
    bool rows = e->access->space != LS_SPACE_SHARED && ls_has_products(e->address);
    if (!rows) return; /* … of a length that is not known */
    find_choices(e->address, &conditions);
    for (uint32_t i = 0; i < conditions.length; i++)
        for (int holds = 1; holds >= 0; holds--) {
            const ls_term *c = conditions.items[i];
            if (!ls_holds_always(p, e, holds ? c : ls_not(t, c))) continue;
            e->address = where(t, e->address, c, holds);
            break;
        }
    if (conditions.length) cut_address(p, e);
    LS_VEC_FREE(&conditions);
}
