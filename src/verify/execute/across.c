/* What lanes of a warp get from each other: elect.sync, and shfl.sync.idx from a lane that is a constant (as
 * `__shfl_sync(~0, threadIdx.x / 32, 0)`, by which CUTLASS makes a warp's number uniform), of all 32 lanes.
 *
 * Which lane elect.sync elects the PTX manual leaves open but for that it is always the same one for the same
 * mask: a symbol for each warp of the block. */
#include "verify/execute/across.h"
#include "verify/check/warps.h"
#include "verify/execute/lower.h"

static bool is_number(const ls_ir_operand *o, uint64_t value) {
    uint64_t found;
    if (o->kind == LS_IR_IMM) return (uint32_t)o->bits == value;
    return o->value && ls_ir_constant(o->value, &found) && (uint32_t)found == value;
}

/* Rows of the block are whole warps, so that lanes differ in threadIdx.x alone. */
static bool has_whole_warps(const ls_proof *p) {
    const uint32_t *block = p->options->block;
    return block[0] && block[0] % LS_WARP == 0 && !p->options->opencl && !p->options->promises_only;
}

static bool is_election(const ls_ir_instr *i) {
    return i->op == LS_OP_ELECT && i->src_count == 1 && is_number(&i->src[0], UINT32_MAX);
}

static bool is_broadcast(const ls_ir_instr *i, uint64_t *lane) {
    if (i->op != LS_OP_SHFL || i->src_count != 4 || !ls_ptx_form_has(i->form, LS_MOD_IDX) ||
        !is_number(&i->src[2], LS_WARP - 1) || !is_number(&i->src[3], UINT32_MAX))
        return false;
    const ls_ir_operand *from = &i->src[1];
    bool known = from->kind == LS_IR_IMM ? (*lane = from->bits, true)
                                         : from->value && ls_ir_constant(from->value, lane);
    return known && *lane < LS_WARP;
}

/* Where a variable in shared memory lies is the same for the block. */
static bool is_shared_address(const ls_proof *p, const ls_term *leaf) {
    for (uint32_t o = 0; o < p->f->object_count; o++)
        if (p->object_address[o] == leaf) return p->f->objects[o]->kind == LS_OBJECT_SHARED;
    return false;
}

/* What it depends on is the thread's index and what is the same for the block. */
static bool is_of_index(ls_proof *p, const ls_term *value) {
    ls_term_list leaves = {0};
    ls_leaves(&value, 1, &leaves);
    bool known = true;
    for (uint32_t k = 0; k < leaves.length; k++) {
        const ls_term *leaf = leaves.items[k];
        const ls_sym *sym = leaf->op == LS_T_SYM ? ls_sym_of(&p->terms, leaf) : NULL;
        bool index = leaf == p->tid[0] || leaf == p->tid[1] || leaf == p->tid[2];
        known &= is_shared_address(p, leaf) ||
                 (sym && sym->kind == LS_SYM_INPUT && (index || sym->scope != LS_SCOPE_THREAD));
    }
    LS_VEC_FREE(&leaves);
    return known;
}

/* --- Elections --- */

enum { MOST_WARPS = 32 };

typedef struct {
    const ls_term *lane[MOST_WARPS];
} elected_part;

static const ls_part ELECTED = {sizeof(elected_part), NULL};

const ls_term *ls_elected_lane(const ls_proof *p, uint32_t warp) {
    const elected_part *all = ls_part_of(p, &ELECTED);
    return warp < MOST_WARPS ? all->lane[warp] : NULL;
}

static const ls_term *lane_of_warp(ls_proof *p, const ls_ir_instr *i, uint32_t warp) {
    elected_part *all = ls_part_of(p, &ELECTED);
    if (!all->lane[warp]) {
        all->lane[warp] = ls_symbol(&p->terms, "elected", 32, LS_SCOPE_BLOCK, LS_SYM_INPUT, 0, LS_WARP - 1);
        ls_sym_of(&p->terms, all->lane[warp])->key = i; /* nothing that the launch is given */
    }
    return all->lane[warp];
}

/* The lane that the thread's warp elects. */
static const ls_term *elected_lane(ls_proof *p, const ls_ir_instr *i) {
    ls_terms *t = &p->terms;
    const uint32_t *block = p->options->block;
    const uint32_t warps = block[0] * block[1] * block[2] / LS_WARP;
    const ls_term *warp = ls_binary(t, LS_T_UDIV, ls_thread_number(p), ls_const(t, 32, LS_WARP));
    if (!warps || warps > MOST_WARPS) return NULL;
    const ls_term *lane = lane_of_warp(p, i, warps - 1);
    for (uint32_t w = warps - 1; w-- > 0;)
        lane = ls_ite(t, ls_eq(t, warp, ls_const(t, 32, w)), lane_of_warp(p, i, w), lane);
    return lane;
}

/* --- Shuffles --- */

typedef struct {
    const ls_proof *p;
    uint64_t lane;
} source;

static const ls_term *as_in_lane(ls_subst *subst, const ls_term *symbol) {
    const source *from = subst->data;
    if (symbol != from->p->tid[0]) return symbol;
    ls_terms *t = subst->ctx;
    const ls_term *warp = ls_binary(t, LS_T_UDIV, symbol, ls_const(t, symbol->width, LS_WARP));
    return ls_add(t, ls_scale(t, warp, LS_WARP), ls_const(t, symbol->width, from->lane));
}

static const ls_term *broadcast(const ls_state *s, const ls_ir_instr *i, uint64_t lane) {
    const ls_term *value = ls_operand_of(s, &i->src[0]);
    source from = {s->proof, lane};
    ls_subst subst = {.ctx = &s->proof->terms, .replace = as_in_lane, .data = &from};
    if (!is_of_index(s->proof, value)) return NULL;
    value = ls_substitute(&subst, value);
    ls_subst_free(&subst);
    return value;
}

/* It stands where all lanes of whole warps can reach it. */
static bool is_of_warp(const ls_proof *p, const ls_ir_instr *i) {
    return !i->unknown && !i->call && i->guard.kind == LS_IR_ABSENT && has_whole_warps(p);
}

bool ls_is_told_across(ls_proof *p, const ls_ir_instr *i) {
    uint64_t lane;
    if (!is_of_warp(p, i)) return false;
    return is_election(i) || (is_broadcast(i, &lane) && is_of_index(p, ls_operand_of(p->whole, &i->src[0])));
}

const ls_term *ls_across_lanes(const ls_state *s, const ls_ir_instr *i, uint32_t result, uint32_t width) {
    ls_proof *p = s->proof;
    ls_terms *t = &p->terms;
    uint64_t lane;
    if (!is_of_warp(p, i)) return NULL;
    if (is_broadcast(i, &lane)) return result ? NULL : broadcast(s, i, lane);
    if (!is_election(i)) return NULL;
    const ls_term *elected = elected_lane(p, i);
    if (!elected) return NULL;
    return result ? ls_eq(t, ls_lane(p), elected) : ls_resize(t, elected, width, false);
}
