/* Fragments of matrices (PTX ISA, "Matrix Fragments for mma" of each shape). One rule serves all shapes of
 * mma.sync but m8n8k4 of f16: with g = lane / 4 and t = lane mod 4, a register holds `per` neighbours along
 * k, lane t of a group the t-th such run; further registers follow 8 rows down, then 4 runs along k.
 *
 * PTX leaves wmma's fragments open. Here they are those of sm_90, as read from an H200: tiles of the same
 * rule, 16 rows of A and C or 8 columns of B after each other; m8n32 is the transposed product; elements of
 * f16 stand again where a fragment has more room than elements. */
#include "isa/fragment.h"

/* m8n8k4 of f16: lanes 0–3 and 16–19 make the first product, 4–7 and 20–23 the second … */
static ls_matrix_place place_quads(const ls_fragment *f, uint32_t lane, uint32_t e) {
    uint32_t high = lane >= 16 ? 4 : 0, quad = lane / 4 % 4, t = lane % 4;
    ls_matrix_place p = {0, 0, (uint16_t)quad};
    if (f->role == LS_MATRIX_C && f->bits == 16) {
        p.row = (uint16_t)(t + high);
        p.column = (uint16_t)e;
    } else if (f->role == LS_MATRIX_C) {
        p.row = (uint16_t)((lane & 1) + (e & 2) + high);
        p.column = (uint16_t)((e & 4) + (lane & 2) + (e & 1));
    } else {
        uint32_t along = f->role == LS_MATRIX_A ? f->column_major : !f->column_major;
        uint32_t outer = along ? e + high : t + high, inner = along ? t : e; /* inner: along k */
        p.row = (uint16_t)(f->role == LS_MATRIX_A ? outer : inner);
        p.column = (uint16_t)(f->role == LS_MATRIX_A ? inner : outer);
    }
    return p;
}

typedef struct {
    uint32_t outer, inner; /* inner: along k, or the columns of C */
} pair;

static pair place_a(uint32_t rows, uint32_t inner, uint32_t per, uint32_t lane, uint32_t e) {
    uint32_t r = e / per, i = e % per, g = lane / 4, t = lane % 4, tall = rows >= 16;
    uint32_t in_tile = inner / (4 * per) << tall; /* registers */
    uint32_t tile = r / in_tile;
    r %= in_tile;
    return (pair){16 * tile + g + (tall ? 8 * (r & 1) : 0), 4 * per * (r >> tall) + t * per + i};
}

static pair place_b(uint32_t inner, uint32_t per, uint32_t lane, uint32_t e) {
    uint32_t r = e / per, in_tile = inner / (4 * per);
    return (pair){8 * (r / in_tile) + lane / 4, 4 * per * (r % in_tile) + lane % 4 * per + e % per};
}

static pair place_c(uint32_t rows, uint32_t columns, uint32_t lane, uint32_t e) {
    uint32_t g = lane / 4, t = lane % 4, across = columns / 8;
    if (rows < 16) return (pair){g, 8 * (e / 2) + 2 * t + (e & 1)};
    uint32_t tile = e / 4;
    return (pair){16 * (tile / across) + g + 8 * (e >> 1 & 1), 8 * (tile % across) + 2 * t + (e & 1)};
}

ls_matrix_place ls_fragment_place(const ls_fragment *f, uint32_t lane, uint32_t e) {
    if (f->quads) return place_quads(f, lane, e);
    e %= ls_fragment_elements(f);
    ls_matrix_role role = (ls_matrix_role)f->role;
    uint32_t rows = f->rows, columns = f->columns;
    if (f->transposed) {
        role = role == LS_MATRIX_A ? LS_MATRIX_B : role == LS_MATRIX_B ? LS_MATRIX_A : LS_MATRIX_C;
        rows = f->columns, columns = f->rows;
    }
    pair p = role == LS_MATRIX_A   ? place_a(rows, columns, f->per, lane, e)
             : role == LS_MATRIX_B ? place_b(rows, f->per, lane, e)
                                   : place_c(rows, columns, lane, e);
    if (role == LS_MATRIX_B) p = (pair){p.inner, p.outer};
    if (f->transposed) p = (pair){p.inner, p.outer};
    return (ls_matrix_place){(uint16_t)p.outer, (uint16_t)p.inner, 0};
}

ls_fragment ls_fragment_of(ls_matrix_role role, ls_ptx_type type, ls_matrix_shape shape) {
    ls_fragment f = {.role = (uint8_t)role, .type = (uint8_t)type};
    f.rows = ls_matrix_rows(shape, role);
    f.columns = ls_matrix_columns(shape, role);
    f.bits = (uint8_t)ls_ptx_type_bits(type);
    f.per = f.bits >= 32 || !f.bits ? 1 : (uint8_t)(32 / f.bits);
    f.transposed = shape.m == 8 && shape.n == 32;
    return f;
}

/* The rule has a place for every element: whole tiles. */
static bool has_places(const ls_fragment *f) {
    ls_matrix_role role = (ls_matrix_role)f->role;
    uint32_t outer = role == LS_MATRIX_B ? f->columns : f->rows,
             inner = role == LS_MATRIX_B ? f->rows : f->columns;
    if (f->transposed) { /* A and B change places, and C is turned */
        if (role == LS_MATRIX_C) outer = f->columns, inner = f->rows;
        role = role == LS_MATRIX_A ? LS_MATRIX_B : role == LS_MATRIX_B ? LS_MATRIX_A : LS_MATRIX_C;
    }
    uint32_t step = role == LS_MATRIX_C ? 8 : 4u * f->per;
    return inner >= step && inner % step == 0 && outer >= 8 && outer % 8 == 0 &&
           (role == LS_MATRIX_B || outer == 8 || outer % 16 == 0);
}

bool ls_wmma_move_of(const ls_ptx_form *form, ls_wmma_move *move) {
    ls_matrix_shape shape;
    if (!ls_matrix_shape_of(form, &shape)) return false;
    ls_matrix_role role = ls_wmma_role_of(form);
    *move = (ls_wmma_move){.fragment = ls_fragment_of(role, ls_ptx_form_type(form, 0), shape),
                           .column_major = ls_matrix_is_column_major(form, 0)};
    const ls_fragment *f = &move->fragment;
    if (!f->bits || (role == LS_MATRIX_C && f->bits < 16) || !has_places(f)) return false;
    bool neighbours = role == LS_MATRIX_A   ? !move->column_major
                      : role == LS_MATRIX_B ? move->column_major
                                            : move->column_major == f->transposed;
    if (f->bits < 8 && !neighbours) return false;
    move->piece = neighbours ? f->per : 1;
    if (neighbours && role == LS_MATRIX_C && f->bits >= 32) move->piece = 2;
    move->turned = !neighbours && f->bits == 16;
    if (move->turned) {
        move->accessed = *f;
        move->accessed.role = LS_MATRIX_A;
        move->accessed.transposed = false;
        move->accessed.rows = move->column_major ? f->columns : f->rows;
        move->accessed.columns = move->column_major ? f->rows : f->columns;
        move->piece = f->per;
    }
    move->pieces = ls_fragment_elements(f) / move->piece;
    return !move->turned || has_places(&move->accessed);
}

ls_line_place ls_wmma_element(const ls_wmma_move *move, uint32_t lane, uint32_t e) {
    ls_matrix_place p = ls_fragment_place(&move->fragment, lane, e);
    return move->column_major ? (ls_line_place){p.column, p.row} : (ls_line_place){p.row, p.column};
}

ls_line_place ls_wmma_piece(const ls_wmma_move *move, uint32_t lane, uint32_t piece) {
    if (!move->turned) return ls_wmma_element(move, lane, piece * move->piece);
    ls_matrix_place p = ls_fragment_place(&move->accessed, lane, piece * move->piece);
    return (ls_line_place){p.row, p.column};
}
