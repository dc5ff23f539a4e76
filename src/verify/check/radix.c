/* Accesses told apart without a solver, by the digits of their addresses (digits.c): if the indices that tell
 * the two threads apart are among the digits, two accesses whose addresses differ in the constant alone, by
 * less than the smallest stride, never meet. Where that needs that nothing wraps, and it may be assumed, the
 * scope of the proof says so. */
#include "verify/check/radix.h"
#include "verify/check/contract.h"
#include "verify/check/digits.h"
#include "verify/check/flights.h"

typedef ls_wide wide;

static uint64_t assumed_window(ls_proof *p, const ls_term *part, bool same_block) {
    ls_digits n = {.p = p, .same_block = same_block, .assume = true};
    if (p->options->exact_overflow || part->width != 64 || !ls_digits_add(&n, part, 1)) return 0;
    return ls_digits_tell_apart(&n) ? ls_digits_window(&n) : 0;
}

/* Of the values that a part of an address has for two threads. */
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

void ls_split_address(ls_proof *p, ls_event *e) {
    ls_terms *t = &p->terms;
    e->constant = e->address->op == LS_T_LIN ? e->address->value : 0;
    e->part = ls_sub(t, e->address, ls_const(t, e->address->width, e->constant));
    e->size = (uint64_t)bytes_of(e->access) * (e->access->count ? e->access->count : 1);
}
