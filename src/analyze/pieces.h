/* What an instruction accesses at a time: most are one access of their lanes, wmma.load and wmma.store
 * several after each other. */
#ifndef LS_ANALYZE_PIECES_H
#define LS_ANALYZE_PIECES_H

#include "analyze/cost.h"
#include "isa/fragment.h"

typedef struct {
    uint32_t count; /* 0: what the instruction accesses is not modelled */
    uint32_t bytes; /* of one lane in one of them */
    uint32_t lanes; /* that take part: the first ones */
    bool wmma;
    ls_wmma_move move;
} ls_pieces;

ls_pieces ls_pieces_of(const ls_ir_access *access);
/* The lanes' addresses in piece k, where `base` are those that the operand gives. */
ls_lanes ls_piece_lanes(ls_warp *warp, const ls_ir_access *access, const ls_pieces *pieces, uint32_t k,
                        const ls_lanes *base);
/* wmma: what says how many elements lie between the starts of two lines; NULL where nothing does, and lines
 * follow on each other. */
const ls_ir_operand *ls_wmma_stride(const ls_ir_instr *instr);
/* Lanes that may execute the instruction and take part in its accesses. */
ls_active ls_pieces_active(ls_warp *warp, const ls_ir_access *access, const ls_pieces *pieces);
/* Adds the cost of a further piece. */
void ls_add_piece(ls_access_cost *cost, const ls_access_cost *piece);

#endif
