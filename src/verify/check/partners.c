/* Which pairs of accesses need be looked at: not those of different objects, nor those of reads. */
#include "verify/check/partners.h"
#include "verify/check/overlap.h"
#include "verify/execute/roots.h"

static uint32_t group_of(const ls_proof *p, ls_access_groups *g, const ls_event *e) {
    const ls_ir_base *base = e->access->bases[0];
    bool is_new;
    uint64_t *slot = ls_intmap_at(&g->group_of, ls_object_number(p, base), &is_new);
    if (is_new) {
        ls_access_numbers none = {0};
        *slot = g->all.length;
        LS_VEC_PUSH(&g->all, none);
        LS_VEC_PUSH(&g->writes, none);
        LS_VEC_PUSH(&g->memories, 0);
    }
    return (uint32_t)*slot;
}

void ls_add_access(const ls_proof *p, ls_access_groups *g, const ls_event *e) {
    uint32_t number = g->known.length;
    LS_VEC_PUSH(&g->known, e);
    if (e->access->base_count > 1) {
        LS_VEC_PUSH(&g->several, number);
        return;
    }
    uint32_t group = group_of(p, g, e);
    g->memories.items[group] |= ls_memory_of(e, e->access->bases[0]);
    LS_VEC_PUSH(&g->all.items[group], number);
    if (e->access->kind != LS_ACCESS_READ) LS_VEC_PUSH(&g->writes.items[group], number);
}

void ls_free_access_groups(ls_access_groups *g) {
    for (uint32_t i = 0; i < g->all.length; i++) {
        LS_VEC_FREE(&g->all.items[i]);
        LS_VEC_FREE(&g->writes.items[i]);
    }
    LS_VEC_FREE(&g->all);
    LS_VEC_FREE(&g->writes);
    LS_VEC_FREE(&g->memories);
    LS_VEC_FREE(&g->several);
    LS_VEC_FREE(&g->known);
    ls_intmap_free(&g->group_of);
}

static uint32_t first_from(const ls_access_numbers *list, uint32_t least) {
    uint32_t lo = 0, hi = list->length;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (list->items[middle] < least)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

ls_partners ls_partners_of(const ls_proof *p, ls_access_groups *g, uint32_t i, uint8_t memory) {
    const ls_event *e = g->known.items[i];
    if (e->access->base_count > 1) return (ls_partners){.all = i};
    uint32_t group = group_of(p, g, e);
    if (!(g->memories.items[group] & memory) && !g->several.length) return (ls_partners){.all = UINT32_MAX};
    const ls_access_numbers *list =
        e->access->kind == LS_ACCESS_READ ? &g->writes.items[group] : &g->all.items[group];
    return (ls_partners){list, &g->several, first_from(list, i), first_from(&g->several, i), 0};
}

uint32_t ls_next_partner(ls_partners *w) {
    if (!w->one) return w->all == UINT32_MAX ? w->all : w->all++;
    uint32_t one = w->at_one < w->one->length ? w->one->items[w->at_one] : UINT32_MAX;
    uint32_t two = w->at_two < w->two->length ? w->two->items[w->at_two] : UINT32_MAX;
    *(one < two ? &w->at_one : &w->at_two) += 1;
    return one < two ? one : two;
}
