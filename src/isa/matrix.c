/* Shapes and layouts of matrices, as the modifiers of an instruction give them. */
#include "isa/matrix.h"

#include <stdio.h>

bool ls_matrix_shape_of(const ls_ptx_form *form, ls_matrix_shape *shape) {
    for (uint32_t k = 0; k < form->modifier_count; k++) {
        unsigned m, n, inner;
        if (form->modifiers[k] != LS_MOD_SHAPE) continue;
        if (sscanf(form->modifier_texts[k], "m%un%uk%u", &m, &n, &inner) != 3) continue;
        if (m > 64 || n > 64 || inner > 256) return false;
        *shape = (ls_matrix_shape){(uint16_t)m, (uint16_t)n, (uint16_t)inner};
        return true;
    }
    return false;
}

uint32_t ls_matrix_count_of(const ls_ptx_form *form) {
    for (uint32_t k = 0; k < form->modifier_count; k++) {
        unsigned n;
        if (form->modifiers[k] == LS_MOD_SHAPE && sscanf(form->modifier_texts[k], "x%u", &n) == 1) return n;
    }
    return 0;
}

bool ls_matrix_is_column_major(const ls_ptx_form *form, uint32_t n) {
    for (uint32_t k = 0; k < form->modifier_count; k++)
        if (form->modifiers[k] == LS_MOD_ROW || form->modifiers[k] == LS_MOD_COL)
            if (!n--) return form->modifiers[k] == LS_MOD_COL;
    return false;
}

ls_matrix_role ls_wmma_role_of(const ls_ptx_form *form) {
    bool load = form->op == LS_OP_WMMA_LOAD;
    if (load && ls_ptx_form_has(form, LS_MOD_A)) return LS_MATRIX_A;
    if (load && ls_ptx_form_has(form, LS_MOD_B)) return LS_MATRIX_B;
    return LS_MATRIX_C;
}

uint16_t ls_matrix_rows(ls_matrix_shape shape, ls_matrix_role role) {
    return role == LS_MATRIX_B ? shape.k : shape.m;
}

uint16_t ls_matrix_columns(ls_matrix_shape shape, ls_matrix_role role) {
    return role == LS_MATRIX_A ? shape.k : shape.n;
}

bool ls_wmma_tile_of(const ls_ptx_form *form, ls_wmma_tile *tile) {
    ls_matrix_shape shape;
    uint32_t bits = ls_ptx_type_bits(ls_ptx_form_type(form, 0));
    if (!bits || !ls_matrix_shape_of(form, &shape)) return false;
    ls_matrix_role role = ls_wmma_role_of(form);
    uint32_t rows = ls_matrix_rows(shape, role), columns = ls_matrix_columns(shape, role);
    bool by_columns = ls_matrix_is_column_major(form, 0);
    *tile = (ls_wmma_tile){
        .lines = by_columns ? columns : rows, .elements = by_columns ? rows : columns, .element_bits = bits};
    tile->line_bits = tile->elements * bits;
    return tile->lines && tile->line_bits;
}
