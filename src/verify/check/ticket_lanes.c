/* Lanes of a warp that wait for each other: bar.warp.sync (__syncwarp), and all that has .sync in its name:
 * shuffles, votes, elections, fragments of matrices. None of them is passed before the other lanes have come
 * that far, so that a wait may depend on itself by way of one (ticket_ends.c). bar.warp.sync, where all lanes
 * of the warp are known to meet, also hands on what they know and have done (ticket_order.c); and so does a
 * barrier of some warps (bar.sync ID, COUNT). */
#include "verify/check/ticket_lanes.h"
#include "verify/check/groups.h"
#include "verify/execute/lower.h"

#include <string.h>

bool ls_meets_lanes(const ls_ir_instr *i) {
    return strstr(i->form->text, ".sync") != NULL;
}

/* The barrier is for all lanes of each warp that comes, and they come together. */
static bool is_barrier(const ls_node *n, const ls_ir_instr *i) {
    uint64_t mask;
    if (i != n->barrier || !n->meets || i->guard.kind != LS_IR_ABSENT ||
        i->form->opcode->barrier != LS_BARRIER_WARP)
        return false;
    return i->src[0].kind == LS_IR_IMM
               ? (uint32_t)i->src[0].bits == UINT32_MAX
               : i->src[0].value && ls_ir_constant(i->src[0].value, &mask) && (uint32_t)mask == UINT32_MAX;
}

/* The last one of these threads says no less of who waits for whom: nothing is between them. */
static bool is_said(const ls_protocol *x, const ls_site *s) {
    for (uint32_t k = x->sites.length; k-- > 0;) {
        const ls_site *o = &x->sites.items[k];
        if (!ls_threads_meet(o, s)) continue;
        return o->kind == LS_SITE_LANES && o->node->block == s->node->block && ls_threads_within(s, o) &&
               ls_threads_within(o, s);
    }
    return false;
}

static void add_part(ls_protocol *x, const ls_site *s, ls_site *part) {
    const uint32_t *block = x->p->options->block;
    if (part->thread_count != s->thread_count && block[1] * block[2] == 1)
        part->when = ls_and(&x->p->terms, s->when, ls_is_among(x, part));
    LS_VEC_PUSH(&x->sites, *part);
}

/* A barrier of some warps, by its numbers: as many threads as it waits for come to each (groups.c). */
static void add_warps(ls_protocol *x, const ls_node *n, const ls_site *s) {
    const uint32_t *block = x->p->options->block;
    const bool *in[LS_MOST_NUMBERS];
    const uint32_t count = ls_parts_at(x->p, n, in);
    for (uint32_t k = 0; k < count; k++) {
        ls_site part = *s;
        memset(part.threads, 0, sizeof part.threads);
        part.thread_count = 0;
        for (uint32_t t = 0; t < x->threads; t++)
            if (in[k][t]) {
                part.threads[t / 64] |= UINT64_C(1) << t % 64;
                part.thread_count++;
            }
        part.warps = true;
        part.silent = block[1] * block[2] != 1 || s->nested;
        add_part(x, s, &part);
    }
}

void ls_add_lanes(ls_protocol *x, const ls_node *n, const ls_site *s) {
    const uint32_t *block = x->p->options->block;
    const bool orders = is_barrier(n, s->instr) && block[1] * block[2] == 1 && !s->nested;
    if (s->instr == n->barrier && n->meets && ls_is_partial(x->p, s->instr)) {
        add_warps(x, n, s);
        return;
    }
    for (uint32_t warp = 0; warp * 32 < x->threads; warp++) {
        ls_site part = *s;
        memset(part.threads, 0, sizeof part.threads);
        part.threads[warp / 2] = s->threads[warp / 2] & (UINT64_C(0xffffffff) << warp % 2 * 32);
        part.threads[LS_MOST_BLOCK / 64] = s->threads[LS_MOST_BLOCK / 64] & UINT64_C(1) << warp;
        part.thread_count =
            (uint32_t)__builtin_popcountll(part.threads[warp / 2]) + (part.threads[LS_MOST_BLOCK / 64] != 0);
        part.unit = warp;
        part.silent = !orders || part.thread_count != 32;
        if (!part.thread_count || (part.silent && is_said(x, &part))) continue;
        add_part(x, s, &part);
    }
}
