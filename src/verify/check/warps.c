/* Synchronisation within a warp: bar.warp.sync (__syncwarp) waits for the lanes that its mask names and
 * orders their accesses. It is taken for a barrier of these lanes where the mask is a constant, or names the
 * tile of 2, 4, 8 or 16 lanes that the lane itself is in, and every branch on which it depends is agreed on
 * by them, so that they pass it together; otherwise it orders nothing, and what is found among the lanes of a
 * warp is only possible. Shuffles and votes wait for lanes
 * too, but order no memory. */
#include "verify/check/warps.h"
#include "base/recover.h"
#include "verify/check/barriers.h"
#include "verify/check/groups.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/execute/uniform.h"
#include "verify/proof.h"
#include "verify/query/query.h"

const ls_term *ls_thread_number(ls_proof *p) {
    ls_terms *t = &p->terms;
    const ls_term *yz = ls_add(t, p->tid[1], ls_mul(t, p->ntid[1], p->tid[2]));
    return ls_add(t, p->tid[0], ls_mul(t, p->ntid[0], yz));
}

const ls_term *ls_lane(ls_proof *p) {
    return ls_binary(&p->terms, LS_T_UREM, ls_thread_number(p), ls_const(&p->terms, 32, LS_WARP));
}

static const ls_term *linear_thread(ls_query *q, uint32_t thread) {
    return ls_query_term(q, thread, ls_thread_number(q->view.p));
}

const ls_term *ls_same_warp(ls_query *q, uint32_t size) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *lanes = ls_const(t, 32, size);
    return ls_eq(t, ls_binary(t, LS_T_UDIV, linear_thread(q, 1), lanes),
                 ls_binary(t, LS_T_UDIV, linear_thread(q, 2), lanes));
}

/* The lane is one of a constant mask's, as ranges of lanes; of another mask's by its bit. */
const ls_term *ls_mask_names(ls_terms *t, const ls_term *bits, const ls_term *lane) {
    if (!ls_is_const(bits))
        return ls_eq(t, ls_extract(t, ls_binary(t, LS_T_LSHR, bits, lane), 0, 1), ls_true(t));
    uint32_t mask = (uint32_t)bits->value;
    if (mask == UINT32_MAX) return ls_true(t);
    const ls_term *member = ls_false(t);
    for (uint32_t from = 0, to; from < LS_WARP; from = to) {
        to = from + 1;
        if (!(mask >> from & 1)) continue;
        while (to < LS_WARP && mask >> to & 1) to++;
        const ls_term *here = ls_ult(t, lane, ls_const(t, 32, to));
        here = ls_and(t, here, ls_not(t, ls_ult(t, lane, ls_const(t, 32, from))));
        member = ls_or(t, member, here);
    }
    return member;
}

static void free_warps(void *part) {
    LS_VEC_FREE(&((ls_warp_sync *)part)->members);
}

static const ls_part WARPS = {sizeof(ls_warp_sync), free_warps};

ls_warp_sync *ls_warp_sync_of(const ls_proof *p) {
    return ls_part_of(p, &WARPS);
}

static const ls_term *is_member(ls_query *q, uint32_t thread, uint32_t mask) {
    ls_terms *t = &q->view.p->terms;
    return ls_mask_names(t, ls_const(t, 32, mask), ls_query_term(q, thread, ls_lane(q->view.p)));
}

/* Both threads are among the lanes of one warp that synchronise. */
static const ls_term *together(ls_query *q, uint32_t mask) {
    ls_terms *t = &q->view.p->terms;
    const ls_term *members = ls_and(t, is_member(q, 1, mask), is_member(q, 2, mask));
    return ls_and(t, ls_same_warp(q, ls_warp_sync_of(q->view.p)->tile), members);
}

void ls_query_warps(ls_query *q) {
    if (q->view.warps == LS_WARPS_ANY) return;
    if (q->view.warps == LS_WARPS_FOUR) {
        ls_query_claim(q, ls_same_warp(q, 4 * LS_WARP));
        return;
    }
    const ls_warp_sync *w = ls_warp_sync_of(q->view.p);
    const ls_term *same = w->members.length ? ls_same_part(q) : together(q, w->mask);
    ls_query_claim(q, q->view.warps == LS_WARPS_ONE ? same : ls_not(&q->view.p->terms, same));
}

/* --- Which of them are barriers --------------------------------------------------------------------------
 */

static bool constant_mask(const ls_ir_instr *i, uint32_t *mask) {
    uint64_t bits;
    bool constant = i->src_count == 1 && i->guard.kind == LS_IR_ABSENT &&
                    (i->src[0].kind == LS_IR_IMM ? (bits = i->src[0].bits, true)
                                                 : i->src[0].value && ls_ir_constant(i->src[0].value, &bits));
    *mask = constant ? (uint32_t)bits : 0;
    return constant;
}

/* The lanes that all of them name. */
static uint32_t common_mask(const ls_proof *p) {
    uint32_t common = UINT32_MAX, mask;
    for (uint32_t n = 0; n < p->node_count; n++)
        if (p->nodes[n]->warp && constant_mask(p->nodes[n]->barrier, &mask)) common &= mask;
    return common;
}

/* Whether every lane that comes names the tile of `size` lanes that it is in. */
static bool names_tile(ls_proof *p, const ls_node *node, const ls_term *mask, uint32_t size) {
    ls_terms *t = &p->terms;
    const ls_term *first = ls_binary(t, LS_T_AND, ls_lane(p), ls_const(t, 32, LS_WARP - size));
    const ls_term *tile = ls_binary(t, LS_T_SHL, ls_const(t, 32, (1u << size) - 1), first);
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true, .a = node->block, .b = node->block});
    ls_query_add(&q, 1, p->whole->reach[node->id], mask);
    for (int k = 0; k < 3; k++) ls_query_add(&q, 1, ls_true(t), p->tid[k]);
    ls_query_claim(&q, p->launch);
    ls_query_claim(&q, ls_not(t, ls_eq(t, ls_query_term(&q, 1, mask), ls_query_term(&q, 1, tile))));
    bool names = ls_query_solve(&q) == LS_UNSAT;
    ls_query_end(&q);
    return names;
}

/* The size of the tiles that a barrier of lanes is for: 32 for all lanes; 0: of no tiles. */
static uint32_t tile_of(ls_proof *p, const ls_node *node) {
    const ls_ir_instr *i = node->barrier;
    uint32_t mask;
    if (constant_mask(i, &mask)) return mask == UINT32_MAX ? LS_WARP : 0;
    if (i->src_count != 1 || i->guard.kind != LS_IR_ABSENT) return 0;
    const ls_term *bits = ls_operand_of(p->whole, &i->src[0]);
    if (bits->width != 32) return 0;
    for (uint32_t size = 2; size < LS_WARP; size *= 2)
        if (names_tile(p, node, bits, size)) return size;
    return 0;
}

/* The smallest tile, where all barriers of lanes are for tiles, and some for less than the warp. */
static void find_tiles(ls_proof *p) {
    uint32_t smallest = LS_WARP, largest = 0;
    for (uint32_t n = 0; n < p->node_count; n++) {
        if (!p->nodes[n]->warp || !p->whole->reach[n]) continue;
        uint32_t size = tile_of(p, p->nodes[n]);
        if (!size) return;
        smallest = size < smallest ? size : smallest;
        largest = size > largest ? size : largest;
    }
    ls_warp_sync *w = ls_warp_sync_of(p);
    w->tile = smallest;
    w->doubt |= largest > smallest;
}

/* The lanes agree on every branch on which the block depends. */
static bool lanes_agree(ls_proof *p, const ls_ir_block *block, int8_t *known) {
    LS_SCRATCH(scratch);
    bool *closure = ls_arena_zalloc(&scratch, p->f->block_count + 1), agree = true;
    ls_control_closure(p, block, closure);
    for (uint32_t b = 0; b < p->f->block_count && agree; b++) {
        if (!closure[b] || !p->divergent_branch[b] || ls_only_leaves(p, p->f->blocks[b], true)) continue;
        if (!known[b]) {
            ls_query q;
            known[b] = ls_ask_agreement(p, p->f->blocks[b], LS_WARPS_ONE, &q) == LS_UNSAT ? 1 : -1;
            ls_query_end(&q);
        }
        agree = known[b] > 0;
    }
    return agree;
}

/* All of them are: one that lanes pass on their own could be waited at by a lane for another lane's next one.
 */
static bool all_are_barriers(ls_proof *p) {
    int8_t *known = LS_NEW_N(&p->arena, int8_t, p->f->block_count + 1);
    ls_warp_sync *w = ls_warp_sync_of(p);
    uint32_t mask;
    for (uint32_t n = 0; n < p->node_count; n++) {
        const ls_node *node = p->nodes[n];
        if (!node->warp || !p->whole->reach[n] || ls_is_partial(p, node->barrier)) continue;
        if (!lanes_agree(p, node->block, known)) return false;
        if (w->tile < LS_WARP) continue;
        if (!constant_mask(node->barrier, &mask)) return false;
        w->doubt |= mask != w->mask;
    }
    return true;
}

/* Beside barriers of some warps, of which the intervals are then, those of lanes order nothing there, and
 * what is found within a warp is only possible. Whether all lanes of a warp meet at them matters to tickets
 * still. */
static bool meet_beside_parts(ls_proof *p) {
    ls_warp_sync *w = ls_warp_sync_of(p);
    bool lanes = false, parts = false;
    for (uint32_t n = 0; n < p->node_count; n++) {
        const bool here = p->nodes[n]->warp && p->whole->reach[n];
        const bool part = here && ls_is_partial(p, p->nodes[n]->barrier);
        parts |= part;
        lanes |= here && !part;
    }
    if (!lanes || !parts) return false;
    w->mask = UINT32_MAX;
    const bool meet = common_mask(p) == UINT32_MAX && !p->racy_barriers && all_are_barriers(p);
    w->doubt = true;
    return meet;
}

static void set_orders(ls_proof *p, bool parts, bool lanes_meet) {
    for (uint32_t n = 0; n < p->node_count; n++) {
        ls_node *node = p->nodes[n];
        if (!node->warp) continue;
        const bool part = ls_is_partial(p, node->barrier);
        node->meets = part || !parts || lanes_meet;
        if (part || !parts) node->orders = LS_ORDERS_WARP;
    }
}

void ls_check_warps(ls_proof *p) {
    bool any = false;
    ls_warp_sync *w = ls_warp_sync_of(p);
    w->tile = LS_WARP;
    for (uint32_t n = 0; n < p->node_count; n++) any |= p->nodes[n]->warp && p->whole->reach[n];
    if (!any) return;
    const bool lanes_meet = meet_beside_parts(p);
    bool parts = ls_check_parts(p);
    if (!parts) find_tiles(p);
    w->mask = parts ? UINT32_MAX : common_mask(p);
    w->barriers = parts || (w->mask && !p->racy_barriers && all_are_barriers(p));
    if (!w->barriers) {
        w->mask = UINT32_MAX;
        w->tile = LS_WARP;
        w->doubt = true;
        return;
    }
    set_orders(p, parts, lanes_meet);
    ls_make_warp_intervals(p);
}
