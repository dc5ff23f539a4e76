/* Accesses of matrix instructions, taken apart as the hardware takes them. ldmatrix and stmatrix access a row
 * of 16 bytes at the address of each of their first lanes. wmma.load and wmma.store have one address and a
 * stride between lines for the whole matrix: each lane accesses the elements that its fragment holds, a
 * register or an element at a time. */
#include "analyze/pieces.h"

ls_pieces ls_pieces_of(const ls_ir_access *access) {
    const ls_ir_instr *instr = access->instr;
    ls_pieces pieces = {.count = 1, .bytes = access->bytes * access->count, .lanes = LANES};
    if (!access->opaque) return pieces;
    pieces.count = 0;
    if (instr->unknown) return pieces;
    if (instr->op == LS_OP_LDMATRIX || instr->op == LS_OP_STMATRIX) {
        uint32_t matrices = ls_matrix_count_of(instr->form);
        pieces.count = matrices == 1 || matrices == 2 || matrices == 4;
        pieces.bytes = LS_MATRIX_ROW_BYTES;
        pieces.lanes = LS_MATRIX_ROWS * matrices;
    } else if (instr->op == LS_OP_WMMA_LOAD || instr->op == LS_OP_WMMA_STORE) {
        pieces.wmma = ls_wmma_move_of(instr->form, &pieces.move);
        if (!pieces.wmma) return pieces;
        pieces.count = pieces.move.pieces;
        pieces.bytes = pieces.move.piece * pieces.move.fragment.bits / 8;
    }
    return pieces;
}

const ls_ir_operand *ls_wmma_stride(const ls_ir_instr *instr) {
    enum { STRIDE = 2 }; /* the third operand, behind the address and the registers */
    for (uint32_t s = 0; s < instr->src_count; s++)
        if (instr->src[s].operand == STRIDE) return &instr->src[s];
    return NULL;
}

/* Elements between the starts of two lines. Where it is not known it is a multiple of 16 bytes, as wmma asks:
 * other strides fault. */
static ls_lanes stride_lanes(ls_warp *warp, const ls_ir_instr *instr, const ls_wmma_move *move) {
    const ls_fragment *f = &move->fragment;
    const ls_ir_operand *operand = ls_wmma_stride(instr);
    if (!operand) return ls_lanes_uniform(ls_residue_constant(move->column_major ? f->rows : f->columns));
    if (operand->kind == LS_IR_IMM) return ls_lanes_uniform(ls_residue_constant((int32_t)operand->bits));
    ls_residue lines = ls_residue_make(0, LS_MATRIX_ROW_BYTES * 8 / f->bits);
    if (!operand->value) return ls_lanes_uniform(lines);
    const ls_lanes *known = ls_warp_lanes(warp, operand->value);
    bool uniform = known->group_count == 1 && !known->has_slack && known->modulus == 1;
    return uniform ? ls_lanes_uniform(lines) : *known;
}

ls_lanes ls_piece_lanes(ls_warp *warp, const ls_ir_access *access, const ls_pieces *pieces, uint32_t k,
                        const ls_lanes *base) {
    if (!pieces->wmma) return *base;
    const ls_wmma_move *move = &pieces->move;
    int64_t lines[LANES], elements[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        ls_line_place p = ls_wmma_piece(move, l, k);
        lines[l] = p.line;
        elements[l] = p.element;
    }
    ls_lanes line = ls_lanes_vector(lines), element = ls_lanes_vector(elements);
    ls_lanes stride = stride_lanes(warp, access->instr, move);
    ls_lanes index = ls_lanes_multiply(&line, &stride);
    index = ls_lanes_add(&index, &element);
    index = ls_lanes_scale(&index, move->fragment.bits);
    index = ls_lanes_divide(&index, 8, false);
    return ls_lanes_add(base, &index);
}

static void limit_to(ls_active *active, uint32_t lanes) {
    active->may &= lanes;
    uint8_t left = (uint8_t)__builtin_popcount(active->may);
    if (left < active->most) active->most = left;
}

ls_active ls_pieces_active(ls_warp *warp, const ls_ir_access *access, const ls_pieces *pieces) {
    const ls_ir_instr *instr = access->instr;
    ls_active active = ls_warp_active(warp, instr->block);
    if (pieces->lanes < LANES) limit_to(&active, (1u << pieces->lanes) - 1);
    if (!instr->guard.value) return active;
    ls_lanes guard = *ls_warp_lanes(warp, instr->guard.value);
    if (!guard.seen || !guard.predicate) return active;
    if (instr->guard.flags & LS_OPERAND_NOT) guard = ls_lanes_not(&guard);
    if (guard.most_true < active.most) active.most = guard.most_true;
    limit_to(&active, guard.may);
    return active;
}

static void lift(uint32_t *most, uint32_t number) {
    if (number > *most) *most = number;
}

void ls_add_piece(ls_access_cost *cost, const ls_access_cost *piece) {
    lift(&cost->active_lanes, piece->active_lanes);
    cost->sectors += piece->sectors;
    cost->sectors_best += piece->sectors_best;
    cost->minimum_sectors += piece->minimum_sectors;
    cost->sectors_least += piece->sectors_least;
    cost->lines += piece->lines;
    cost->lines_best += piece->lines_best;
    cost->minimum_lines += piece->minimum_lines;
    cost->lines_least += piece->lines_least;
    lift(&cost->degree, piece->degree);
    lift(&cost->degree_best, piece->degree_best);
    cost->wavefronts += piece->wavefronts;
    cost->minimum_wavefronts += piece->minimum_wavefronts;
    for (uint32_t b = 0; b < 32; b++)
        if (piece->banks[b] > cost->banks[b]) cost->banks[b] = piece->banks[b];
}
