/* Views as a map from blocks to what is known of them: a Patricia trie over the block's number (Okasaki and
 * Gill, "Fast mergeable integer maps"). Tries are never changed, so that thousands of threads that have
 * acquired the same release share one, and a join of two that have parts in common looks at the rest only.
 *
 * What a location has only grows, as long as atomic operations alone write it: of two parts that it had at
 * different times the later one has the other, and they need not be compared. So a barrier of the grid, where
 * each block adds itself to what all have and takes that over, costs its blocks and not their square. */
#include "emulate/check/view.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct view {
    uint32_t references;
    uint32_t key;         /* leaf: the block; else the bits above `bit`, which all below have in common */
    uint32_t bit;         /* leaf: 0; else the highest bit in which the two sides differ */
    uint32_t mark, stamp; /* the location that had it first, and when (em_view_mark); 0: none */
    union {
        view *side[2];
        struct {
            uint32_t epoch, count;
        };
    };
    view_entry entries[]; /* of a leaf */
};

view *em_view_hold(view *v) {
    if (v) v->references++;
    return v;
}

void em_view_drop(view *v) {
    while (v && !--v->references) { /* as deep as a block's number has bits */
        view *next = NULL;
        if (v->bit) {
            em_view_drop(v->side[0]);
            next = v->side[1];
        }
        free(v);
        v = next;
    }
}

static view *allocate(uint32_t key, uint32_t bit, uint32_t entries) {
    view *v = ls_xrealloc(NULL, sizeof *v + entries * sizeof *v->entries);
    v->references = 1;
    v->key = key;
    v->bit = bit;
    v->mark = v->stamp = 0;
    return v;
}

/* --- What is known of one block --- */
static bool is_within(const view_entry *a, const view_entry *b) {
    return a->count == b->count && a->warp == b->warp && a->from >= b->from && a->to <= b->to &&
           a->epoch <= b->epoch && !(a->lanes & ~b->lanes);
}

enum { MOST_WRITES = 8 }; /* of one thread that are told apart */

/* Many strong writes of one thread, each of which was seen, become those from the first to the last. */
static bool widen(view_entry *x, const view_entry *e, uint32_t alike) {
    if (e->count != VIEW_WRITES || alike < MOST_WRITES) return false;
    if (e->from < x->from) x->from = e->from;
    if (e->to > x->to) x->to = e->to;
    return true;
}

/* Adds an entry to a leaf that has room for it. */
static void insert(view *leaf, const view_entry *e) {
    if (e->epoch < leaf->epoch || !e->lanes || e->from >= e->to) return; /* the barrier covers it */
    for (uint32_t k = 0, alike = 0; k < leaf->count; k++) {
        view_entry *x = &leaf->entries[k];
        if (is_within(e, x)) return;
        if (x->count != e->count || x->warp != e->warp) continue;
        if (x->from == e->from && x->to == e->to && x->epoch == e->epoch) {
            x->lanes |= e->lanes;
            return;
        }
        if (is_within(x, e)) {
            *x = *e;
            return;
        }
        alike += x->lanes == e->lanes && x->epoch == e->epoch;
        if (widen(x, e, alike)) return;
    }
    leaf->entries[leaf->count++] = *e;
}

view *em_view_new(uint32_t block, uint32_t epoch, const view_entry *entries, uint32_t count) {
    view *v = allocate(block, 0, count);
    v->epoch = epoch;
    v->count = 0;
    for (uint32_t k = 0; k < count; k++) insert(v, &entries[k]);
    return v;
}

static bool leaf_has(const view *a, const view *b) {
    if (b->epoch > a->epoch) return false;
    for (uint32_t k = 0; k < b->count; k++) {
        bool found = b->entries[k].epoch < a->epoch;
        for (uint32_t n = 0; n < a->count && !found; n++) found = is_within(&b->entries[k], &a->entries[n]);
        if (!found) return false;
    }
    return true;
}

static view *join_leaves(view *a, view *b) {
    if (leaf_has(a, b)) return em_view_hold(a);
    if (leaf_has(b, a)) return em_view_hold(b);
    view *v = allocate(a->key, 0, a->count + b->count);
    v->epoch = a->epoch > b->epoch ? a->epoch : b->epoch;
    v->count = 0;
    for (uint32_t k = 0; k < a->count; k++) insert(v, &a->entries[k]);
    for (uint32_t k = 0; k < b->count; k++) insert(v, &b->entries[k]);
    return v;
}

/* --- The map --- */
static uint32_t prefix(uint32_t key, uint32_t bit) {
    return bit ? key & ~(bit | (bit - 1)) : key;
}

static view *branch(const view *at, uint32_t bit, view *left, view *right) {
    view *v = allocate(prefix(at->key, bit), bit, 0);
    v->side[0] = left;
    v->side[1] = right;
    return v;
}

/* Two that have no block in common. */
static view *beside(view *a, view *b) {
    uint32_t bit = UINT32_C(1) << (31 - (uint32_t)__builtin_clz(a->key ^ b->key));
    bool right = a->key & bit;
    return branch(a, bit, em_view_hold(right ? b : a), em_view_hold(right ? a : b));
}

/* The trie with one side joined with another one; its own where that changes nothing. */
static view *join_side(view *a, view *b) {
    int k = (b->key & a->bit) != 0;
    view *side = em_view_join(a->side[k], b);
    if (side == a->side[k]) {
        em_view_drop(side);
        return em_view_hold(a);
    }
    view *other = em_view_hold(a->side[!k]);
    return k ? branch(a, a->bit, other, side) : branch(a, a->bit, side, other);
}

static view *join_sides(view *a, view *b) {
    view *left = em_view_join(a->side[0], b->side[0]), *right = em_view_join(a->side[1], b->side[1]);
    view *same = left == a->side[0] && right == a->side[1]   ? a
                 : left == b->side[0] && right == b->side[1] ? b
                                                             : NULL;
    if (!same) return branch(a, a->bit, left, right);
    em_view_drop(left);
    em_view_drop(right);
    return em_view_hold(same);
}

void em_view_mark(view *v, uint32_t mark, uint32_t stamp) {
    for (; v && !v->mark; v = v->side[1]) {
        v->mark = mark;
        v->stamp = stamp;
        if (!v->bit) return;
        em_view_mark(v->side[0], mark, stamp);
    }
}

/* Whether one location had `b`, and then `a`, of all blocks that `b` can have. */
static bool is_later(const view *a, const view *b) {
    return a->mark && a->mark == b->mark && a->stamp >= b->stamp && a->bit >= b->bit &&
           prefix(b->key, a->bit) == a->key;
}

view *em_view_join(view *a, view *b) {
    if (!b || a == b) return em_view_hold(a);
    if (!a) return em_view_hold(b);
    if (is_later(a, b)) return em_view_hold(a);
    if (is_later(b, a)) return em_view_hold(b);
    if (a->bit == b->bit && a->key == b->key) return a->bit ? join_sides(a, b) : join_leaves(a, b);
    if (a->bit > b->bit && prefix(b->key, a->bit) == a->key) return join_side(a, b);
    if (b->bit > a->bit && prefix(a->key, b->bit) == b->key) return join_side(b, a);
    return beside(a, b);
}

void em_view_set(view **to, view *v) {
    em_view_drop(*to);
    *to = v;
}

void em_view_add(view **to, view *v) {
    em_view_set(to, em_view_join(*to, v));
}

/* --- Questions --- */
static const view *leaf_of(const view *v, uint32_t block) {
    while (v && v->bit) v = prefix(block, v->bit) == v->key ? v->side[(block & v->bit) != 0] : NULL;
    return v && v->key == block ? v : NULL;
}

bool em_view_covers_interval(const view *v, uint32_t block, uint32_t epoch) {
    const view *leaf = leaf_of(v, block);
    return leaf && epoch < leaf->epoch;
}

bool em_view_covers(const view *v, const view_access *a) {
    const view *leaf = leaf_of(v, a->block);
    if (!leaf) return false;
    if (a->count[VIEW_EPOCHS] < leaf->epoch) return true;
    for (uint32_t k = 0; k < leaf->count; k++) {
        const view_entry *e = &leaf->entries[k];
        uint32_t count = a->count[e->count];
        if (e->warp == a->warp && e->lanes >> a->lane & 1 && e->from <= count && count < e->to &&
            a->count[VIEW_EPOCHS] <= e->epoch)
            return true;
    }
    return false;
}
