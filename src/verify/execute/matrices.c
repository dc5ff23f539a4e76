/* Matrices between memory and registers, as accesses of threads.
 *
 * ldmatrix and stmatrix take a row of 16 bytes at the address of each of their first 8, 16 or 32 lanes.
 *
 * wmma.load and wmma.store access lines that are a stride apart. PTX leaves open which lane accesses which
 * part of them, so each lane is given one part, and then that of its neighbour as well: whoever else accesses
 * a part meets another lane in one of the two. Pairs of such instructions are looked at with the first alone,
 * as one layout of fragments is used for all of them; other warps are met in either. */
#include "verify/execute/matrices.h"
#include "isa/matrix.h"
#include "verify/check/radix.h"
#include "verify/check/warps.h"
#include "verify/execute/lower.h"
#include "verify/proof.h"

static void push(ls_state *s, ls_event e, const ls_term *address, uint64_t bytes) {
    e.address = address;
    ls_split_address(s->proof, &e);
    e.size = bytes;
    LS_VEC_PUSH(s->events, e);
}

static bool move_rows(ls_state *s, ls_event e) {
    ls_terms *t = &s->proof->terms;
    uint32_t lanes = LS_MATRIX_ROWS * ls_matrix_count_of(e.access->instr->form);
    if (!lanes || lanes > LS_WARP) return false;
    if (lanes < LS_WARP) e.when = ls_and(t, e.when, ls_ult(t, ls_lane(s->proof), ls_const(t, 32, lanes)));
    push(s, e, e.address, LS_MATRIX_ROW_BYTES);
    return true;
}

/* In bytes: of the operand that comes last, or of a matrix without gaps. */
static const ls_term *stride_of(ls_state *s, const ls_ir_instr *i, const ls_wmma_tile *tile, uint32_t width) {
    ls_terms *t = &s->proof->terms;
    const ls_ir_operand *last = &i->src[i->src_count - 1];
    uint32_t operand = i->op == LS_OP_WMMA_LOAD ? 1 : 2; /* where it stands, if it is there */
    const ls_term *elements = last->operand == operand ? ls_resize(t, ls_operand_of(s, last), width, true)
                                                       : ls_const(t, width, tile->elements);
    if (tile->element_bits % 8 == 0) return ls_mul(t, elements, ls_const(t, width, tile->element_bits / 8));
    return ls_binary(t, LS_T_UDIV, elements, ls_const(t, width, 8 / tile->element_bits));
}

static bool move_tile(ls_state *s, ls_event e) {
    ls_proof *p = s->proof;
    ls_terms *t = &p->terms;
    ls_wmma_tile tile;
    if (!ls_wmma_tile_of(e.access->instr->form, &tile) || tile.lines > LS_WARP || LS_WARP % tile.lines)
        return false;
    uint32_t per_line = LS_WARP / tile.lines, bits = tile.line_bits / per_line, width = e.address->width;
    if (!bits || bits % 8) return false;
    const ls_term *stride = stride_of(s, e.access->instr, &tile, width), *start = e.address;
    const ls_term *lane = ls_lane(p), *parts = ls_const(t, 32, per_line);
    for (int turn = 0; turn < 2; turn++) {
        const ls_term *line = ls_binary(t, LS_T_UDIV, lane, parts),
                      *part = ls_binary(t, LS_T_UREM, lane, parts);
        line = ls_mul(t, ls_resize(t, line, width, false), stride);
        part = ls_mul(t, ls_resize(t, part, width, false), ls_const(t, width, bits / 8));
        e.part_of_neighbour = turn > 0;
        push(s, e, ls_add(t, start, ls_add(t, line, part)), bits / 8);
        lane = ls_binary(t, LS_T_UREM, ls_add(t, lane, ls_const(t, 32, 1)), ls_const(t, 32, LS_WARP));
    }
    return true;
}

bool ls_matrix_events(ls_state *s, const ls_event *e) {
    switch (e->access->instr->op) {
    case LS_OP_LDMATRIX:
    case LS_OP_STMATRIX: return move_rows(s, *e);
    case LS_OP_WMMA_LOAD:
    case LS_OP_WMMA_STORE: return move_tile(s, *e);
    default: return false;
    }
}
